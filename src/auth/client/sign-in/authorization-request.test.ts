/** The authorization URL, and the servers to which the user is never sent. */
import { describe, expect, test } from 'vitest';
import { OAuthWorld } from '../../../../test/support/oauth-world.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import type { HttpAuth } from '../../../model/auth.ts';
import { selectScopes } from '../discovery/scopes.ts';
import { authorizationUrl } from './authorization-request.ts';
import { type OAuthOptions, oauth } from './oauth.ts';

function met(
  says: Readonly<Record<string, unknown>>,
  options: OAuthOptions = {},
): { world: OAuthWorld; auth: HttpAuth } {
  const world = new OAuthWorld({ servers: [{ says }] });
  return { world, auth: oauth({ signIn: world.signIn, fetch: world.fetch, ...options })(world.endpoint) };
}

const failing = (world: OAuthWorld, auth: HttpAuth): Promise<unknown> =>
  world.enter(auth).then(
    () => 'nothing failed',
    (error: unknown) => error,
  );

describe('oauth() opens no browser', () => {
  test.each([
    'javascript:alert(1)',
    'data:text/html,hi',
    'vbscript:x',
    'file:///etc/passwd',
    'http://auth.example/authorize',
    'myapp://authorize',
    'https://user:pw@auth.example/authorize',
    'http://127.0.0.1/authorize',
    'https://127.0.0.1:8443/restart?now=1',
    'https://localhost./authorize',
    'https://[::1]/authorize',
    'https://router.localhost/authorize',
    'https://0.0.0.0:8443/restart?now=1',
    'https://0/authorize',
    'https://[::]/authorize',
    'https://169.254.169.254/authorize',
    '--help',
    '',
  ])('to %j', async (authorization_endpoint) => {
    verifies('SEC-037', 'SEC-038', 'SEC-039');
    const { world, auth } = met({ authorization_endpoint });
    expect(await failing(world, auth)).toMatchObject({ kind: 'auth' });
    expect(world.shown).toEqual([]);
    expect(world.server.paths).not.toContain('/register');
  });

  test.each([
    [undefined, 'it does not announce PKCE'],
    ['S256', 'it does not announce PKCE'],
    [[], 'S256 is not among its methods'],
    [['plain'], 'S256 is not among its methods'],
  ])('where codes are not safe: PKCE with %j', async (methods, why) => {
    verifies('AUTH-108', 'AUTH-101');
    const { world, auth } = met({ code_challenge_methods_supported: methods });
    expect(await failing(world, auth)).toMatchObject({
      code: 'MCP_AUTH_FAILED',
      message: expect.stringContaining(`${why} (code_challenge_methods_supported)`),
    });
    expect(world.shown).toEqual([]);
  });

  test('where the authorization server has no page to sign in', async () => {
    const { world, auth } = met({ authorization_endpoint: undefined });
    expect(await failing(world, auth)).toMatchObject({
      code: 'MCP_AUTH_FAILED',
      message: expect.stringContaining('the authorization server has no authorization_endpoint'),
    });
    expect(world.shown).toEqual([]);
  });

  test('for a redirect URI that is neither https nor on this machine', async () => {
    verifies('AUTH-106');
    const { world, auth } = met({});
    for (const redirectUri of ['http://app.example/cb', 'myapp://cb', 'http://192.168.0.1/cb']) {
      world.redirectUri = redirectUri;
      expect(await failing(world, auth)).toMatchObject({ code: 'MCP_BAD_DEFINITION' });
    }
    expect(world.shown).toEqual([]);
  });
});

test('an authorization endpoint on this machine can use http', async () => {
  verifies('SEC-037');
  const issuer = 'http://localhost:9000';
  const world = new OAuthWorld({ endpoint: 'http://127.0.0.1:8000/mcp', servers: [{ issuer }] });
  const auth = oauth({ signIn: world.signIn, fetch: world.fetch })(world.endpoint);
  await world.enter(auth);
  expect(world.shown[0]?.origin).toBe(issuer);
});

test('a server of early 2025 without metadata gets a code challenge too', async () => {
  verifies('AUTH-014', 'AUTH-107');
  const world = new OAuthWorld({
    resource: null,
    servers: [{ issuer: 'https://mcp.example', metadata: 'none', iss: null }],
  });
  const auth = oauth({ signIn: world.signIn, fetch: world.fetch })(world.endpoint);
  expect(await world.enter(auth)).toMatchObject({ authorization: expect.stringMatching(/^Bearer /) });
  expect(world.shown[0]?.pathname).toBe('/authorize');
  expect(world.shown[0]?.searchParams.get('code_challenge_method')).toBe('S256');
  expect(world.tokenForms[0]?.get('code_verifier')).toMatch(/^[\w-]{43}$/);
});

test('the query of the authorization endpoint is preserved, and cannot override our parameters', async () => {
  const { world, auth } = met({ authorization_endpoint: 'https://auth.example/authorize?tenant=7&state=theirs#x' });
  await world.enter(auth);
  const { searchParams, hash } = world.shown[0] ?? new URL('about:blank');
  expect([searchParams.get('tenant'), searchParams.getAll('state').length, hash]).toEqual(['7', 1, '']);
  expect(searchParams.get('state')).toMatch(/^[\w-]{43}$/);
});

