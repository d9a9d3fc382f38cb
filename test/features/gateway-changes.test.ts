/** Changes of servers behind a gateway: callers are notified only if they can be affected. */
import { describe, expect, test } from 'vitest';
import { createGateway, type Gateway, type GatewaySpec, gatewayRules } from '../../src/gateway/index.ts';
import { createServer, prompt, resource, type Server, tool, use } from '../../src/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { Authenticator } from '../../src/model/auth.ts';
import type { AuthInfo } from '../../src/model/caller.ts';
import { LISTEN } from '../../src/model/names.ts';
import { linkWith, type Transport } from '../../src/peer/exchange.ts';
import { type VirtualClock, virtualClock } from '../../src/testing/index.ts';
import { HttpService } from '../../src/transport/http/service.ts';
import { memorySessionStore, type SessionStore } from '../../src/transport/http/session-store.ts';
import { SseEndpoints } from '../../src/transport/http/sse-endpoints.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { FakeReply, FakeView, knock, started } from '../support/fake-http.ts';
import { settled } from '../support/held-clock.ts';
import { note, opened, request, stateless } from '../support/http-messages.ts';
import { everyRevision, hello, open, STATELESS, withHandshake } from '../support/raw.ts';

// Loaded with the first watch, which the held clock does not wait for.
await Promise.all([
  import('../../src/revisions/feeds/watch-session.ts'),
  import('../../src/revisions/feeds/watch-stream.ts'),
]);

const ada: AuthInfo = { issuer: 'https://id', subject: 'ada', clientId: 'desk', scopes: ['read'] };
const bob: AuthInfo = { ...ada, subject: 'bob', scopes: ['read', 'vault'], claims: { badge: 'badge-of-bob' } };
const people: Readonly<Record<string, AuthInfo>> = { 'token-of-ada': ada, 'token-of-bob': bob };
const auth: Authenticator = ({ header }) => {
  const info = people[header('authorization')?.replace('Bearer ', '') ?? ''];
  return info ?? { status: 401, wwwAuthenticate: 'Bearer' };
};
const bearerOf = (name: string): Record<string, string> => ({ authorization: `Bearer token-of-${name}` });
const policy = [gatewayRules.deny({ server: 'vault', lacks: 'vault' }), gatewayRules.allow({})];

const serverOf = (name: string): Server =>
  createServer({
    name,
    version: '1',
    parts: [
      tool({ name: 'find', run: () => '' }),
      prompt({ name: 'greet', render: () => '' }),
      resource({ uri: 'note://a', read: () => '' }),
    ],
  }) as Server;

interface World extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly gateways: readonly [Gateway, Gateway];
  readonly shop: Server;
  readonly vault: Server;
  /** Changes each list of a server, and lets gateways notice. */
  change(server: Server): Promise<void>;
}

/** Two nodes, in front of a server that all callers see, and of one that only some see. */
async function worldOf(more: Partial<GatewaySpec> = {}): Promise<World> {
  const clock = virtualClock();
  const [shop, vault] = [serverOf('shop'), serverOf('vault')];
  const spec = { name: 'acme', version: '1', upstreams: { shop, vault }, policy, clock, onWarning: () => undefined };
  const gateways = [createGateway({ ...spec, ...more }), createGateway({ ...spec, ...more })] as const;
  for (const gateway of gateways) {
    const raw = await open(gateway, { auth: bob });
    for (const list of ['tools', 'prompts', 'resources', 'resources/templates']) await raw.result(`${list}/list`);
    raw.close();
  }
  await clock.advance(5_000);
  let changes = 0;
  return {
    clock,
    gateways,
    shop,
    vault,
    async change(server) {
      changes++;
      server.add(tool({ name: `find${changes}`, run: () => '' }));
      server.add(prompt({ name: `greet${changes}`, render: () => '' }));
      server.add(resource({ uri: `note://a/${changes}`, read: () => '' }));
      await clock.advance(5_000);
      await settled();
    },
    async [Symbol.asyncDispose]() {
      for (const gateway of gateways) await gateway.close();
    },
  };
}

const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
const changed = ['prompts/list_changed', 'resources/list_changed', 'tools/list_changed'];
const toldOf = (messages: readonly { readonly method?: unknown }[]): readonly string[] =>
  messages
    .map(({ method }) => String(method).replace('notifications/', ''))
    .filter((method) => method.endsWith('list_changed'))
    .toSorted();

/** Returns the notifications since the last call. */
type Listener = () => readonly string[];

