/** The agent of the host with a scripted or a configured model. Every step leads to its messages. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChatRow } from '../../protocol-timeline.ts';
import { Button, EmptyState, Icon, MainButton, Tag, type Tone } from '../parts/elements.tsx';
import { brief } from '../parts/format.ts';
import { TextField, TextInput } from '../parts/inputs.tsx';
import { ConnectFirst } from '../parts/layout.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { linkTo } from '../route.ts';
import { ask, chatState, epoch, send } from '../store.ts';

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

function Script({ model, script }: { model: string; script: string | undefined }) {
  const [text, setText] = useState<string>();
  const { failure, attempt } = useAttempt();
  const use = (): Promise<void> =>
    attempt(ask('chat.script', { text: text ?? script ?? '' }), (state) => {
      chatState.value = state;
      setText(undefined);
    });
  return (
    <aside class="pane" aria-label="Model">
      <div class="bar">
        <h2>Model</h2>
        <Tag>{model}</Tag>
      </div>
      <div class="body">
        {script === undefined ? (
          <p class="dim">The model that the workbench was started with. The key of a provider stays in the process.</p>
        ) : (
          <>
            <p class="dim">
              A scripted model does what the script says, step by step, so that a run is the same each time.
            </p>
            <TextField
              label="Script"
              note="YAML"
              rows={14}
              value={text ?? script}
              onValue={setText}
              placeholder={example}
              fault={failure}
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
    void send('chat.state', {}).then((state) => {
      if (state !== undefined) chatState.value = state;
    });
  }, [epoch.value]);
  const state = chatState.value;
  const rows = state?.rows ?? [];
  useEffect(() => end.current?.scrollIntoView({ block: 'end' }), [rows.length]);
  const say = (event: Event): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    void send('chat.say', { text }).then((next) => {
      if (next !== undefined) chatState.value = next;
    });
    setText('');
  };
  return (
    <section class="screen" data-screen="chat">
      <h1 class="sr">Chat</h1>
      <div class="panes">
        <div class="pane">
          {rows.length === 0 ? (
            <EmptyState
              symbol="chat"
              title="Say something"
              text="The agent of the host answers with the tools of all connected servers. Rules and consent apply as they do for an application."
            >
              <ConnectFirst />
            </EmptyState>
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
        {state !== undefined && <Script model={state.model} script={state.script} />}
      </div>
    </section>
  );
}
