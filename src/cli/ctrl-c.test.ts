import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { virtualClock } from '../testing/index.ts';
import { withCtrlC } from './ctrl-c.ts';
import type { ExitCode } from './exit-codes.ts';

/** A command that ends when the test says so. */
function start({ isTTY = true } = {}) {
  const over = new AbortController();
  const clock = virtualClock();
  const notes: string[] = [];
  let end: (exit: ExitCode) => void = () => undefined;
  const running = new Promise<ExitCode>((resolve) => {
    end = resolve;
  });
  const shell = { signal: over.signal, clock, stderr: Object.assign(new PassThrough(), { isTTY }) };
  const exit = withCtrlC(() => running, { shell, print: { note: (text) => void notes.push(text) } });
  return { over, clock, notes, end, exit };
}

describe('a command that Ctrl-C ends', () => {
  test('exits with 130 and says so, however well it ended', async () => {
    const { over, notes, end, exit } = start();
    over.abort('SIGINT');
    end(0);
    expect([await exit, notes]).toEqual([130, ['Stopped by Ctrl-C']]);
  });

  test('says how to end at once if it takes long, and keeps the code of a failure', async () => {
    const { over, clock, notes, end, exit } = start();
    over.abort('SIGINT');
    await clock.advance(1_000);
    expect(notes).toEqual(['Stopping (press Ctrl-C again to end at once)']);
    end(1);
    expect([await exit, notes.slice(1)]).toEqual([1, ['Stopped by Ctrl-C']]);
    await clock.advance(10_000);
    expect(notes).toHaveLength(2);
  });

  test('says nothing where no terminal is', async () => {
    const { over, clock, notes, end, exit } = start({ isTTY: false });
    over.abort('SIGINT');
    await clock.advance(1_000);
    end(0);
    expect([await exit, notes]).toEqual([130, []]);
  });
});

test('Ctrl-C at a question prints "Stopped by Ctrl-C"; a closed stdout and SIGTERM do not', async () => {
  const asked = start();
  asked.end(130);
  expect([await asked.exit, asked.notes]).toEqual([130, ['Stopped by Ctrl-C']]);
  for (const reason of ['stdout was closed', 'SIGTERM']) {
    const { over, notes, end, exit } = start();
    over.abort(reason);
    end(0);
    expect([await exit, notes]).toEqual([0, []]);
  }
});