function since(messages: () => readonly JsonObject[]): Listener {
  let read = 0;
  return () => {
    const all = messages();
    const told = toldOf(all.slice(read));
    read = all.length;
    return told;
  };
}

async function inMemory(gateway: Parameters<typeof open>[0], revision: string, who?: AuthInfo): Promise<Listener> {
  const raw = await open(gateway, { revision, ...(who === undefined ? {} : { auth: who }) });
  if (revision === STATELESS) void raw.start(LISTEN, { notifications });
  await settled();
  return () => [...toldOf(raw.pushed.splice(0)), ...toldOf(raw.heard.splice(0))];
}

describe.each(everyRevision)('a caller that speaks %s', (revision) => {
  test('hears of changes of a server that it sees, and of no other', async () => {
    await using world = await worldOf();
    const [heardByAda, heardByBob] = [
      await inMemory(world.gateways[0], revision, ada),
      await inMemory(world.gateways[0], revision, bob),
    ];
    await world.change(world.vault);
    expect([heardByAda(), heardByBob()]).toEqual([[], changed]);
    await world.change(world.shop);
    expect([heardByAda(), heardByBob()]).toEqual([changed, changed]);
  });

  test('hears nothing of what its view leaves out, nor of what a rule hides from all', async () => {
    await using world = await worldOf({
      views: { default: { of: [{ shop: { tools: ['find*'], prompts: ['greet*'], resources: [] } }, 'vault'] } },
      policy: [gatewayRules.deny({ server: 'shop', kind: 'prompt' }), gatewayRules.allow({})],
    });
    const heard = await inMemory(world.gateways[0], revision);
    await world.change(world.shop);
    expect(heard()).toEqual(['tools/list_changed']);
    world.shop.add(tool({ name: 'other', run: () => '' }));
    await world.clock.advance(5_000);
    expect(heard()).toEqual([]);
  });

  test('hears nothing of pages that its view does not pass on', async () => {
    await using world = await worldOf({ policy: [gatewayRules.allow({})] });
    const heard = await inMemory(world.gateways[0], revision);
    world.shop.add(resource({ uri: 'ui://shop/orders', read: () => '' }));
    await world.clock.advance(5_000);
    expect(heard()).toEqual([]);
  });

  test('hears of a name that is free again because a server that it does not see gave it up', async () => {
    await using world = await worldOf({ names: { style: 'bare' } });
    const heard = await inMemory(world.gateways[0], revision, ada);
    world.vault.remove('find');
    await world.clock.advance(5_000);
    expect(heard()).toEqual(['tools/list_changed']);
    await world.change(world.vault);
    expect(heard()).toEqual([]);
  });

  test('hears of changes by what a layer says that it is', async () => {
    await using world = await worldOf();
    const asBob = use(world.gateways[0], (next) => (message, link) => next(message, linkWith(link, { auth: bob })));
    const heard = await inMemory(asBob, revision, ada);
    await world.change(world.vault);
    expect(heard()).toEqual(changed);
  });
});

/** Records everything that is stored. */
function notedStore(written: string[]): SessionStore {
  const inner = memorySessionStore();
  return {
    ...inner,
    put(id, stored, options) {
      written.push(JSON.stringify([id, stored, options]));
      return inner.put(id, stored, options);
    },
  };
}

/** The caller's standing stream, on a node that has served no other request of this caller. */
async function standing(nodes: readonly [HttpService, HttpService], revision: string, who: string): Promise<Listener> {
  const headers = await opened(nodes[0], revision, bearerOf(who));
  const { sink } = await knock(nodes[1], { method: 'GET', headers });
  return since(() => sink?.messages ?? []);
}

async function listening(node: HttpService, who: string): Promise<Listener> {
  const { headers, body } = stateless(LISTEN, { notifications }, bearerOf(who));
  const { reply } = started(node, { headers, body });
  await settled();
  return since(() => reply.sink?.messages ?? []);
}

test.each(everyRevision.filter((id) => id !== '2024-11-05'))(
  'callers of %s over HTTP hear on every node of what they see, and no store hears who they are',
  async (revision) => {
    await using world = await worldOf();
    const written: string[] = [];
    const sessions = notedStore(written);
    const nodes = [
      new HttpService(world.gateways[0], { auth, sessions }),
      new HttpService(world.gateways[1], { auth, sessions }),
    ] as const;
    const hear = (who: string): Promise<Listener> =>
      revision === STATELESS ? listening(nodes[1], who) : standing(nodes, revision, who);
    const [heardByAda, heardByBob] = [await hear('ada'), await hear('bob')];
    await world.change(world.vault);
    expect([heardByAda(), heardByBob()]).toEqual([[], changed]);
    await world.change(world.shop);
    expect([heardByAda(), heardByBob()]).toEqual([changed, changed]);
    expect(written.length > 0).toBe(revision !== STATELESS);
    expect(written.join()).not.toMatch(/token-of|badge-of|scopes/);
    for (const node of nodes) await node.close(0);
  },
);