test.each([undefined, 'thumbprint'])('the authorization URL requests a code, bound to the key %j', (proofKey) => {
  const request = { clientId: 'c', redirectUri: 'r', resource: 'm', scopes: undefined, state: 's', challenge: 'h' };
  const { searchParams } = new URL(
    authorizationUrl(new URL('https://auth.example/authorize'), { ...request, proofKey }),
  );
  expect(searchParams.get('response_type')).toBe('code');
  expect(searchParams.get('dpop_jkt')).toBe(proofKey ?? null);
});

test('each sign-in has a different state and verifier', async () => {
  const { world, auth } = met({});
  const sent = await world.enter(auth);
  world.server.instead.set('/token', () => Response.json({ error: 'invalid_grant' }, { status: 400 }));
  auth.onResponse?.(world.request, () => undefined);
  await Promise.resolve(auth.onChallenge(world.refusal('Bearer', { sent }))).catch(() => undefined);
  for (const name of ['state', 'code_challenge'])
    expect(new Set(world.shown.map(({ searchParams }) => searchParams.get(name))).size).toBe(2);
});

test.each([
  ['https://auth.example', 'https://auth.example'],
  ['https://new.example', undefined],
])(
  'the response is checked against the issuer from before the sign-in, even if the metadata changes: %s',
  async (iss, issuer) => {
    verifies('AUTH-074', 'AUTH-077');
    const servers = [{}, { issuer: 'https://new.example' }];
    const world = new OAuthWorld({ servers, resource: { authorization_servers: ['https://auth.example'] } });
    const auth = oauth({ signIn: world.signIn, fetch: world.fetch })(world.endpoint);
    world.returning = (returned) => {
      world.document = { ...world.document, authorization_servers: ['https://new.example'] };
      returned.searchParams.set('iss', iss);
      return returned.href;
    };
    const outcome = await failing(world, auth);
    expect(outcome).toEqual(
      issuer === undefined ? expect.objectContaining({ code: 'MCP_AUTH_FAILED' }) : 'nothing failed',
    );
    expect(world.servers.map(({ paths }) => paths.includes('/token'))).toEqual([issuer !== undefined, false]);
  },
);

describe('scopes', () => {
  const server = (...scopesSupported: string[]) => ({
    issuer: 'https://auth.example',
    tokenEndpoint: 'https://auth.example/token',
    sendsIssuer: true,
    acceptsMetadataUrl: false,
    lacksMetadata: false,
    ...(scopesSupported.length === 0 ? {} : { scopesSupported }),
  });
  const none = { wanted: undefined, challenged: undefined, supported: undefined, before: [] };

  test('the scopes of the challenge take precedence over scopes_supported', () => {
    verifies('AUTH-061', 'AUTH-062', 'AUTH-065');
    expect(selectScopes({ ...none, challenged: ['x'], supported: ['a', 'b'] }, server())).toEqual(['x']);
  });

  test('without a challenge, scopes_supported of the resource are requested, or none', () => {
    verifies('AUTH-065');
    expect(selectScopes({ ...none, supported: ['a', 'b'] }, server())).toEqual(['a', 'b']);
    expect(selectScopes(none, server())).toBeUndefined();
    expect(selectScopes({ ...none, supported: [] }, server('offline_access'))).toBeUndefined();
  });

  test('the scopes of the application are added to the challenge, and replace scopes_supported', () => {
    expect(selectScopes({ ...none, wanted: ['w'], supported: ['a', 'b'] }, server())).toEqual(['w']);
    expect(selectScopes({ ...none, wanted: ['w'], challenged: ['x'] }, server())).toEqual(['x', 'w']);
  });

  test('scopes that were granted before are requested again', () => {
    verifies('AUTH-063', 'AUTH-071');
    expect(selectScopes({ ...none, challenged: ['x'], before: ['a', 'x'] }, server())).toEqual(['x', 'a']);
  });

  test('offline_access is requested only if the authorization server supports it', () => {
    verifies('AUTH-098');
    expect(selectScopes({ ...none, challenged: ['x'] }, server('x', 'offline_access'))).toEqual([
      'x',
      'offline_access',
    ]);
    expect(selectScopes({ ...none, challenged: ['x', 'offline_access'] }, server('x'))).toEqual(['x']);
  });

  test.each([
    [['basic', 'offline_access'], 'consent'],
    [['basic'], null],
  ])('offline_access is requested with prompt=consent: %j', async (scopes_supported, prompt) => {
    const { world, auth } = met({ scopes_supported });
    await world.enter(auth);
    expect(world.shown[0]?.searchParams.get('prompt')).toBe(prompt);
  });

  test('without scopes, the parameter is left out', async () => {
    verifies('AUTH-065');
    const world = new OAuthWorld({ resource: { scopes_supported: undefined } });
    await world.enter(oauth({ signIn: world.signIn, fetch: world.fetch })(world.endpoint));
    expect(world.shown[0]?.searchParams.has('scope')).toBe(false);
  });
});
