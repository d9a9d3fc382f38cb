import { describe, expect, test } from 'vitest';
import { FakeServer, type Handler, silence } from '../../test/support/fake-server.ts';
import { settled } from '../../test/support/held-clock.ts';
import { HANDSHAKE, opened, STATELESS } from '../../test/support/opened.ts';
import { verifies } from '../../test/support/verifies.ts';
import { McpError, RpcError } from '../errors.ts';
import type { Clock } from '../peer/clock.ts';
import type { Transport } from '../peer/exchange.ts';
import { layerTransport } from '../peer/layer-transport.ts';
import { Deferred } from '../peer/wait.ts';
import { virtualClock } from '../testing/virtual-clock.ts';
import { openClient } from './open-client.ts';

const done: Handler = () => ({ content: [] });
const dies: Handler = (_params, line) => {
  line.die();
  return silence;
};

describe('connecting', () => {
  test('connecting fails with MCP_TIMEOUT after connectTimeoutMs', async () => {
    verifies('LIFE-020');
    const server = new FakeServer({ revision: HANDSHAKE, on: { initialize: () => silence } });
    const clock = virtualClock();
    const connecting = openClient(server.transport, { revisions: [HANDSHAKE], clock });
    connecting.catch(() => undefined);
    await clock.advance(10_000);
    await expect(connecting).rejects.toMatchObject({ code: 'MCP_TIMEOUT', details: { setting: 'connectTimeoutMs' } });
    await expect(server.line.closed).resolves.toBeUndefined();
    expect(server.methods).toEqual(['initialize']);
  });

  test('the timeout of connecting has the server’s silence as its cause, also through middleware', async () => {
    const server = new FakeServer({ revision: HANDSHAKE, on: { initialize: () => silence } });
    const printed = new McpError('MCP_BAD_LINE', { peer: 'node', line: 'Listening on port 3000' });
    const transport: Transport = async (inbound, session) =>
      Object.assign(await server.transport(inbound, session), { silence: () => printed });
    const clock = virtualClock();
    const layered = layerTransport(transport, [(next) => next]);
    const connecting = openClient(layered, { revisions: [HANDSHAKE], clock });
    connecting.catch(() => undefined);
    await clock.advance(10_000);
    await expect(connecting).rejects.toMatchObject({ code: 'MCP_TIMEOUT', cause: printed });
  });

  test('a signal cancels connecting', async () => {
    const server = new FakeServer({ revision: HANDSHAKE, on: { initialize: () => silence } });
    const stop = new AbortController();
    const connecting = openClient(server.transport, { revisions: [HANDSHAKE], signal: stop.signal });
    await settled();
    stop.abort(new Error('out of time'));
    await expect(connecting).rejects.toMatchObject({
      code: 'MCP_CANCELLED',
      message: 'connect was cancelled: out of time',
    });
  });

  test('the first connection is attempted once, and an unreachable server is reported at once', async () => {
    let dialled = 0;
    const transport: Transport = () => {
      dialled++;
      return Promise.reject(new McpError('MCP_SPAWN_FAILED', { command: 'x', why: 'no such file' }));
    };
    await expect(openClient(transport, {})).rejects.toMatchObject({ code: 'MCP_SPAWN_FAILED' });
    expect(dialled).toBe(1);
  });
});

