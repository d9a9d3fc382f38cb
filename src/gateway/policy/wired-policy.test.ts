/** The policy of a gateway with real upstreams and callers: visibility, questions, and forwarded requests. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { folder } from '../../../test/support/command-line.ts';
import { knock } from '../../../test/support/fake-http.ts';
import { FakeServer } from '../../../test/support/fake-server.ts';
import { call, note, request, type Sent, stateless } from '../../../test/support/http-messages.ts';
import { hello, open, type RawOptions, withHandshake } from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { connect } from '../../connect/index.ts';
import { RpcError } from '../../errors.ts';
import { ndjsonAudit } from '../../host/audit/ndjson-audit.ts';
import { readAudit, verifyAudit } from '../../host/audit/verify-audit.ts';
import { createServer, resource, type Server, tool } from '../../index.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { memoryStateLog } from '../../revisions/asks/seal.ts';
import { everyRevision, fakeUser, virtualClock } from '../../testing/index.ts';
import { HttpService } from '../../transport/http/service.ts';
import { serveHttp } from '../../transport/node.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import type { GatewaySpec } from '../spec.ts';
import type { GatewayAuditRecord } from './gateway-audit.ts';
import { gatewayRules as rules } from './gateway-rules.ts';

const ada: AuthInfo = { issuer: 'https://id', subject: 'ada', clientId: 'desk', scopes: ['read'] };
const bob: AuthInfo = { ...ada, subject: 'bob', scopes: ['read', 'write'] };
const forms = { elicitation: { form: {} } };
const yes = { policy: { action: 'accept', content: { confirm: true } } };

/** A server that records its calls. */
function shopOf(done: string[]): Server {
  const order = { input: z.object({ order: z.number() }) };
  return createServer({
    name: 'shop',
    version: '1',
    parts: [
      tool({ name: 'refund', ...order, run: ({ order: n }) => `refunded ${done.push(`refund ${n}`)}` }),
      tool({ name: 'find', effects: 'read', run: () => `found ${done.push('find')}` }),
      tool({
        name: 'ship',
        run: async (_, ctx) => {
          const [first, second] = [await ctx.confirm('a', 'To Ada?'), await ctx.confirm('b', 'By ship?')];
          return `shipped ${first} ${second} ${done.push('ship')}`;
        },
      }),
      resource({ uri: 'note://a', read: () => `a ${done.push('read')}` }),
    ],
  }) as Server;
}

interface World {
  readonly done: readonly string[];
  readonly gateway: Gateway;
}

function worldOf(policy: GatewaySpec['policy'], more: Partial<GatewaySpec> = {}): World {
  const done: string[] = [];
  const spec = { name: 'acme', version: '1', upstreams: { shop: shopOf(done) }, ...more };
  return { done, gateway: createGateway(policy === undefined ? spec : { ...spec, policy }) };
}

/** Serves the gateway on a socket, and sends raw HTTP requests. */
async function overHttp(gateway: Gateway) {
  const listener = await serveHttp(gateway, { port: 0 });
  const post = ({ headers, body }: Sent): Promise<Response> => {
    const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
    const given = Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined);
    return fetch(listener.url, { method: 'POST', headers: given, body: JSON.stringify(body) });
  };
  return {
    post,
    /** The headers of a session. */
    async session(revision: string): Promise<Sent['headers']> {
      const met = await post({ headers: {}, body: request(0, 'initialize', hello(revision, {})) });
      const id = met.headers.get('mcp-session-id') ?? undefined;
      await met.text();
      const headers = { 'mcp-session-id': id, 'mcp-protocol-version': revision };
      await (await post({ headers, body: note('notifications/initialized') })).text();
      return headers;
    },
    async [Symbol.asyncDispose]() {
      await listener.close();
      await gateway.close();
    },
  };
}

const refund = (order: number): JsonObject => ({ name: 'shop__refund', arguments: { order } });

