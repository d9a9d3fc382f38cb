import { describe, expect, test } from 'vitest';
import { FakeServer, silence } from '../../test/support/fake-server.ts';
import { settled } from '../../test/support/held-clock.ts';
import { HANDSHAKE, opened, STATELESS } from '../../test/support/opened.ts';
import { verifies } from '../../test/support/verifies.ts';
import { RpcError } from '../errors.ts';
import { isObject, isRequest, type JsonObject } from '../jsonrpc/message.ts';
import { responseCache } from './cache.ts';
import { openClient } from './open-client.ts';
import type { ConnectOptions } from './options.ts';

const levelIn = (params: JsonObject | undefined): unknown =>
  isObject(params?.['_meta']) ? params['_meta']['io.modelcontextprotocol/logLevel'] : undefined;

test('client.server is the self-description of the server', async () => {
  await using it = await opened({ revision: HANDSHAKE, capabilities: { tools: {}, extra: { x: 1 } } });
  expect(it.client.server).toEqual({
    info: { name: 'fake', version: '1' },
    capabilities: { tools: {}, extra: { x: 1 } },
    instructions: undefined,
    revision: HANDSHAKE,
  });
  expect(it.client.state).toBe('ready');
});

test('the client introduces itself with the options "name" and "version"', async () => {
  verifies('BASE-052');
  await using it = await opened({ revision: HANDSHAKE }, { name: 'me', version: '2' });
  expect(it.server.params('initialize')[0]?.['clientInfo']).toEqual({ name: 'me', version: '2' });
});

test('ping() sends ping, or server/discover in revisions without ping', async () => {
  await using old = await opened({ revision: HANDSHAKE, on: { ping: () => ({}) } });
  await old.client.ping();
  expect(old.server.methods.at(-1)).toBe('ping');
  await using it = await opened();
  await it.client.ping();
  expect(it.server.methods).toEqual(['server/discover', 'server/discover']);
});

test('ping() uses the timeout of its caller, and the client never pings on its own', async () => {
  verifies('PING-005', 'PING-006');
  await using it = await opened({ revision: HANDSHAKE, on: { ping: () => silence } });
  await it.clock.advance(10_000_000);
  expect(it.server.methods).not.toContain('ping');
  const ping = it.client.ping({ timeoutMs: 50 });
  ping.catch(() => undefined);
  await it.clock.advance(50);
  await expect(ping).rejects.toMatchObject({ code: 'MCP_TIMEOUT', details: { ms: 50 } });
});

describe('the log level', () => {
  const on = { 'logging/setLevel': (): JsonObject => ({}), 'tools/call': (): JsonObject => ({ content: [] }) };

  test('the log level is set once per session, and again after a reconnect', async () => {
    verifies('LOG-3', 'SEEDF-17', 'LOG-2');
    await using it = await opened({ revision: HANDSHAKE, on }, { logLevel: 'error' });
    await it.client.setLogLevel('warn');
    expect(it.server.params('logging/setLevel')).toEqual([{ level: 'error' }, { level: 'warning' }]);
    it.server.line.die();
    await settled();
    await it.client.call('t');
    expect(it.server.line.heard.map((m) => ('method' in m ? m.method : ''))).toEqual([
      'initialize',
      'notifications/initialized',
      'logging/setLevel',
      'tools/call',
    ]);
    expect(it.server.params('logging/setLevel').at(-1)).toEqual({ level: 'warning' });
  });

  test('without sessions, every request carries the log level if the client has onLog', async () => {
    await using it = await opened({ on });
    await it.client.call('t');
    await it.client.setLogLevel('debug');
    await it.client.call('t');
    expect(it.server.params('tools/call').map(levelIn)).toEqual([undefined, 'debug']);
    expect(it.warnings).toEqual([expect.stringContaining('deprecates logging')]);
    await using listening = await opened({ on }, { onLog: () => undefined });
    await listening.client.call('t');
    expect(listening.server.params('tools/call').map(levelIn)).toEqual(['info']);
  });

  test('setLogLevel() throws if the server does not declare logging', async () => {
    for (const revision of [HANDSHAKE, STATELESS]) {
      await using it = await opened({ revision, capabilities: {}, on }, { logLevel: 'info' });
      await expect(it.client.setLogLevel('info')).rejects.toMatchObject({ code: 'MCP_NOT_OFFERED' });
      expect(it.server.methods).not.toContain('logging/setLevel');
    }
  });

  test('setLogLevel() rejects an unknown level', async () => {
    await using it = await opened();
    await expect(it.client.setLogLevel('loud' as 'warn')).rejects.toThrow('"loud"'); // wrong on purpose
  });
});