describe('a lost connection', () => {
  test('a lost connection fails open calls at once, with an unknown outcome', async () => {
    await using it = await opened({ on: { 'tools/call': dies } });
    await expect(it.client.call('t')).rejects.toMatchObject({
      code: 'MCP_OUTCOME_UNKNOWN',
      cause: expect.objectContaining({ message: 'the server died' }),
    });
    expect(it.client.state).toBe('lost');
  });

  test('the next request after a loss reconnects', async () => {
    verifies('STDIO-022', 'LIFE-053');
    await using it = await opened({ revision: HANDSHAKE, on: { 'tools/call': done } });
    const states: string[] = [];
    const stop = it.client.onState((state) => states.push(state));
    it.server.line.die();
    await settled();
    await it.client.call('t');
    expect(states).toEqual(['lost', 'connecting', 'ready']);
    expect(it.server.methods.filter((method) => method === 'server/discover')).toEqual([]);
    expect(it.server.lines).toHaveLength(2);
    stop();
    it.server.line.die();
    await settled();
    expect(states).toHaveLength(3);
  });

  test('close() waits for a lost connection to end, as for an open one', async () => {
    const ended = new Deferred<void>();
    const server = new FakeServer({ revision: HANDSHAKE, on: { 'tools/call': done } });
    const transport: Transport = async (inbound, session) =>
      Object.assign(await server.transport(inbound, session), { close: () => ended.promise });
    const client = await openClient(transport, { revisions: [HANDSHAKE] });
    server.line.die();
    await settled();
    expect(client.state).toBe('lost');
    let isClosed = false;
    const closing = client.close().then(() => {
      isClosed = true;
    });
    await settled();
    expect(isClosed).toBe(false);
    ended.resolve();
    await closing;
  });

  test('a reconnect does not probe the server again', async () => {
    verifies('LIFE-053');
    await using it = await opened({ on: { 'tools/call': done } });
    it.server.line.die();
    await settled();
    await it.client.call('t');
    expect(it.server.methods).toEqual(['server/discover', 'tools/call']);
  });

  test('idempotent requests are retried once after a loss', async () => {
    let reads = 0;
    const read: Handler = (params, line, request) => (++reads === 1 ? dies(params, line, request) : { contents: [] });
    await using it = await opened({ on: { 'resources/read': read, 'resources/list': dies } });
    await expect(it.client.read('a:b')).resolves.toMatchObject({ contents: [] });
    expect(reads).toBe(2);
    await expect(it.client.list('resources').all()).rejects.toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN' });
    expect(it.server.params('resources/list')).toHaveLength(2);
  });

  test('reconnecting backs off exponentially, and gives up after five attempts', async () => {
    let open = true;
    const server = new FakeServer({ revision: STATELESS, on: { 'tools/call': done } });
    const time = virtualClock();
    const waits: number[] = [];
    const clock: Clock = {
      ...time,
      after: (ms, run) => {
        waits.push(ms);
        return time.after(ms, run);
      },
    };
    let dialled = 0;
    const transport: Transport = (inbound, session) => {
      dialled++;
      return open ? server.transport(inbound, session) : Promise.reject(new Error('refused'));
    };
    await using client = await openClient(transport, { revisions: [STATELESS], clock, random: () => 0.5 });
    open = false;
    server.line.die();
    await settled();
    dialled = 0;
    waits.length = 0;
    const calling = client.call('t', {}, { timeoutMs: 600_000 });
    calling.catch(() => undefined);
    await time.advance(60_000);
    await expect(calling).rejects.toThrow('refused');
    expect(dialled).toBe(5);
    // Backoff of one second, doubled with each attempt, plus jitter. The longer waits are the timeouts of the call and of each attempt.
    expect(waits.filter((ms) => ms < 10_000)).toEqual([1_500, 2_500, 4_500, 8_500]);
    open = true;
    await expect(client.call('t')).resolves.toMatchObject({ content: [] });
  });

  test('the client gives up on a server that repeatedly exits before it responds', async () => {
    await using it = await opened({ revision: HANDSHAKE, on: { 'tools/call': dies } }, { random: () => 0 });
    const errors: unknown[] = [];
    for (let i = 0; i < 7; i++) {
      const calling = it.client.call('t').catch((error: unknown) => errors.push((error as McpError).code));
      await it.clock.advance(60_000);
      await calling;
    }
    expect(errors).toEqual([...Array(6).fill('MCP_OUTCOME_UNKNOWN'), 'MCP_CLOSED']);
  });

  test('a reconnect is not retried after a permanent error', async () => {
    const server = new FakeServer({ revision: STATELESS });
    let dialled = 0;
    const transport: Transport = (inbound, session) =>
      ++dialled === 1
        ? server.transport(inbound, session)
        : Promise.reject(new McpError('MCP_SPAWN_FAILED', { command: 'x', why: 'gone' }));
    await using client = await openClient(transport, { revisions: [STATELESS] });
    server.line.die();
    await settled();
    await expect(client.call('t')).rejects.toMatchObject({ code: 'MCP_SPAWN_FAILED' });
    expect(dialled).toBe(2);
  });

  test('calls and pings time out while the client reconnects', async () => {
    await using it = await opened({ on: { 'tools/call': done } });
    let dialling = false;
    const server = new FakeServer({ revision: STATELESS });
    const transport: Transport = (inbound, session) =>
      dialling ? new Promise(() => undefined) : server.transport(inbound, session);
    await using client = await openClient(transport, { revisions: [STATELESS], clock: it.clock });
    dialling = true;
    server.line.die();
    await settled();
    for (const send of [client.call.bind(client, 't', {}), client.ping]) {
      const sending = send({ timeoutMs: 1_000 });
      sending.catch(() => undefined);
      await it.clock.advance(1_000);
      await expect(sending).rejects.toMatchObject({ code: 'MCP_TIMEOUT', details: { ms: 1_000 } });
    }
  });
});

