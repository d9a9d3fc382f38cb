/** serveStdio in a child process, through its pipes. */
import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, describe, expect, test } from 'vitest';
import { alive, eventually } from '../support/children.ts';
import { type Serving, servesArgs, serving } from '../support/serving.ts';
import { verifies } from '../support/verifies.ts';

const started: Serving[] = [];

afterEach(() => {
  for (const one of started.splice(0)) one.child.kill('SIGKILL');
});

/** Resolves when it serves. */
async function serve(...args: Parameters<typeof serving>): Promise<Serving> {
  const one = serving(...args);
  started.push(one);
  await one.ask('ready', 'echo');
  return one;
}

const answer = (id: unknown, result: unknown): unknown => ({ jsonrpc: '2.0', id, result });

describe('lines', () => {
  test('ten thousand requests in one go are answered, in order', async () => {
    const one = await serve();
    const ids = Array.from({ length: 10_000 }, (_, i) => i);
    one.send(...ids.map((id) => ({ jsonrpc: '2.0', id, method: 'echo', params: { id } })));
    await eventually('all are answered', () =>
      one.stdout().endsWith(`${JSON.stringify(answer(9999, { id: 9999 }))}\n`),
    );
    expect(one.heard().slice(1)).toEqual(ids.map((id) => answer(id, { id })));
  });

  test('a byte order mark, carriage returns, empty lines and bytes one by one do no harm', async () => {
    const one = serving();
    started.push(one);
    const text = '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"Grüße 🙂"}}';
    const bytes = Buffer.from(`\ufeff${text}\r\n\r\n\n${text.replace(':1,', ':2,')}\r\n`);
    for (const byte of bytes) {
      one.child.stdin?.write(Uint8Array.of(byte));
      await new Promise(setImmediate);
    }
    await eventually('both are answered', () => one.stdout().split('\n').length === 3);
    expect(one.heard()).toEqual([answer(1, { text: 'Grüße 🙂' }), answer(2, { text: 'Grüße 🙂' })]);
  });

  test('what cannot be read is answered without an id, and the next line is served', async () => {
    verifies('BASE-010', 'BASE-031', 'STDIO-005');
    const one = await serve();
    one.child.stdin?.write('{"jsonrpc": nonsense\n"text"\n');
    expect(await one.ask(1, 'echo', { still: 'here' })).toEqual({ still: 'here' });
    expect(one.heard().slice(1, 3)).toEqual([
      { jsonrpc: '2.0', error: { code: -32700, message: 'Parse error: not JSON' } },
      { jsonrpc: '2.0', error: { code: -32600, message: expect.stringContaining('a message is a JSON object') } },
    ]);
  });

  test('a line may have ten megabytes, and not one byte more', async () => {
    const one = await serve();
    const limit = 10 * 1024 * 1024;
    const padded = (id: number, bytes: number): string => {
      const bare = `{"jsonrpc":"2.0","id":${id},"method":"pid","params":{"text":""}}`;
      return bare.replace('""', `"${'x'.repeat(bytes - bare.length)}"`);
    };
    for (const [i, bytes] of [limit - 1, limit, limit + 1].entries()) one.child.stdin?.write(`${padded(i, bytes)}\n`);
    await one.ask('after', 'echo');
    expect(one.heard().slice(1)).toMatchObject([
      { id: 0, result: {} },
      { id: 1, result: {} },
      { error: { code: -32600, message: `Invalid request: a line holds at most ${limit} bytes (maxLineBytes)` } },
      { id: 'after' },
    ]);
  });
});

