/** One server of the Servers screen: state, failure with remedy, details, log, roots, capabilities. */
import { useEffect, useState } from 'preact/hooks';
import type { ServerInfo } from '../../protocol-rows.ts';
import { Select } from '../parts/choices.tsx';
import { Button, CloseButton, CopyButton, Icon, LinkButton, Note, Pairs, Tag, WithCode } from '../parts/elements.tsx';
import { count, duration, sentence } from '../parts/format.ts';
import { TextField } from '../parts/inputs.tsx';
import { JsonTree } from '../parts/json-tree.tsx';
import { Card } from '../parts/layout.tsx';
import { Steps } from '../parts/steps.tsx';
import { takeUnlessLate } from '../parts/take-unless-late.ts';
import { useVerb } from '../parts/use-verb.ts';
import { goTo, linkTo, route } from '../route.ts';
import { isOn, stageLook, transportWord } from '../shell/server-state.ts';
import { callOrNotify, callVerb, hello, logEpoch, notice, offers } from '../store.ts';

function Actions({ server }: { server: ServerInfo }) {
  const act = (verb: 'servers.connect' | 'servers.restart' | 'servers.stop') => () =>
    void callOrNotify(verb, { server: server.label });
  return (
    <div class="actions">
      <Select
        label="Revision"
        value={server.chosen ?? ''}
        options={[['', 'Any revision'], ...(hello.value?.revisions ?? [])]}
        onChoose={(id) =>
          void callOrNotify('servers.connect', { server: server.label, revision: id === '' ? null : id })
        }
      />
      {isOn(server) ? (
        <>
          <Button symbol="refresh" onClick={act('servers.restart')} text="Restart" />
          <Button onClick={act('servers.stop')} text="Stop" />
        </>
      ) : (
        <Button
          kind="primary"
          symbol="play"
          onClick={act('servers.connect')}
          text={server.stage === 'failed' || server.stage === 'crashed' ? 'Try again' : 'Connect'}
        />
      )}
      <LinkButton symbol="search" to={['servers', server.label, 'examine']} text="Run checks" />
      <CopyButton
        name="Copy the configuration"
        text={async () => (await callVerb('servers.config', { server: server.label })).text}
      />
    </div>
  );
}

function Examination({ label }: { label: string }) {
  const { result, failure, reload } = useVerb('servers.examine', { server: label });
  return (
    <Card
      title="Checks"
      aria-live="polite"
      actions={
        <>
          <Button small symbol="refresh" onClick={reload} text="Run again" />
          <CloseButton name="Close the checks" onClose={() => goTo('servers', label)} />
        </>
      }
    >
      <div class="in">
        {failure !== undefined && <Note tone="bad">{failure}</Note>}
        {result === undefined && failure === undefined && <p class="dim">The checks of mooring doctor are running…</p>}
        <Steps
          rows={(result?.findings ?? []).map(({ check, state, found, fix }) => ({
            ...{ what: check, time: state, state },
            notes: [sentence(found), fix && <WithCode text={sentence(fix)} />],
          }))}
        />
      </div>
    </Card>
  );
}

function Log({ label }: { label: string }) {
  const { result } = useVerb('servers.log', { server: label }, logEpoch.value);
  const all = result?.lines ?? [];
  return (
    <Card
      title="Log"
      beside={<span class="dim">stderr and log messages of the server</span>}
      actions={all.length > 0 && <CopyButton text={() => all.join('\n')} name="Copy the log" />}
    >
      {all.length === 0 ? (
        <p class="in dim">{result === undefined ? '…' : 'No log lines yet.'}</p>
      ) : (
        <pre class="log" tabIndex={0} aria-label="Log lines">
          <span>{all.join('\n')}</span>
        </pre>
      )}
    </Card>
  );
}

function Roots({ label }: { label: string }) {
  const [folders, setFolders] = useState<string>();
  useEffect(
    () =>
      takeUnlessLate(callVerb('servers.roots', { server: label }), (result) => setFolders(result.folders.join('\n'))),
    [label],
  );
  if (folders === undefined) return null;
  const save = async (): Promise<void> => {
    const result = await callOrNotify('servers.roots', {
      server: label,
      folders: folders
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    });
    if (result !== undefined) notice.value = 'Saved. The server gets these folders when it requests its roots.';
  };
  return (
    <div class="stack narrow">
      <TextField
        label="Roots"
        note="one folder on each line"
        rows={2}
        value={folders}
        onValue={setFolders}
        placeholder="/home/me/project"
        help="The folders that the server gets when it requests its roots. You are asked before they are sent."
      />
      <div class="actions">
        <Button small onClick={() => void save()} text="Use these folders" />
      </div>
    </div>
  );
}

