/** createServer() and use(): declared capabilities, changes of parts, and isolation of callers. */
import { describe, expect, test } from 'vitest';
import { everyRevision, hello, open, type Raw, STATELESS, textOf, withHandshake } from '../../test/support/raw.ts';
import { verifies } from '../../test/support/verifies.ts';
import { McpError } from '../errors.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import { CLIENT_CAPABILITIES, LOG_LEVEL, SERVER_INFO } from '../model/names.ts';
import type { Layer } from '../peer/exchange.ts';
import { nextTurn } from '../peer/runtime.ts';
import type { Part } from './part.ts';
import { prompt } from './prompt.ts';
import { resource } from './resource.ts';
import { createServer, use } from './server.ts';
import type { Server } from './server-interface.ts';
import { tool } from './tool.ts';

const t = (name: string): Part => tool({ name, run: () => name });
const p = (name: string): Part => prompt({ name, render: () => name });
const r = (uri: string): Part => resource({ uri, read: () => uri });
const completed = resource({ uri: 'c:{x}', complete: { x: () => [] }, read: () => 'x' });
const serverOf = (...parts: readonly Part[]): Server => createServer({ name: 'dock', version: '1', parts });
const capabilitiesOf = async (server: Server, revision = STATELESS): Promise<unknown> => {
  const raw = await open(server, { revision: revision === STATELESS ? STATELESS : undefined });
  if (revision === STATELESS) return (await raw.result('server/discover'))['capabilities'];
  return (await raw.result('initialize', hello(revision)))['capabilities'];
};
const listed = async (raw: Raw): Promise<string[]> =>
  ((await raw.result('tools/list'))['tools'] as { name: string }[]).map(({ name }) => name);

test.each(everyRevision)('a server declares what it is made of in %s', async (revision) => {
  verifies(
    'DISC-7',
    'LIFE-017',
    'TOOL-1',
    'RES-1',
    'PROMPT-1',
    'COMP-1',
    'LOG-1',
    'SEEDF-2',
    'RES-9',
    'EXT-5',
    'BASE-083',
  );
  const completions = revision === '2024-11-05' ? {} : { completions: {} };
  expect(await capabilitiesOf(serverOf(), revision)).toEqual({ logging: {} });
  expect(await capabilitiesOf(serverOf(t('t')), revision)).toEqual({ logging: {}, tools: { listChanged: true } });
  expect(await capabilitiesOf(serverOf(t('t'), p('p'), r('a:b'), completed), revision)).toEqual({
    logging: {},
    ...completions,
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    tools: { listChanged: true },
  });
  expect(await capabilitiesOf(serverOf(r('a:{b}')), revision)).toHaveProperty('resources');
});

const groups: [string, Part, Part, readonly string[]][] = [
  ['tools', t('t'), p('p'), ['tools/list', 'tools/call']],
  ['prompts', p('p'), t('t'), ['prompts/list', 'prompts/get']],
  ['resources', r('a:b'), t('t'), ['resources/list', 'resources/templates/list', 'resources/read']],
];
test.each(groups)('without %s, their methods do not exist in any revision', async (group, own, other, methods) => {
  verifies('SEED-10', 'SEEDF-1', 'DISC-8', 'BASE-032', 'TOOL-2', 'PROMPT-18', 'LIFE-015', 'LIFE-016');
  for (const revision of everyRevision) {
    const [without, having] = [await open(serverOf(other), { revision }), await open(serverOf(own), { revision })];
    const more =
      group === 'resources' && revision !== STATELESS ? ['resources/subscribe', 'resources/unsubscribe'] : [];
    for (const method of [...methods, ...more]) {
      // Also with invalid params: what is not offered is not validated.
      expect(await without.error(method)).toEqual({
        code: -32601,
        message: `Method not found: ${method} (this server has no ${group})`,
      });
      const answer = await having.request(method, { name: own.kind === 'tool' ? 't' : 'p', uri: 'a:b' });
      expect(answer).toHaveProperty('result');
    }
  }
});

test('parts come and go, and the list is in the order they came', async () => {
  verifies('TOOL-3', 'TOOL-6', 'RES-3', 'PROMPT-2');
  const server = serverOf(t('b'), t('a'));
  const raw = await open(server);
  expect(await listed(raw)).toEqual(['b', 'a']);
  expect(await listed(raw)).toEqual(['b', 'a']);
  server.add(t('c'));
  expect(await listed(raw)).toEqual(['b', 'a', 'c']);
  expect(server.remove('b')).toBe(true);
  expect(server.remove('b')).toBe(false);
  server.add(t('b'));
  expect(await listed(raw)).toEqual(['a', 'c', 'b']);
  expect((await raw.error('tools/call', { name: 'nope' })).code).toBe(-32602);
  expect(textOf(await raw.result('tools/call', { name: 'b' }))).toBe('b');
});

