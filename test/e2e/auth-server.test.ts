/** A server that verifies tokens, over real sockets: accepted tokens, rejections, and attacks. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import {
  bearer,
  clientCredentials,
  introspection,
  jwt,
  protectedResource,
  type TokenVerifier,
} from '../../src/auth/index.ts';
import { connect } from '../../src/connect/index.ts';
import { createServer, type Layer, type Link, tool, use } from '../../src/index.ts';
import { nodeHandler, serveHttp } from '../../src/transport/node.ts';
import { answered } from '../support/authorization-server.ts';
import { dock } from '../support/guarded-dock.ts';
import { call, request, stateless } from '../support/http-messages.ts';
import { type Answer, ask, bytes } from '../support/http-raw.ts';
import { hello } from '../support/raw.ts';
import { verifies } from '../support/verifies.ts';

const whoami = tool({ name: 'whoami', run: (_input, { auth }) => `${auth?.subject} ${auth?.scopes.join(' ')}`.trim() });
const refund = tool({ name: 'refund', scopes: ['orders:write'], run: () => 'refunded' });
const shop = () => createServer({ name: 'shop', version: '1.0.0', parts: [whoami, refund] });

const calls = (name: string, headers: object = {}): Parameters<typeof ask>[1] =>
  stateless('tools/call', { name }, { ...headers });
const textIn = ({ text }: Answer): unknown => JSON.parse(text).result?.content?.[0]?.text;

test('a request without a token gets the metadata URL in the header, and the metadata names the issuer', async () => {
  verifies('AUTH-007', 'AUTH-024', 'AUTH-026', 'AUTH-027', 'AUTH-028', 'AUTH-060', 'SEC-053');
  await using it = await dock(shop(), { bearer: { scopes: ['orders'], realm: 'Shop' } });
  const { status, headers, text } = await ask(it.url, calls('whoami'));
  expect(status).toBe(401);
  const document = `${it.origin}/.well-known/oauth-protected-resource/mcp`;
  expect(headers['www-authenticate']).toBe(`Bearer realm="Shop", scope="orders", resource_metadata="${document}"`);
  expect(JSON.parse(text)).toMatchObject({ error: { code: -32600, message: 'Not authorized' } });
  const found = await ask(document, { method: 'GET' });
  expect([found.status, found.headers['access-control-allow-origin']]).toEqual([200, '*']);
  expect(JSON.parse(found.text)).toEqual({
    resource: it.url,
    authorization_servers: [it.issuer.issuer],
    scopes_supported: ['orders'],
    bearer_methods_supported: ['header'],
  });
});

test('the metadata derives from the audience, not from the Host header', async () => {
  verifies('AUTH-027');
  await using it = await dock(shop(), { bearer: { audience: 'https://shop.example/mcp' } });
  const { headers } = await ask(it.url, calls('whoami', { host: 'localhost:9' }));
  expect(headers['www-authenticate']).toBe(
    'Bearer resource_metadata="https://shop.example/.well-known/oauth-protected-resource/mcp"',
  );
});

test('a token lets its bearer in, and says who they are', async () => {
  verifies('AUTH-088', 'AUTH-092', 'SEC-024');
  await using it = await dock(shop());
  const answer = await ask(it.url, calls('whoami', await it.as({ sub: 'bob', scope: 'a b' })));
  expect([answer.status, textIn(answer)]).toEqual([200, 'bob a b']);
});

test('a call that needs more than the token has is 403 with everything it needs, and nothing has run', async () => {
  verifies('AUTH-066', 'AUTH-067', 'AUTH-068', 'TOOL-51', 'SEC-046', 'SEC-047');
  await using it = await dock(shop(), { bearer: { scopes: ['orders'] } });
  const baseline = await it.as({ scope: 'orders' });
  expect((await ask(it.url, calls('whoami', baseline))).status).toBe(200);
  const { status, headers } = await ask(it.url, calls('refund', baseline));
  expect(status).toBe(403);
  expect(headers['www-authenticate']).toMatch(
    /^Bearer error="insufficient_scope", error_description="[^"]+", scope="orders orders:write", resource_metadata="[^"]+"$/,
  );
  expect(it.refusals).toMatchObject([{ status: 403, why: 'it lacks orders:write', auth: { subject: 'ada' } }]);
  expect(headers['www-authenticate']).toContain(it.refusals[0]?.id);
  expect(textIn(await ask(it.url, calls('refund', await it.as({ scope: 'orders orders:write' }))))).toBe('refunded');
});

test('our own client gets a token, and more of one when it needs it', async () => {
  verifies('EXTAUTH-62', 'AUTH-066');
  const clients = [{ id: 'agent', secret: 's' }];
  await using it = await dock(shop(), { issuing: { clients }, bearer: { scopes: ['orders'] } });
  const auth = clientCredentials({ client: { id: 'agent', secret: 's' } });
  await using client = await connect(it.url, { auth });
  expect((await client.call('whoami')).text).toBe('agent orders');
  expect((await client.call('refund')).text).toBe('refunded');
  const asked = it.issuer.requests.filter(({ path }) => path === '/token').map(({ params }) => params.get('scope'));
  expect(asked.map((scope) => scope?.split(' ').sort())).toEqual([['orders'], ['orders', 'orders:write']]);
});

test('a server says that machines may come by themselves, and judges their tokens like any other', async () => {
  verifies('EXTAUTH-7');
  const extension = 'io.modelcontextprotocol/oauth-client-credentials';
  const server = createServer({
    name: 'shop',
    version: '1.0.0',
    parts: [whoami, refund],
    extensions: { [extension]: {} },
  });
  const client = { id: 'agent', secret: 's' };
  await using it = await dock(server, { issuing: { clients: [client] }, bearer: { scopes: ['orders'] } });
  await using agent = await connect(it.url, { auth: clientCredentials({ client }) });
  expect(agent.server.capabilities.extensions).toEqual({ [extension]: {} });
  expect((await agent.call('whoami')).text).toBe('agent orders');
  const good = { aud: it.url, sub: 'agent', client_id: 'agent', scope: 'orders' };
  const stranger = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
  const statuses = async (token: string): Promise<number> =>
    (await ask(it.url, calls('whoami', { authorization: `Bearer ${token}` }))).status;
  expect([
    await statuses(await it.issuer.issue(good)),
    await statuses(await it.issuer.issue(good, { key: stranger.privateKey })),
    await statuses(await it.issuer.issue({ ...good, aud: 'https://other.example/mcp' })),
    await statuses(await it.issuer.issue({ ...good, exp: 1 })),
    await statuses(await it.issuer.issue({ ...good, iss: 'https://other.example' })),
    await statuses(await it.issuer.issue({ ...good, scope: 'other' })),
  ]).toEqual([200, 401, 401, 401, 401, 403]);
});

test('a token that was good a moment ago is refused once it has ended, in every kind of request', async () => {
  verifies('AUTH-020');
  await using it = await dock(shop(), { issuing: { tokenSeconds: 120 } });
  const token = await it.as({});
  const knocks = async (): Promise<number[]> => {
    const initialize = { body: request(1, 'initialize', hello('2025-03-26')), headers: token };
    const [opened, called] = [await ask(it.url, initialize), await ask(it.url, calls('whoami', token))];
    return [opened.status, called.status];
  };
  expect(await knocks()).toEqual([200, 200]);
  it.later(120_000 + 61_000);
  expect(await knocks()).toEqual([401, 401]);
  expect(it.refusals.at(-1)?.why).toContain('exp');
});

test('a deputy is not confused: what a handler asks of another server carries nothing of its caller', async () => {
  verifies('AUTH-093', 'AUTH-094');
  const seen: string[] = [];
  const verify = (issuer: string): TokenVerifier => {
    const signed = jwt({ issuer });
    const noting: TokenVerifier = (token, moment) => {
      seen.push(token);
      return signed(token, moment);
    };
    return Object.assign(noting, { issuer });
  };
  const client = { id: 'shop', secret: 's' };
  await using bank = await dock(shop(), { issuing: { clients: [client] }, verify });
  const onward = tool({
    name: 'onward',
    async run() {
      await using there = await connect(bank.url, { auth: clientCredentials({ client }) });
      return (await there.call('whoami')).text;
    },
  });
  await using it = await dock(createServer({ name: 'front', version: '1.0.0', parts: [onward] }));
  const caller = await it.as({ sub: 'mallory' });
  expect(textIn(await ask(it.url, calls('onward', caller)))).toBe('shop');
  expect(seen.length).toBeGreaterThan(0);
  expect(seen).not.toContain(caller.authorization.split(' ')[1]);
  expect((await ask(bank.url, calls('whoami', caller))).status).toBe(401);
});

/** All strings that are reachable from a value, getters included. */
function strings(from: unknown): Set<string> {
  const found = new Set<string>();
  const seen = new Set<unknown>();
  const walk = (value: unknown): void => {
    if (typeof value === 'string') found.add(value);
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
    seen.add(value);
    if (value instanceof Map || value instanceof Set) for (const one of value) walk(one);
    for (let at: object | null = value; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
      for (const key of Reflect.ownKeys(at)) {
        try {
          walk(Reflect.get(at, key, value));
        } catch {
          // A getter that throws leads nowhere.
        }
      }
    }
  };
  walk(from);
  return found;
}