test('a rule that asks reaches the user in every revision that can be asked, and denies in the others', async () => {
  const { done, gateway } = worldOf([rules.ask({ name: 'refund' }), rules.allow({})]);
  await using _ = gateway;
  const user = fakeUser().answer('Allow a call of the tool "refund"?', true);
  await everyRevision(
    gateway,
    async (client, revision) => {
      const before = done.length;
      const call = client.call('shop__refund', { order: 7 });
      if (revision < '2025-06-18') await expect(call).rejects.toThrow('a user must approve it, and none did');
      else expect((await call).text).toBe(`refunded ${before + 1}`);
      expect((await client.list('tools').all()).map(({ name }) => name)).toContain('shop__refund');
    },
    { elicit: user.elicit },
  );
  expect(user.asked.map(({ message }) => message)).toEqual(
    Array(3).fill('[shop] Allow a call of the tool "refund"? Arguments: {"order":7}'),
  );
  const careful = fakeUser().decline('Allow');
  await everyRevision(
    gateway,
    (client) => expect(client.call('shop__refund', { order: 7 })).rejects.toThrow(/declined|none did/),
    { elicit: careful.elicit },
  );
  expect(done).toEqual(['refund 7', 'refund 7', 'refund 7']);
});

test('an approval is good for these arguments, this caller and this view, once, on whichever of three nodes', async () => {
  const clock = virtualClock();
  const stateLog = memoryStateLog(clock);
  const stateKeys = [new Uint8Array(32).fill(7)];
  const views = { default: { of: ['shop'] }, ops: { of: ['shop'] } };
  const shared = { clock, stateLog, stateKeys, views };
  const nodeOf = (): World => worldOf([rules.ask({})], shared);
  const [first, second, third] = [nodeOf(), nodeOf(), nodeOf()];
  const nodes = [first, second, third];
  const options = { auth: ada, capabilities: forms };
  const on = ({ gateway }: World, more: Partial<RawOptions> = {}) => open(gateway, { ...options, ...more });
  const asked = await (await on(first)).result('tools/call', refund(7));
  expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { policy: expect.anything() } });
  const retry = { requestState: asked['requestState'], inputResponses: yes };
  const foreign = { code: -32602, message: 'requestState was not issued by this gateway for this request' };
  expect(await (await on(second)).error('tools/call', { ...refund(8), ...retry })).toMatchObject(foreign);
  expect(await (await on(second, { auth: bob })).error('tools/call', { ...refund(7), ...retry })).toMatchObject(
    foreign,
  );
  const phone = { ...ada, clientId: 'phone' };
  expect(await (await on(second, { auth: phone })).error('tools/call', { ...refund(7), ...retry })).toMatchObject(
    foreign,
  );
  const ops = await open(second.gateway.view('ops'), options);
  expect(await ops.error('tools/call', { ...refund(7), ...retry })).toMatchObject(foreign);
  expect(nodes.flatMap(({ done }) => done)).toEqual([]);
  const outcomes = await Promise.all(
    [...nodes, ...nodes].map(async (node) =>
      (await on(node)).result('tools/call', { ...refund(7), ...retry }).then(
        () => 'done',
        (error: Error) => error.message,
      ),
    ),
  );
  expect(outcomes.toSorted()).toEqual(['done', ...Array(5).fill('requestState was used before')]);
  expect(nodes.flatMap(({ done }) => done)).toEqual(['refund 7']);
});

test.each([true, false])(
  'the question of a rule is asked once for a call that asks twice itself, with a handshake upstream: %s',
  async (hasHandshake) => {
    const done: string[] = [];
    const server = { server: shopOf(done), ...(hasHandshake ? { revisions: ['2025-11-25'] } : {}) };
    await using gateway = createGateway({
      ...{ name: 'acme', version: '1', upstreams: { shop: server } },
      policy: [rules.ask({ name: 'ship' })],
    });
    const user = fakeUser().answer('', true);
    await everyRevision(
      gateway,
      async (client) => {
        const before = user.asked.length;
        expect((await client.call('shop__ship')).text).toMatch(/^shipped true true \d/);
        const messages = user.asked.slice(before).map(({ message }) => message);
        expect(messages).toEqual([
          '[shop] Allow a call of the tool "ship"? No arguments.',
          '[shop] To Ada?',
          '[shop] By ship?',
        ]);
      },
      { elicit: user.elicit, revisions: ['2026-07-28', '2025-11-25', '2025-06-18'] },
    );
    expect(done).toEqual(['ship', 'ship', 'ship']);
  },
);