describe('stdout', () => {
  test('belongs to the protocol: what else is written goes to stderr, with its place, once', async () => {
    verifies('STDIO-005', 'STDIO-007');
    const one = await serve(['prints']);
    for (const id of [1, 2]) await one.ask(id, 'log', { text: `stray ${id}` });
    one.child.stdin?.end();
    expect(await one.exit()).toBe('code 0');
    const lines = one.stdout().trimEnd().split('\n');
    // The conversation has ended, so the program can use stdout again.
    expect(lines.pop()).toBe('good bye');
    expect(lines.map((line) => (JSON.parse(line) as { id: unknown }).id)).toEqual(['ready', 1, 2]);
    const place = /stray stdout from .*test\/fixtures\/stdio\/serves\.ts:\d+: /g;
    expect(one.stderr().match(place)).toHaveLength(3);
    expect(one.stderr().replace(place, '> ')).toBe(
      '> listening { port: 0 }\n> stray 1\n> and written\nstray 2\nand written\nclosed\n',
    );
  });

  test('without a reader ends the process in silence', async () => {
    const one = await serve();
    one.send({ jsonrpc: '2.0', id: 'open', method: 'hang' });
    one.child.stdout.destroy();
    for (let i = 0; i < 5; i++) one.send({ jsonrpc: '2.0', id: i, method: 'big', params: { bytes: 100_000 } });
    expect(await one.exit()).toBe('code 0');
    expect(one.stderr()).toBe('closed\n');
  });

  test('with a slow reader holds up the input and not the memory', async () => {
    const one = await serve();
    const { memory } = await one.ask('before', 'pid');
    const { pid } = one.child;
    one.child.stdout.pause();
    const requests = Array.from({ length: 2000 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'big',
      params: { bytes: 50_000 },
    }));
    one.send(...requests);
    let most = 0;
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      most = Math.max(most, residentBytes(pid ?? 0));
    }
    expect(most - Number(memory)).toBeLessThan(60 * 1024 * 1024);
    one.child.stdout.resume();
    await eventually('all are answered', () => one.stdout().length > 2000 * 50_000);
    expect(await one.ask('after', 'echo', { a: 1 })).toEqual({ a: 1 });
    expect(one.heard()).toHaveLength(2003);
  });
});

describe('the end', () => {
  test('of input lets what is in hand be answered, and the process exits', async () => {
    verifies('STDIO-020', 'STDIO-021');
    const one = await serve();
    one.send({ jsonrpc: '2.0', id: 1, method: 'sleep', params: { ms: 400 } });
    one.child.stdin?.end();
    expect(await one.exit()).toBe('code 0');
    expect(one.heard()[1]).toEqual(answer(1, { slept: 400 }));
    expect(one.stderr()).toBe('closed\n');
  });

  test('of input without anything in hand takes no time', async () => {
    verifies('STDIO-020');
    const one = await serve(['timeless']);
    one.child.stdin?.end();
    expect(await one.exit()).toBe('code 0');
  });

  test('does not wait for a request that never ends', async () => {
    const one = await serve();
    one.send({ jsonrpc: '2.0', id: 1, method: 'hang' });
    const began = performance.now();
    one.child.stdin?.end();
    expect(await one.exit()).toBe('code 0');
    expect(performance.now() - began).toBeGreaterThan(1400);
    expect(one.stderr()).toBe('closed\n');
  });

  test('comes although something keeps the process busy', async () => {
    const one = await serve(['lingers']);
    const began = performance.now();
    one.child.stdin?.end();
    expect(await one.exit()).toBe('code 0');
    expect(performance.now() - began).toBeGreaterThan(450);
  });

  test('comes when the client asks for it', async () => {
    const one = await serve();
    expect(await one.ask(1, 'end')).toEqual({});
    expect(await one.exit()).toBe('code 0');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('by %s lets what is in hand be answered', async (signal) => {
    const one = await serve();
    one.send({ jsonrpc: '2.0', id: 1, method: 'sleep', params: { ms: 300 } });
    await one.ask('in hand', 'echo');
    one.child.kill(signal);
    expect(await one.exit()).toBe('code 0');
    expect(one.heard().at(-1)).toEqual(answer(1, { slept: 300 }));
  });

  test('by a second signal is at once', async () => {
    // No time passes, so only the signal ends a call that hangs.
    const one = await serve(['timeless']);
    one.send({ jsonrpc: '2.0', id: 1, method: 'hang' });
    await one.ask('in hand', 'echo');
    one.child.kill('SIGTERM');
    // The system merges two signals that are not handled yet.
    await eventually('the first signal is taken', () => one.stderr().includes('told\n'));
    one.child.kill('SIGTERM');
    expect(await one.exit()).toBe('signal SIGTERM');
  });

  test('comes when the parent has vanished and another process holds the pipe', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mooring-'));
    const pipe = join(folder, 'pipe');
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
    // Opened for reading and writing, so that input does not end while this process lives.
    const stdin = openSync(pipe, 'r+');
    const script = 'exec 3<&0; "$@" <&3 & wait';
    const one = await serve([], { stdin, command: ['sh', '-c', script, 'sh', process.execPath, ...servesArgs] });
    const pid = Number((await one.ask('who', 'pid'))['pid']);
    one.child.kill('SIGKILL');
    await eventually('the launcher is gone', () => one.child.signalCode !== null);
    expect(alive(pid)).toBe(true);
    await eventually('the orphan ends', () => !alive(pid));
    expect(one.stderr()).toBe('closed\n');
    closeSync(stdin);
    rmSync(folder, { recursive: true });
  });
});

function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
