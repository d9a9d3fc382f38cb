import { createInterface } from 'node:readline/promises';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { eventually } from '../../../test/support/children.ts';
import type { Shell } from '../shell.ts';
import { ChatTerminal } from './terminal.ts';

function seat() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  const shown = { text: '' };
  stderr.on('data', (chunk) => {
    shown.text += stripVTControlCharacters(String(chunk));
  });
  const over = new AbortController();
  // The members that a terminal uses.
  const shell = { stdin, stderr, signal: over.signal } as unknown as Shell;
  const terminal = new ChatTerminal(shell, { prompt: '> ', complete: async (line) => [[], line] });
  const sees = (what: string): Promise<void> => eventually(what, () => shown.text.includes(what));
  return { terminal, stdin, stderr, shown, over, sees };
}

test('a note above the prompt leaves the typed line unchanged', async () => {
  const { terminal, stdin, stderr, shown, sees } = seat();
  const read = terminal.read();
  stdin.write('abc');
  await sees('> abc');
  terminal.above(() => void stderr.write('news\n'));
  await sees('news\n> abc');
  stdin.write('d\r');
  expect(await read).toBe('abcd');
  expect(shown.text).not.toContain('news\n> abcabc');
});

test('a question reads the keys alone, and the typed line is restored after it', async () => {
  const { terminal, stdin, stderr, sees } = seat();
  const read = terminal.read();
  stdin.write('abc');
  await sees('> abc');
  const asked = terminal.lend(async () => {
    const lines = createInterface({ input: stdin, output: stderr, terminal: true });
    const said = await lines.question('sure? ');
    lines.close();
    return said;
  });
  expect(terminal.busy).toBe(true);
  await sees('sure? ');
  stdin.write('yes\r');
  expect(await asked).toBe('yes');
  expect(terminal.busy).toBe(false);
  await sees('yes\r\n> abc');
  stdin.write('d\r');
  expect(await read).toBe('abcd');
});

test('the arrow key up recalls the previous line of a chat', async () => {
  const { terminal, stdin } = seat();
  const first = terminal.read();
  stdin.write('one\r');
  expect(await first).toBe('one');
  const second = terminal.read();
  stdin.write('\u001b[A\r');
  expect(await second).toBe('one');
});

test('while a line runs, the chat ignores all keys but Ctrl-C', async () => {
  const { terminal, stdin, shown } = seat();
  let interrupts = 0;
  const stop = terminal.watch(() => interrupts++);
  stdin.write('typed\r\u0004');
  stdin.write('\u0003');
  await eventually('an interrupt', () => interrupts === 1);
  stop();
  expect(shown.text).toBe('');
  const read = terminal.read();
  stdin.write('x\r');
  expect([await read, interrupts]).toEqual(['x', 1]);
});