test('callers see and call what rules on scopes, clients and views allow them, and lists are private then', async () => {
  const policy = [
    rules.deny({ name: 'refund', lacks: 'write' }),
    rules.deny({ view: 'ops', kind: 'tool', name: 'find' }),
    rules.allow({ principal: ['ada', 'bob'] }),
  ];
  const views = { default: { of: ['shop'] }, ops: { of: ['shop'] } };
  const { done, gateway } = worldOf(policy, { views });
  await using _ = gateway;
  const names = async (auth: AuthInfo, view = 'default'): Promise<unknown> => {
    const raw = await open(gateway.view(view), { auth });
    const { tools, cacheScope } = await raw.result('tools/list');
    return [(tools as { name: string }[]).map(({ name }) => name), cacheScope];
  };
  expect(await names(ada)).toEqual([['shop__find', 'shop__ship'], 'private']);
  expect(await names(bob)).toEqual([['shop__refund', 'shop__find', 'shop__ship'], 'private']);
  expect(await names(bob, 'ops')).toEqual([['shop__refund', 'shop__ship'], 'private']);
  expect(await names({ ...ada, subject: 'eve' })).toEqual([[], 'private']);
  const raw = await open(gateway, { auth: ada });
  const unknown = { code: -32602, message: 'Unknown tool: shop__refund' };
  expect(await raw.error('tools/call', refund(7))).toEqual(unknown);
  expect(await raw.error('tools/call', { ...refund(7), uri: 'note://a', key: 'find' })).toEqual(unknown);
  expect(await raw.error('tools/call', { name: 'shop__none' })).toEqual({
    ...unknown,
    message: 'Unknown tool: shop__none',
  });
  expect(await (await open(gateway, { auth: bob })).result('tools/call', refund(7))).toMatchObject({ content: [{}] });
  const eve = await open(gateway, { auth: { ...ada, subject: 'eve' } });
  expect(await eve.error('resources/read', { uri: 'shop+note://a' })).toMatchObject({ code: -32602 });
  expect(await eve.error('resources/read', { uri: 'shop+note://unlisted' })).toMatchObject({ code: -32602 });
  expect(done).toEqual(['refund 7']);
});

test.each([
  ['that read the caller', 'private', [rules.deny({ name: 'refund', lacks: 'write' }), rules.allow({})]],
  ['that read no caller', 'public', [rules.deny({ name: 'refund' }), rules.allow({})]],
])('with rules %s, the public lists and contents of an upstream are %s', async (_, scope, policy) => {
  const parts = [tool({ name: 'find', run: () => 'found' }), resource({ uri: 'note://a', read: () => 'a' })];
  const cache = { ttlMs: 60_000, cacheScope: 'public' } as const;
  const shop = createServer({ name: 'shop', version: '1', cache, parts });
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { shop }, policy });
  const raw = await open(gateway, { auth: ada });
  for (const method of ['tools/list', 'resources/list', 'resources/templates/list'])
    expect([method, (await raw.result(method))['cacheScope']]).toEqual([method, scope]);
  expect((await raw.result('resources/read', { uri: 'shop+note://a' }))['cacheScope']).toBe(scope);
});

