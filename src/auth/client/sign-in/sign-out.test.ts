/** storedSignIn() and signOut(), with everything real but the sockets. */
import { describe, expect, test } from 'vitest';
import { answered } from '../../../../test/support/authorization-server.ts';
import { settled } from '../../../../test/support/held-clock.ts';
import { OAuthWorld, type WorldOptions } from '../../../../test/support/oauth-world.ts';
import { basicCredentials } from '../../../model/challenge.ts';
import { type CredentialStore, memoryCredentials } from '../credentials/credential-store.ts';
import { TokenStore } from '../credentials/token-store.ts';
import { type OAuthOptions, oauth } from './oauth.ts';
import { signOut, storedSignIn } from './sign-out.ts';

interface SignedInWorld {
  readonly world: OAuthWorld;
  readonly store: CredentialStore;
}

async function signedIn(how: WorldOptions = {}, options: OAuthOptions = {}): Promise<SignedInWorld> {
  const world = new OAuthWorld(how);
  const store = memoryCredentials();
  await world.enter(oauth({ signIn: world.signIn, fetch: world.fetch, store, ...options })(world.endpoint));
  return { world, store };
}

const revoked = ({ server }: OAuthWorld): (string | null)[] =>
  server.requests.filter(({ path }) => path === '/revoke').map(({ params }) => params.get('token_type_hint'));

describe('a stored sign-in', () => {
  test('storedSignIn() returns everything but the tokens', async () => {
    const { world, store } = await signedIn({}, { scopes: ['openid'] });
    const stored = await storedSignIn(world.endpoint.href, store);
    expect(stored).toEqual({
      issuer: 'https://auth.example',
      resource: 'https://mcp.example/mcp',
      clientId: 'client-1',
      user: { subject: 'ada', name: 'Name of ada', email: 'ada@example.com' },
      scopes: ['openid'],
      expiresAt: expect.any(Number),
      isRenewable: true,
    });
  });

  test('a stored sign-in belongs to one endpoint', async () => {
    const { world, store } = await signedIn();
    expect(await storedSignIn(new URL('https://mcp.example/other'), store)).toBeUndefined();
    expect(await storedSignIn(world.endpoint, memoryCredentials())).toBeUndefined();
  });

  test('a stored sign-in keeps its user when a refresh returns no ID token', async () => {
    const { world, store } = await signedIn({}, { scopes: ['openid'] });
    world.server.instead.set('/token', () => answered({ access_token: 'a'.repeat(20), token_type: 'Bearer' }));
    const auth = oauth({ signIn: world.signIn, fetch: world.fetch, store })(world.endpoint);
    const sent = await auth.headers(world.request);
    expect(await auth.onChallenge(world.refusal('Bearer', { sent }))).toBe(true);
    expect((await storedSignIn(world.endpoint, store))?.user?.subject).toBe('ada');
    expect(world.shown).toHaveLength(1);
  });
});

test.each([
  ['storedSignIn', (store: CredentialStore) => storedSignIn('mcp.example', store)],
  ['signOut', (store: CredentialStore) => signOut('mcp.example', { store })],
])('%s() rejects text that is not a URL', async (name, call) => {
  await expect(call(memoryCredentials())).rejects.toMatchObject({
    code: 'MCP_BAD_DEFINITION',
    message: expect.stringContaining(`${name}(endpoint, `),
  });
});

