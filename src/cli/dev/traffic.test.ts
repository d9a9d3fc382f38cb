import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { connect } from '../../connect/index.ts';
import { createServer, type Server, tool } from '../../index.ts';
import { systemClock } from '../../peer/clock.ts';
import { Printer } from '../printer.ts';
import type { Shell } from '../shell.ts';
import { withTraffic } from './traffic.ts';

class Collector extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

const server = (): Server =>
  createServer({
    name: 'shop',
    version: '1.0.0',
    onError: () => undefined,
    parts: [
      tool({
        name: 'sell',
        input: z.object({ token: z.string(), item: z.string() }),
        run: ({ item }) => `Sold ${item}`,
      }),
      tool({
        name: 'boom',
        run() {
          throw new Error('hunter2');
        },
      }),
    ],
  });

interface Watched {
  readonly stdout: string;
  readonly lines: readonly string[];
}

/** The output while a client calls both tools, and an unknown one. */
async function watched(options: { readonly json?: boolean; readonly name?: string }): Promise<Watched> {
  const [stdout, stderr] = [new Collector(), new Collector()];
  const clock = { ...systemClock, wall: () => 0, now: () => 5 };
  const shell = { stdout, stderr, clock, env: {} } as unknown as Shell; // the members that are read
  const print = new Printer(shell, { json: options.json === true });
  const served = withTraffic(server(), { shell, print });
  await using client = await connect(served, { name: options.name ?? 'desk' });
  await client.call('sell', { token: 'hunter2-hunter2', item: 'a rope' });
  for (const name of ['boom', 'absent']) await client.attempt(name, {}).catch(() => undefined);
  return { stdout: stdout.text, lines: stderr.text.trimEnd().split('\n') };
}

test('a request is one line: time, client, method, tool, duration, outcome, size', async () => {
  const { lines, stdout } = await watched({});
  expect(stdout).toBe('');
  const calls = lines.filter((line) => line.includes('tools/call'));
  expect(calls.map((line) => line.replace(/^\d\d:\d\d:\d\d /, '').replace(/[\d.]+ k?B$/, 'SIZE'))).toEqual([
    'desk tools/call sell  0 ms  ok  SIZE',
    expect.stringMatching(/^desk tools\/call boom {2}0 ms {2}(?:tool failed|error -32603) {2}SIZE$/),
    expect.stringMatching(/^desk tools\/call absent {2}0 ms {2}error -3\d{4} {2}SIZE$/),
  ]);
});

test('neither arguments nor messages of errors are printed', async () => {
  expect((await watched({})).lines.join('\n')).not.toMatch(/rope|hunter2/);
});

test('a client cannot drive the terminal with its name, nor fill it', async () => {
  const { lines } = await watched({ name: `a\u001b[2J\n${'x'.repeat(500)}` });
  for (const line of lines) {
    expect(line).not.toContain('\u001b');
    expect(line.length).toBeLessThan(150);
  }
});

test('with --json, a request is an event', async () => {
  const events = (await watched({ json: true })).stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { method: string; subject?: string });
  expect(events.find(({ subject }) => subject === 'sell')).toEqual({
    event: 'request',
    client: 'desk',
    method: 'tools/call',
    subject: 'sell',
    ms: 0,
    outcome: 'ok',
    bytes: expect.any(Number),
  });
});
