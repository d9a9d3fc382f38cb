/** The tokens of one endpoint: isolation from other endpoints, and locking between processes. */
import { describe, expect, test } from 'vitest';
import { HeldClock } from '../../../../test/support/held-clock.ts';
import { OAuthWorld } from '../../../../test/support/oauth-world.ts';
import { soon } from '../../../../test/support/soon.ts';
import { type CredentialStore, memoryCredentials } from '../credentials/credential-store.ts';
import { TokenStore } from '../credentials/token-store.ts';
import { oauth } from '../sign-in/oauth.ts';
import { signOut, storedSignIn } from '../sign-in/sign-out.ts';

test('the token of one endpoint is sent to no other endpoint of its origin', async () => {
  const world = new OAuthWorld();
  const make = oauth({ signIn: world.signIn, fetch: world.fetch });
  await world.enter(make(world.endpoint));
  const url = new URL('https://mcp.example/other');
  expect(await make(url).headers({ ...world.request, url })).toBeUndefined();
  expect(await make(new URL(world.endpoint)).headers(world.request)).toBeDefined();
});

test('scopes that one authorization server granted are not requested from another', async () => {
  const world = new OAuthWorld({ servers: [{ issuer: 'https://one.example' }, { issuer: 'https://two.example' }] });
  const auth = oauth({ signIn: world.signIn, fetch: world.fetch })(world.endpoint);
  const sent = await world.enter(auth, 'Bearer scope="secret:read"');
  auth.onResponse?.(world.request, () => undefined);
  world.document = { ...world.document, authorization_servers: ['https://two.example'] };
  expect(await auth.onChallenge(world.refusal('Bearer scope="basic"', { sent }))).toBe(true);
  expect(world.shown.map(({ origin, searchParams }) => [origin, searchParams.get('scope')])).toEqual([
    ['https://one.example', 'secret:read'],
    ['https://two.example', 'basic'],
  ]);
});

test('a refresh holds the lock of its endpoint, because most refresh tokens can be used once', async () => {
  const world = new OAuthWorld();
  let held: string | undefined;
  const store = {
    ...memoryCredentials(),
    async whileLocked<T>(key: string, work: () => Promise<T>): Promise<T> {
      held = key;
      const done = await work();
      held = undefined;
      return done;
    },
  };
  const auth = oauth({ signIn: world.signIn, fetch: world.fetch, store })(world.endpoint);
  const sent = await world.enter(auth);
  const locks: unknown[] = [];
  world.instead = ({ url }) => {
    if (url.endsWith('/token')) locks.push(held);
    return undefined;
  };
  auth.onResponse?.(world.request, () => undefined);
  expect(await auth.onChallenge(world.refusal('Bearer', { sent }))).toBe(true);
  expect([locks, world.shown.length]).toEqual([[`tokens ${world.endpoint.href}`], 1]);
});

test.each([
  [{ error: 'slow_down' }, 429],
  [{ error: 'invalid_request' }, 408],
  [{ error: 'temporarily_unavailable' }, 400],
])('a refresh token outlives an authorization server that is busy: %j with status %i', async (busy, status) => {
  const clock = new HeldClock();
  const world = new OAuthWorld({ servers: [{ tokenSeconds: 300 }] });
  const auth = oauth({ signIn: world.signIn, fetch: world.fetch, clock })(world.endpoint);
  const first = await world.enter(auth);
  await clock.pass(280_000);
  world.server.instead.set('/token', () => Response.json(busy, { status }));
  expect(await auth.headers(world.request)).toEqual(first);
  world.server.instead.delete('/token');
  await clock.pass(5_000);
  expect(await auth.headers(world.request)).not.toEqual(first);
  expect(world.tokenForms.slice(1).map((form) => form.get('grant_type'))).toEqual(['refresh_token', 'refresh_token']);
  expect(world.shown).toHaveLength(1);
});

test('a sign-in ends when its last request is cancelled, even if the user never answers the question for a client', async () => {
  const clients = [{ id: 'cli', redirectUris: ['http://127.0.0.1:4000/callback'] }];
  const world = new OAuthWorld({ servers: [{ says: { registration_endpoint: undefined }, clients }] });
  let questions = 0;
  const askForClient = (): Promise<{ id: string } | undefined> =>
    ++questions === 1 ? new Promise(() => undefined) : Promise.resolve({ id: 'cli' });
  const auth = oauth({ signIn: world.signIn, fetch: world.fetch, askForClient })(world.endpoint);
  const control = new AbortController();
  const cancelled = Promise.resolve(auth.onChallenge(world.refusal('Bearer', { signal: control.signal })));
  await soon(() => expect(questions).toBe(1));
  control.abort();
  await expect(cancelled).rejects.toMatchObject({ code: 'MCP_CLOSED' });
  expect(await world.enter(auth)).toMatchObject({ authorization: expect.stringContaining('Bearer ') });
});