test('the token cannot be reached from anything that a handler or a layer gets', async () => {
  verifies('AUTH-093', 'AUTH-094', 'ELIC-46');
  let links: Link[] = [];
  const spy: Layer = (next) => (message, link) => {
    links.push(link);
    return next(message, link);
  };
  const contexts: unknown[] = [];
  const peek = tool({
    name: 'peek',
    run: (input, ctx) => {
      contexts.push(input, ctx, ctx.auth, ctx.caller, ctx.signal, ctx.http, ctx.env);
      return 'x';
    },
  });
  const server = use(createServer({ name: 'shop', version: '1', parts: [peek] }), spy);
  await using it = await dock(server);
  const { authorization } = await it.as({ sub: 'ada' });
  const token = authorization.split(' ')[1] ?? '';
  const met = await ask(it.url, { headers: { authorization }, body: request(1, 'initialize', hello('2025-11-25')) });
  const session = { authorization, 'mcp-session-id': String(met.headers['mcp-session-id']) };
  expect((await ask(it.url, { headers: session, body: call(2, 'peek') })).status).toBe(200);
  expect((await ask(it.url, calls('peek', { authorization }))).status).toBe(200);
  const reached = [...strings([contexts, links])];
  expect(reached).toContain('ada');
  const pieces = [token, ...token.split('.')];
  expect(reached.filter((text) => pieces.some((piece) => text.includes(piece)))).toEqual([]);
  // The walk itself works.
  links = [];
  expect([...strings({ deep: [new Map([['k', { authorization }]])] })]).toContain(authorization);
});