test('a merged list is public only if the list of every upstream is', async () => {
  const upstream = (name: string, cacheScope: 'public' | 'private'): Server =>
    createServer({
      ...{ name, version: '1', cache: { ttlMs: 60_000, cacheScope } },
      parts: [tool({ name: 'find', run: () => 'found' })],
    }) as Server;
  const scopeOf = async (upstreams: GatewaySpec['upstreams']): Promise<unknown> => {
    await using gateway = createGateway({ name: 'acme', version: '1', upstreams });
    return (await (await open(gateway)).result('tools/list'))['cacheScope'];
  };
  const shop = upstream('shop', 'public');
  expect(await scopeOf({ shop })).toBe('public');
  expect(await scopeOf({ shop, bank: upstream('bank', 'public') })).toBe('public');
  expect(await scopeOf({ shop, bank: upstream('bank', 'private') })).toBe('private');
});

test('lists are counted against the rate of their caller, and a list that went through four gateways is rejected', async () => {
  const { gateway } = worldOf([rules.allow({})], { rates: { lists: { calls: 2, perMs: 60_000 } } });
  await using _ = gateway;
  const raw = await open(gateway, { auth: ada });
  const tooFar = { code: -32603, message: 'Too many hops: 4 gateways in a row' };
  expect(await raw.error('tools/list', { _meta: { 'dev.mooring/hops': 4 } })).toEqual(tooFar);
  for (const method of ['tools/list', 'resources/list']) expect(await raw.result(method)).toBeDefined();
  expect(await raw.error('tools/list')).toMatchObject({ code: expect.any(Number) });
  expect(await (await open(gateway, { auth: bob })).result('tools/list')).toBeDefined();
});

test('arguments that rules cannot look into reach no upstream', async () => {
  const { done, gateway } = worldOf([rules.deny({ arguments: { order: 7 } }), rules.allow({})]);
  await using _ = gateway;
  const raw = await open(gateway);
  for (const args of [[{ order: 7 }], null, 'order', 7])
    expect(await raw.error('tools/call', { name: 'shop__refund', arguments: args })).toMatchObject({ code: -32602 });
  expect(await raw.result('tools/call', refund(7))).toMatchObject({ isError: true });
  expect(done).toEqual([]);
  await raw.result('tools/call', refund(8));
  expect(done).toEqual(['refund 8']);
});

test('a policy of rules that gatewayRules did not make is rejected when the gateway is made', () => {
  const fromFile = { deny: { name: 'refund' } };
  for (const policy of [[fromFile], [rules.allow({}), fromFile]] as unknown as GatewaySpec['policy'][])
    expect(() => worldOf(policy)).toThrow('The option "policy": it takes a list of rules that gatewayRules makes');
});

test('a budget counts a round that is sent again as another call', async () => {
  const { done, gateway } = worldOf([rules.budget({ name: 'ship' }, { calls: 2, per: 'day' }), rules.allow({})]);
  await using _ = gateway;
  const raw = await open(gateway, { capabilities: forms });
  const name = 'shop__ship';
  const answer = (asked: JsonObject): JsonObject => {
    const { inputRequests, requestState } = asked as { inputRequests: JsonObject; requestState: string };
    const content = (key: string): JsonObject => {
      const { params } = inputRequests[key] as { params: { requestedSchema: { properties: JsonObject } } };
      return Object.fromEntries(Object.keys(params.requestedSchema.properties).map((field) => [field, true]));
    };
    const keys = Object.keys(inputRequests);
    const answers = keys.map((key) => [key, { action: 'accept', content: content(key) }]);
    return { name, requestState, inputResponses: Object.fromEntries(answers) };
  };
  const first = answer(await raw.result('tools/call', { name }));
  const second = answer(await raw.result('tools/call', first));
  for (let at = 0; at < 5; at++) await raw.result('tools/call', second);
  expect(done).toEqual(['ship', 'ship']);
});

