/** The Skills screen: lists skills, verifies their files, and loads them as a host would. */
import { useState } from 'preact/hooks';
import type { VerbResult } from '../../protocol.ts';
import type { SkillFileRow, SkillRow } from '../../protocol-rows.ts';
import { Button, Failure, Icon, MainButton, Note, Tag } from '../parts/elements.tsx';
import { byteSize, count } from '../parts/format.ts';
import { ConnectFirst, ListRow, ListScreen, Problems, RowTable } from '../parts/layout.tsx';
import { lookOf } from '../parts/steps.tsx';
import { failedOutcome } from '../parts/use-outcome.ts';
import { useVerb } from '../parts/use-verb.ts';
import { route } from '../route.ts';
import { callOrNotify, callVerb, offers, readyServers } from '../store.ts';
import { OutcomeCard } from './outcome.tsx';
import { PinTag } from './pin-tag.tsx';

function Files({ files }: { files: readonly SkillFileRow[] }) {
  return (
    <RowTable heads={[['File', 'wide'], ['Size', 'end'], 'Verdict']}>
      {files.map((file) => {
        const [symbol, tone] = lookOf(file.verdict);
        return (
          <tr key={file.path} data-state={file.verdict}>
            <td class="wide mono">{file.path}</td>
            <td class="num end">{byteSize(file.bytes)}</td>
            <td title={file.detail}>
              <Icon name={symbol} tone={tone} /> {file.verdict}
              {file.detail !== undefined && <span class="dim">{` ${file.detail}`}</span>}
            </td>
          </tr>
        );
      })}
    </RowTable>
  );
}

function Skill({ skill, onChanged }: { skill: SkillRow; onChanged(): void }) {
  const of = { server: skill.server, uri: skill.uri };
  const { result, failure, reload } = useVerb('skills.verify', of);
  const files = result?.files;
  const [loaded, setLoaded] = useState<VerbResult<'skills.load'>>();
  const load = async (): Promise<void> => {
    setLoaded(await callVerb('skills.load', of).catch(failedOutcome));
    onChanged();
  };
  const release = async (): Promise<void> => {
    await callOrNotify('skills.release', of);
    setLoaded(undefined);
    onChanged();
  };
  const isBroken = files?.some(({ verdict }) => verdict === 'changed') === true;
  return (
    <div class="pane" data-server={skill.server}>
      <header class="head">
        <h1>{skill.name}</h1>
        <PinTag status={skill.status} />
        <Tag>{skill.files === 'dynamic' ? 'files on demand' : count(skill.files, 'file')}</Tag>
        {skill.bytes !== undefined && <Tag>{byteSize(skill.bytes)}</Tag>}
        <div class="actions">
          <Button symbol="refresh" onClick={reload} text="Verify" />
          {skill.inUse ? (
            <Button onClick={() => void release()} text="Unload" />
          ) : (
            <MainButton disabled={isBroken} onClick={() => void load()} text="Load" />
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
            sentence="A file failed verification, so the skill is not loaded."
            remedy="See the verdict of the file below. Correct the file or its digest on the server, then verify again."
          />
        )}
        {failure !== undefined && <Failure sentence={failure} />}
      </div>
      {files !== undefined && <Files files={files} />}
      {loaded !== undefined && (
        <div class="body">
          <OutcomeCard title="Loaded skill" outcome={loaded}>
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
  const ready = readyServers.value.map(({ label }) => label).join(' ');
  const { result, reload } = useVerb('skills.list', {}, ready, offers.value.tool);
  const all = result?.skills ?? [];
  const chosen = uri === undefined ? all[0] : all.find((skill) => skill.server === server && skill.uri === uri);
  const list = (
    <div class="pane list-pane">
      <Problems problems={result?.problems} />
      <ul class="rows">
        {all.map((skill) => (
          <ListRow
            key={skill.server + skill.uri}
            to={['skills', skill.server, skill.uri]}
            symbol="skills"
            name={skill.name}
            title={skill.description}
            isCurrent={skill === chosen}
          >
            {skill.inUse && <Icon name="check" tone="ok" label="in use" />}
            <span class="dim">{skill.server}</span>
          </ListRow>
        ))}
      </ul>
    </div>
  );
  const [empty, hint] =
    all.length === 0
      ? ['No skills', 'No connected server offers a skill: a folder of resources with a SKILL.md file.']
      : ['Choose a skill', 'Each file is verified against the digest that the server lists.'];
  return (
    <ListScreen
      screen="skills"
      title="Skills"
      list={list}
      empty={empty}
      hint={[<p key="hint">{hint}</p>, <ConnectFirst key="connect" />]}
      isLoading={result === undefined}
    >
      {chosen && <Skill key={chosen.server + chosen.uri} skill={chosen} onChanged={reload} />}
    </ListScreen>
  );
}
