/** Selection of the revision of a message, and the handshake, tested through the bare exchange of a server. */
import { expect, test } from 'vitest';
import {
  clientInfo,
  everyRevision,
  hello,
  open,
  type Raw,
  STATELESS,
  textOf,
  withHandshake,
} from '../../test/support/raw.ts';
import { verifies } from '../../test/support/verifies.ts';
import type { JsonObject, RpcRequest } from '../jsonrpc/message.ts';
import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  DISCOVER,
  INITIALIZED,
  PROTOCOL_VERSION,
  SERVER_INFO,
} from '../model/names.ts';
import { createServer } from '../server/server.ts';
import type { Server } from '../server/server-interface.ts';
import type { ServerSpec } from '../server/settings.ts';
import { tool } from '../server/tool.ts';
import { revisions } from './index.ts';
import { selectRevision } from './select.ts';

const NEWEST_HANDSHAKE = '2025-11-25';
const who = tool({ name: 'who', run: (_input, ctx) => JSON.stringify(ctx.caller) });
const serve = (spec: Partial<ServerSpec> = {}): Server =>
  createServer({ name: 'dock', version: '1.2.3', instructions: 'Knock first.', ...spec, parts: [who] });
const silent = (spec?: Partial<ServerSpec>): Promise<Raw> => open(serve(spec), { revision: undefined });
const meta = (more: JsonObject = {}): JsonObject => ({
  [PROTOCOL_VERSION]: STATELESS,
  [CLIENT_CAPABILITIES]: {},
  ...more,
});

test.each(withHandshake)('initialize agrees on %s when the client asks for it', async (revision) => {
  verifies('LIFE-004', 'LIFE-010', 'BASE-003', 'BASE-052', 'BASE-078', 'BASE-079');
  const raw = await silent();
  const result = await raw.result('initialize', hello(revision));
  expect(result).toEqual({
    protocolVersion: revision,
    capabilities: { logging: {}, tools: { listChanged: true } },
    serverInfo: { name: 'dock', version: '1.2.3' },
    instructions: 'Knock first.',
  });
  expect(raw.session).toMatchObject({ revision, batches: revision === '2025-03-26' });
  // Later requests are handled in that revision. A channel with only one session rejects a second handshake.
  expect((await raw.error('initialize', hello(NEWEST_HANDSHAKE))).code).toBe(-32600);
  expect(raw.session.revision).toBe(revision);
});

test.each(['1999-01-01', '2099-01-01', 'latest', '', STATELESS])(
  'initialize answers %j with the newest version that has a handshake',
  async (asked) => {
    verifies('LIFE-011', 'LIFE-012', 'BASE-077');
    const raw = await silent();
    expect((await raw.result('initialize', hello(asked)))['protocolVersion']).toBe(NEWEST_HANDSHAKE);
  },
);

test('initialize offers the newest supported revision, independent of the configured order', async () => {
  verifies('LIFE-012');
  const raw = await silent({ revisions: ['2024-11-05', '2025-06-18', '2025-03-26'] });
  expect((await raw.result('initialize', hello(NEWEST_HANDSHAKE)))['protocolVersion']).toBe('2025-06-18');
});

test.each(['1999-01-01', STATELESS])(
  'with strictVersions, a handshake for %s is rejected with the supported revisions',
  async (requested) => {
    verifies('LIFE-014', 'SEED-8');
    const raw = await silent({ strictVersions: true });
    expect(await raw.error('initialize', hello(requested))).toEqual({
      code: -32602,
      message: 'Unsupported protocol version',
      data: { supported: everyRevision.toReversed(), requested },
    });
    expect(raw.session.revision).toBeUndefined();
    expect((await raw.result('initialize', hello('2025-03-26')))['protocolVersion']).toBe('2025-03-26');
  },
);

test.each<[string, JsonObject | undefined, string]>([
  ['nothing', undefined, '"params" must be an object'],
  ['no version', { capabilities: {}, clientInfo }, '"params.protocolVersion" must be a string'],
  ['a version that is no string', { ...hello(''), protocolVersion: 1 }, '"params.protocolVersion" must be a string'],
  ['no capabilities', { protocolVersion: '2025-06-18', clientInfo }, '"params.capabilities" must be an object'],
  ['no client', { protocolVersion: '2025-06-18', capabilities: {} }, '"params.clientInfo" must be an object'],
  [
    'a nameless client',
    { ...hello('2025-06-18'), clientInfo: { version: '1' } },
    '"params.clientInfo.name" must be a string',
  ],
])('initialize with %s is refused and changes nothing', async (_what, params, why) => {
  const raw = await silent();
  const error = await raw.error('initialize', params);
  expect(error).toEqual({ code: -32602, message: `Invalid params for initialize: ${why}` });
  expect(raw.session).toEqual({});
});

