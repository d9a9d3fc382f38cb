/** The agent of the host with a scripted or a configured model. Every step leads to its messages. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChatRow, ChatState } from '../../protocol-timeline.ts';
import { Button, EmptyState, Icon, MainButton, Tag, type Tone } from '../parts/elements.tsx';
import { brief, count } from '../parts/format.ts';
import { TextField, TextInput } from '../parts/inputs.tsx';
import { ConnectFirst } from '../parts/layout.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { linkTo } from '../route.ts';
import { ask, chatState, epoch, offers, readyServers, send } from '../store.ts';

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
        {row.type === 'approval' && 'You are asked: '}
        <b>{row.name ?? row.type}</b> {row.arguments !== undefined && <code>{brief(row.arguments, 200)}</code>}
      </span>
      {row.span === undefined ? <span /> : <a href={linkTo('timeline', row.span)}>{`#${row.span}`}</a>}
      {row.text !== '' && <p>{row.text}</p>}
    </li>
  );
}

const isUnderWay = ({ type }: ChatRow): boolean => type === 'approval' || type === 'tool-start' || type === 'progress';

/** The ordinary end of a run, and the count of a model that does not count. */
const saysNothing = ({ type, text }: ChatRow): boolean =>
  (type === 'done' && text === 'endTurn') || (type === 'usage' && text.startsWith('0 tokens'));

/** Rows in turns: what the user or the model said, and the steps between. A call is one step, as far as it is. */
function turnsOf(rows: readonly ChatRow[]): { said?: ChatRow; steps: ChatRow[] }[] {
  const turns: { said?: ChatRow; steps: ChatRow[] }[] = [];
  for (const row of rows) {
    if (saysNothing(row)) continue;
    const last = turns.at(-1);
    if (row.type === 'user' || row.type === 'text') turns.push({ said: row, steps: [] });
    else if (last === undefined || last.said !== undefined) turns.push({ steps: [row] });
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

/** A script that can run now: it calls a tool that reads, and that needs no arguments. */
const runnableExample = (): string | undefined => {
  const tool = offers.value.tool.find(
    ({ effects, inputSchema }) => effects === 'read' && !Array.isArray(inputSchema?.['required']),
  );
  return tool && `- call: ${tool.name}\n- That is what ${tool.name} says.\n`;
};

const take = (state: ChatState | undefined): void => {
  if (state !== undefined) chatState.value = state;
};

/** Before the first word: what will answer, and with what. */
function NothingSaid({ isScripted }: { isScripted: boolean }) {
  const text = runnableExample();
  return (
    <EmptyState
      symbol="chat"
      title="Say something"
      text={`${isScripted ? 'Whatever you say, the model does what its script says, with' : 'The model answers with'} the tools of all connected servers. Rules and consent apply as they do for an application.`}
    >
      <ConnectFirst />
      {isScripted && text !== undefined && (
        <Button
          symbol="write"
          onClick={() => void send('chat.script', { text }).then(take)}
          text="Use an example script"
        />
      )}
    </EmptyState>
  );
}

function Script({ script }: { script: string | undefined }) {
  const [text, setText] = useState<string>();
  const { failure, attempt } = useAttempt();
  const use = (): Promise<void> =>
    attempt(ask('chat.script', { text: text ?? script ?? '' }), (state) => {
      take(state);
      setText(undefined);
    });
  return (
    <aside class="pane" aria-label="Model">
      <div class="body">
        {script === undefined ? (
          <p class="dim">The model that the workbench was started with. The key of a provider stays in the process.</p>
        ) : (
          <>
            <TextField
              label="Script"
              note="YAML"
              rows={14}
              value={text ?? script}
              onValue={setText}
              placeholder={example}
              fault={failure}
              help="One entry for each reply of the model: text, or a call. A run is the same each time."
            />
            <div class="actions">
              <Button disabled={text === undefined} onClick={() => void use()} text="Use this script" />
            </div>
          </>
        )}
      </div>
    </aside>
  );
}

export function ChatScreen() {
  const [text, setText] = useState('');
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    void send('chat.state', {}).then(take);
  }, [epoch.value]);
  const state = chatState.value;
  const rows = state?.rows ?? [];
  useEffect(() => end.current?.scrollIntoView({ block: 'end' }), [rows.length]);
  const say = (event: Event): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    void send('chat.say', { text }).then(take);
    setText('');
  };
  return (
    <section class="screen" data-screen="chat">
      <header class="head">
        <h1>Chat</h1>
        {state !== undefined && <Tag>{state.model}</Tag>}
        <div class="facts">
          <span>{count(offers.value.tool.length, 'tool')}</span>
          <span>{count(readyServers.value.length, 'server')}</span>
        </div>
      </header>
      <div class="panes">
        <div class="pane">
          {rows.length === 0 ? (
            <NothingSaid isScripted={state?.script !== undefined} />
          ) : (
            <ol class="talk" aria-label="Conversation" aria-live="polite">
              {turnsOf(rows).map(({ said, steps }, at, all) => (
                <li key={said?.id ?? `steps ${steps[0]?.id ?? at}`}>
                  {said?.type !== 'user' && all[at - 1]?.said?.type === 'user' && <span class="who">Model</span>}
                  {said !== undefined && <p class={said.type === 'user' ? 'you' : 'model'}>{said.text}</p>}
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
            <TextInput name="What you say" placeholder="What should be done?" value={text} onValue={setText} />
            {state?.running === true ? (
              <Button kind="danger" onClick={() => void send('chat.stop', {})} text="Stop" />
            ) : (
              <MainButton type="submit" disabled={text.trim() === ''} text="Send" />
            )}
          </form>
        </div>
        {state !== undefined && <Script script={state.script} />}
      </div>
    </section>
  );
}
