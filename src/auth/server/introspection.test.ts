/** introspection(): verification of opaque tokens, caching, and failures of the authorization server. */
import { expect, test, vi } from 'vitest';
import { AuthorizationServer, answered } from '../../../test/support/authorization-server.ts';
import { settled } from '../../../test/support/held-clock.ts';
import { soon } from '../../../test/support/soon.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { type VirtualClock, virtualClock } from '../../testing/virtual-clock.ts';
import { introspection } from './introspection.ts';

interface Scene {
  readonly server: AuthorizationServer;
  readonly clock: VirtualClock;
  token(seconds?: number): Promise<string>;
  judged(token: string): Promise<JsonObject | undefined>;
}

// Id and secret need form encoding.
const client = { id: 'dock:1', secret: 'p%s ü+&' };

function scene(cacheMs?: number): Scene {
  const clock = virtualClock();
  const agent = { id: 'agent', secret: 's' };
  const clients = [client, agent];
  const server = new AuthorizationServer({ opaque: true, clients, now: () => clock.wall() / 1000, tokenSeconds: 60 });
  const { issuer } = server;
  const how = cacheMs === undefined ? {} : { cacheMs };
  const verify = introspection({ issuer, endpoint: `${issuer}/introspect`, client, fetch: server.fetch, ...how });
  return {
    server,
    clock,
    async token() {
      const response = await server.fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('agent:s')}` },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          resource: 'https://dock.example/mcp',
          scope: 'read',
        }),
      });
      return String((await response.json()).access_token);
    },
    judged: async (token) => verify(token, { clock, clockSkewMs: 60_000 }),
  };
}

const questions = ({ server }: Scene): number => server.paths.filter((path) => path === '/introspect').length;

test('introspection() returns the claims of an active token', async () => {
  verifies('EXTAUTH-39');
  const it = scene();
  expect(await it.judged(await it.token())).toMatchObject({
    iss: it.server.issuer,
    aud: 'https://dock.example/mcp',
    client_id: 'agent',
    scope: 'read',
  });
  expect(await it.judged('made-up')).toBeUndefined();
});

test('introspection() caches a response for five seconds, and asks once for concurrent requests', async () => {
  const it = scene();
  const token = await it.token();
  await Promise.all(Array.from({ length: 10 }, () => it.judged(token)));
  await it.clock.advance(4_999);
  await it.judged(token);
  expect(questions(it)).toBe(1);
  it.server.revoke(token);
  expect(await it.judged(token)).toBeDefined();
  await it.clock.advance(1);
  expect(await it.judged(token)).toBeUndefined();
});

test('introspection() makes no second request for a token while one is pending', async () => {
  const [clock, issuer] = [virtualClock(), 'https://id.example'];
  const asked: ((response: Response) => void)[] = [];
  const fetch = (): Promise<Response> => new Promise((resolve) => void asked.push(resolve));
  const verify = introspection({ issuer, endpoint: `${issuer}/introspect`, client, fetch });
  const hashed = vi.spyOn(crypto.subtle, 'digest');
  const verified = [1, 2].map(async () => verify('opaque', { clock, clockSkewMs: 0 }));
  await Promise.all(hashed.mock.results.map(({ value }) => value as unknown)); // the keys of the cache
  hashed.mockRestore();
  await settled();
  await soon(() => expect(asked).not.toEqual([]));
  expect(asked).toHaveLength(1);
  asked[0]?.(answered({ active: true, sub: 'ada' }));
  for (const claims of await Promise.all(verified)) expect(claims).toMatchObject({ sub: 'ada' });
});

test('introspection() caches no response beyond the expiry of its token', async () => {
  const it = scene(10 * 60_000);
  const token = await it.token();
  expect(await it.judged(token)).toBeDefined();
  await it.clock.advance(60_000);
  expect(await it.judged(token)).toBeUndefined();
});

test('introspection() caches a response without an expiry as long as any other', async () => {
  const it = scene();
  it.server.instead.set('/introspect', () => answered({ active: true, sub: 'ada' }));
  for (let n = 0; n < 3; n++) expect(await it.judged('opaque')).toMatchObject({ sub: 'ada' });
  expect(questions(it)).toBe(1);
});

test('introspection() with cacheMs: 0 asks for every request', async () => {
  const it = scene(0);
  const token = await it.token();
  for (let n = 0; n < 3; n++) await it.judged(token);
  expect(questions(it)).toBe(3);
});

test('introspection() does not cache negative responses', async () => {
  const it = scene();
  await it.judged('x');
  await it.judged('x');
  expect(questions(it)).toBe(2);
});

test.each<[string, () => Response]>([
  ['an error', () => answered({ active: true }, 500)],
  ['rejected client credentials', () => answered({ error: 'invalid_client' }, 401)],
  ['no JSON', () => new Response('<html>')],
  ['a list', () => answered([{ active: true }])],
])('introspection() throws on %s, and asks again for the next request', async (_what, instead) => {
  const it = scene();
  it.server.instead.set('/introspect', instead);
  const token = await it.token();
  await expect(it.judged(token)).rejects.toMatchObject({ code: 'MCP_AUTH_VERIFIER' });
  it.server.instead.delete('/introspect');
  expect(await it.judged(token)).toMatchObject({ client_id: 'agent' });
});

test('introspection() keeps the issuer that a response names, so that bearer() can reject another one', async () => {
  const it = scene();
  it.server.instead.set('/introspect', () => answered({ active: true, sub: 'ada', iss: 'https://other.example' }));
  expect(await it.judged('opaque')).toMatchObject({ iss: 'https://other.example' });
});

test.each([{}, { active: 'true' }, { active: 1 }, { active: null }])(
  'introspection() treats %j as inactive',
  async (answer) => {
    const it = scene();
    it.server.instead.set('/introspect', () => answered(answer));
    expect(await it.judged(await it.token())).toBeUndefined();
  },
);