test.each(withHandshake)('ping gets a response in %s, also before the handshake', async (revision) => {
  verifies('PING-001');
  const early = await silent();
  expect(await early.result('ping')).toEqual({});
  expect(early.session).toEqual({});
  expect(await (await open(serve(), { revision })).result('ping')).toEqual({});
});

test('before the handshake, only ping and initialize are handled', async () => {
  verifies('LIFE-001');
  const raw = await silent();
  for (const method of ['tools/list', 'tools/call', DISCOVER, 'shutdown', 'nonsense']) {
    const error = await raw.error(method);
    expect(error.code).toBe(-32602);
    expect(error.message).toBe(`_meta must have "${PROTOCOL_VERSION}", or initialize must come first`);
  }
});

test('a request that follows initialize at once is served', async () => {
  const raw = await silent();
  await raw.result('initialize', hello('2025-06-18'));
  expect(raw.session.ready).toBeUndefined();
  expect(textOf(await raw.result('tools/call', { name: 'who' }))).toBe(
    JSON.stringify({ info: clientInfo, capabilities: {} }),
  );
});

test.each([INITIALIZED, 'initialized'])('%s makes a session ready, but not before its handshake', async (method) => {
  verifies('SEED-2', 'BASE-019', 'SEED-19');
  const raw = await silent();
  expect(await raw.say(method)).toBeUndefined();
  expect(raw.session.ready).toBeUndefined();
  await raw.result('initialize', hello('2025-11-25'));
  expect(await raw.say(method)).toBeUndefined();
  expect(raw.session.ready).toBe(true);
});

test('unknown notifications and stray responses are ignored', async () => {
  verifies('SEED-3', 'BASE-019');
  const raw = await open(serve(), { revision: '2025-11-25' });
  expect(await raw.say('notifications/disconnected')).toBeUndefined();
  expect(await raw.say('tools/list')).toBeUndefined();
  expect(await raw.send({ jsonrpc: '2.0', id: 7, result: {} })).toBeUndefined();
  expect(await raw.send({ jsonrpc: '2.0', error: { code: -32600, message: 'x' } })).toBeUndefined();
  expect(await raw.result('ping')).toEqual({});
});

test('shutdown is acknowledged, and ends the conversation', async () => {
  verifies('SEED-1', 'SEEDF-19');
  const raw = await open(serve(), { revision: '2025-06-18' });
  expect(await raw.result('shutdown')).toEqual({});
  expect(raw.ended).toBe(true);
  const stateless = await open(serve());
  expect((await stateless.error('shutdown')).code).toBe(-32601);
  expect(stateless.ended).toBe(false);
});

test('a stateless request is handled without a handshake', async () => {
  verifies('LIFE-029', 'LIFE-051', 'BASE-004', 'LIFE-042');
  const raw = await silent();
  const result = await raw.result('tools/call', { name: 'who' }, { meta: meta() });
  expect(textOf(result)).toBe(JSON.stringify({ capabilities: {} }));
  expect(raw.session).toEqual({});
});

test('the client of a stateless request is read from _meta, without malformed client info', async () => {
  const raw = await silent();
  const say = async (info: unknown): Promise<string> =>
    textOf(await raw.result('tools/call', { name: 'who' }, { meta: meta({ [CLIENT_INFO]: info }) }));
  expect(await say({ name: 'a', version: '1' })).toBe('{"info":{"name":"a","version":"1"},"capabilities":{}}');
  expect(await say('a')).toBe('{"capabilities":{}}');
});

test.each<[string, JsonObject]>([
  ['no capabilities', { [CLIENT_CAPABILITIES]: undefined }],
  ['capabilities that are null', { [CLIENT_CAPABILITIES]: null }],
  ['capabilities that are a list', { [CLIENT_CAPABILITIES]: [] }],
])('a stateless request with %s is refused', async (_what, more) => {
  verifies('LIFE-029');
  const raw = await silent();
  expect(await raw.error('tools/list', {}, { meta: { ...meta(), ...more } })).toEqual({
    code: -32602,
    message: `_meta must have "${CLIENT_CAPABILITIES}"`,
  });
  // Also for unknown methods: the introduction is checked before the method.
  expect((await raw.error('nonsense', {}, { meta: { ...meta(), ...more } })).code).toBe(-32602);
});

test.each([null, 7, true, {}, [STATELESS]])(
  'a version that is %j is rejected, because it is not a string',
  async (version) => {
    const raw = await silent();
    expect(await raw.error('tools/list', {}, { meta: meta({ [PROTOCOL_VERSION]: version }) })).toEqual({
      code: -32602,
      message: `"${PROTOCOL_VERSION}" must be a string`,
    });
  },
);