test('rootsChanged() notifies the server only if the revision has the notification and roots are declared', async () => {
  verifies('ROOT-3', 'ROOT-4');
  const sent = async (revision: string, options: ConnectOptions): Promise<boolean> => {
    await using it = await opened({ revision }, options);
    await it.client.rootsChanged();
    return it.server.methods.includes('notifications/roots/list_changed');
  };
  expect(await sent('2024-11-05', { roots: [] })).toBe(true);
  expect(await sent(HANDSHAKE, { roots: [] })).toBe(true);
  expect(await sent(HANDSHAKE, {})).toBe(false);
  expect(await sent(STATELESS, { roots: [] })).toBe(false);
});

test.each([HANDSHAKE, STATELESS])(
  'no value under a reserved key of _meta changes a result, in %s',
  async (revision) => {
    verifies('BASE-042');
    for (const odd of [null, 7, 'x', [], {}, { __proto__: null, deep: [{}] }]) {
      const _meta = {
        'io.modelcontextprotocol/serverInfo': odd,
        'io.modelcontextprotocol/related-task': odd,
        'io.modelcontextprotocol/unknown': odd,
        'modelcontextprotocol.io/other': odd,
        'tools.mcp.com/x': odd,
      };
      const on = { 'tools/call': (): JsonObject => ({ content: [{ type: 'text', text: 'x', _meta }], _meta }) };
      await using it = await opened({ revision, on });
      const { text, meta } = await it.client.call('t');
      expect([text, meta]).toEqual(['x', _meta]);
    }
  },
);

test('the name of a server does not change the behavior of the client', async () => {
  verifies('DISC-4', 'LIFE-035', 'LIFE-036');
  const call = (): JsonObject => ({ content: [{ type: 'text', text: 'x' }] });
  for (const serverInfo of [undefined, 7, 'official', { name: 'mooring', version: {} }, { name: '__proto__' }]) {
    const initialize = (): JsonObject => ({ protocolVersion: HANDSHAKE, capabilities: { tools: {} }, serverInfo });
    await using it = await opened({ revision: HANDSHAKE, on: { initialize, 'tools/call': call } });
    expect((await it.client.call('t')).text).toBe('x');
    expect(it.server.methods).toEqual(['initialize', 'notifications/initialized', 'tools/call']);
  }
});

test('name and version of a server are converted to text', async () => {
  const odd = { toString: 1, valueOf: 1 };
  for (const [serverInfo, shown] of [
    [
      { name: 's', version: '1', title: 'S' },
      { name: 's', version: '1', title: 'S' },
    ],
    [
      { name: odd, version: 7 },
      { name: JSON.stringify(odd), version: '7' },
    ],
    [{}, { name: '', version: '' }],
  ]) {
    const initialize = (): JsonObject => ({ protocolVersion: HANDSHAKE, capabilities: {}, serverInfo });
    await using it = await opened({ revision: HANDSHAKE, on: { initialize } });
    expect(it.client.server.info).toEqual(shown);
  }
});

const introduced = {
  'io.modelcontextprotocol/protocolVersion': STATELESS,
  'io.modelcontextprotocol/clientInfo': expect.objectContaining({ name: expect.any(String) }),
  'io.modelcontextprotocol/clientCapabilities': {},
};

test.each(['2024-11-05', '2025-03-26', '2025-06-18', HANDSHAKE, STATELESS])(
  'the client sends every message on its own with jsonrpc 2.0 in %s',
  async (revision) => {
    verifies('BASE-030', 'BASE-001', 'BASE-085', 'BASE-086', 'LIFE-003');
    await using it = await opened({ revision, on: { 'tools/call': () => ({ content: [] }) } });
    await Promise.all([it.client.call('a'), it.client.call('b'), it.client.call('c')]);
    expect(it.server.heard.every((message) => !Array.isArray(message) && message.jsonrpc === '2.0')).toBe(true);
    expect(it.server.params('tools/call')).toHaveLength(3);
    // Over any transport: a handshake first, or an introduction in every request.
    if (revision !== STATELESS)
      expect(it.server.methods.slice(0, 2)).toEqual(['initialize', 'notifications/initialized']);
    else
      for (const message of it.server.heard)
        expect(message).toHaveProperty(['params', '_meta'], expect.objectContaining(introduced));
  },
);