test('a capability stays declared after its last part is removed, and its list is then empty', async () => {
  verifies('TOOL-3', 'RES-3', 'PROMPT-2', 'LIFE-018');
  const server = serverOf(t('t'), p('p'), r('a:b'), completed);
  const before = await capabilitiesOf(server);
  for (const name of ['t', 'p', 'a:b', 'c:{x}']) expect(server.remove(name)).toBe(true);
  expect(await capabilitiesOf(server)).toEqual(before);
  for (const revision of everyRevision) {
    const raw = await open(server, { revision });
    expect(await raw.result('tools/list')).toMatchObject({ tools: [] });
    expect(await raw.result('prompts/list')).toMatchObject({ prompts: [] });
    expect(await raw.result('resources/list')).toMatchObject({ resources: [] });
    expect(await raw.result('resources/templates/list')).toMatchObject({ resourceTemplates: [] });
  }
});

test('a part that is added later is declared from then on', async () => {
  const server = serverOf();
  const raw = await open(server);
  expect((await raw.error('tools/list')).code).toBe(-32601);
  server.add(t('t'));
  expect(await capabilitiesOf(server)).toHaveProperty('tools');
  expect(await listed(raw)).toEqual(['t']);
});

test.each<[string, () => Part, string]>([
  ['tool', () => t('x'), 'Two tools are called "x". Rename one'],
  ['prompt', () => p('x'), 'Two prompts are called "x". Rename one'],
  ['resource', () => r('x:y'), 'Two resources are called "x:y". Rename one'],
  ['resource', () => r('x:{y}'), 'Two resources are called "x:{y}". Rename one'],
])('a second %s of the same name is refused', (_kind, make, message) => {
  verifies('TOOL-40', 'SEEDF-3');
  expect(() => serverOf(make(), make())).toThrow(McpError);
  expect(() => serverOf(make(), make())).toThrow(message);
  const server = serverOf(make());
  expect(() => server.add(make())).toThrow(message);
});

test('a tool and a prompt may share a name, and are taken away together', () => {
  const server = serverOf(t('x'), p('x'), t('X'));
  expect(server.remove('x')).toBe(true);
  expect(server.remove('x')).toBe(false);
  expect(server.remove('X')).toBe(true);
});

test('lists do not depend on the connection or on earlier requests', async () => {
  verifies('TOOL-4', 'RES-4', 'PROMPT-3');
  const server = serverOf(t('a'), t('b'), p('p'), r('a:b'), r('c:{d}'));
  const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
  const listsOf = async (raw: Raw): Promise<JsonObject[]> => {
    const all: JsonObject[] = [];
    for (const method of lists) all.push(await raw.result(method));
    return all;
  };
  const one = await open(server);
  const first = await listsOf(one);
  expect(first).toMatchObject([
    { tools: [{ name: 'a' }, { name: 'b' }] },
    { prompts: [{ name: 'p' }] },
    { resources: [{ uri: 'a:b' }] },
    { resourceTemplates: [{ uriTemplate: 'c:{d}' }] },
  ]);
  const earlier: [string, JsonObject][] = [
    ['tools/call', { name: 'a' }],
    ['tools/call', { name: 'nope' }],
    ['prompts/get', { name: 'p' }],
    ['resources/read', { uri: 'a:b' }],
    ['resources/read', { uri: 'c:e' }],
    ['resources/read', { uri: 'z:z' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'x', value: '' } }],
  ];
  for (const [method, params] of earlier) {
    await one.request(method, params);
    expect(await listsOf(one), method).toEqual(first);
  }
  expect(await listsOf(await open(server, { capabilities: { sampling: {}, elicitation: {} } }))).toEqual(first);
});

test('a caller that changes a list changes it for no other caller', async () => {
  const server = serverOf(tool({ name: 't', input: { type: 'object', properties: { a: {} } }, run: () => 'x' }));
  const raw = await open(server);
  const spoil = (value: object): void => {
    expect(() => Object.assign(value, { name: 'spoilt' })).toThrow(TypeError);
  };
  const page = await raw.result('tools/list');
  const [item] = page['tools'] as { inputSchema: { properties: object } }[];
  spoil(item ?? {});
  spoil(item?.inputSchema.properties ?? {});
  const { capabilities, _meta } = await raw.result('server/discover');
  spoil((capabilities as { tools: object }).tools);
  spoil((_meta as JsonObject)[SERVER_INFO] as object);
  expect(await raw.result('tools/list')).toEqual(page);
});

