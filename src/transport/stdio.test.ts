import { Buffer } from 'node:buffer';
import process from 'node:process';
import { PassThrough, Readable, Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { hello, withHandshake } from '../../test/support/raw.ts';
import { verifies } from '../../test/support/verifies.ts';
import { createServer } from '../index.ts';
import { type Message, notification, type RpcRequest, type RpcResponse, request, success } from '../jsonrpc/message.ts';
import { CANCELLED, LISTEN, MESSAGE, PROGRESS, TOOLS_CHANGED } from '../model/names.ts';
import type { Exchange, Link, Servable, ServerPush } from '../peer/exchange.ts';
import { nextTurn } from '../peer/runtime.ts';
import type { PeerSession } from '../peer/session.ts';
import { virtualClock } from '../testing/virtual-clock.ts';
import { type StdioOptions, serveStdio } from './stdio.ts';

interface Talk {
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly ended: Promise<void>;
  readonly outlet: ServerPush;
  readonly session: PeerSession;
  readonly closes: () => number;
  say(...messages: unknown[]): Promise<void>;
  /** The output so far, as lines. */
  lines(): string[];
  heard(): unknown[];
}

const idOf = (message: Message): string => (message as RpcRequest & { id: string }).id;
const echo: Exchange = (message) =>
  Promise.resolve('id' in message ? success(idOf(message), (message as RpcRequest).params ?? {}) : undefined);

/** Serves an exchange or a server over two streams in memory. */
function talk(served: Exchange | Servable, options: StdioOptions = {}): Talk {
  const input = new PassThrough();
  const output = new PassThrough({ highWaterMark: 1024 * 1024 });
  let opened: { outlet: ServerPush; session: PeerSession } | undefined;
  let closes = 0;
  const server: Servable = {
    open(outlet, session) {
      opened = { outlet, session };
      return typeof served === 'function' ? { exchange: served, close: () => closes++ } : served.open(outlet, session);
    },
  };
  const ended = serveStdio(server, { input, output, ...options });
  if (opened === undefined) throw new Error('the server was not opened');
  let written = '';
  output.on('data', (chunk: Buffer) => {
    written += chunk.toString();
  });
  const lines = (): string[] => written.split('\n').slice(0, -1);
  return {
    input,
    output,
    ended,
    ...opened,
    closes: () => closes,
    async say(...messages) {
      input.write(messages.map((m) => `${typeof m === 'string' ? m : JSON.stringify(m)}\n`).join(''));
      await nextTurn();
      await nextTurn();
    },
    lines,
    heard: () => lines().map((line) => JSON.parse(line) as unknown),
  };
}

function held(): { exchange: Exchange; open: { link: Link; answer: (response: RpcResponse) => void }[] } {
  const open: { link: Link; answer: (response: RpcResponse) => void }[] = [];
  return { open, exchange: (_, link) => new Promise((answer) => open.push({ link, answer })) };
}

describe('a conversation', () => {
  test('each request line gets a response line, and only messages are written', async () => {
    verifies('STDIO-003', 'STDIO-005', 'STDIO-011');
    const t = talk(echo);
    await t.say(
      request(1, 'ping'),
      notification('notifications/initialized'),
      request('b', 'x', { a: 'line\nbreak\r\u2028' }),
    );
    expect(t.heard()).toEqual([success(1, {}), success('b', { a: 'line\nbreak\r\u2028' })]);
  });

  test('no message contains a newline, whatever is in it', async () => {
    verifies('STDIO-004', 'BASE-002');
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter })),
        async (params) => {
          const t = talk(echo);
          await t.say(request(1, 'x\ny', params));
          expect(t.lines()).toHaveLength(1);
          expect(t.heard()).toEqual([success(1, params)]);
        },
      ),
      { numRuns: 50 },
    );
  });

  test.each([
    ['{"jsonrpc":', -32700],
    ['not json', -32700],
    ['['.repeat(401), -32700],
    ['{"jsonrpc":"2.0","id":true,"method":"x"}', -32600],
    ['[]', -32600],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
    ['"x"', -32600],
  ])('%s is answered with %i and without an id, and the next line is served', async (line, code) => {
    verifies('BASE-031');
    const t = talk(echo);
    await t.say(line, request(1, 'ping'));
    const answers = t.heard();
    expect(answers).toHaveLength(2);
    expect(answers).toContainEqual(success(1, {}));
    expect(answers).toContainEqual({ jsonrpc: '2.0', error: { code, message: expect.any(String) } });
  });

  test('bytes that are not UTF-8 are a parse error, and are reported', async () => {
    const strays: string[] = [];
    const t = talk(echo, { onStray: (what) => strays.push(what) });
    t.input.write(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
    await t.say('nonsense');
    expect(t.heard()).toMatchObject([
      { error: { code: -32700, message: 'Parse error: not UTF-8' } },
      { error: { code: -32700 } },
    ]);
    expect(strays).toEqual(['line that is not UTF-8', 'line that is not JSON']);
  });

  test('an onStray that throws or rejects does not affect the client', async () => {
    const failures: readonly (() => unknown)[] = [
      () => {
        throw new Error('now');
      },
      async () => {
        throw new Error('later');
      },
    ];
    for (const onStray of failures) {
      const t = talk(echo, { onStray });
      await t.say('nonsense', success(7, {}), request(1, 'ping'));
      expect(t.heard()).toMatchObject([{ error: { code: -32700 } }, success(1, {})]);
    }
  });

  test('a line that is too long is answered with -32600 and skipped', async () => {
    const t = talk(echo, { maxLineBytes: 100 });
    await t.say('x'.repeat(101), request(1, 'ping'));
    expect(t.heard()).toEqual([
      {
        jsonrpc: '2.0',
        error: { code: -32600, message: 'Invalid request: a line holds at most 100 bytes (maxLineBytes)' },
      },
      success(1, {}),
    ]);
  });

  test('a line can contain a batch if the session allows batches', async () => {
    verifies('BASE-028');
    const t = talk(echo);
    t.session.batches = true;
    await t.say([request(1, 'ping'), notification('n'), request(2, 'ping')]);
    expect(t.heard()).toEqual([[success(1, {}), success(2, {})]]);
  });

  test.each(withHandshake)('a line with several requests is answered as %s has it', async (revision) => {
    verifies('STDIO-010');
    const t = talk(createServer({ name: 'dock', version: '1', parts: [] }));
    await t.say(request(1, 'initialize', hello(revision)), notification('notifications/initialized'));
    await t.say([request(2, 'ping'), notification('n'), request(3, 'ping')]);
    const refused = {
      jsonrpc: '2.0',
      error: { code: -32600, message: expect.stringContaining('one message at a time') },
    };
    expect(t.heard()[1]).toEqual(revision === '2025-03-26' ? [success(2, {}), success(3, {})] : refused);
  });

  test('the response to a cancelled request is not written', async () => {
    verifies('STDIO-017');
    const { exchange, open } = held();
    const t = talk(exchange);
    await t.say(request(1, 'x'), notification(CANCELLED, { requestId: 1 }));
    open[0]?.answer(success(1, {}));
    await nextTurn();
    expect(t.lines()).toEqual([]);
  });

  test('a server can send notifications and requests outside of a call', async () => {
    const t = talk(echo);
    t.outlet.notify(notification(TOOLS_CHANGED));
    const asked = t.outlet.ask(request('mine', 'roots/list'));
    await nextTurn();
    expect(t.heard()).toEqual([notification(TOOLS_CHANGED), request(1, 'roots/list')]);
    await t.say(success(1, { roots: [] }));
    expect(await asked).toEqual(success('mine', { roots: [] }));
  });

  test('a server can send notifications while it is being opened', async () => {
    const output = new PassThrough();
    const input = new PassThrough();
    const server: Servable = {
      open(outlet) {
        outlet.notify(notification(TOOLS_CHANGED));
        return { exchange: echo, close: () => undefined };
      },
    };
    const ended = serveStdio(server, { input, output });
    input.end();
    await ended;
    expect((await output.toArray()).join('')).toBe(`${JSON.stringify(notification(TOOLS_CHANGED))}\n`);
  });
});