test('the client accepts batches only in the revision that has them', async () => {
  verifies('SEED-4', 'BASE-028');
  const batched = async (revision: string): Promise<number> => {
    await using it = await opened({ revision, on: { 'tools/call': () => silence } });
    const call = it.client.call('t', {}, { timeoutMs: 1_000 }).then(
      () => 1,
      () => 0,
    );
    await settled();
    const id = it.server.heard.filter(isRequest).at(-1)?.id;
    const news = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    it.server.line.say([news, { jsonrpc: '2.0', id, result: { content: [] } }]);
    await it.clock.advance(1_000);
    return await call;
  };
  expect(await batched('2025-03-26')).toBe(1);
  for (const revision of ['2024-11-05', '2025-06-18', HANDSHAKE, STATELESS]) expect(await batched(revision)).toBe(0);
});

test('one connection carries sequential and concurrent calls', async () => {
  verifies('LIFE-040');
  await using it = await opened({ on: { 'tools/call': ({ name }) => ({ content: [{ type: 'text', text: name }] }) } });
  await it.client.call('first');
  await it.clock.advance(10_000_000);
  const names = Array.from({ length: 50 }, (_, i) => `t${i}`);
  const results = await Promise.all(names.map((name) => it.client.call(name)));
  expect(results.map(({ text }) => text)).toEqual(names);
  expect(it.server.lines).toHaveLength(1);
});

test('request() sends any method and returns the result unchanged', async () => {
  const on = { 'made/up': (params: JsonObject): JsonObject => ({ resultType: 'odd', echo: params['a'] }) };
  await using it = await opened({ on });
  expect(await it.client.request('made/up', { a: 1 })).toEqual({ resultType: 'odd', echo: 1 });
});

test('a cache that responseCache() did not make is rejected', async () => {
  const server = new FakeServer({ revision: STATELESS });
  await expect(openClient(server.transport, { cache: new Map() as never })).rejects.toThrow(
    'The option "cache": it must be made by responseCache(), not an object',
  );
});

test('a public cached result is returned to every client of the same origin', async () => {
  verifies('CACHE-14', 'CACHE-13');
  const cache = responseCache();
  const read = (params: JsonObject): JsonObject => ({
    contents: [{ uri: params['uri'], text: 'x' }],
    ttlMs: 1_000,
    cacheScope: params['uri'] === 'a:public' ? 'public' : 'private',
  });
  const server = new FakeServer({ revision: STATELESS, on: { 'resources/read': read } });
  const open = (): ReturnType<typeof openClient> =>
    openClient(server.transport, { cache, revisions: [STATELESS] }, { origin: 'here' });
  await using first = await open();
  await using second = await open();
  for (const client of [first, second]) for (const uri of ['a:public', 'a:private']) await client.read(uri);
  expect(server.params('resources/read').map((params) => params['uri'])).toEqual([
    'a:public',
    'a:private',
    'a:private',
  ]);
});

describe('an option that makes no sense', () => {
  test.each<[string, ConnectOptions, string]>([
    ['unknown revisions', { revisions: ['1999-01-01'] }, 'unknown revision 1999-01-01; choose from 2026-07-28'],
    ['no revision', { revisions: [] }, 'it names no revision'],
    ['an extension without a prefix', { extensions: { tasks: {} } }, 'The extension "tasks"'],
    ['an extension with a bad prefix', { extensions: { '1x/tasks': {} } }, 'The extension "1x/tasks"'],
    ['roots that are no files', { roots: [{ uri: 'https://a.example' }] }, 'it must be a file:// URL'],
    ['roots that climb', { roots: [{ uri: 'file:///a/../b' }] }, 'must not climb'],
    ['a log level that is none', { logLevel: 'loud' as 'warn' }, '"loud"'],
  ])('connect() rejects an invalid option: %s', async (_name, options, message) => {
    verifies('BASE-080', 'EXT-2', 'ROOT-7');
    const server = new FakeServer({ revision: STATELESS });
    await expect(openClient(server.transport, options)).rejects.toThrow(message);
    expect(server.lines).toHaveLength(0);
  });
});

test('no extension is declared unless the options name it', async () => {
  verifies('EXT-5', 'BASE-083');
  await using it = await opened({ on: { 'tools/call': () => new RpcError(-32602, 'no') } });
  await it.client.call('t').catch(() => undefined);
  expect(it.server.params('tools/call')[0]?.['_meta']).toMatchObject({
    'io.modelcontextprotocol/clientCapabilities': {},
  });
  expect(JSON.stringify(it.server.heard)).not.toContain('extensions');
});

test('a client works with a server that lacks its extensions', async () => {
  verifies('BASE-081', 'EXT-3');
  const extensions = { 'com.example/tasks': { resultTypes: ['task'] } };
  const on = { 'tools/call': (): JsonObject => ({ resultType: 'complete', content: [{ type: 'text', text: 'x' }] }) };
  await using it = await opened({ capabilities: { tools: {} }, on }, { extensions });
  expect((await it.client.call('t')).text).toBe('x');
});
