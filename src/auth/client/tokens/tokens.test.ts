/** The tokens of one endpoint: isolation from other endpoints, and locking between processes. */
import { expect, test } from 'vitest';
import { OAuthWorld } from '../../../../test/support/oauth-world.ts';
import { memoryCredentials } from '../credentials/credential-store.ts';
import { oauth } from '../sign-in/oauth.ts';

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