describe('many requests at once', () => {
  test('a chunk with more requests than the limit of open ones is served if each is answered at once', async () => {
    const t = talk(echo, { maxInFlight: 200 });
    await t.say(...Array.from({ length: 1500 }, (_, i) => request(i, 'ping')));
    for (let i = 0; i < 20; i++) await nextTurn();
    expect(t.heard()).toEqual(Array.from({ length: 1500 }, (_, i) => success(i, {})));
  });

  test('requests above the limit of open ones are rejected, and responses still arrive', async () => {
    const { exchange, open } = held();
    const t = talk(exchange, { maxInFlight: 200 });
    await t.say(...Array.from({ length: 201 }, (_, i) => request(i, 'x')));
    for (let i = 0; i < 5; i++) await nextTurn();
    expect(open).toHaveLength(200);
    expect(t.heard()).toMatchObject([{ id: 200, error: { code: -32603 } }]);
    const asked = open[0]?.link.ask(request('q', 'roots/list'));
    await nextTurn();
    await t.say(success(1, { roots: [] }));
    expect(await asked).toEqual(success('q', { roots: [] }));
  });

  test('responses of one turn are written together', async () => {
    const writes: string[] = [];
    const output = new Writable({
      write(chunk: Buffer, _, done) {
        writes.push(chunk.toString());
        done();
      },
    });
    const input = new PassThrough();
    const ended = serveStdio({ open: () => ({ exchange: echo, close: () => undefined }) }, { input, output });
    input.write(Array.from({ length: 100 }, (_, i) => `${JSON.stringify(request(i, 'ping'))}\n`).join(''));
    await nextTurn();
    expect(writes).toHaveLength(1);
    input.end();
    await ended;
  });
});

