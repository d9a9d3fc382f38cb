/**
 * A second `initialize` on a channel starts a new session, for proxies that share one process between clients. Over HTTP, sessions
 * have ids, and each `initialize` creates another one.
 */
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createServer, resource, type Server, tool } from '../../src/index.ts';
import type { JsonObject, Message, RpcResponse } from '../../src/jsonrpc/message.ts';
import { PROTOCOL_VERSION } from '../../src/model/names.ts';
import { detachedLink } from '../../src/peer/call-link.ts';
import { nextTurn } from '../../src/peer/runtime.ts';
import { HttpService } from '../../src/transport/http/service.ts';
import { serveStdio } from '../../src/transport/stdio.ts';
import { wayTo } from '../support/every-revision.ts';
import { knock } from '../support/fake-http.ts';
import { opened, request } from '../support/http-messages.ts';
import { hello, withHandshake } from '../support/raw.ts';
import { soon } from '../support/soon.ts';

interface Pipe {
  /** Sends messages, and returns what the server writes in response. */
  say(...messages: readonly object[]): Promise<readonly JsonObject[]>;
  /** The same, but waits for this method: the code for questions is loaded with the first question. */
  until(method: string, ...messages: readonly object[]): Promise<readonly JsonObject[]>;
  close(): Promise<void>;
}

function pipeTo(server: Server): Pipe {
  const [input, output] = [new PassThrough(), new PassThrough()];
  // Calls that never end keep a server open for the drain time.
  const ended = serveStdio(server, { input, output, drainMs: 1 });
  let written = '';
  output.on('data', (chunk: Uint8Array) => {
    written += chunk.toString();
  });
  const heard = (): JsonObject[] =>
    written.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as JsonObject]));
  const send = async (messages: readonly object[]): Promise<JsonObject[]> => {
    written = '';
    input.write(messages.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join(''));
    for (let i = 0; i < 20; i++) await nextTurn();
    return heard();
  };
  return {
    say: (...messages) => send(messages),
    async until(method, ...messages) {
      await send(messages);
      await soon(() => expect(heard().map((one) => one['method'])).toContain(method));
      return heard();
    },
    async close() {
      input.end();
      await ended;
    },
  };
}

const initialize = (id: number, revision: string, name: string): object => ({
  id,
  method: 'initialize',
  params: { ...hello(revision, { elicitation: {}, roots: {} }), clientInfo: { name, version: '1' } },
});
const ready = { method: 'notifications/initialized' };
const call = (id: number, name: string, _meta?: JsonObject): object => ({
  id,
  method: 'tools/call',
  params: { name, arguments: {}, ...(_meta === undefined ? {} : { _meta }) },
});

/** A server whose `wait` ignores its signal, and ends when the test says so. */
function dock(): { server: Server; waits: { signal: AbortSignal; end(): void }[]; failures: string[] } {
  const waits: { signal: AbortSignal; end(): void }[] = [];
  const failures: string[] = [];
  const parts = [
    tool({ name: 'who', run: (_, { caller }) => caller.info?.name ?? 'nobody' }),
    tool({
      name: 'wait',
      run: (_, { signal }) => new Promise<string>((resolve) => waits.push({ signal, end: () => resolve('waited') })),
    }),
    tool({
      name: 'folders',
      run: async (_, ctx) => {
        const roots = await ctx.roots().catch((error: Error) => {
          failures.push(error.message);
          throw error;
        });
        return `${roots.length}`;
      },
    }),
    tool({
      name: 'murmur',
      run: (_, ctx) => {
        ctx.log('debug', 'psst');
        return 'said';
      },
    }),
    resource({ uri: 'x:y', read: () => 'z' }),
  ];
  return {
    server: createServer({
      name: 'dock',
      version: '1',
      parts,
      onWarning: () => undefined,
      onError: (error) => failures.push(`reported: ${error}`),
    }),
    waits,
    failures,
  };
}

