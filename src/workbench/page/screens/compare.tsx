/** The Compare screen: makes one call in two revisions, and shows the messages side by side, aligned by meaning. */
import { useEffect, useState } from 'preact/hooks';
import type { JsonObject } from '../../../jsonrpc/message.ts';
import type { VerbResult } from '../../protocol.ts';
import type { CompareRow, CompareSide, MessageDetail } from '../../protocol-timeline.ts';
import { Select } from '../parts/choices.tsx';
import { EmptyState, Failure, MainButton } from '../parts/elements.tsx';
import { byteSize, count, duration } from '../parts/format.ts';
import { parseJsonText } from '../parts/json-text.ts';
import { JsonTree } from '../parts/json-tree.tsx';
import { ConnectFirst } from '../parts/layout.tsx';
import { MessageSummary, SideIcon } from '../parts/message-line.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { goTo, linkTo, route } from '../route.ts';
import { callVerb, hello, offers } from '../store.ts';
import { draftOf } from './drafts.ts';
import { CallOutcome } from './outcome.tsx';

const signs = {
  same: ['=', undefined, 'the same'],
  alike: ['≈', 'accent', 'the same meaning'],
  one: ['−', 'warn', 'only in one revision'],
} as const;

function Cell({ message, notes }: { message: MessageDetail | undefined; notes: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  if (message === undefined)
    return (
      <div class="none">
        <span class="msg">not sent in this revision</span>
      </div>
    );
  return (
    <div>
      <button type="button" class="msg disclose" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <SideIcon side={message.side} />
        <code>
          {message.kind === 'response'
            ? `${message.isError ? 'error' : 'result'} of ${message.method}`
            : message.method}
        </code>
        <span class="num">{byteSize(message.bytes)}</span>
      </button>
      <span class="more">
        <MessageSummary row={message} />
      </span>
      {notes.length > 0 && (
        <span class="more">
          {notes.map((note) => (note.startsWith('−') ? <del key={note}>{note}</del> : <ins key={note}>{note}</ins>))}
        </span>
      )}
      {isOpen && <JsonTree value={message.message} label={`Message ${message.id}`} />}
    </div>
  );
}

function Costs({ side }: { side: CompareSide }) {
  return (
    <div class="head2 foot">
      <span class="facts">
        <span>{count(side.roundTrips, 'round trip')}</span>
        <span>{duration(side.outcome.ms - side.outcome.waitedMs)}</span>
        <span>{byteSize(side.bytes)}</span>
      </span>
    </div>
  );
}

function Versus({ found }: { found: VerbResult<'compare'> }) {
  const messageOf = (side: CompareSide, id: number | undefined): MessageDetail | undefined =>
    side.messages.find((message) => message.id === id);
  const keyOf = (row: CompareRow): string => `${row.left ?? ''} ${row.right ?? ''}`;
  return (
    <>
      <div class="versus" role="group" aria-label="Messages side by side">
        <div class="head2">
          <h2>{found.left.revision}</h2>
        </div>
        <div class="sign" />
        <div class="head2">
          <h2>{found.right.revision}</h2>
        </div>
        {found.rows.map((row) => {
          const [sign, tone, words] = signs[row.relation];
          return (
            <div class="versus-row" key={keyOf(row)} data-meaning={row.meaning} data-relation={row.relation}>
              <Cell message={messageOf(found.left, row.left)} notes={row.right === undefined ? row.notes : []} />
              <div class="sign" data-tone={tone} title={words}>
                <span aria-hidden="true">{sign}</span>
                <span class="sr">{words}</span>
              </div>
              <Cell message={messageOf(found.right, row.right)} notes={row.right === undefined ? [] : row.notes} />
            </div>
          );
        })}
        <Costs side={found.left} />
        <div class="sign" />
        <Costs side={found.right} />
      </div>
      <div class="body side-by-side">
        <CallOutcome outcome={found.left.outcome} />
        <CallOutcome outcome={found.right.outcome} />
      </div>
    </>
  );
}

export function CompareScreen() {
  const [server, key] = route.value.of;
  const tools = offers.value.tool;
  const tool = key === undefined ? tools[0] : tools.find((one) => one.server === server && one.key === key);
  const revisions = hello.value?.revisions ?? [];
  const [left, setLeft] = useState(revisions[1] ?? '');
  const [right, setRight] = useState(revisions[0] ?? '');
  const [found, setFound] = useState<VerbResult<'compare'>>();
  const { isBusy, failure, attempt } = useAttempt(`${server} ${key}`);
  useEffect(() => setFound(undefined), [server, key]);
  const text = tool === undefined ? '{}' : draftOf(tool).text.value;
  const parsed = parseJsonText(text);
  const compare = async (): Promise<void> => {
    if (tool === undefined || 'fault' in parsed) return;
    const call = { tool: tool.key, arguments: parsed.value as JsonObject };
    const { server: of } = tool;
    const comparing = callVerb('compare', {
      call,
      left: { server: of, revision: left },
      right: { server: of, revision: right },
    });
    await attempt(comparing, setFound);
  };
  const choice = (of: string, value: string, set: (id: string) => void) => (
    <Select label={`Revision ${of}`} value={value} options={revisions} onChoose={set} />
  );
  return (
    <section class="screen" data-screen="compare">
      <header class="head">
        <h1>Compare</h1>
        <Select
          label="Tool"
          value={tool === undefined ? '' : tool.name}
          options={[['', 'Choose a tool'], ...tools.map(({ name }) => name)]}
          onChoose={(name) => {
            const next = tools.find((one) => one.name === name);
            if (next !== undefined) goTo('compare', next.server, next.key);
          }}
        />
        {choice('on the left', left, setLeft)}
        <span class="dim">and</span>
        {choice('on the right', right, setRight)}
        <MainButton
          symbol="compare"
          disabled={tool === undefined || isBusy || 'fault' in parsed}
          onClick={() => void compare()}
          text={isBusy ? 'Calling twice…' : 'Call in both'}
        />
        {tool !== undefined && (
          <p class="lead">
            <code>{text.replaceAll(/\s+/g, ' ')}</code>{' '}
            <a href={linkTo('tools', tool.server, tool.key)}>Change the arguments</a>
          </p>
        )}
      </header>
      <div class="pane">
        {failure !== undefined && (
          <div class="body">
            <Failure sentence={failure} />
          </div>
        )}
        {found === undefined && failure === undefined && (
          <EmptyState
            symbol="compare"
            title="One call, two revisions"
            text="The tool is called once in each revision. Equivalent messages are shown side by side, with differences marked. Questions of the server are asked twice."
          >
            <ConnectFirst />
          </EmptyState>
        )}
        {found !== undefined && <Versus found={found} />}
      </div>
    </section>
  );
}