describe('a client that does not read', () => {
  test('the server stops reading from a client that does not read', async () => {
    const taken: (() => void)[] = [];
    const output = new Writable({ highWaterMark: 10, write: (_chunk, _encoding, done) => void taken.push(done) });
    const requests = Array.from({ length: 40 }, (_, i) => Buffer.from(`${JSON.stringify(request(i, 'x'))}\n`));
    // Like a pipe: one chunk per turn, on demand.
    const input = new Readable({
      highWaterMark: 1,
      read: () => void nextTurn().then(() => input.push(requests.shift() ?? null)),
    });
    let served = 0;
    const exchange: Exchange = (message) => {
      served++;
      return Promise.resolve(success(idOf(message), { text: 'x'.repeat(1000) }));
    };
    const ended = serveStdio(
      { open: () => ({ exchange, close: () => undefined }) },
      { input, output, maxQueueBytes: 5000 },
    );
    for (let i = 0; i < 100; i++) await nextTurn();
    expect(served).toBeGreaterThan(3);
    expect(served).toBeLessThan(10);
    while (served < 40 || taken.length > 0) {
      for (const done of taken.splice(0)) done();
      await nextTurn();
    }
    await ended;
    expect(served).toBe(40);
  });

  test('a client that does not read loses progress and log messages, and nothing else', async () => {
    const taken: (() => void)[] = [];
    const written: string[] = [];
    const output = new Writable({
      highWaterMark: 10,
      write(chunk: Buffer, _, done) {
        written.push(chunk.toString());
        taken.push(done);
      },
    });
    const strays: string[] = [];
    const { exchange, open } = held();
    const input = new PassThrough();
    const options = { input, output, maxQueueBytes: 100, onStray: (what: string) => strays.push(what) };
    const ended = serveStdio({ open: () => ({ exchange, close: () => undefined }) }, options);
    input.write(`${JSON.stringify(request(1, 'x'))}\n`);
    await nextTurn();
    for (let i = 0; i < 50; i++) {
      open[0]?.link.notify(notification(PROGRESS, { progress: i }));
      open[0]?.link.notify(notification(MESSAGE, { data: i }));
      await nextTurn();
    }
    open[0]?.link.notify(notification(TOOLS_CHANGED));
    open[0]?.answer(success(1, {}));
    input.end();
    await nextTurn();
    while (taken.length > 0) {
      for (const done of taken.splice(0)) done();
      await nextTurn();
    }
    await ended;
    const messages = written.join('').trim().split('\n');
    expect(messages.length + strays.length).toBe(102);
    expect(messages.length).toBeLessThan(10);
    expect(messages.slice(-2).map((line) => JSON.parse(line))).toEqual([notification(TOOLS_CHANGED), success(1, {})]);
  });

  test('a client that disconnects ends the conversation at once', async () => {
    const { exchange, open } = held();
    const t = talk(exchange);
    await t.say(request(1, 'x'));
    t.output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await t.ended;
    expect(open[0]?.link.signal.reason).toMatchObject({ code: 'MCP_CLOSED' });
    expect(t.closes()).toBe(1);
  });
});