test('trusted annotations count for rules, and budgets outlive a reload', async () => {
  const done: string[] = [];
  const shop = { server: shopOf(done), trust: { annotations: true } };
  const policy = [rules.budget({}, { calls: 2, per: 'hour' }), rules.allow({ effects: 'read' })];
  const spec = { name: 'acme', version: '1', upstreams: { shop }, policy };
  await using gateway = createGateway(spec);
  await using client = await connect(gateway);
  expect((await client.list('tools').all()).map(({ name }) => name)).toEqual(['shop__find']);
  await client.call('shop__find');
  gateway.reload({ ...spec, policy: [...policy] });
  await client.call('shop__find');
  await expect(client.call('shop__find')).rejects.toThrow('2 of 2 calls are used up');
  expect(done).toEqual(['find', 'find']);
});

test('the audit of a gateway is a hash chain that says how each request ended, and what a caller answered', async () => {
  await using dir = await folder();
  const path = join(dir.path, 'audit.ndjson');
  const audit = ndjsonAudit(path);
  const { gateway } = worldOf([rules.ask({ name: 'ship' }), rules.allow({})], { audit: { to: audit, node: 'n1' } });
  await using _ = gateway;
  await using client = await connect(gateway, { elicit: fakeUser().answer('', true).elicit });
  await client.call('shop__find');
  await expect(client.call('shop__refund', { order: 'x' })).rejects.toThrow();
  await client.call('shop__ship');
  await audit.close();
  expect(await verifyAudit(path)).toMatchObject({ ok: true });
  const records: GatewayAuditRecord[] = [];
  for await (const record of readAudit(path)) records.push(record as GatewayAuditRecord); // the gateway wrote it
  const shown = records.map(({ phase, act, outcome, consent, gateway: { answers } }) =>
    [phase, act.name, outcome, consent?.allow, answers].filter((one) => one !== undefined),
  );
  expect(shown).toEqual([
    ['decided', 'find'],
    ['done', 'find', 'done'],
    ['decided', 'refund'],
    ['done', 'refund', 'error'],
    ['decided', 'ship'],
    ['done', 'ship', 'asks'],
    ['decided', 'ship', true],
    ['done', 'ship', 'asks', true],
    ['decided', 'ship', { a: 'accept' }],
    ['done', 'ship', 'asks', { a: 'accept' }],
    ['decided', 'ship', { b: 'accept' }],
    ['done', 'ship', 'done', { b: 'accept' }],
  ]);
});

test.each(['2025-06-18', '2025-11-25'])(
  'the audit says what a caller in %s answered while its request was open, and not the content',
  async (revision) => {
    await using dir = await folder();
    const path = join(dir.path, 'audit.ndjson');
    const audit = ndjsonAudit(path);
    const { gateway } = worldOf([rules.allow({})], { audit: { to: audit } });
    await using _ = gateway;
    const elicit = fakeUser().answer('To Ada', true).decline('By ship').elicit;
    await using client = await connect(gateway, { revisions: [revision], elicit });
    await client.call('shop__ship').catch(() => undefined);
    await audit.close();
    const ends: unknown[] = [];
    for await (const record of readAudit(path)) {
      const { phase, gateway: of } = record as GatewayAuditRecord; // the gateway wrote it
      ends.push([phase, of.answers]);
    }
    expect(ends).toEqual([
      ['decided', undefined],
      ['done', { q1: 'accept', q2: 'decline' }],
    ]);
  },
);

test('rules decide by the body: headers that name another tool are rejected, or ignored where a revision does not check them', async () => {
  verifies('HTTP-111', 'HTTP-112');
  const { done, gateway } = worldOf([rules.deny({ name: 'refund' }), rules.allow({})]);
  await using over = await overHttp(gateway);
  const lying = await over.post(stateless('tools/call', refund(7), { 'mcp-name': 'shop__find' }));
  expect(lying.status).toBe(400);
  expect(await lying.json()).toMatchObject({ error: { code: -32020 } });
  for (const revision of withHandshake) {
    const headers = { ...(await over.session(revision)), 'mcp-method': 'tools/call', 'mcp-name': 'shop__find' };
    const denied = await over.post({ headers, body: call(1, 'shop__refund', { order: 7 }) });
    expect(await denied.json()).toMatchObject({ error: { code: -32602, message: 'Unknown tool: shop__refund' } });
    const allowed = await over.post({
      headers: { ...headers, 'mcp-name': 'shop__refund' },
      body: call(2, 'shop__find'),
    });
    expect(await allowed.json()).toMatchObject({ result: { content: [{ type: 'text' }] } });
  }
  expect(new Set(done)).toEqual(new Set(['find']));
});

