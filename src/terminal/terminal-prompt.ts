/** Prompts on a terminal, one at a time: concurrent prompts would read each other's input. */
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
  /** Does not echo the input, for secrets. */
  readonly hidden?: boolean;
}

/** Writes lines and asks questions, word-wrapped to the width of the terminal. */
export interface TerminalPrompt {
  say(...lines: readonly string[]): void;
  /** Reads a line, trimmed. Rejects when the user presses Ctrl-C or Ctrl-D, and when the signal aborts. */
  ask(prompt: string): Promise<string>;
}

/** Whether input and output are a terminal, so that a user can answer. */
export const canPrompt = ({ input, output }: TerminalStreams): boolean =>
  input.isTTY === true && output.isTTY === true && !input.readableEnded;

/** Leaves two columns for the input. */
const promptWidth = ({ columns = 0 }: TerminalStreams['output']): number => Math.max(0, columns - 2);

/** `Symbol.for`, so that several copies of this package share the queue of a terminal. */
const queue: unique symbol = Symbol.for('mooring.terminal');

/** Runs after all earlier prompts on this input have ended. */
export function queueOnTerminal<T>(
  input: Readable & { [queue]?: Promise<unknown> },
  run: () => Promise<T>,
): Promise<T> {
  const turn = (input[queue] ?? Promise.resolve()).then(run);
  input[queue] = turn.catch(() => undefined);
  return turn;
}

/** Runs with a prompt. Does not wait for other prompts: call it within `queueOnTerminal`. */
export async function withPrompt<T>(
  { input, output }: TerminalStreams,
  { signal, onLeave, hidden = false }: TerminalPromptOptions,
  run: (prompt: TerminalPrompt) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  // readline echoes the input to its output, so a secret gets an output that discards it.
  const echo = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : output;
  const lines = createInterface({ input, output: echo, terminal: input.isTTY === true });
  const leave = (key: 'Ctrl-C' | 'Ctrl-D'): void => {
    if (ended.signal.aborted) return;
    onLeave?.(key);
    ended.abort();
  };
  lines.once('close', () => leave('Ctrl-D'));
  lines.once('SIGINT', () => leave('Ctrl-C'));
  const stop = AbortSignal.any([signal, ended.signal]);
  const say = (...text: readonly string[]): void =>
    void output.write(`${wrapLines(text.join('\n'), output.columns)}\n`);
  const ask = async (text: string): Promise<string> => {
    const [, above = '', prompt = ''] = /^(.*\n)?(.*)$/s.exec(wrapLines(text, promptWidth(output))) ?? [];
    output.write(above);
    if (!hidden) return (await lines.question(prompt, { signal: stop })).trim();
    output.write(prompt);
    // The line break that readline would otherwise echo.
    return (await lines.question('', { signal: stop }).finally(() => output.write('\n'))).trim();
  };
  try {
    return await run({ say, ask });
  } finally {
    ended.abort();
    lines.close();
  }
}
