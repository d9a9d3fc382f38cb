/** `oauth()` with everything real but the sockets: sign-in, refresh, stored credentials, step-up. */
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { HeldClock } from '../../../../test/support/held-clock.ts';
import { claimsIn, OAuthWorld, type WorldOptions } from '../../../../test/support/oauth-world.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import { McpError } from '../../../errors.ts';
import type { HttpAuth } from '../../../model/auth.ts';
import { type CredentialStore, memoryCredentials } from '../credentials/credential-store.ts';
import { type OAuthOptions, oauth } from './oauth.ts';

interface Met {
  readonly world: OAuthWorld;
  readonly auth: HttpAuth;
}

function meet(how: WorldOptions = {}, options: OAuthOptions = {}): Met {
  const world = new OAuthWorld(how);
  return { world, auth: among(world, options) };
}

const among = (world: OAuthWorld, options: OAuthOptions = {}): HttpAuth =>
  oauth({ signIn: world.signIn, fetch: world.fetch, trace: world.trace, ...options })(world.endpoint);

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'nothing failed',
    (error: unknown) => error,
  );

describe('the first token of oauth()', () => {
  test('after one sign-in, oauth() sends the token with every request', async () => {
    verifies('AUTH-003', 'AUTH-025', 'AUTH-041', 'AUTH-081', 'AUTH-086', 'AUTH-107', 'AUTH-109');
    const { world, auth } = meet();
    expect(await auth.headers(world.request)).toBeUndefined();
    const fields = await world.enter(auth);
    expect(claimsIn(fields)).toMatchObject({ aud: 'https://mcp.example/mcp', iss: 'https://auth.example', sub: 'ada' });
    expect(await auth.headers({ ...world.request, method: 'GET' })).toEqual(fields);
    expect(world.shown).toHaveLength(1);
    const asked = world.shown[0]?.searchParams;
    expect(asked?.get('code_challenge_method')).toBe('S256');
    expect(asked?.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    expect(asked?.get('resource')).toBe('https://mcp.example/mcp');
    expect(world.tokenForms[0]?.get('resource')).toBe('https://mcp.example/mcp');
    expect(world.tokenForms[0]?.get('code_verifier')).toMatch(/^[\w-]{43}$/);
  });

  test('a client reads from the challenge of a 401 where the metadata is and which scopes the request needs', async () => {
    verifies('AUTH-030');
    const documentAt = 'https://mcp.example/custom/location.json';
    const { world, auth } = meet({ documentAt });
    const challenge = `Basic realm="Dock", Bearer scope="files:read", resource_metadata="${documentAt}"`;
    const fields = await world.enter(auth, challenge);
    expect(world.visits[0]?.url).toBe(documentAt);
    expect(claimsIn(fields)).toMatchObject({ scope: 'files:read', sub: 'ada' });
  });

  test('oauth() sends a token only to the origin of its endpoint', async () => {
    verifies('AUTH-091', 'AUTH-087');
    const { world, auth } = meet();
    await world.enter(auth);
    expect(await auth.headers({ ...world.request, url: new URL('https://elsewhere.example/mcp') })).toBeUndefined();
    const refusal = world.refusal('Bearer', { url: new URL('https://elsewhere.example/mcp') });
    expect(await auth.onChallenge(refusal)).toBe(false);
    const token = (await auth.headers(world.request))?.['authorization']?.split(' ')[1] ?? '';
    expect(world.visits.map(({ url }) => url).join()).not.toContain(token);
  });

  test('one oauth() value keeps separate credentials for each endpoint', async () => {
    const world = new OAuthWorld();
    const other = new OAuthWorld({
      endpoint: 'https://other.example/mcp',
      servers: [{ issuer: 'https://as.example' }],
    });
    const fetch = (url: URL, init: RequestInit): Promise<Response> =>
      [world, other]
        .find(({ endpoint, server }) => [endpoint.origin, server.issuer].includes(url.origin))
        ?.fetch(url, init) ?? Promise.reject(new Error('connection refused'));
    const make = oauth({ signIn: world.signIn, fetch });
    const otherMake = oauth({ signIn: other.signIn, fetch });
    const first = await world.enter(make(world.endpoint));
    expect(await make(other.endpoint).headers(other.request)).toBeUndefined();
    const second = await other.enter(otherMake(other.endpoint));
    expect([claimsIn(first)['aud'], claimsIn(second)['aud']]).toEqual([world.endpoint.href, other.endpoint.href]);
  });

  test('many requests that are rejected at once cause one sign-in', async () => {
    const { world, auth } = meet();
    const refusals = Array.from({ length: 20 }, async () => auth.onChallenge(world.refusal('Bearer')));
    expect(new Set(await Promise.all(refusals))).toEqual(new Set([true]));
    expect(world.shown).toHaveLength(1);
    // A request that was sent before the sign-in is rejected after it.
    expect(await auth.onChallenge(world.refusal('Bearer'))).toBe(true);
    expect(world.shown).toHaveLength(1);
  });

  test('a failed sign-in fails every waiting request, and the next request can try again', async () => {
    const { world, auth } = meet();
    world.returning = () => 'http://127.0.0.1:4000/callback?error=access_denied';
    const refused = async (): Promise<unknown> => auth.onChallenge(world.refusal('Bearer'));
    const waiting = [refused(), (async () => auth.headers(world.request))()];
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(world.shown).toHaveLength(1);
    world.returning = ({ href }) => href;
    expect(await world.enter(auth)).toMatchObject({ authorization: expect.stringContaining('Bearer ') });
  });

  test('oauth() starts no sign-in for a DELETE request', async () => {
    const { world, auth } = meet();
    expect(await auth.onChallenge(world.refusal('Bearer', { method: 'DELETE' }))).toBe(false);
    expect(world.shown).toHaveLength(0);
  });

  test('oauth() gets no token for a server that only offers another scheme', async () => {
    const { world, auth } = meet();
    expect(await auth.onChallenge(world.refusal('Basic realm="a"'))).toBe(false);
    expect(await auth.onChallenge(world.refusal('Basic realm="a", Bearer'))).toBe(true);
  });

  test('a server that rejects every token for one operation causes a limited number of sign-ins', async () => {
    verifies('SEC-048');
    const { world, auth } = meet();
    world.server.instead.set('/token', () =>
      Response.json({ access_token: `t${world.shown.length}`, token_type: 'bearer' }),
    );
    const again = async (): Promise<unknown> => {
      auth.onResponse?.(world.request, () => undefined);
      return auth.onChallenge(world.refusal('Bearer', { sent: await auth.headers(world.request), method: 'GET' }));
    };
    expect([await again(), await again(), await again()]).toEqual([true, true, true]);
    expect(await failure(again())).toMatchObject({ code: 'MCP_AUTH_FAILED' });
    expect(world.shown).toHaveLength(3);
  });

  test('a 403 that is not about scopes is final', async () => {
    const { world, auth } = meet();
    await world.enter(auth);
    const sent = await auth.headers(world.request);
    expect(await auth.onChallenge(world.refusal('Bearer', { status: 403, sent }))).toBe(false);
    expect(world.shown).toHaveLength(1);
  });
});

describe('OAuth token refresh', () => {
  const lasting = { servers: [{ tokenSeconds: 300 }] };

  test('oauth() renews a token shortly before it expires, once for all requests', async () => {
    const clock = new HeldClock();
    const { world, auth } = meet(lasting, { clock });
    const first = await world.enter(auth);
    auth.onResponse?.(world.request, () => undefined);
    await clock.pass(269_000);
    expect(await auth.headers(world.request)).toEqual(first);
    await clock.pass(2_000);
    const many = await Promise.all(Array.from({ length: 10 }, async () => auth.headers(world.request)));
    expect(new Set(many.map((fields) => fields?.['authorization'])).size).toBe(1);
    expect(many[0]).not.toEqual(first);
    const grants = world.tokenForms.map((form) => form.get('grant_type'));
    expect(grants).toEqual(['authorization_code', 'refresh_token']);
    expect(world.tokenForms[1]?.get('resource')).toBe('https://mcp.example/mcp');
    expect(world.shown).toHaveLength(1);
  });

  test('oauth() refreshes a rejected token first, and asks the user to sign in if that fails', async () => {
    const { world, auth } = meet();
    const first = await world.enter(auth);
    auth.onResponse?.(world.request, () => undefined);
    expect(await auth.onChallenge(world.refusal('Bearer error="invalid_token"', { sent: first }))).toBe(true);
    const second = await auth.headers(world.request);
    expect(second).not.toEqual(first);
    expect(world.shown).toHaveLength(1);
    expect(await auth.onChallenge(world.refusal('Bearer error="invalid_token"', { sent: second }))).toBe(true);
    expect(world.shown).toHaveLength(2);
    expect(world.tokenForms.map((form) => form.get('grant_type'))).toEqual([
      'authorization_code',
      'refresh_token',
      'authorization_code',
    ]);
  });

  test('oauth() fails when the server rejects a token that was just issued', async () => {
    const { world, auth } = meet();
    const sent = await world.enter(auth);
    const error = await failure(
      Promise.resolve(auth.onChallenge(world.refusal('Bearer error="invalid_token"', { sent }))),
    );
    expect(error).toMatchObject({ code: 'MCP_AUTH_FAILED', message: expect.stringContaining('just issued') });
    expect(world.shown).toHaveLength(1);
  });

  test('oauth() asks the user to sign in again when a token without a refresh token expires', async () => {
    verifies('AUTH-099');
    const { world, auth } = meet();
    const issue = world.server;
    issue.instead.set('/token', () => Response.json({ access_token: `t${world.shown.length}`, token_type: 'bearer' }));
    const sent = await world.enter(auth);
    expect(sent).toEqual({ authorization: 'Bearer t1' });
    auth.onResponse?.(world.request, () => undefined);
    expect(await auth.onChallenge(world.refusal('Bearer error="invalid_token"', { sent }))).toBe(true);
    expect(await auth.headers(world.request)).toEqual({ authorization: 'Bearer t2' });
  });

  test('oauth() uses a valid token while the authorization server is unreachable', async () => {
    const clock = new HeldClock();
    const { world, auth } = meet(lasting, { clock });
    const first = await world.enter(auth);
    await clock.pass(280_000);
    world.instead = () => new Response('busy', { status: 503 });
    expect([await auth.headers(world.request), await auth.headers(world.request)]).toEqual([first, first]);
    expect(world.visits.filter(({ url }) => url.endsWith('/token'))).toHaveLength(2);
    await clock.pass(30_000);
    expect(await failure(Promise.resolve(auth.headers(world.request)))).toMatchObject({ code: 'MCP_AUTH_FAILED' });
  });

  test('oauth() removes a rejected refresh token, and does not try it again', async () => {
    const clock = new HeldClock();
    const { world, auth } = meet(lasting, { clock });
    const first = await world.enter(auth);
    await clock.pass(280_000);
    world.server.instead.set('/token', () => Response.json({ error: 'invalid_grant' }, { status: 400 }));
    expect([await auth.headers(world.request), await auth.headers(world.request)]).toEqual([first, first]);
    expect(world.tokenForms).toHaveLength(2);
  });
});

describe('stored credentials', () => {
  test('a second process uses the stored token without a sign-in', async () => {
    const store = memoryCredentials();
    const world = new OAuthWorld();
    const first = await world.enter(among(world, { store }));
    const again = among(world, { store });
    expect(await again.headers(world.request)).toEqual(first);
    expect(await again.onChallenge(world.refusal('Bearer error="invalid_token"', { sent: first }))).toBe(true);
    expect(world.tokenForms.map((form) => form.get('grant_type'))).toEqual(['authorization_code', 'refresh_token']);
    expect(world.shown).toHaveLength(1);
  });

  test('a refreshed token is stored before it is used', async () => {
    const kept: string[] = [];
    const memory = memoryCredentials();
    const store: CredentialStore = {
      ...memory,
      write: async (key, value) => {
        kept.push(value);
        await memory.write(key, value);
      },
    };
    const { world, auth } = meet({}, { store });
    const first = await world.enter(auth);
    auth.onResponse?.(world.request, () => undefined);
    await auth.onChallenge(world.refusal('Bearer', { sent: first }));
    const token = (await auth.headers(world.request))?.['authorization']?.slice(7);
    expect(kept.at(-1)).toContain(token);
    const full: CredentialStore = { ...memory, write: () => Promise.reject(new Error('the disk is full')) };
    const refused = among(world, { store: full });
    const sent = await refused.headers(world.request);
    expect(await failure(Promise.resolve(refused.onChallenge(world.refusal('Bearer', { sent }))))).toMatchObject({
      message: 'the disk is full',
    });
    // The authorization server has issued the new token, and may accept the old refresh token no longer.
    const held = await refused.headers(world.request);
    expect(held).not.toEqual(sent);
    expect(world.server.isGood(held?.['authorization']?.slice(7) ?? '')).toBe(true);
  });

  test('two clients with one token store refresh a token only once', async () => {
    const store = memoryCredentials();
    const world = new OAuthWorld();
    const one = among(world, { store });
    const sent = await world.enter(one);
    const other = among(world, { store });
    expect(await other.headers(world.request)).toEqual(sent);
    one.onResponse?.(world.request, () => undefined);
    expect(await one.onChallenge(world.refusal('Bearer', { sent }))).toBe(true);
    expect(await other.onChallenge(world.refusal('Bearer', { sent }))).toBe(true);
    expect(await other.headers(world.request)).toEqual(await one.headers(world.request));
    expect(world.tokenForms).toHaveLength(2);
  });

  test.each(['', 'null', '[]', '{"accessToken":1}', '{"accessToken":"a"}', '{'])(
    'what cannot be read back was never there: %j',
    async (text) => {
      const memory = memoryCredentials();
      const { world, auth } = meet({}, { store: { ...memory, read: async () => text } });
      expect(await auth.headers(world.request)).toBeUndefined();
    },
  );
});

describe('another authorization server', () => {
  const two = {
    servers: [{}, { issuer: 'https://new.example' }],
    resource: { authorization_servers: ['https://auth.example'] },
  };

  test('another authorization server gets nothing of the first one', async () => {
    verifies('AUTH-031', 'AUTH-032', 'AUTH-056', 'AUTH-057', 'AUTH-058');
    const { world, auth } = meet(two);
    const sent = await world.enter(auth);
    auth.onResponse?.(world.request, () => undefined);
    const [old, next] = world.servers;
    const before = old?.requests.length;
    world.document = { ...world.document, authorization_servers: ['https://new.example'] };
    expect(await auth.onChallenge(world.refusal('Bearer error="invalid_token"', { sent }))).toBe(true);
    expect(claimsIn(await auth.headers(world.request))).toMatchObject({ iss: 'https://new.example' });
    expect(old?.requests).toHaveLength(before ?? -1);
    expect(next?.paths).toContain('/register');
    const heard = JSON.stringify(next?.requests.map(({ params }) => [...params]));
    expect(heard).not.toContain(sent?.['authorization']?.slice(7));
    expect(next?.requests.map(({ params }) => params.get('grant_type'))).not.toContain('refresh_token');
  });

  test('another authorization server gets no refresh token of the first one, even if both accept the same metadata document', async () => {
    verifies('AUTH-058', 'AUTH-032');
    const says = { client_id_metadata_document_supported: true };
    const clientMetadataUrl = 'https://app.example/client.json';
    const clients = [{ id: clientMetadataUrl, redirectUris: ['http://127.0.0.1:4000/callback'] }];
    const servers = [
      { says, clients },
      { says, clients, issuer: 'https://new.example' },
    ];
    const { world, auth } = meet({ ...two, servers }, { clientMetadataUrl });
    const sent = await world.enter(auth);
    auth.onResponse?.(world.request, () => undefined);
    world.document = { ...world.document, authorization_servers: ['https://new.example'] };
    expect(await auth.onChallenge(world.refusal('Bearer error="invalid_token"', { sent }))).toBe(true);
    const forms = world.servers[1]?.requests.filter(({ path }) => path === '/token').map(({ params }) => params);
    expect(forms?.map((form) => form.get('grant_type'))).toEqual(['authorization_code']);
    expect(claimsIn(await auth.headers(world.request))).toMatchObject({ iss: 'https://new.example' });
    expect(world.shown).toHaveLength(2);
  });

  test('another authorization server gets no refresh token of the first one, even if the client is registered with both', async () => {
    verifies('AUTH-057', 'AUTH-058');
    const redirectUris = ['http://127.0.0.1:4000/callback'];
    const clients = [{ id: 'cli', redirectUris }];
    const servers = [{ clients }, { clients, issuer: 'https://new.example' }];
    const store = memoryCredentials();
    const { world, auth: first } = meet({ ...two, servers }, { client: { id: 'cli' }, store });
    const sent = await world.enter(first);
    world.document = { ...world.document, authorization_servers: ['https://new.example'] };
    const auth = among(world, { client: { id: 'cli', issuer: 'https://new.example' }, store });
    await auth.headers(world.request);
    expect(await auth.onChallenge(world.refusal('Bearer error="invalid_token"', { sent }))).toBe(true);
    const forms = world.servers[1]?.requests.filter(({ path }) => path === '/token').map(({ params }) => params);
    expect(forms?.map((form) => form.get('grant_type'))).toEqual(['authorization_code']);
  });

  test('a refresh token is not used for a server with another resource identifier', async () => {
    verifies('AUTH-032');
    const { world, auth } = meet();
    const sent = await world.enter(auth);
    auth.onResponse?.(world.request, () => undefined);
    world.document = { ...world.document, resource: 'https://mcp.example' };
    expect(await auth.onChallenge(world.refusal('Bearer error="invalid_token"', { sent }))).toBe(true);
    expect(world.tokenForms.map((form) => [form.get('grant_type'), form.get('resource')])).toEqual([
      ['authorization_code', 'https://mcp.example/mcp'],
      ['authorization_code', 'https://mcp.example'],
    ]);
  });

  test('oauth() never uses a client id of one authorization server at another', async () => {
    verifies('AUTH-059');
    const client = { id: 'cli', secret: 's3cret', issuer: 'https://auth.example' };
    const redirectUris = ['http://127.0.0.1:4000/callback'];
    const servers = [{ clients: [{ ...client, redirectUris }] }, { issuer: 'https://new.example' }];
    const { world, auth } = meet({ ...two, servers }, { client });
    const sent = await world.enter(auth);
    auth.onResponse?.(world.request, () => undefined);
    world.document = { ...world.document, authorization_servers: ['https://new.example'] };
    expect(await failure(Promise.resolve(auth.onChallenge(world.refusal('Bearer', { sent }))))).toMatchObject({
      code: 'MCP_AUTH_FAILED',
      message: expect.stringContaining(
        'registered with https://auth.example, and the server now trusts https://new.example',
      ),
    });
    expect(world.servers[1]?.paths.filter((path) => !path.startsWith('/.well-known'))).toEqual([]);
  });

  describe.each([
    ['a secret', { id: 'cli', secret: 's3cret' }],
    ['nothing to prove itself with', { id: 'cli' }],
  ])('a client known beforehand without its issuer, with %s,', (_, client) => {
    const redirectUris = ['http://127.0.0.1:4000/callback'];
    const clients = [{ ...client, redirectUris }];
    const servers = [{ clients }, { issuer: 'https://new.example', clients }];

    test('is used with the first authorization server only', async () => {
      verifies('AUTH-056', 'AUTH-057', 'AUTH-059');
      const { world, auth } = meet({ ...two, servers }, { client });
      const sent = await world.enter(auth);
      auth.onResponse?.(world.request, () => undefined);
      world.document = { ...world.document, authorization_servers: ['https://new.example'] };
      const error = await failure(Promise.resolve(auth.onChallenge(world.refusal('Bearer', { sent }))));
      expect(error).toMatchObject({ code: 'MCP_AUTH_FAILED', details: { step: 'client registration' } });
      expect(String(error)).toMatch(/used with https:\/\/auth\.example.*now trusts https:\/\/new\.example.*"issuer"/);
      expect(world.servers[1]?.paths.filter((path) => !path.startsWith('/.well-known'))).toEqual([]);
      expect(world.shown).toHaveLength(1);
    });

    test('is bound to that authorization server in the next process too, through the store', async () => {
      verifies('AUTH-056', 'AUTH-057');
      const store = memoryCredentials();
      const { world, auth } = meet({ ...two, servers }, { client, store });
      await world.enter(auth);
      world.document = { ...world.document, authorization_servers: ['https://new.example'] };
      await store.remove(`tokens ${world.endpoint.href}`);
      const next = among(world, { client, store });
      expect(await failure(world.enter(next))).toMatchObject({ code: 'MCP_AUTH_FAILED' });
      expect(world.servers[1]?.paths).not.toContain('/token');
      const told = among(world, { client: { ...client, issuer: 'https://new.example' }, store });
      expect(claimsIn(await world.enter(told))).toMatchObject({ iss: 'https://new.example' });
    });
  });

  test('of two endpoints that name different authorization servers at the same time, one gets the client secret', async () => {
    verifies('AUTH-057');
    const client = { id: 'cli', secret: 's3cret' };
    const clients = [{ ...client, redirectUris: ['http://127.0.0.1:4000/callback'] }];
    const [good, evil] = [
      new OAuthWorld({ servers: [{ clients }] }),
      new OAuthWorld({ endpoint: 'https://evil.example/mcp', servers: [{ issuer: 'https://thief.example', clients }] }),
    ];
    const worldOf = (url: URL): OAuthWorld => (/evil|thief/.test(url.host) ? evil : good);
    const fetch: OAuthOptions['fetch'] = (url, init) => worldOf(url).fetch(url, init);
    const all = oauth({ client, fetch, signIn: good.signIn });
    const outcomes = await Promise.all([good, evil].map((world) => failure(world.enter(all(world.endpoint)))));
    expect(outcomes.filter((one) => one instanceof McpError)).toHaveLength(1);
    expect([good, evil].filter((world) => world.server.paths.includes('/token'))).toHaveLength(1);
  });

  test('the issuer of stored tokens is preferred to another trusted one', async () => {
    const servers = [{}, { issuer: 'https://new.example' }];
    const { world, auth } = meet({ servers, resource: { authorization_servers: ['https://auth.example'] } });
    const sent = await world.enter(auth);
    auth.onResponse?.(world.request, () => undefined);
    world.document = { ...world.document, authorization_servers: ['https://new.example', 'https://auth.example'] };
    await auth.onChallenge(world.refusal('Bearer', { sent }));
    expect(claimsIn(await auth.headers(world.request))).toMatchObject({ iss: 'https://auth.example' });
    expect(world.servers[1]?.requests).toEqual([]);
  });
});

describe('step-up authorization', () => {
  const insufficient = (scope: string): string => `Bearer error="insufficient_scope", scope="${scope}"`;

  test('oauth() requests additional scopes together with the granted ones', async () => {
    verifies('AUTH-062', 'AUTH-063', 'AUTH-069', 'AUTH-071', 'SEC-049');
    const { world, auth } = meet();
    const sent = await world.enter(auth, 'Bearer scope="read"');
    expect(claimsIn(sent)['scope']).toBe('read');
    expect(await auth.onChallenge(world.refusal(insufficient('write'), { status: 403, sent }))).toBe(true);
    expect(claimsIn(await auth.headers(world.request))['scope']).toBe('write read');
    expect(world.shown).toHaveLength(2);
  });

  test('oauth() requests the same scopes for one operation at most three times within ten minutes', async () => {
    verifies('AUTH-072', 'SEC-048');
    const clock = new HeldClock();
    const { world, auth } = meet({}, { clock });
    await world.enter(auth);
    const stepUp = async (operation: string): Promise<unknown> => {
      const sent = await auth.headers(world.request);
      return auth.onChallenge(world.refusal(insufficient('admin'), { status: 403, sent, operation }));
    };
    expect([await stepUp('tools/call'), await stepUp('tools/call'), await stepUp('tools/call')]).toEqual([
      true,
      true,
      true,
    ]);
    expect(world.shown).toHaveLength(4);
    expect(await failure(stepUp('tools/call'))).toMatchObject({
      code: 'MCP_AUTH_FAILED',
      message: expect.stringContaining('tools/call needs admin'),
    });
    expect(world.shown).toHaveLength(4);
    expect(await stepUp('resources/read')).toBe(true);
    await clock.pass(600_000);
    expect(await stepUp('tools/call')).toBe(true);
  });
});

describe('secrets', () => {
  test('no token, code, verifier or state is in the trace, in errors, or in what a value shows of itself', async () => {
    verifies('SEC-052');
    const store = memoryCredentials();
    const { world, auth } = meet({}, { store });
    const sent = await world.enter(auth);
    const form = world.tokenForms[0];
    const refused = await failure(Promise.resolve(auth.onChallenge(world.refusal('Bearer', { sent }))));
    const secrets = [
      sent?.['authorization']?.slice(7) ?? '',
      ...['code', 'code_verifier'].map((name) => form?.get(name) ?? ''),
      world.shown[0]?.searchParams.get('state') ?? '',
    ];
    expect(secrets.every((secret) => secret.length > 20)).toBe(true);
    const seen = [JSON.stringify(world.traced), inspect(auth, { depth: 9, showHidden: true }), inspect(refused)].join();
    expect(secrets.filter((secret) => seen.includes(secret))).toEqual([]);
    expect(world.traced.length).toBeGreaterThan(5);
  });
});

test.each([
  [true, true],
  [false, undefined],
])('with dpop: %s, the client is registered with dpop_bound_access_tokens: %s', async (dpop, bound) => {
  const says = { dpop_signing_alg_values_supported: ['ES256'] };
  const { world, auth } = meet({ servers: [{ says }] }, { dpop });
  await world.enter(auth).catch(() => undefined);
  const registered = world.server.requests.find(({ path }) => path === '/register')?.json;
  expect(registered).toBeDefined();
  expect(registered?.['dpop_bound_access_tokens']).toBe(bound);
});

test('oauth() without signIn uses browserSignIn()', async () => {
  const world = new OAuthWorld();
  const pages: URL[] = [];
  const open = async (url: string): Promise<void> => {
    pages.push(new URL(url));
    const { headers } = await world.fetch(new URL(url), {});
    await fetch(headers.get('location') ?? '');
  };
  const auth = oauth({ open, fetch: world.fetch })(world.endpoint);
  expect(claimsIn(await world.enter(auth))).toMatchObject({ aud: 'https://mcp.example/mcp' });
  expect(pages[0]?.searchParams.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
});

test('a token that cannot be renewed is used until the moment it expires', async () => {
  const clock = new HeldClock();
  const { world, auth } = meet({ servers: [{ tokenSeconds: 60 }] }, { clock });
  const first = await world.enter(auth);
  auth.onResponse?.(world.request, () => undefined);
  world.instead = ({ url }) => (url.endsWith('/token') ? new Response(null, { status: 503 }) : undefined);
  await clock.pass(59_999);
  expect(await auth.headers(world.request)).toEqual(first);
  const left = new HeldClock();
  const other = meet({ servers: [{ tokenSeconds: 60 }] }, { clock: left });
  await other.world.enter(other.auth);
  other.world.instead = world.instead;
  await left.pass(60_000);
  expect(await failure(Promise.resolve(other.auth.headers(other.world.request)))).toMatchObject({
    code: 'MCP_AUTH_FAILED',
  });
});

test('tokens that are bound to a key are not stored', async () => {
  const store = memoryCredentials();
  const written: string[] = [];
  const watched: CredentialStore = {
    ...store,
    write: (key, value) => {
      written.push(key);
      return store.write(key, value);
    },
  };
  const says = { dpop_signing_alg_values_supported: ['ES256'] };
  const { world, auth } = meet({ servers: [{ says }] }, { dpop: true, store: watched });
  expect((await world.enter(auth))?.['authorization']).toMatch(/^DPoP /);
  expect(written).toEqual(['clients https://auth.example']);
});

test('a process renews stored tokens in time, at the server that issued them', async () => {
  verifies('AUTH-058');
  const clock = new HeldClock();
  const store = memoryCredentials();
  const { world, auth } = meet({ servers: [{ tokenSeconds: 300 }] }, { clock, store });
  const first = await world.enter(auth);
  await clock.pass(271_000);
  const second = await among(world, { clock, store }).headers(world.request);
  expect(second).toBeDefined();
  expect(second).not.toEqual(first);
  expect(world.tokenForms.map((form) => form.get('grant_type'))).toEqual(['authorization_code', 'refresh_token']);
  expect(world.shown).toHaveLength(1);
});

test('a 403 with insufficient_scope that names no scope is final', async () => {
  const { world, auth } = meet();
  const sent = await world.enter(auth);
  const refusal = world.refusal('Bearer error="insufficient_scope"', { status: 403, sent });
  expect(await auth.onChallenge(refusal)).toBe(false);
  expect(world.shown).toHaveLength(1);
});

test('the trace quotes the challenge of a rejected request', async () => {
  const { world, auth } = meet();
  await world.enter(auth, 'Bearer error="invalid_token", scope="a b"');
  expect(world.traced).toContainEqual({
    step: 'challenge',
    outcome: 'chosen',
    why: 'tools/call was rejected (invalid_token, scope a b)',
  });
  const other = meet();
  await other.world.enter(other.auth, 'Bearer');
  expect(other.world.traced).toContainEqual({ step: 'challenge', outcome: 'chosen', why: 'tools/call was rejected' });
});

test('oauth() rejects the private key of a client that could also be known to the server', () => {
  const client = { id: 'cli', privateKey: 'secret', alg: 'HS256' };
  expect(() => oauth({ client })).toThrow('"alg" is HS256, which is not asymmetric');
});
