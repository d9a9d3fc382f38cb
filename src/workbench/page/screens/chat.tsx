/** The Chat screen: a conversation with the scripted or configured model. Each step links to its messages. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChatRow } from '../../protocol-timeline.ts';
import { Button, EmptyState, Icon, MainButton, Tag, type Tone } from '../parts/elements.tsx';
import { brief, count } from '../parts/format.ts';
import { TextField, TextInput } from '../parts/inputs.tsx';
import { ConnectFirst } from '../parts/layout.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { linkTo } from '../route.ts';
import { callOrNotify, callVerb, chatState, epoch, loadChat, offers, readyServers } from '../store.ts';

const looks: Readonly<Record<ChatRow['type'], readonly [symbol: string, tone: Tone | undefined]>> = {
  user: ['chat', undefined],
  text: ['chat', undefined],
  approval: ['asks', 'warn'],
  'tool-start': ['sent', undefined],
  progress: ['working', undefined],
  'tool-result': ['check', 'ok'],
  denied: ['failed', 'bad'],
  usage: ['catalogue', undefined],
  done: ['check', 'ok'],
  error: ['failed', 'bad'],
};

function Step({ row }: { row: ChatRow }) {
  const [symbol, tone] = looks[row.type];
  return (
    <li data-type={row.type} data-tone={row.isError === true ? 'bad' : tone}>
      <Icon name={row.isError === true ? 'failed' : symbol} />
      <span>
        {row.type === 'approval' && 'needs permission: '}
        <b>{row.name ?? row.type}</b> {row.arguments !== undefined && <code>{brief(row.arguments, 200)}</code>}
      </span>
      {row.span === undefined ? <span /> : <a href={linkTo('timeline', row.span)}>{`#${row.span}`}</a>}
      {row.text !== '' && <p>{row.text}</p>}
    </li>
  );
}

const isUnderWay = ({ type }: ChatRow): boolean => type === 'approval' || type === 'tool-start' || type === 'progress';

/** Rows to hide: the normal end of a run, and the usage of a model that reports none. */
const isHidden = ({ type, text }: ChatRow): boolean =>
  (type === 'done' && text === 'endTurn') || (type === 'usage' && text.startsWith('0 tokens'));

/** A message of the user or the model, or the steps between two messages. */
interface Turn {
  message?: ChatRow;
  steps: ChatRow[];
}

/** Groups rows into turns. The rows of one call are merged into one step. */
function turnsOf(rows: readonly ChatRow[]): Turn[] {
  const turns: Turn[] = [];
  for (const row of rows) {
    if (isHidden(row)) continue;
    const last = turns.at(-1);
    if (row.type === 'user' || row.type === 'text') turns.push({ message: row, steps: [] });
    else if (last === undefined || last.message !== undefined) turns.push({ steps: [row] });
    else {
      const open = last.steps.filter((step) => isUnderWay(step) && step.name === row.name);
      const [step] = open;
      if (step === undefined || open.length > 1 || row.type === 'approval') last.steps.push(row);
      else last.steps[last.steps.indexOf(step)] = { ...step, ...row, arguments: row.arguments ?? step.arguments };
    }
  }
  return turns;
}

const example = `- call: shop.refund
  with: { order: A-1041 }
- The order is refunded.
`;

/** A script that calls a read-only tool without required arguments; undefined if no server offers one. */
const runnableExample = (): string | undefined => {
  const tool = offers.value.tool.find(
    ({ effects, inputSchema }) => effects === 'read' && !Array.isArray(inputSchema?.['required']),
  );
  return tool && `- call: ${tool.name}\n- That is the result of ${tool.name}.\n`;
};

/** Shown before the first message. */
function EmptyChat({ isScripted }: { isScripted: boolean }) {
  const text = runnableExample();
  return (
    <EmptyState
      symbol="chat"
      title="Send a message"
      text={
        isScripted
          ? 'Whatever you write, the model replies with the next entries of its script. It can call the tools of all connected servers, under the rules of the policy.'
          : 'The model can call the tools of all connected servers, under the rules of the policy. The API key of its provider stays in the process of the workbench.'
      }
    >
      <ConnectFirst />
      {isScripted && text !== undefined && (
        <Button
          symbol="write"
          onClick={() => void callOrNotify('chat.script', { text })}
          text="Use an example script"
        />
      )}
    </EmptyState>
  );
}

function Script({ script }: { script: string }) {
  const [text, setText] = useState<string>();
  const { failure, attempt } = useAttempt();
  const applyScript = (): Promise<void> =>
    attempt(callVerb('chat.script', { text: text ?? script }), () => setText(undefined));
  return (
    <aside class="pane" aria-label="Model">
      <div class="body">
        <TextField
          label="Script"
          note="YAML"
          rows={14}
          value={text ?? script}
          onValue={setText}
          placeholder={example}
          fault={failure}
          help="One entry for each reply of the model: text or a tool call. Every run is the same."
        />
        <div class="actions">
          <Button disabled={text === undefined} onClick={() => void applyScript()} text="Use this script" />
        </div>
      </div>
    </aside>
  );
}

export function ChatScreen() {
  const [text, setText] = useState('');
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => void loadChat(), [epoch.value]);
  const state = chatState.value;
  const rows = state?.rows ?? [];
  useEffect(() => end.current?.scrollIntoView({ block: 'end' }), [rows.length]);
  const say = (event: Event): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    void callOrNotify('chat.say', { text });
    setText('');
  };
  return (
    <section class="screen" data-screen="chat">
      <header class="head">
        <h1>Chat</h1>
        {state !== undefined && <Tag>{state.model}</Tag>}
        <div class="facts">
          {offers.value.tool.length > 0 && (
            <>
              <span>{count(offers.value.tool.length, 'tool')}</span>
              <span>{count(readyServers.value.length, 'server')}</span>
            </>
          )}
        </div>
      </header>
      <div class="panes">
        <div class="pane">
          {rows.length === 0 ? (
            state !== undefined && <EmptyChat isScripted={state.script !== undefined} />
          ) : (
            <ol class="talk" aria-label="Conversation" aria-live="polite">
              {turnsOf(rows).map(({ message, steps }, at, all) => (
                <li key={message?.id ?? `steps ${steps[0]?.id ?? at}`}>
                  {message?.type !== 'user' && all[at - 1]?.message?.type === 'user' && <span class="who">Model</span>}
                  {message !== undefined && <p class={message.type === 'user' ? 'you' : 'model'}>{message.text}</p>}
                  {steps.length > 0 && (
                    <ol class="turn">
                      {steps.map((row) => (
                        <Step key={row.id} row={row} />
                      ))}
                    </ol>
                  )}
                </li>
              ))}
            </ol>
          )}
          <div ref={end} />
          <form class="say" onSubmit={say}>
            <TextInput name="Message to the model" value={text} onValue={setText} />
            {state?.running === true ? (
              <Button kind="danger" onClick={() => void callOrNotify('chat.stop', {})} text="Stop" />
            ) : (
              <MainButton type="submit" disabled={text.trim() === ''} text="Send" />
            )}
          </form>
        </div>
        {state?.script !== undefined && <Script script={state.script} />}
      </div>
    </section>
  );
}