function ServerFailure({ server }: { server: ServerInfo }) {
  const { failure } = server;
  if (failure === undefined) return null;
  // Only lines of the server; the log below has the host's too.
  const lines = failure.log?.filter((line) => !line.startsWith('host: ')) ?? [];
  return (
    <div class="verdict" role="alert">
      <Icon name="failed" />
      <h2>{sentence(failure.sentence)}</h2>
      {failure.remedy !== undefined && (
        <p>
          <WithCode text={sentence(failure.remedy)} />
        </p>
      )}
      {lines.length > 0 && (
        <pre class="well" tabIndex={0} aria-label="Last lines of the log">
          {lines.join('\n')}
        </pre>
      )}
    </div>
  );
}

/** How many tools, resources and prompts a server offers, as links to their screens. */
export function OfferCounts({ server: { label, stage } }: { server: ServerInfo }) {
  if (stage !== 'ready') return null;
  const { tool, resource, template, prompt } = offers.value;
  const own = (items: readonly { server: string }[]): number => items.filter(({ server }) => server === label).length;
  const numbers = { tools: own(tool), resources: own(resource) + own(template), prompts: own(prompt) };
  return (
    <span class="facts">
      {Object.entries(numbers).map(
        ([screen, number]) =>
          number > 0 && (
            <a key={screen} href={linkTo(screen as keyof typeof numbers)}>
              {count(number, screen.slice(0, -1))}
            </a>
          ),
      )}
    </span>
  );
}

const addressWord = { command: 'Command', url: 'URL', process: 'Module' } as const;
const addedWord = {
  page: 'this page, until the workbench ends',
  recording: 'Recordings, until the workbench ends',
} as const;

function ServerDetails({ server }: { server: ServerInfo }) {
  const { origin, added, name, version = '', revision, chosen, latencyMs, failure } = server;
  return (
    <Pairs
      rows={[
        [added === 'recording' ? 'Recording' : addressWord[server.kind], <code>{server.address}</code>],
        [
          added === undefined ? 'Configured in' : 'Added in',
          origin ? (
            <code>{`${origin.file}:${origin.line} (${origin.name})`}</code>
          ) : added === undefined ? (
            'the command line'
          ) : (
            addedWord[added]
          ),
        ],
        ['Fault', failure?.fault && <code>{failure.fault}</code>],
        ['Name', name && `${name} ${version}`],
        ['Revision', revision && `${revision}, ${chosen === undefined ? 'negotiated' : 'chosen by you'}`],
        ['Response time', latencyMs === undefined ? undefined : duration(latencyMs)],
        ['Offers', server.stage === 'ready' ? <OfferCounts server={server} /> : undefined],
      ]}
    />
  );
}

export function OneServer({ server }: { server: ServerInfo }) {
  const look = stageLook(server);
  return (
    <section class="screen" data-screen="servers" data-server={server.label} data-state={server.stage}>
      <header class="head">
        <h1>{server.label}</h1>
        <Tag symbol={look.symbol} tone={look.tone} text={look.word} />
        {server.revision !== undefined && <Tag>{server.revision}</Tag>}
        <Tag>{transportWord(server)}</Tag>
        <Actions server={server} />
      </header>
      <div class="pane">
        <ServerFailure server={server} />
        <div class="body">
          {server.needsSignIn && (
            <Note tone="warn">
              <strong>This server requires a sign-in.</strong>{' '}
              <a href={linkTo('sign-in', server.label)}>Open the sign-in</a>
            </Note>
          )}
          {route.value.of[1] === 'examine' && <Examination label={server.label} />}
          <div class="side-by-side">
            <div class="stack">
              <ServerDetails server={server} />
              {server.instructions !== undefined && (
                <section>
                  <h2>Instructions</h2>
                  <pre class="well">{server.instructions}</pre>
                </section>
              )}
              <Log key={server.label} label={server.label} />
              <Roots key={`${server.label} roots`} label={server.label} />
            </div>
            {server.capabilities !== undefined && (
              <section>
                <h2>Capabilities</h2>
                <JsonTree value={server.capabilities} label="Capabilities" />
              </section>
            )}
          </div>
        </div>
      </div>
    </section>
  );
}