test.each(withHandshake.filter((id) => id !== '2024-11-05'))(
  'a session of %s is told by the token that came last, which can be that of its stream',
  async (revision) => {
    await using world = await worldOf();
    const grants = { scopes: bob.scopes };
    const changing: Authenticator = () => ({ ...bob, ...grants });
    const node = new HttpService(world.gateways[0], { auth: changing });
    const headers = await opened(node, revision);
    grants.scopes = ada.scopes;
    const { sink } = await knock(node, { method: 'GET', headers });
    await world.change(world.vault);
    expect(toldOf(sink?.messages ?? [])).toEqual([]);
    grants.scopes = bob.scopes;
    await knock(node, { headers, body: request(2, 'ping') });
    await world.change(world.vault);
    expect(toldOf(sink?.messages ?? [])).toEqual(changed);
    await node.close(0);
  },
);

test.each(withHandshake)('a sealed session of %s is promised no changes, and hears of none', async (revision) => {
  await using world = await worldOf();
  const node = new HttpService(world.gateways[0], { auth, sessions: { sealed: [new Uint8Array(32).fill(1)] } });
  const body = request('hello', 'initialize', hello(revision));
  const { json, headers } = await knock(node, { headers: bearerOf('bob'), body });
  expect(JSON.stringify(json)).toContain('"tools"');
  expect(JSON.stringify(json)).not.toContain('listChanged');
  const session = { ...bearerOf('bob'), 'mcp-session-id': headers['Mcp-Session-Id'] };
  expect((await knock(node, { method: 'GET', headers: session })).status).toBe(405);
});

test.each(everyRevision)('a caller of %s hears nothing of lists that other callers have', async (revision) => {
  const made: Server[] = [];
  const transport: Transport = (inbound, session) => {
    const server = serverOf('mail');
    made.push(server);
    return memoryTransport(server)(inbound, session);
  };
  const mail = { transport, isolate: 'principal' } as const;
  await using world = await worldOf({ upstreams: { mail }, policy: [gatewayRules.allow({})] });
  const [gateway] = world.gateways;
  const listeners = [await inMemory(gateway, revision, ada), await inMemory(gateway, revision, bob)];
  for (const who of [ada, bob]) await (await open(gateway, { auth: who })).result('tools/list');
  const heard: string[] = [];
  // The first one belongs to the gateway itself.
  for (const server of made.slice(1)) {
    server.add(tool({ name: 'more', run: () => '' }));
    await world.clock.advance(5_000);
    heard.push(listeners.flatMap((listener, at) => listener().map(() => ['ada', 'bob'][at])).join(' and '));
  }
  expect(heard.filter((who) => who === 'ada')).toHaveLength(1);
  expect(heard.filter((who) => who === 'bob')).toHaveLength(1);
  expect(heard.filter((who) => who === 'ada and bob')).toHaveLength(0);
});

test('callers of HTTP+SSE hear of what they see', async () => {
  await using world = await worldOf();
  const endpoints = new SseEndpoints(world.gateways[0], new HttpService(world.gateways[0], { auth }));
  const hear = async (who: string): Promise<Listener> => {
    const reply = new FakeReply();
    const headers = bearerOf(who);
    await endpoints.answer(new FakeView({ method: 'GET', path: '/sse', headers }), reply);
    const query = reply.sink?.events[0]?.data?.split('?')[1] ?? '';
    for (const body of [request(1, 'initialize', hello('2024-11-05')), note('notifications/initialized')]) {
      await endpoints.answer(new FakeView({ path: '/sse', query, headers, body }), new FakeReply());
      await settled();
    }
    // The first event contains the URL for posting.
    return since(() => (reply.sink?.events ?? []).slice(1).map(({ data }) => JSON.parse(data ?? '')));
  };
  const [heardByAda, heardByBob] = [await hear('ada'), await hear('bob')];
  await world.change(world.vault);
  expect([heardByAda(), heardByBob()]).toEqual([[], changed]);
  await world.change(world.shop);
  expect([heardByAda(), heardByBob()]).toEqual([changed, changed]);
  endpoints.close();
});
