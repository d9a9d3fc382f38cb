import { describe, expect, test } from 'vitest';
import { FakeServer } from '../../test/support/fake-server.ts';
import { settled } from '../../test/support/held-clock.ts';
import { HANDSHAKE, opened, STATELESS } from '../../test/support/opened.ts';
import { verifies } from '../../test/support/verifies.ts';
import { RpcError } from '../errors.ts';
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { ResponseCache } from './cache.ts';
import { openClient } from './client.ts';
import type { ConnectOptions } from './options.ts';

const levelIn = (params: JsonObject | undefined): unknown =>
  isObject(params?.['_meta']) ? params['_meta']['io.modelcontextprotocol/logLevel'] : undefined;

test('the server is described as it described itself', async () => {
  await using it = await opened({ revision: HANDSHAKE, capabilities: { tools: {}, extra: { x: 1 } } });
  expect(it.client.server).toEqual({
    info: { name: 'fake', version: '1' },
    capabilities: { tools: {}, extra: { x: 1 } },
    instructions: undefined,
    revision: HANDSHAKE,
  });
  expect(it.client.state).toBe('ready');
});

test('the client introduces itself by the name it was given', async () => {
  verifies('BASE-052');
  await using it = await opened({ revision: HANDSHAKE }, { name: 'me', version: '2' });
  expect(it.server.params('initialize')[0]?.['clientInfo']).toEqual({ name: 'me', version: '2' });
});

test('a sign of life is asked for in the words of the revision', async () => {
  await using old = await opened({ revision: HANDSHAKE, on: { ping: () => ({}) } });
  await old.client.ping();
  expect(old.server.methods.at(-1)).toBe('ping');
  await using it = await opened();
  await it.client.ping();
  expect(it.server.methods).toEqual(['server/discover', 'server/discover']);
});

describe('the log level', () => {
  const on = { 'logging/setLevel': (): JsonObject => ({}), 'tools/call': (): JsonObject => ({ content: [] }) };

  test('is set once in a session, and again in the next', async () => {
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

  test('goes with every request where there is no session, and nothing goes where nobody listens', async () => {
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

  test('is not set on a server that does not log', async () => {
    for (const revision of [HANDSHAKE, STATELESS]) {
      await using it = await opened({ revision, capabilities: {}, on }, { logLevel: 'info' });
      await expect(it.client.setLogLevel('info')).rejects.toMatchObject({ code: 'MCP_NOT_OFFERED' });
      expect(it.server.methods).not.toContain('logging/setLevel');
    }
  });

  test('is one of the eight', async () => {
    await using it = await opened();
    await expect(it.client.setLogLevel('loud' as 'warn')).rejects.toThrow('"loud"'); // wrong on purpose
  });
});

test('changed roots are reported where the revision has a word for it and roots were declared', async () => {
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

test('any request can be made, and its result comes as it is', async () => {
  const on = { 'made/up': (params: JsonObject): JsonObject => ({ resultType: 'odd', echo: params['a'] }) };
  await using it = await opened({ on });
  expect(await it.client.request('made/up', { a: 1 })).toEqual({ resultType: 'odd', echo: 1 });
});

test('a public answer serves every client of the same origin', async () => {
  verifies('CACHE-14', 'CACHE-13');
  const cache = new ResponseCache();
  const read = (params: JsonObject): JsonObject => ({
    contents: [{ uri: params['uri'], text: 'x' }],
    ttlMs: 1_000,
    cacheScope: params['uri'] === 'a:public' ? 'public' : 'private',
  });
  const server = new FakeServer({ revision: STATELESS, on: { 'resources/read': read } });
  const open = (): ReturnType<typeof openClient> =>
    openClient(server.dialer, { cache, revisions: [STATELESS] }, 'here');
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
    ['unknown revisions', { revisions: ['1999-01-01'] }, 'there is no 1999-01-01; choose from 2026-07-28'],
    ['no revision', { revisions: [] }, 'it names no revision'],
    ['an extension without a prefix', { extensions: { tasks: {} } }, 'The extension "tasks"'],
    ['an extension with a bad prefix', { extensions: { '1x/tasks': {} } }, 'The extension "1x/tasks"'],
    ['roots that climb', { roots: [{ uri: 'file:///a/../b' }] }, 'must not climb'],
    ['a log level that is none', { logLevel: 'loud' as 'warn' }, '"loud"'],
  ])('is refused: %s', async (_name, options, message) => {
    const server = new FakeServer({ revision: STATELESS });
    await expect(openClient(server.dialer, options)).rejects.toThrow(message);
    expect(server.lines).toHaveLength(0);
  });
});

test('extensions are off unless they are named', async () => {
  verifies('EXT-5', 'BASE-083');
  await using it = await opened({ on: { 'tools/call': () => new RpcError(-32602, 'no') } });
  await it.client.call('t').catch(() => undefined);
  expect(it.server.params('tools/call')[0]?.['_meta']).toMatchObject({
    'io.modelcontextprotocol/clientCapabilities': {},
  });
  expect(JSON.stringify(it.server.heard)).not.toContain('extensions');
});