test('objects that an author keeps can be changed without changing what is published', async () => {
  const meta = { 'com.example/k': { deep: 1 } };
  const input = { type: 'object', properties: { a: { type: 'string' } } };
  const raw = await open(serverOf(tool({ name: 't', input, meta, run: () => 'x' })));
  const before = await raw.result('tools/list');
  meta['com.example/k'].deep = 2;
  input.properties.a.type = 'number';
  expect(await raw.result('tools/list')).toEqual(before);
  expect(before).toMatchObject({ tools: [{ inputSchema: { properties: { a: { type: 'string' } } } }] });
});

test('a connection that fails to write does not stop notifications to other clients', async () => {
  const server = serverOf(t('t'));
  const broken = server.open(
    {
      notify: () => {
        throw new Error('broken pipe');
      },
      ask: () => Promise.reject(new Error('broken pipe')),
      end: () => undefined,
    },
    { revision: '2025-11-25', ready: true },
  );
  const raw = await open(server, { revision: '2025-11-25' });
  server.add(t('u'));
  await nextTurn();
  expect(raw.pushed).toHaveLength(1);
  broken.close();
});

test('every result of the newest revision says who answers and that it is complete', async () => {
  verifies('LIFE-034', 'BASE-023', 'BASE-024', 'DISC-3');
  const raw = await open(serverOf(t('t'), p('p'), r('a:b'), completed));
  const complete = { ref: { type: 'ref/resource', uri: 'c:{x}' }, argument: { name: 'x', value: '' } };
  for (const [method, params] of [
    ['tools/list', {}],
    ['tools/call', { name: 't' }],
    ['prompts/list', {}],
    ['prompts/get', { name: 'p' }],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'a:b' }],
    ['completion/complete', complete],
    ['server/discover', {}],
  ] as const) {
    const result = await raw.result(method, params);
    expect(result).toMatchObject({ resultType: 'complete', _meta: { [SERVER_INFO]: { name: 'dock', version: '1' } } });
    const hinted = method.endsWith('/list') || method === 'resources/read' || method === 'server/discover';
    expect('ttlMs' in result && 'cacheScope' in result, method).toBe(hinted);
  }
});

test.each(withHandshake)('no result of %s has a word of the newest revision', async (revision) => {
  const raw = await open(serverOf(t('t'), p('p'), r('a:b')), { revision });
  for (const [method, params] of [
    ['tools/list', {}],
    ['tools/call', { name: 't' }],
    ['prompts/get', { name: 'p' }],
    ['resources/read', { uri: 'a:b' }],
    ['ping', {}],
  ] as const) {
    const text = JSON.stringify(await raw.result(method, params));
    for (const word of ['resultType', 'ttlMs', 'cacheScope', 'io.modelcontextprotocol/'])
      expect(text).not.toContain(word);
  }
});

test('conversations of one server never mix', async () => {
  verifies('LIFE-031', 'LIFE-037', 'LIFE-038', 'LIFE-042', 'BASE-009', 'LOG-18');
  const waiting: (() => void)[] = [];
  const slow = tool({
    name: 'slow',
    run: async (_input, ctx) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      ctx.progress(1);
      ctx.log('info', 'x');
      return `${ctx.auth?.subject} ${Object.keys(ctx.caller.capabilities)}`;
    },
  });
  const server = createServer({ name: 'dock', version: '1', onWarning: () => undefined, parts: [slow] });
  const as = (subject: string): { auth: { subject: string; scopes: string[] } } => ({ auth: { subject, scopes: [] } });
  const [ada, bob, eve] = [
    await open(server, { ...as('ada'), revision: '2025-06-18', capabilities: { roots: {} } }),
    await open(server, { ...as('bob'), revision: '2025-11-25', capabilities: { sampling: {} } }),
    await open(server, { ...as('eve'), capabilities: { elicitation: {} } }),
  ];
  await ada.result('logging/setLevel', { level: 'emergency' });
  await bob.result('logging/setLevel', { level: 'debug' });
  // The same id and the same token in all three.
  const meta = { progressToken: 7 };
  const calls = [ada, bob, eve].map((raw) => raw.start('tools/call', { name: 'slow' }, { id: 7, meta }));
  const second = eve.start(
    'tools/call',
    { name: 'slow' },
    { id: 8, meta: { [LOG_LEVEL]: 'info', [CLIENT_CAPABILITIES]: {} } },
  );
  await nextTurn();
  for (const go of waiting.toReversed()) go();
  const answers = await Promise.all([...calls, second].map(({ response }) => response));
  expect(answers).toMatchObject([
    { id: 7, result: { content: [{ text: 'ada roots' }] } },
    { id: 7, result: { content: [{ text: 'bob sampling' }] } },
    { id: 7, result: { content: [{ text: 'eve elicitation' }] } },
    { id: 8, result: { content: [{ text: 'eve ' }] } },
  ]);
  const heard = [...calls, second].map((call) => call.heard.map(({ method }) => method.replace('notifications/', '')));
  expect(heard).toEqual([['progress'], ['progress', 'message'], ['progress'], ['message']]);
});