test.each(['2099-01-01', '2025-11-25', 'latest', ''])(
  'a stateless request in version %j is rejected with the supported revisions',
  async (requested) => {
    verifies('LIFE-043', 'BASE-037');
    const raw = await silent();
    expect(await raw.error('tools/list', {}, { meta: meta({ [PROTOCOL_VERSION]: requested }) })).toEqual({
      code: -32022,
      message: 'Unsupported protocol version',
      data: { supported: everyRevision.toReversed(), requested },
    });
  },
);

test('the revisions in the rejection are those of server/discover', async () => {
  verifies('LIFE-043', 'DISC-1');
  const raw = await open(serve({ revisions: ['2025-11-25', STATELESS] }));
  const { supportedVersions } = await raw.result(DISCOVER);
  const { data } = await raw.error('tools/list', {}, { meta: { [PROTOCOL_VERSION]: '2099-01-01' } });
  expect(data).toEqual({ supported: supportedVersions, requested: '2099-01-01' });
  expect(supportedVersions).toEqual([STATELESS, '2025-11-25']);
});

test('server/discover describes the server, with cache hints', async () => {
  verifies(
    'DISC-1',
    'DISC-2',
    'DISC-3',
    'LIFE-045',
    'LIFE-047',
    'LIFE-048',
    'LIFE-034',
    'BASE-023',
    'BASE-024',
    'EXT-5',
    'BASE-083',
  );
  const raw = await open(serve({ title: 'The dock', cache: { ttlMs: 60_000, cacheScope: 'public' } }));
  expect(await raw.result(DISCOVER)).toEqual({
    resultType: 'complete',
    supportedVersions: everyRevision.toReversed(),
    capabilities: { logging: {}, tools: { listChanged: true } },
    instructions: 'Knock first.',
    ttlMs: 60_000,
    cacheScope: 'public',
    _meta: { [SERVER_INFO]: { name: 'dock', version: '1.2.3', title: 'The dock' } },
  });
});

test('the revision in _meta takes precedence over that of the session', async () => {
  verifies('LIFE-050', 'LIFE-051', 'LIFE-031', 'LIFE-037', 'LIFE-038');
  const raw = await open(serve(), { revision: '2025-06-18', capabilities: { sampling: {} } });
  const [old, stateless] = await Promise.all([
    raw.result('tools/call', { name: 'who' }),
    raw.result('tools/call', { name: 'who' }, { meta: meta({ [CLIENT_CAPABILITIES]: { roots: {} } }) }),
  ]);
  expect(old).toEqual({ content: [{ type: 'text', text: expect.stringContaining('"capabilities":{"sampling":{}}') }] });
  expect(textOf(stateless)).toBe('{"capabilities":{"roots":{}}}');
  expect(stateless['resultType']).toBe('complete');
  // The stateless request does not change the session.
  expect(raw.session.caller).toEqual({ info: clientInfo, capabilities: { sampling: {} } });
  expect((await raw.error('ping', {}, { meta: meta() })).code).toBe(-32601);
  expect(await raw.result('ping')).toEqual({});
});

test('a stateless request before a handshake does not replace it', async () => {
  verifies('LIFE-037', 'LIFE-051');
  const raw = await silent();
  await raw.result('tools/list', {}, { meta: meta() });
  expect((await raw.error('tools/list')).code).toBe(-32602);
  await raw.result('initialize', hello('2024-11-05'));
  expect(await raw.result('tools/list')).not.toHaveProperty('ttlMs');
  expect(await raw.result('tools/list', {}, { meta: meta() })).toHaveProperty('ttlMs');
});

test('a _meta that is not an object is ignored', async () => {
  const raw = await silent();
  for (const _meta of [[], 'x', null]) expect((await raw.error('tools/list', { _meta })).code).toBe(-32602);
  const session = await open(serve(), { revision: '2025-06-18' });
  expect((await session.error('tools/list', { _meta: 'x' })).message).toContain('"params._meta" must be an object');
});

test.each([
  'initialize',
  'ping',
  'shutdown',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'nonsense',
])('%s is not a method of the stateless revision', async (method) => {
  verifies('PING-010', 'SUBS-018', 'BASE-032', 'RES-13');
  const raw = await open(serve());
  expect(await raw.error(method, hello(STATELESS))).toEqual({ code: -32601, message: `Method not found: ${method}` });
});

test.each(withHandshake)('server/discover and subscriptions/listen are not methods of %s', async (revision) => {
  const raw = await open(serve(), { revision });
  for (const method of [DISCOVER, 'subscriptions/listen', 'tasks/list', 'nonsense', 'constructor', '__proto__']) {
    expect(await raw.error(method)).toEqual({ code: -32601, message: `Method not found: ${method}` });
  }
});