test('the client negotiates again after the server was replaced by one of another revision', async () => {
  verifies('LIFE-044', 'DISC-5');
  let moved = false;
  const call: Handler = (params) =>
    moved && !('_meta' in params && Object.keys(params['_meta'] as object).length === 1)
      ? new RpcError(-32022, 'Unsupported', { supported: [HANDSHAKE] })
      : { content: [{ type: 'text', text: 'old' }] };
  const server = new FakeServer({
    revision: STATELESS,
    on: {
      'tools/call': call,
      'server/discover': () =>
        moved
          ? new RpcError(-32601, 'Method not found')
          : { supportedVersions: [STATELESS], capabilities: { tools: {} } },
      initialize: () => ({
        protocolVersion: HANDSHAKE,
        capabilities: { tools: {} },
        serverInfo: { name: 'o', version: '1' },
      }),
    },
  });
  await using client = await openClient(server.transport, {});
  expect(client.server.revision).toBe(STATELESS);
  moved = true;
  await expect(client.call('t')).resolves.toMatchObject({ text: 'old' });
  expect(client.server.revision).toBe(HANDSHAKE);
});

describe('closing', () => {
  test('close() settles all open requests, and a second call waits for the first', async () => {
    const it = await opened({ on: { 'tools/call': () => silence } });
    const calling = it.client.call('t');
    calling.catch(() => undefined);
    await settled();
    const closing = it.client.close();
    expect(it.client.state).toBe('closed');
    await Promise.all([closing, it.client.close()]);
    await expect(calling).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    await expect(it.client.call('t')).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    await expect(it.server.line.closed).resolves.toBeUndefined();
    expect(it.server.lines).toHaveLength(1);
    expect(it.client.server.revision).toBe(STATELESS);
  });

  test('closing never waits longer than closeTimeoutMs', async () => {
    const it = await opened();
    it.server.line.closing = new Promise(() => undefined);
    const closing = it.client.close();
    let over = false;
    void closing.then(() => {
      over = true;
    });
    await it.clock.advance(4_999);
    expect(over).toBe(false);
    await it.clock.advance(1);
    expect(over).toBe(true);
  });

  test('close() waits for the end of a connection that is still being negotiated', async () => {
    const first = { protocolVersion: HANDSHAKE, capabilities: {}, serverInfo: { name: 'fake', version: '1' } };
    let handshakes = 0;
    const initialize: Handler = () => (++handshakes > 1 ? silence : first);
    const it = await opened({ revision: HANDSHAKE, on: { initialize } });
    it.server.line.die();
    await settled();
    it.client.call('t').catch(() => undefined);
    await settled();
    expect(it.server.methods).toEqual(['initialize', 'notifications/initialized', 'initialize']);
    const ended = new Deferred<void>();
    it.server.line.closing = ended.promise;
    let isClosed = false;
    const closing = it.client.close().then(() => {
      isClosed = true;
    });
    await settled();
    expect(isClosed).toBe(false);
    ended.resolve();
    await closing;
  });

  test('closing ends the wait for a connection', async () => {
    const it = await opened({ on: { 'tools/call': done } }, { random: () => 0 });
    it.server.line.die();
    await settled();
    const calling = it.client.call('t');
    await it.client.close();
    await expect(calling).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    expect(it.client.state).toBe('closed');
  });

  test.each([STATELESS, HANDSHAKE])(
    'a connection that opens while the client closes is closed too, in %s',
    async (revision) => {
      for (let turns = 0; turns < 40; turns++) {
        const it = await opened({ revision, on: { 'tools/call': done } });
        it.server.line.die();
        await settled();
        const calling = it.client.call('t').catch((error: unknown) => error);
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        await it.client.close();
        await calling;
        const ends = Promise.all(it.server.lines.map(({ closed }) => closed));
        expect(await Promise.race([ends, settled().then(() => `open after ${turns} turns`)])).toBeInstanceOf(Array);
      }
    },
  );

  test('closing sends no message of its own', async () => {
    verifies('LIFE-019', 'SEED-1');
    const it = await opened({ revision: HANDSHAKE });
    const before = it.server.heard.length;
    await it.client.close();
    expect(it.server.heard).toHaveLength(before);
  });
});
