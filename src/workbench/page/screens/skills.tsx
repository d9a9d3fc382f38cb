/** Skills: what they say they are, every file verified, and loaded as a host would. */
import { useEffect, useState } from 'preact/hooks';
import type { VerbResult } from '../../protocol.ts';
import type { SkillFileRow, SkillRow } from '../../protocol-rows.ts';
import { Button, EmptyState, Failure, Icon, Note, Tag, type Tone } from '../parts/elements.tsx';
import { byteSize, count } from '../parts/format.ts';
import { failedOutcome } from '../parts/use-outcome.ts';
import { linkTo, route } from '../route.ts';
import { ask, epoch, offers, readyServers, send, sentenceOf } from '../store.ts';
import { OutcomeCard } from './outcome.tsx';

const verdicts: Readonly<Record<SkillFileRow['verdict'], readonly [symbol: string, tone: Tone | undefined]>> = {
  verified: ['check', 'ok'],
  changed: ['failed', 'bad'],
  missing: ['failed', 'bad'],
  unverifiable: ['warning', 'warn'],
};

function Files({ files }: { files: readonly SkillFileRow[] }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th class="wide">File</th>
          <th class="end">Size</th>
          {files.some(({ digest }) => digest !== undefined) && <th>Digest</th>}
          <th>Verdict</th>
        </tr>
      </thead>
      <tbody>
        {files.map((file) => {
          const [symbol, tone] = verdicts[file.verdict];
          return (
            <tr key={file.path} data-state={file.verdict}>
              <td class="wide mono">{file.path}</td>
              <td class="num end">{byteSize(file.bytes)}</td>
              {files.some(({ digest }) => digest !== undefined) && (
                <td class="mono cut" title={file.digest}>
                  {file.digest?.slice(0, 18) ?? '–'}
                </td>
              )}
              <td title={file.detail}>
                <Icon name={symbol} tone={tone} /> {file.verdict}
                {file.detail !== undefined && <span class="dim">{` ${file.detail}`}</span>}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Skill({ skill, onChanged }: { skill: SkillRow; onChanged(): void }) {
  const of = { server: skill.server, uri: skill.uri };
  const [files, setFiles] = useState<readonly SkillFileRow[]>();
  const [failure, setFailure] = useState<string>();
  const [loaded, setLoaded] = useState<VerbResult<'skills.load'>>();
  const verify = (): void => {
    setFailure(undefined);
    void ask('skills.verify', of).then(
      (said) => setFiles(said.files),
      (error: unknown) => setFailure(sentenceOf(error)),
    );
  };
  useEffect(verify, [skill.uri, skill.server]);
  const load = async (): Promise<void> => {
    setLoaded(await ask('skills.load', of).catch(failedOutcome));
    onChanged();
  };
  const release = async (): Promise<void> => {
    await send('skills.release', of);
    setLoaded(undefined);
    onChanged();
  };
  const isBroken = files?.some(({ verdict }) => verdict === 'changed' || verdict === 'missing') === true;
  return (
    <div class="pane" data-server={skill.server}>
      <header class="head">
        <h1>{skill.name}</h1>
        <Tag symbol="lock" tone={skill.status === 'changed' || skill.status === 'suspicious' ? 'bad' : undefined}>
          {skill.status}
        </Tag>
        <Tag>{skill.files === 'dynamic' ? 'files on demand' : count(skill.files, 'file')}</Tag>
        {skill.bytes !== undefined && <Tag>{byteSize(skill.bytes)}</Tag>}
        <div class="actions">
          <Button symbol="refresh" onClick={verify}>
            Verify
          </Button>
          {skill.inUse ? (
            <Button onClick={() => void release()}>Release</Button>
          ) : (
            <Button kind="primary" data-key="ctrl-enter" disabled={isBroken} onClick={() => void load()}>
              Load
            </Button>
          )}
        </div>
        <p class="lead">{skill.description}</p>
        <p class="lead">
          <code>{skill.uri}</code>
        </p>
      </header>
      <div class="body">
        {skill.warnings.map((warning) => (
          <Note tone="warn" key={warning}>
            {warning}
          </Note>
        ))}
        {isBroken && (
          <Failure
            sentence="A file differs from what its server promised, so the skill is not loaded."
            remedy="Ask its author for a new version, or verify again."
          />
        )}
        {failure !== undefined && <Failure sentence={failure} />}
      </div>
      {files !== undefined && <Files files={files} />}
      {loaded !== undefined && (
        <div class="body">
          <OutcomeCard title="Loaded, as a host would" outcome={loaded}>
            {loaded.result !== undefined && (
              <pre class="well" tabIndex={0} aria-label="Text of the skill">
                {loaded.result.text}
              </pre>
            )}
          </OutcomeCard>
        </div>
      )}
    </div>
  );
}

export function SkillsScreen() {
  const [server, uri] = route.value.of;
  const [all, setAll] = useState<readonly SkillRow[]>([]);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [run, setRun] = useState(0);
  const ready = readyServers.value.map(({ label }) => label).join(' ');
  useEffect(() => {
    void ask('skills.list', {}).then(
      (said) => {
        setAll(said.skills);
        setProblems(said.problems);
      },
      () => undefined,
    );
  }, [ready, run, epoch.value, offers.value.tool]);
  const chosen = uri === undefined ? all[0] : all.find((skill) => skill.server === server && skill.uri === uri);
  return (
    <section class="screen" data-screen="skills">
      <div class="panes">
        <div class="pane list-pane">
          {problems.map((problem) => (
            <p class="problem" key={problem}>
              <Icon name="warning" tone="warn" /> {problem}
            </p>
          ))}
          <ul class="rows">
            {all.map((skill) => (
              <li key={skill.server + skill.uri}>
                <a
                  href={linkTo('skills', skill.server, skill.uri)}
                  data-row=""
                  aria-current={skill === chosen ? 'true' : undefined}
                  title={skill.description}
                >
                  <Icon name="skills" />
                  <span class="name">{skill.name}</span>
                  {skill.inUse && <Icon name="check" tone="ok" label="in use" />}
                  <span class="dim">{skill.server}</span>
                </a>
              </li>
            ))}
          </ul>
        </div>
        {chosen === undefined ? (
          <div class="pane">
            <h1 class="sr">Skills</h1>
            <EmptyState symbol="skills" title={all.length === 0 ? 'No skills' : 'Choose a skill'}>
              <p>
                {all.length === 0
                  ? 'A server offers skills as resources with SKILL.md files. None of the connected ones does.'
                  : 'Each file is compared with the digest that its server promised.'}
              </p>
            </EmptyState>
          </div>
        ) : (
          <Skill key={chosen.uri} skill={chosen} onChanged={() => setRun(run + 1)} />
        )}
      </div>
    </section>
  );
}