test('one value serves under several names at once, and parts serve in several servers', async () => {
  const shared = t('shared');
  const [one, other] = [serverOf(shared), serverOf(shared, t('own'))];
  one.remove('shared');
  expect(await listed(await open(other))).toEqual(['shared', 'own']);
  expect(await listed(await open(one))).toEqual([]);
});

test('layers see every message, the first one outermost, and may change what passes', async () => {
  const log: string[] = [];
  const seeing =
    (name: string): Layer =>
    (next) =>
    async (message, link) => {
      const what = 'method' in message ? message.method : 'response';
      log.push(`${name} > ${what}`);
      const response = await next(message, link);
      log.push(`${name} < ${what}`);
      return response;
    };
  const shouting: Layer = (next) => async (message, link) => {
    const response = await next(message, link);
    return response !== undefined && 'result' in response
      ? { ...response, result: { ...response.result, shouted: true } }
      : response;
  };
  const server = serverOf(t('t'));
  const wrapped = use(use(server, seeing('inner')), seeing('outer'), shouting);
  const raw = await open(wrapped);
  expect(await raw.result('tools/list')).toMatchObject({ shouted: true });
  await raw.say('notifications/whatever');
  expect(log).toEqual([
    'outer > tools/list',
    'inner > tools/list',
    'inner < tools/list',
    'outer < tools/list',
    'outer > notifications/whatever',
    'inner > notifications/whatever',
    'inner < notifications/whatever',
    'outer < notifications/whatever',
  ]);
  expect(await (await open(server)).result('tools/list')).not.toHaveProperty('shouted');
});

test('a wrapped server is the same server: it has the same name, and changes with it', async () => {
  const server = serverOf(t('t'));
  const wrapped = use(server, (next) => next);
  const raw = await open(wrapped, { revision: '2025-11-25' });
  server.add(t('u'));
  wrapped.add(t('v'));
  await nextTurn();
  expect([wrapped.name, wrapped.version]).toEqual(['dock', '1']);
  expect(await listed(raw)).toEqual(['t', 'u', 'v']);
  expect(await listed(await open(server))).toEqual(['t', 'u', 'v']);
  expect(raw.pushed).toHaveLength(1);
});

test.each<[string, object, string]>([
  ['no keys', { stateKeys: [] }, '"stateKeys" must be keys of 32 bytes each'],
  ['a short key', { stateKeys: [new Uint8Array(32), new Uint8Array(16)] }, '"stateKeys" must be keys of 32 bytes each'],
  ['a negative number of rounds', { maxRounds: -1 }, '"maxRounds" must be a number that is not negative, not -1'],
  [
    'no number of streams',
    { maxListeners: Number.NaN },
    '"maxListeners" must be a number that is not negative, not NaN',
  ],
])('a server with %s is not made', (_what, spec, why) => {
  expect(() => createServer({ name: 'dock', version: '1', ...spec, parts: [] })).toThrow(why);
});

describe('extensions', () => {
  const extensions = { 'com.example/berths': { depth: 12 } };

  test('are advertised with their settings in every revision', async () => {
    verifies('EXT-1', 'EXT-11');
    const server = createServer({ name: 's', version: '1.0.0', parts: [], extensions });
    const said = await Promise.all(everyRevision.map((revision) => capabilitiesOf(server, revision)));
    expect(said).toEqual(everyRevision.map(() => ({ logging: {}, extensions })));
  });

  test('cannot be changed afterwards', async () => {
    const settings = { depth: 12 };
    const server = createServer({
      name: 's',
      version: '1.0.0',
      parts: [],
      extensions: { 'com.example/berths': settings },
    });
    settings.depth = 1;
    expect(await capabilitiesOf(server)).toMatchObject({ extensions });
  });

  test.each(['berths', '1x/berths', 'com.example/-'])('need a name with a prefix: %j', (id) => {
    verifies('EXT-2');
    expect(() => createServer({ name: 's', version: '1.0.0', parts: [], extensions: { [id]: {} } })).toThrow(id);
  });

  test('are none unless they are named', async () => {
    verifies('EXT-5');
    expect(await capabilitiesOf(serverOf())).not.toHaveProperty('extensions');
  });
});

test('a part that was not made by tool, resource or prompt is rejected with what to do', () => {
  const forged = { kind: 'tool', name: 'forged' } as const;
  expect(() => serverOf(forged)).toThrow('not made by tool(), resource() or prompt()');
  expect(() => serverOf().add(forged)).toThrow('not made by tool(), resource() or prompt()');
});
