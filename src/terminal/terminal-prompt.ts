/** Questions on a terminal, one at a time: two at once would take each other's answers. */
import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { wrapLines } from './wrap-line.ts';

export interface TerminalStreams {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number };
}

export interface TerminalPromptOptions {
  readonly signal: AbortSignal;
  /** Called once when the user presses Ctrl-C, or Ctrl-D, before `ask` rejects. */
  readonly onLeave?: (key: 'Ctrl-C' | 'Ctrl-D') => void;
  /** What is typed is not shown. */
  readonly hidden?: boolean;
}

/** Lines and prompts are wrapped between words, to the width of the terminal. */
export interface TerminalPrompt {
  say(...lines: readonly string[]): void;
  /** A line, without blanks around it. Rejects when the user leaves, and when the signal is aborted. */
  ask(prompt: string): Promise<string>;
}

/** Whether a user is there to answer. */
export const canPrompt = ({ input, output }: TerminalStreams): boolean =>
  input.isTTY === true && output.isTTY === true && !input.readableEnded;

/** Leaves room for what is typed. */
const promptWidth = ({ columns = 0 }: TerminalStreams['output']): number => Math.max(0, columns - 2);

/** The queue belongs to the terminal: another copy of this package waits in the same one. */
const queue: unique symbol = Symbol.for('mooring.terminal');

/** Runs when everything is over that was to be asked on this input before. */
export function queueOnTerminal<T>(
  input: Readable & { [queue]?: Promise<unknown> },
  run: () => Promise<T>,
): Promise<T> {
  const turn = (input[queue] ?? Promise.resolve()).then(run);
  input[queue] = turn.catch(() => undefined);
  return turn;
}

/** Not in turn with others: use it within `queueOnTerminal`. */
export async function withPrompt<T>(
  { input, output }: TerminalStreams,
  { signal, onLeave, hidden = false }: TerminalPromptOptions,
  run: (prompt: TerminalPrompt) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  // readline echoes what is typed to its output; a secret gets one that swallows it.
  const echo = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : output;
  const lines = createInterface({ input, output: echo, terminal: input.isTTY === true });
  const leave = (key: 'Ctrl-C' | 'Ctrl-D'): void => {
    if (over.signal.aborted) return;
    onLeave?.(key);
    over.abort();
  };
  lines.once('close', () => leave('Ctrl-D'));
  lines.once('SIGINT', () => leave('Ctrl-C'));
  const stop = AbortSignal.any([signal, over.signal]);
  const say = (...text: readonly string[]): void =>
    void output.write(`${wrapLines(text.join('\n'), output.columns)}\n`);
  const ask = async (text: string): Promise<string> => {
    const [, above = '', prompt = ''] = /^(.*\n)?(.*)$/s.exec(wrapLines(text, promptWidth(output))) ?? [];
    output.write(above);
    if (!hidden) return (await lines.question(prompt, { signal: stop })).trim();
    output.write(prompt);
    // readline ends the line itself, where it may write.
    return (await lines.question('', { signal: stop }).finally(() => output.write('\n'))).trim();
  };
  try {
    return await run({ say, ask });
  } finally {
    over.abort();
    lines.close();
  }
}