test.each<[string, (token: string) => string, number]>([
  ['two Authorization fields', (token) => `Authorization: Bearer ${token}\r\nAuthorization: Bearer ${token}\r\n`, 400],
  ['two that differ', (token) => `Authorization: Bearer x\r\nAuthorization: Bearer ${token}\r\n`, 400],
  ['a good one, then an empty one', (token) => `Authorization: Bearer ${token}\r\nAuthorization:\r\n`, 400],
  ['a field with a line in it', (token) => `Authorization: Bearer\r\n ${token}\r\n`, 400],
  ['a very long token', () => `Authorization: Bearer ${'a'.repeat(17_000)}\r\n`, 431],
  ['no token', () => 'Authorization: Bearer\r\n', 400],
  ['another scheme', (token) => `Authorization: Token ${token}\r\n`, 401],
  ['a field of another name', (token) => `X-Authorization: Bearer ${token}\r\n`, 401],
  ['a cookie', (token) => `Cookie: access_token=${token}\r\n`, 401],
])('%s is not let in', async (_what, fields, status) => {
  verifies('AUTH-095', 'SEC-024');
  await using it = await dock(shop());
  const token = (await it.as({})).authorization.split(' ')[1] ?? '';
  const body = JSON.stringify(stateless('tools/call', { name: 'whoami' }).body);
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n`;
  const heard = await bytes(it.url, `${head}${fields(token)}Content-Length: ${body.length}\r\n\r\n${body}`);
  expect(heard).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(heard).not.toContain(token);
});

test('a token in the address is refused', async () => {
  verifies('AUTH-095', 'SEC-052');
  await using it = await dock(shop());
  const { authorization } = await it.as({});
  const url = `${it.url}?access_token=${authorization.split(' ')[1]}`;
  expect((await ask(url, calls('whoami'))).status).toBe(400);
  expect((await ask(url, calls('whoami', { authorization }))).status).toBe(400);
});

test('a token of the same issuer for another server is refused here', async () => {
  verifies('AUTH-089', 'SEC-016');
  await using here = await dock(shop());
  const other = await here.as({ aud: 'http://127.0.0.1:1/mcp' });
  const { status, headers } = await ask(here.url, calls('whoami', other));
  expect([status, headers['www-authenticate']]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
});

test('a token that ran out is 401, and the next one is let in', async () => {
  verifies('AUTH-090');
  await using it = await dock(shop());
  const old = await it.as({});
  expect((await ask(it.url, calls('whoami', old))).status).toBe(200);
  it.later(10 * 60_000);
  expect((await ask(it.url, calls('whoami', old))).status).toBe(401);
  const exp = Math.floor(Date.now() / 1000) + 3_600;
  expect((await ask(it.url, calls('whoami', await it.as({ exp })))).status).toBe(200);
});

test('keys rotate while the server runs', async () => {
  await using it = await dock(shop());
  expect((await ask(it.url, calls('whoami', await it.as({})))).status).toBe(200);
  await it.issuer.keys.rotate({ withdraw: true });
  expect((await ask(it.url, calls('whoami', await it.as({})))).status).toBe(200);
  expect(it.issuer.paths.filter((path) => path === '/jwks')).toHaveLength(2);
});

test('a failing verifier gives 503, not 401', async () => {
  verifies('SEC-054');
  await using it = await dock(shop());
  it.issuer.instead.set('/jwks', () => answered({ secret: 'of the issuer' }, 500));
  const { status, headers, text } = await ask(it.url, calls('whoami', await it.as({})));
  expect([status, headers['retry-after'], headers['www-authenticate']]).toEqual([503, '1', undefined]);
  expect(text).not.toMatch(/issuer|jwks|500/);
  expect(it.refusals).toMatchObject([{ status: 503, why: expect.stringContaining('status 500') }]);
  it.issuer.instead.clear();
  expect((await ask(it.url, calls('whoami', await it.as({})))).status).toBe(200);
});

test('tokens that say nothing are asked about, and a revoked one is refused', async () => {
  verifies('EXTAUTH-39');
  const clients = [
    { id: 'dock', secret: 'd' },
    { id: 'agent', secret: 's' },
  ];
  await using it = await dock(shop(), {
    issuing: { opaque: true, clients },
    verify: (issuer) =>
      introspection({ issuer, endpoint: `${issuer}/introspect`, client: { id: 'dock', secret: 'd' }, cacheMs: 0 }),
  });
  await using client = await connect(it.url, { auth: clientCredentials({ client: { id: 'agent', secret: 's' } }) });
  expect((await client.call('whoami')).text).toBe('agent');
  const token = it.issuer.requests.findLast(({ path }) => path === '/introspect')?.params.get('token') ?? '';
  const shown = calls('whoami', { authorization: `Bearer ${token}` });
  expect((await ask(it.url, shown)).status).toBe(200);
  it.issuer.revoke(token);
  expect((await ask(it.url, shown)).status).toBe(401);
});

test('a local server is for those who know its token', async () => {
  verifies('SEC-036', 'HOST-36');
  const secret = crypto.randomUUID();
  const digest = async (text: string): Promise<string> =>
    Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('hex');
  const known = await digest(secret);
  const audience = 'http://127.0.0.1:3000/mcp';
  const auth = bearer({
    audience,
    authorizationServers: ['http://127.0.0.1:3000'],
    verify: async (token) =>
      (await digest(token)) === known ? { iss: 'http://127.0.0.1:3000', aud: audience, sub: 'me' } : undefined,
  });
  const listener = await serveHttp(shop(), { port: 0, auth });
  try {
    expect((await ask(listener.url, calls('whoami'))).status).toBe(401);
    expect((await ask(listener.url, calls('whoami', { authorization: 'Bearer guess' }))).status).toBe(401);
    const answer = await ask(listener.url, calls('whoami', { authorization: `Bearer ${secret}` }));
    expect(textIn(answer)).toBe('me');
  } finally {
    await listener.close(0);
  }
});

test('inside a framework, the metadata is served and other paths are left to the framework', async () => {
  verifies('AUTH-028');
  const resource = 'https://shop.example/mcp';
  const auth = bearer({ audience: resource, authorizationServers: ['https://auth.example'], verify: () => undefined });
  const handler = nodeHandler(shop(), { path: '/mcp', auth });
  const app = createHttpServer((incoming, outgoing) =>
    handler(incoming, outgoing, () => outgoing.writeHead(418).end('next')),
  );
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  const origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`; // it listens on a port
  try {
    const { path, document } = protectedResource({ resource, authorizationServers: ['https://auth.example'] });
    const found = await ask(origin + path, { method: 'GET' });
    expect([found.status, JSON.parse(found.text)]).toEqual([200, document]);
    const head = await ask(origin + path, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await ask(`${origin}${path}/x`, { method: 'GET' })).status).toBe(418);
    expect((await ask(`${origin}/other`, { method: 'GET' })).status).toBe(418);
    expect((await ask(`${origin}/mcp`, calls('whoami'))).status).toBe(401);
  } finally {
    await handler.close(0);
    app.closeAllConnections();
    app.close();
  }
});
