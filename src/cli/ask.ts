/** Asks for one line on the terminal. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { queueOnTerminal } from '../host/consent/terminal-queue.ts';
import { Interrupted } from './exit-codes.ts';
import type { Shell } from './shell.ts';

export interface AskOptions {
  /** What is typed is not shown. */
  readonly hidden?: boolean;
}

/** In turn with everybody else who asks there. Rejects with `Interrupted` on Ctrl-C and Ctrl-D. */
export function askOnTerminal(shell: Shell, prompt: string, options: AskOptions = {}): Promise<string> {
  return queueOnTerminal(shell.stdin, () => askNow(shell, prompt, options));
}

async function askNow(shell: Shell, prompt: string, { hidden = false }: AskOptions): Promise<string> {
  const { stdin, stderr, signal } = shell;
  // readline echoes what is typed to its output; a secret gets one that swallows it.
  const output = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr;
  const over = new AbortController();
  const lines = createInterface({ input: stdin, output, terminal: stdin.isTTY === true });
  lines.once('close', () => over.abort());
  lines.once('SIGINT', () => over.abort());
  try {
    if (hidden) stderr.write(prompt);
    const said = await lines.question(hidden ? '' : prompt, { signal: AbortSignal.any([signal, over.signal]) });
    if (hidden) stderr.write('\n');
    return said.trim();
  } catch (thrown) {
    if (!over.signal.aborted) throw thrown;
    // readline ends the line itself, where it may write.
    if (hidden) stderr.write('\n');
    throw new Interrupted('nobody answered', { cause: thrown });
  } finally {
    lines.close();
  }
}