describe.each(withHandshake)('a second initialize on a pipe, in %s', (revision) => {
  test('begins a session of the client that sent it', async () => {
    const pipe = pipeTo(dock().server);
    await pipe.say(initialize(1, '2024-11-05', 'ada'), ready);
    const [answer] = await pipe.say(initialize(1, revision, 'bob'));
    expect(answer).toMatchObject({ id: 1, result: { protocolVersion: revision } });
    const [who] = await pipe.say(ready, call(2, 'who'));
    expect(who).toMatchObject({ id: 2, result: { content: [{ text: 'bob' }] } });
    await pipe.close();
  });

  test('cancels the calls of the old session, and their ids are free', async () => {
    const { server, waits } = dock();
    const pipe = pipeTo(server);
    await pipe.say(initialize(1, revision, 'ada'), ready, call(2, 'wait'), call(3, 'wait'));
    expect(waits.map(({ signal }) => signal.aborted)).toEqual([false, false]);
    // A new client counts from 1, so its ids collide with those of open calls.
    expect(await pipe.say(initialize(2, revision, 'bob'))).toMatchObject([{ id: 2, result: {} }]);
    expect(waits.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(String(waits[0]?.signal.reason)).toContain('new session');
    expect(await pipe.say(ready, call(3, 'who'))).toMatchObject([{ id: 3, result: { content: [{ text: 'bob' }] } }]);
    await pipe.say(call(4, 'wait'));
    for (const { end } of waits.slice(0, 2)) end();
    expect(await pipe.say({ method: 'notifications/none' })).toEqual([]);
    waits[2]?.end();
    expect(await pipe.say(call(5, 'who'))).toMatchObject([{ id: 4 }, { id: 5 }]);
    await pipe.close();
  });

  test('rejects the open questions of the old session, and ignores a late answer', async () => {
    const { server, failures } = dock();
    const pipe = pipeTo(server);
    await pipe.say(initialize(1, revision, 'ada'), ready);
    const [asked] = await pipe.until('roots/list', call(2, 'folders'));
    expect(asked).toMatchObject({ method: 'roots/list' });
    expect(await pipe.say(initialize(1, revision, 'bob'))).toMatchObject([{ id: 1, result: {} }]);
    expect(failures).toEqual([expect.stringContaining('new session')]);
    const late = { id: asked?.['id'], result: { roots: [] } };
    const after = await pipe.until('roots/list', ready, late, call(2, 'folders'));
    expect(after).toMatchObject([{ method: 'roots/list' }]);
    expect(after[0]?.['id']).not.toBe(asked?.['id']);
    await pipe.close();
  });

  test('drops subscriptions and the log level, and nothing is pushed before the client is ready', async () => {
    const { server } = dock();
    const pipe = pipeTo(server);
    const wishes = [
      { id: 2, method: 'resources/subscribe', params: { uri: 'x:y' } },
      { id: 3, method: 'logging/setLevel', params: { level: 'debug' } },
    ];
    await pipe.say(initialize(1, revision, 'ada'), ready, ...wishes);
    server.updated('x:y');
    const pushed = await pipe.say(call(4, 'murmur'));
    expect(pushed.map(({ method }) => method).toSorted()).toEqual([
      'notifications/message',
      'notifications/resources/updated',
      undefined,
    ]);
    await pipe.say(initialize(1, revision, 'bob'));
    const more = tool({ name: 'more', run: () => '' });
    server.add(more);
    server.updated('x:y');
    expect(await pipe.say(call(2, 'murmur'))).toMatchObject([{ id: 2, result: {} }]);
    await pipe.say(ready);
    server.updated('x:y');
    server.remove('more');
    expect(await pipe.say(call(3, 'murmur'))).toMatchObject([
      { method: 'notifications/tools/list_changed' },
      { id: 3 },
    ]);
    await pipe.close();
  });

  test('that is malformed leaves the session as it was', async () => {
    const { server, waits } = dock();
    const pipe = pipeTo(server);
    await pipe.say(initialize(1, revision, 'ada'), ready, call(2, 'wait'));
    expect(await pipe.say({ id: 3, method: 'initialize', params: {} })).toMatchObject([
      { id: 3, error: { code: -32602 } },
    ]);
    expect(waits[0]?.signal.aborted).toBe(false);
    expect(await pipe.say(call(4, 'who'))).toMatchObject([{ result: { content: [{ text: 'ada' }] } }]);
    await pipe.close();
  });

  test('leaves requests alone that belong to no session', async () => {
    const { server, waits } = dock();
    const pipe = pipeTo(server);
    const stateless = {
      [PROTOCOL_VERSION]: '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'eve', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    await pipe.say(initialize(1, revision, 'ada'), ready, call(2, 'wait', stateless));
    await pipe.say(initialize(3, revision, 'bob'));
    expect(waits[0]?.signal.aborted).toBe(false);
    waits[0]?.end();
    expect(await pipe.say(ready)).toMatchObject([{ id: 2, result: { content: [{ text: 'waited' }] } }]);
    await pipe.close();
  });
});

test('calls that go on after their session ended still count against maxInFlight', async () => {
  const { server, waits } = dock();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ended = serveStdio(server, { input, output, maxInFlight: 2 });
  let written = '';
  output.on('data', (chunk: Uint8Array) => {
    written += chunk.toString();
  });
  const lines = [
    initialize(1, '2025-11-25', 'ada'),
    ready,
    call(2, 'wait'),
    initialize(3, '2025-11-25', 'bob'),
    ready,
    call(4, 'wait'),
    call(5, 'wait'),
  ];
  for (const line of lines) {
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`);
    for (let i = 0; i < 5; i++) await nextTurn();
  }
  expect(waits).toHaveLength(2);
  expect(written).toContain('"id":5,"error"');
  for (const { end } of waits) end();
  input.end();
  await ended;
});

describe.each(['memory', 'stdio', 'http+sse'] as const)('over %s', (transport) => {
  test('a second initialize is answered, and cancels what is open', async () => {
    const { transport: open, close } = await wayTo({ transport });
    const line = await open(() => Promise.resolve(undefined), {});
    const send = async (id: number, method: string, params: JsonObject): Promise<RpcResponse | undefined> =>
      line.exchange({ jsonrpc: '2.0', id, method, params } as Message, detachedLink);
    expect(await send(1, 'initialize', hello('2024-11-05'))).toHaveProperty('result.protocolVersion');
    expect(await send(2, 'initialize', hello('2024-11-05'))).toHaveProperty('result.protocolVersion');
    await line.exchange({ jsonrpc: '2.0', method: 'notifications/initialized' }, detachedLink);
    expect(await send(3, 'tools/list', {})).toHaveProperty('result.tools');
    await line.close();
    await close();
  });
});

test.each(withHandshake.slice(1))(
  'over HTTP, initialize gives a session of its own and leaves the named one, in %s',
  async (revision) => {
    const service = new HttpService(dock().server, {});
    const headers = await opened(service, revision);
    const again = await knock(service, { headers, body: request(9, 'initialize', hello(revision)) });
    expect(again.json).toMatchObject({ id: 9, result: { protocolVersion: revision } });
    expect(again.headers['Mcp-Session-Id']).toEqual(expect.any(String));
    expect(again.headers['Mcp-Session-Id']).not.toBe(headers['mcp-session-id']);
    expect((await knock(service, { headers, body: request(10, 'tools/list', {}) })).json).toHaveProperty(
      'result.tools',
    );
  },
);