describe('the end', () => {
  test('the conversation ends after the responses that were open when the input ended', async () => {
    const { exchange, open } = held();
    const t = talk(exchange);
    await t.say(request(1, 'x'));
    t.input.end();
    await nextTurn();
    expect(t.closes()).toBe(0);
    open[0]?.answer(success(1, { late: true }));
    await t.ended;
    expect(t.heard()).toEqual([success(1, { late: true })]);
    expect(t.closes()).toBe(1);
    expect(t.output.writableEnded).toBe(true);
  });

  test('the conversation ends after drainMs, even with open requests', async () => {
    const clock = virtualClock();
    const { exchange, open } = held();
    const t = talk(exchange, { clock });
    await t.say(request(1, 'x'));
    t.input.end();
    await clock.advance(1499);
    expect(t.closes()).toBe(0);
    await clock.advance(1);
    await t.ended;
    expect(open[0]?.link.signal.reason).toMatchObject({
      code: 'MCP_CLOSED',
      message: expect.stringContaining('the input has ended'),
    });
  });

  test('the end does not wait for a subscription, which gets its final response', async () => {
    let finish = (): void => undefined;
    const exchange: Exchange = (message) =>
      new Promise((resolve) => {
        finish = () => resolve(success(idOf(message), { bye: true }));
      });
    const input = new PassThrough();
    const output = new PassThrough();
    const ended = serveStdio({ open: () => ({ exchange, close: () => finish() }) }, { input, output });
    input.end(`${JSON.stringify(request(1, LISTEN))}\n`);
    await ended;
    const last = [success(1, { bye: true }), notification(CANCELLED, { requestId: 1 })];
    expect((await output.toArray()).join('')).toBe(last.map((message) => `${JSON.stringify(message)}\n`).join(''));
  });

  test('a last line without a newline is served', async () => {
    const t = talk(echo);
    t.input.end(JSON.stringify(request(1, 'ping')));
    await t.ended;
    expect(t.heard()).toEqual([success(1, {})]);
  });

  test('the conversation ends after the response when the client asks for the end', async () => {
    const t = talk(async (message) => {
      t.outlet.end();
      t.outlet.end();
      return success(idOf(message), {});
    });
    await t.say(request(1, 'shutdown'), request(2, 'x'));
    await t.ended;
    expect(t.heard()).toContainEqual(success(1, {}));
    await expect(t.outlet.ask(request(1, 'x'))).rejects.toMatchObject({ code: 'MCP_CLOSED' });
  });

  test('the conversation ends when the input fails', async () => {
    const t = talk(echo);
    t.input.destroy(new Error('read EIO'));
    await t.ended;
    expect(t.closes()).toBe(1);
  });

  test('a client that does not read cannot delay the end', async () => {
    const clock = virtualClock();
    const output = new Writable({ highWaterMark: 1, write: () => undefined });
    const input = new PassThrough();
    let over = false;
    const ended = serveStdio(
      { open: () => ({ exchange: echo, close: () => undefined }) },
      { input, output, clock },
    ).then(() => {
      over = true;
    });
    input.end(`${JSON.stringify(request(1, 'ping'))}\n`);
    await clock.advance(1000);
    expect(over).toBe(false);
    await clock.advance(2000);
    await ended;
  });

  test('an exception of the server’s close is reported, and cleanup completes', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const close = (): void => {
      throw new Error('the database is gone');
    };
    const ended = serveStdio({ open: () => ({ exchange: echo, close }) }, { input, output });
    input.end();
    await expect(ended).rejects.toThrow('the database is gone');
    expect(output.writableEnded).toBe(true);
  });
});

test('serveStdio with its own streams does not touch the process', async () => {
  const write = process.stdout.write;
  const counts = (): number[] => ['SIGTERM', 'SIGINT', 'exit'].map((event) => process.listenerCount(event));
  const before = counts();
  const t = talk(echo);
  expect(process.stdout.write).toBe(write);
  expect(counts()).toEqual(before);
  t.input.end();
  await t.ended;
  expect(t.input.listenerCount('data')).toBe(0);
  expect(t.output.listenerCount('drain')).toBe(0);
});