test('a person that sends too many requests gets status 429 and Retry-After over HTTP, with and without a handshake', async () => {
  const { done, gateway } = worldOf(undefined, { rates: { perPrincipal: { calls: 1, perMs: 60_000 } } });
  await using over = await overHttp(gateway);
  const find = stateless('tools/call', { name: 'shop__find' });
  expect((await over.post(find)).status).toBe(200);
  const limited = await over.post(find);
  expect([limited.status, Number(limited.headers.get('retry-after'))]).toEqual([429, expect.closeTo(60, -1)]);
  expect(await limited.json()).toMatchObject({ error: { code: -32603, data: { outcome: 'not-sent', limited: true } } });
  const headers = await over.session('2025-11-25');
  const live = await over.post({ headers, body: call(1, 'shop__find') });
  expect([live.status, live.headers.has('retry-after')]).toEqual([429, true]);
  await live.text();
  expect(done).toEqual(['find']);
});

test('a rate counts names that do not exist like those that a rule hides, so that it tells nothing of them', async () => {
  const policy = [rules.deny({ name: 'refund' }), rules.deny({ server: 'secret' }), rules.allow({})];
  const upstreams = { shop: shopOf([]), secret: shopOf([]) };
  const { gateway } = worldOf(policy, { upstreams, rates: { perPrincipal: { calls: 2, perMs: 60_000 } } });
  for (const [method, hidden, missing] of [
    ['tools/call', { name: 'shop__refund' }, { name: 'shop__missing' }],
    ['tools/call', { name: 'secret__find' }, { name: 'nowhere__find' }],
    ['resources/read', { uri: 'secret+note://a' }, { uri: 'nowhere+note://a' }],
  ] as const) {
    const errorsOf = async (params: JsonObject, subject: string): Promise<unknown[]> => {
      const raw = await open(gateway, { auth: { ...ada, subject } });
      const errors: { message: string }[] = [];
      for (const _ of [1, 2, 3]) errors.push(await raw.error(method, params));
      return errors.map(({ message }) => message.split(':')[0]);
    };
    const subject = JSON.stringify(hidden);
    const unknown = method === 'tools/call' ? 'Unknown tool' : 'Unknown resource';
    const counted = [unknown, unknown, 'Too many requests'];
    expect(await errorsOf(hidden, subject)).toEqual(counted);
    expect(await errorsOf(missing, `${subject} missing`)).toEqual(counted);
  }
  await gateway.close();
});

test('a title says whose it is where a caller sees two of it, not where the other one is hidden', async () => {
  const titled = (name: string): Server =>
    createServer({
      name,
      version: '1',
      parts: [tool({ name: 'pay', title: 'Pay', run: () => '' })],
    }) as Server;
  const policy = [rules.deny({ server: 'vault', lacks: 'write' }), rules.allow({})];
  const upstreams = { shop: titled('shop'), vault: titled('vault') };
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams, policy });
  const titles = async (auth: AuthInfo): Promise<unknown> => {
    const { tools } = await (await open(gateway, { auth })).result('tools/list');
    return (tools as readonly JsonObject[]).map(({ title }) => title);
  };
  expect(await titles(bob)).toEqual(['Pay (shop)', 'Pay (vault)']);
  expect(await titles(ada)).toEqual(['Pay']);
});

const secret = (): Server =>
  createServer({
    name: 'secret',
    version: '1',
    parts: [
      resource({ uri: 'note://a', read: () => 'the plan' }),
      resource({ uri: 'note://plan', read: () => 'the plan' }),
      resource({ uri: 'plan://{id}', read: () => 'a plan' }),
      tool({
        name: 'sell',
        input: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
        run: () => 'sold',
      }),
    ],
  }) as Server;