test('more scopes are requested from the authorization server of the client, also with tokens of another one', async () => {
  const servers = [{ issuer: 'https://one.example' }, { issuer: 'https://two.example', clients: [{ id: 'cli' }] }];
  const world = new OAuthWorld({ servers });
  const store = memoryCredentials();
  const options = { signIn: world.signIn, fetch: world.fetch, store };
  const sent = await world.enter(oauth(options)(world.endpoint));
  const auth = oauth({ ...options, client: { id: 'cli', issuer: 'https://two.example' } })(world.endpoint);
  expect(await auth.headers(world.request)).toEqual(sent);
  const insufficient = 'Bearer error="insufficient_scope", scope="write"';
  await Promise.resolve(auth.onChallenge(world.refusal(insufficient, { status: 403, sent }))).catch(() => undefined);
  expect(world.shown.map(({ origin }) => origin)).toEqual(['https://one.example', 'https://two.example']);
});

test('the trace names the requested scopes', async () => {
  const world = new OAuthWorld();
  const auth = oauth({ signIn: world.signIn, fetch: world.fetch, trace: world.trace })(world.endpoint);
  await world.enter(auth, 'Bearer scope="a b"');
  expect(world.traced).toContainEqual({ step: 'scopes', outcome: 'chosen', why: 'a b' });
});

test('a token that would be valid for more than ten years is stored as valid for ten', async () => {
  const clock = new HeldClock();
  const store = memoryCredentials();
  const world = new OAuthWorld({ servers: [{ tokenSeconds: 1e12 }] });
  await world.enter(oauth({ signIn: world.signIn, fetch: world.fetch, clock, store })(world.endpoint));
  const stored = await new TokenStore(store).tokens(world.endpoint);
  expect(stored?.expiresAt).toBe(clock.wall() + 10 * 365 * 24 * 60 * 60 * 1_000);
});

describe('tokens that the store fails to take', () => {
  const failing = (fails: { read?: boolean; write?: boolean }): CredentialStore => {
    const memory = memoryCredentials();
    const unless = <T>(how: 'read' | 'write', work: () => Promise<T>): Promise<T> =>
      fails[how] === true ? Promise.reject(new Error('the disk is full')) : work();
    return {
      ...memory,
      read: (key) => unless('read', () => memory.read(key)),
      write: (key, value) => unless('write', () => memory.write(key, value)),
    };
  };
  const grantTypes = (world: OAuthWorld): (string | null)[] => world.tokenForms.map((form) => form.get('grant_type'));

  test.each(['read', 'write'] as const)(
    'a refreshed token is used and stored later, if the store fails to %s after the refresh',
    async (how) => {
      const clock = new HeldClock();
      const fails: { read?: boolean; write?: boolean } = {};
      const store = failing(fails);
      const world = new OAuthWorld({ servers: [{ tokenSeconds: 300 }] });
      const auth = oauth({ signIn: world.signIn, fetch: world.fetch, clock, store })(world.endpoint);
      const first = await world.enter(auth);
      await clock.pass(280_000);
      world.instead = ({ url }) => {
        if (url.endsWith('/token')) fails[how] = true;
        return undefined;
      };
      const second = await auth.headers(world.request);
      expect(second).not.toEqual(first);
      fails[how] = false;
      await clock.pass(30_000);
      expect(await auth.headers(world.request)).toEqual(second);
      expect(grantTypes(world)).toEqual(['authorization_code', 'refresh_token']);
      const other = oauth({ signIn: world.signIn, fetch: world.fetch, clock, store })(world.endpoint);
      expect(await other.headers(world.request)).toEqual(second);
    },
  );

  test('a sign-in whose token cannot be stored is reported, and the user does not sign in again', async () => {
    const fails = { write: false };
    const world = new OAuthWorld();
    const auth = oauth({ signIn: world.signIn, fetch: world.fetch, store: failing(fails) })(world.endpoint);
    world.instead = ({ url }) => {
      if (url.endsWith('/token')) fails.write = true;
      return undefined;
    };
    await expect(auth.onChallenge(world.refusal('Bearer'))).rejects.toThrow('the disk is full');
    expect(await auth.headers(world.request)).toMatchObject({ authorization: expect.stringContaining('Bearer ') });
    expect(world.shown).toHaveLength(1);
  });

  test('a refreshed token is dropped, if the user signs out before it could be stored', async () => {
    const clock = new HeldClock();
    const fails: { write?: boolean } = {};
    const store = failing(fails);
    const world = new OAuthWorld({ servers: [{ tokenSeconds: 300 }] });
    const auth = oauth({ signIn: world.signIn, fetch: world.fetch, clock, store })(world.endpoint);
    await world.enter(auth);
    await clock.pass(280_000);
    fails.write = true;
    await auth.headers(world.request);
    fails.write = false;
    await signOut(world.endpoint, { store, fetch: world.fetch });
    await clock.pass(30_000);
    expect(await auth.headers(world.request)).toBeUndefined();
    expect(await storedSignIn(world.endpoint, store)).toBeUndefined();
  });
});