describe('signOut', () => {
  test('a refresh that ends late undoes neither a sign-out nor a later sign-in', async () => {
    const { world, store } = await signedIn();
    const options = { signIn: world.signIn, fetch: world.fetch, store };
    const auth = oauth(options)(world.endpoint);
    const sent = await auth.headers(world.request);
    let signedInAgain: unknown;
    world.server.instead.set('/token', async () => {
      world.server.instead.delete('/token');
      await signOut(world.endpoint, options);
      signedInAgain = await world.enter(oauth(options)(world.endpoint));
      return answered({ access_token: 'a'.repeat(20), token_type: 'Bearer' });
    });
    expect(await auth.onChallenge(world.refusal('Bearer', { sent }))).toBe(true);
    expect(await auth.headers(world.request)).toEqual(signedInAgain);
    expect(await oauth(options)(world.endpoint).headers(world.request)).toEqual(signedInAgain);
  });

  test.each(['renewed', 'rejected'] as const)(
    'holds while a refresh of its tokens is under way, which is then %s',
    async (how) => {
      const { world, store } = await signedIn();
      const absent = { begin: () => Promise.reject(new Error('there is no user')) };
      const auth = oauth({ signIn: absent, fetch: world.fetch, store, trace: world.trace })(world.endpoint);
      const sent = await auth.headers(world.request);
      world.server.instead.set('/token', async () => {
        await signOut(world.endpoint, { store, fetch: world.fetch });
        expect(await storedSignIn(world.endpoint, store)).toBeUndefined();
        return how === 'renewed'
          ? answered({ access_token: 'a'.repeat(20), token_type: 'Bearer', refresh_token: 'r'.repeat(20) })
          : answered({ error: 'invalid_grant' }, 400);
      });
      await expect(auth.onChallenge(world.refusal('Bearer', { sent }))).rejects.toThrow('there is no user');
      expect(await storedSignIn(world.endpoint, store)).toBeUndefined();
      expect(await auth.headers(world.request)).toBeUndefined();
      expect(world.traced).toContainEqual({ step: 'token', outcome: 'chosen', why: 'the user has signed out since' });
    },
  );

  test('waits for a refresh that is storing its token, in a store with locks', async () => {
    const { world, store: memory } = await signedIn();
    let done: Promise<unknown> = Promise.resolve();
    const locked = <T>(_key: string, work: () => Promise<T>): Promise<T> => {
      const result = done.then(work);
      done = result.catch(() => undefined);
      return result;
    };
    let signingOut: Promise<unknown> = Promise.resolve();
    const store: CredentialStore = { ...memory, whileLocked: locked };
    const write = async (key: string, value: string): Promise<void> => {
      signingOut = signOut(world.endpoint, { store, fetch: world.fetch });
      await settled();
      await memory.write(key, value);
    };
    const options = { signIn: world.signIn, fetch: world.fetch };
    const auth = oauth({ ...options, store: { ...store, write } })(world.endpoint);
    const sent = await auth.headers(world.request);
    expect(await auth.onChallenge(world.refusal('Bearer', { sent }))).toBe(true);
    expect(await signingOut).toMatchObject({ revocation: 'revoked' });
    expect(await storedSignIn(world.endpoint, store)).toBeUndefined();
    expect(world.tokenForms.map((form) => form.get('grant_type'))).toEqual(['authorization_code', 'refresh_token']);
  });

  test('revokes the refresh token, then the access token, and removes both', async () => {
    const { world, store } = await signedIn();
    const { issuer } = world.server;
    expect(await signOut(world.endpoint, { store, fetch: world.fetch })).toEqual({ issuer, revocation: 'revoked' });
    expect(revoked(world)).toEqual(['refresh_token', 'access_token']);
    const tokens = world.server.requests.flatMap(({ path, params }) =>
      path === '/revoke' ? [params.get('token')] : [],
    );
    expect(tokens.map((token) => world.server.isGood(token ?? ''))).toEqual([false, false]);
    expect(await storedSignIn(world.endpoint, store)).toBeUndefined();
    expect(await signOut(world.endpoint, { store, fetch: world.fetch })).toBeUndefined();
  });

  test('authenticates the client as it is registered', async () => {
    const says = { token_endpoint_auth_methods_supported: ['client_secret_basic'] };
    const { world, store } = await signedIn({ servers: [{ says }] });
    expect(await signOut(world.endpoint, { store, fetch: world.fetch })).toMatchObject({ revocation: 'revoked' });
  });

  test.each([
    ['given', 'secret-1', 'revoked'],
    ['not given', undefined, 'failed'],
  ])('authenticates a client that was registered before only with what it is %s', async (_, secret, revocation) => {
    const client = { id: 'known', secret: 'secret-1' };
    const redirectUris = ['http://127.0.0.1:4000/callback'];
    const { world, store } = await signedIn({ servers: [{ clients: [{ ...client, redirectUris }] }] }, { client });
    const given = secret === undefined ? {} : { client };
    expect(await signOut(world.endpoint, { store, fetch: world.fetch, ...given })).toMatchObject({ revocation });
    expect(await storedSignIn(world.endpoint, store)).toBeUndefined();
  });

  test('signOut() authenticates a client whose issuer the application names, and that was never bound', async () => {
    const client = { id: 'known', secret: 'secret-1', issuer: 'https://auth.example' };
    const clients = [{ ...client, redirectUris: ['http://127.0.0.1:4000/callback'] }];
    const { world, store } = await signedIn({ servers: [{ clients }] }, { client });
    expect(await signOut(world.endpoint, { store, fetch: world.fetch, client })).toMatchObject({
      revocation: 'revoked',
    });
  });

  test('signOut() fails if the tokens cannot be removed', async () => {
    const { world, store } = await signedIn();
    const full = { ...store, remove: () => Promise.reject(new Error('the disk is read-only')) };
    await expect(signOut(world.endpoint, { store: full, fetch: world.fetch })).rejects.toThrow('read-only');
  });

  test.each([{ issuer: 'https://other.example' }, {}])(
    'sends the secret of a client %j to no issuer but the one it was used with',
    async (named) => {
      // The client registered itself, and the authorization server chose an id that another server uses, too.
      const { world, store } = await signedIn();
      const client = { id: 'client-1', secret: 'of-another-issuer', ...named };
      expect(await storedSignIn(world.endpoint, store)).toMatchObject({ clientId: client.id });
      await signOut(world.endpoint, { store, fetch: world.fetch, client });
      const sent = world.server.requests.map(({ params, headers }) => `${params} ${headers.get('authorization')}`);
      expect(sent.join()).not.toContain(client.secret);
      expect(sent.join()).not.toContain(basicCredentials(client.id, client.secret));
    },
  );

  test('removes the tokens if the issuer has no revocation endpoint, and does not call that a failure', async () => {
    const { world, store } = await signedIn({ servers: [{ says: { revocation_endpoint: undefined } }] });
    expect(await signOut(world.endpoint, { store, fetch: world.fetch })).toMatchObject({ revocation: 'unsupported' });
    expect(await storedSignIn(world.endpoint, store)).toBeUndefined();
  });

  test('signOut() returns partial if the issuer cannot revoke access tokens', async () => {
    const { world, store } = await signedIn();
    world.server.instead.set('/revoke', ({ params }) =>
      params.get('token_type_hint') === 'access_token'
        ? answered({ error: 'unsupported_token_type' }, 400)
        : new Response(null),
    );
    const { issuer } = world.server;
    const options = { store, fetch: world.fetch, trace: world.trace };
    expect(await signOut(world.endpoint, options)).toEqual({ issuer, revocation: 'partial' });
    expect(world.traced).toContainEqual({
      step: 'token revocation',
      outcome: 'accepted',
      why: `at ${issuer}, without the access token`,
    });
    expect(revoked(world)).toEqual(['refresh_token', 'access_token']);
    expect(await storedSignIn(world.endpoint, store)).toBeUndefined();
  });

  test('signOut() does not quote an error code that is part of the token', async () => {
    const { world, store } = await signedIn();
    const tokenStore = new TokenStore(store);
    const held = await tokenStore.tokens(world.endpoint);
    if (held === undefined) throw new Error('nobody is signed in');
    await tokenStore.saveTokens(world.endpoint, { ...held, accessToken: 'secret_of_ada', refreshToken: undefined });
    world.server.instead.set('/revoke', () => answered({ error: 'secret' }, 400));
    const { why } = (await signOut(world.endpoint, { store, fetch: world.fetch })) ?? {};
    expect(why).toBe('the access token was rejected with status 400 (no error code)');
  });

  test('a sign-out fails if only the refresh token cannot be revoked', async () => {
    const { world, store } = await signedIn();
    world.server.instead.set('/revoke', ({ params }) =>
      params.get('token_type_hint') === 'access_token' ? new Response(null) : answered({ error: 'server_error' }, 400),
    );
    expect(await signOut(world.endpoint, { store, fetch: world.fetch })).toMatchObject({
      revocation: 'failed',
      why: 'the refresh token was rejected with status 400 (server_error)',
    });
  });

  test('a sign-out without a refresh token fails if the access token cannot be revoked', async () => {
    const { world, store } = await signedIn();
    const tokenStore = new TokenStore(store);
    const held = await tokenStore.tokens(world.endpoint);
    if (held === undefined) throw new Error('no user is signed in');
    await tokenStore.saveTokens(world.endpoint, { ...held, refreshToken: undefined });
    world.server.instead.set('/revoke', () => answered({ error: 'unsupported_token_type' }, 400));
    expect(await signOut(world.endpoint, { store, fetch: world.fetch })).toMatchObject({ revocation: 'failed' });
  });

  test.each([
    ['rejects one', () => answered({ error: 'unsupported_token_type' }, 400), 'status 400 (unsupported_token_type)'],
    ['is in trouble', () => new Response('busy', { status: 503 }), 'status 503 (no error code)'],
  ])('removes the tokens if the issuer %s, and says why they were not revoked', async (_, reply, why) => {
    const { world, store } = await signedIn();
    world.server.instead.set('/revoke', reply);
    const result = await signOut(world.endpoint, { store, fetch: world.fetch });
    expect(result).toMatchObject({ revocation: 'failed', why: expect.stringContaining(why) });
    expect(await storedSignIn(world.endpoint, store)).toBeUndefined();
  });

  test('signOut() does not quote a token that the issuer sends back as its error', async () => {
    const { world, store } = await signedIn();
    world.server.instead.set('/revoke', ({ params }) => answered({ error: params.get('token') }, 400));
    const { why = '' } = (await signOut(world.endpoint, { store, fetch: world.fetch })) ?? {};
    const tokens = world.server.requests.flatMap(({ path, params }) =>
      path === '/revoke' ? [params.get('token')] : [],
    );
    expect(tokens).toHaveLength(2);
    for (const token of tokens) expect(why).not.toContain(token?.slice(0, 20));
  });

  test('sends tokens only to an endpoint that the issuer itself names, and that is not on the private network', async () => {
    const { world, store } = await signedIn({
      servers: [{ says: { revocation_endpoint: 'https://10.0.0.1/revoke' } }],
    });
    const result = await signOut(world.endpoint, { store, fetch: world.fetch });
    expect(result).toMatchObject({ revocation: 'failed', why: expect.stringContaining('private network') });
    expect(world.pathsAt('https://10.0.0.1')).toEqual([]);
  });
});