test('a URI that only a hidden server has gets the error of an unknown one, word for word, however it is written', async () => {
  const { gateway } = worldOf([rules.deny({ server: 'secret', lacks: 'write' }), rules.allow({})], {
    upstreams: { shop: shopOf([]), secret: secret() },
  });
  await using _ = gateway;
  const raw = await open(gateway, { auth: ada });
  const errorFor = (uri: string): JsonObject => ({ code: -32602, message: `Unknown resource: ${uri}`, data: { uri } });
  for (const uri of [
    'note://none',
    'note://plan',
    'plan://1',
    'secret+note://plan',
    'SECRET+note://plan',
    'SECRE+note://plan',
  ])
    expect(await raw.error('resources/read', { uri })).toEqual(errorFor(uri));
  // Both servers have it, and this caller sees one of them.
  expect(await raw.result('resources/read', { uri: 'note://a' })).toMatchObject({
    contents: [{ uri: 'shop+note://a' }],
  });
  const insider = await open(gateway, { auth: bob });
  expect(await insider.result('resources/read', { uri: 'plan://1' })).toMatchObject({ contents: [{ text: 'a plan' }] });
  expect(await insider.error('resources/read', { uri: 'note://a' })).toEqual(errorFor('note://a'));
});

test('a header that a hidden tool would need is not asked for, and one of a visible tool is', async () => {
  const { gateway } = worldOf([rules.deny({ server: 'secret', lacks: 'write' }), rules.allow({})], {
    upstreams: { secret: secret() },
  });
  await using _ = gateway;
  await (await open(gateway, { auth: bob })).result('tools/list');
  const service = new HttpService(gateway, { auth: ({ header }) => (header('authorization') === 'bob' ? bob : ada) });
  const errors = async (authorization: string, name: string): Promise<unknown> => {
    const sent = stateless('tools/call', { name, arguments: { region: 'eu' } }, { authorization });
    const { json } = await knock(service, sent);
    return json.error;
  };
  expect(await errors('ada', 'secret__sell')).toEqual({ code: -32602, message: 'Unknown tool: secret__sell' });
  expect(await errors('ada', 'secret__none')).toEqual({ code: -32602, message: 'Unknown tool: secret__none' });
  expect(await errors('bob', 'secret__sell')).toMatchObject({ code: -32020 });
});

test('an approval holds while the user visits the page that the upstream needs', async () => {
  const page = { mode: 'url', message: 'Pay', url: 'https://pay.example/1', elicitationId: 'e1' };
  let calls = 0;
  const upstream = new FakeServer({
    revision: '2025-11-25',
    on: {
      'tools/list': () => ({ tools: [{ name: 'buy', inputSchema: { type: 'object' } }] }),
      'tools/call': () =>
        ++calls === 1
          ? new RpcError(-32042, 'Pay', { elicitations: [page] })
          : { content: [{ type: 'text', text: 'bought' }] },
    },
  });
  const shop = { transport: upstream.transport, questions: { visit: { hosts: ['pay.example'] } } };
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { shop }, policy: [rules.ask({})] });
  const raw = await open(gateway, { auth: ada, capabilities: { elicitation: { form: {}, url: {} } } });
  const retry = async ({ requestState }: JsonObject, inputResponses: JsonObject): Promise<JsonObject> =>
    raw.result('tools/call', { name: 'shop__buy', requestState, inputResponses });
  const visit = await retry(await raw.result('tools/call', { name: 'shop__buy' }), yes);
  expect(visit).toMatchObject({ resultType: 'input_required', inputRequests: { v1: { params: { url: page.url } } } });
  upstream.line.notify('notifications/elicitation/complete', { elicitationId: 'e1' });
  expect(await retry(visit, { v1: { action: 'accept' } })).toMatchObject({ content: [{ text: 'bought' }] });
});