test('a server without a handshake answers initialize with the versions it speaks', async () => {
  verifies('LIFE-055');
  const raw = await silent({ revisions: [STATELESS] });
  expect(await raw.error('initialize', hello('2025-06-18'))).toEqual({
    code: -32022,
    message: 'Unsupported protocol version',
    data: { supported: [STATELESS], requested: '2025-06-18' },
  });
  expect((await raw.error('ping')).code).toBe(-32602);
  expect(await raw.say(INITIALIZED)).toBeUndefined();
  expect(await raw.result('tools/list', {}, { meta: meta() })).toHaveProperty('tools');
});

test('a server without a stateless revision rejects stateless requests with its revisions', async () => {
  const raw = await silent({ revisions: ['2025-03-26', '2025-06-18'] });
  expect(await raw.error(DISCOVER, {}, { meta: meta() })).toEqual({
    code: -32022,
    message: 'Unsupported protocol version',
    data: { supported: ['2025-06-18', '2025-03-26'], requested: STATELESS },
  });
  expect((await raw.result('initialize', hello(NEWEST_HANDSHAKE)))['protocolVersion']).toBe('2025-06-18');
});

test('a stored session resumes in its revision, in any process', async () => {
  const session = { revision: '2025-03-26', ready: true, caller: { capabilities: { roots: {} } } };
  const raw = await open(serve(), { revision: undefined, session });
  expect(textOf(await raw.result('tools/call', { name: 'who' }))).toBe('{"capabilities":{"roots":{}}}');
  const gone = await open(serve({ revisions: ['2025-06-18'] }), { revision: undefined, session });
  expect((await gone.error('tools/list')).code).toBe(-32602);
});

test.each([0, '', '1', 1, -1, 'a'])('the response to request %j has the same id', async (id) => {
  verifies('BASE-009', 'BASE-001', 'BASE-012', 'BASE-013', 'BASE-014', 'BASE-015');
  const raw = await open(serve());
  const good = await raw.request('tools/list', {}, { id });
  expect(good).toStrictEqual({ jsonrpc: '2.0', id, result: expect.any(Object) });
  const bad = await raw.request('nonsense', {}, { id });
  expect(bad).toStrictEqual({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found: nonsense' } });
});

test('createServer() rejects unknown revisions and an empty list', () => {
  expect(() => serve({ revisions: ['2025-06-17'] })).toThrow(
    /"revisions" must list some of 2026-07-28, 2025-11-25, .*, not "2025-06-17"$/,
  );
  expect(() => serve({ revisions: [] })).toThrow('"revisions" must list some of');
  const one = '2025-06-18' as unknown as readonly string[]; // the compiler would report it
  expect(() => serve({ revisions: one })).toThrow('"revisions" must list some of');
});

test('misspelled members and method names are not accepted', async () => {
  verifies('SEED-18');
  const raw = await silent();
  await raw.result('initialize', hello('2025-11-25'));
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', param: { name: 'who' } } as const;
  expect(await raw.send(call)).toMatchObject({ error: { code: -32602 } });
  for (const method of ['notification/initialized', 'notifications/Initialized']) await raw.say(method);
  expect(raw.session.ready).toBeUndefined();
});

test('unknown client capabilities are preserved, and never sent by the server', async () => {
  verifies('SEED-16', 'SEEDF-16');
  const odd = { resources: { templates: true }, tools: { streaming: true }, 'x-own': 1, roots: { more: true } };
  for (const revision of everyRevision) {
    const raw = await open(serve(), { revision, capabilities: odd });
    const { capabilities } = JSON.parse(textOf(await raw.result('tools/call', { name: 'who' }))) as JsonObject;
    expect(capabilities).toEqual(odd);
  }
  const fresh = await silent();
  expect((await fresh.result('initialize', hello('2025-06-18', odd)))['capabilities']).toEqual({
    logging: {},
    tools: { listChanged: true },
  });
});

test('a revision that the transport determined counts, unless the server does not speak it', () => {
  const asked: RpcRequest = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta() } };
  const selected = (decided?: string): string => selectRevision(asked, {}, revisions, decided).id;
  expect(selected('2025-03-26')).toBe('2025-03-26');
  expect([selected(), selected('1999-01-01')]).toEqual([STATELESS, STATELESS]);
});

test('an initialize for an unknown revision is handled in the newest one with a handshake', () => {
  const selected = (protocolVersion: string): string =>
    selectRevision({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion } }, {}, revisions).id;
  expect([selected('1999-01-01'), selected(STATELESS), selected('2025-03-26')]).toEqual([
    NEWEST_HANDSHAKE,
    NEWEST_HANDSHAKE,
    '2025-03-26',
  ]);
});
