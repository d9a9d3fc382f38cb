/** Attacks by authorization servers over real sockets: each ends in an error that names the attack, and no secret leaks. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type CredentialStore, fileCredentials, memoryCredentials } from '../../src/auth/index.ts';
import {
  anybody,
  attempt,
  authorizationServer,
  challenge,
  leaked,
  METADATA,
  mcp,
  type Outcome,
  Person,
} from '../support/attacked.ts';
import { AuthorizationServer, answered } from '../support/authorization-server.ts';
import { verifies } from '../support/verifies.ts';

const MiB = 1024 * 1024;
const failed = (step: string, why: RegExp) => ({
  code: 'MCP_AUTH_FAILED',
  kind: 'auth',
  details: expect.objectContaining({ step, why: expect.stringMatching(why) }),
});

test('without an attack, a person signs in once, and nothing secret is to be seen', async () => {
  verifies('SEC-052');
  await using as = await authorizationServer();
  await using server = await mcp(() => ({ issuers: [as.origin] }));
  const person = new Person();
  const { error, seen, trace } = await attempt(server, person);
  expect(error).toBeUndefined();
  expect(person.visits).toHaveLength(1);
  expect(trace.length).toBeGreaterThan(8);
  expect(as.secrets.size).toBeGreaterThanOrEqual(3);
  expect(leaked(as, seen)).toEqual([]);
});

describe('mix-up', () => {
  test.each<[string, (issuer: string) => string]>([
    ['another issuer', () => 'https://evil.example'],
    ['a slash more', (issuer) => `${issuer}/`],
    ['other letters', (issuer) => issuer.replace('http:', 'HTTP:')],
    ['an encoded dot', (issuer) => issuer.replaceAll('.', '%2E')],
  ])('a response from %s is not taken, nor its error shown', async (_, other) => {
    verifies('AUTH-077', 'AUTH-079', 'AUTH-080');
    await using as = await authorizationServer();
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    for (const error of [undefined, 'shown_to_nobody']) {
      const person = new Person((back) => {
        back.searchParams.set('iss', other(as.origin));
        if (error !== undefined) back.searchParams.set('error', error);
        return back;
      });
      const outcome = await attempt(server, person);
      expect(outcome.error).toMatchObject(failed('authorization response', /from another issuer/));
      expect(outcome.seen).not.toContain('shown_to_nobody');
      expect(leaked(as, outcome.seen)).toEqual([]);
    }
    expect(as.auth.paths).not.toContain('/token');
  });

  test('a response that does not name its issuer it is from, although its server promised so, is not taken', async () => {
    verifies('AUTH-078');
    await using as = await authorizationServer();
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    const person = new Person((back) => {
      back.searchParams.delete('iss');
      return back;
    });
    expect((await attempt(server, person)).error).toMatchObject(
      failed('authorization response', /does not name its issuer/),
    );
    expect(as.auth.paths).not.toContain('/token');
  });

  test('a response that names two issuers is not taken', async () => {
    await using as = await authorizationServer();
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    const person = new Person((back) => {
      back.searchParams.append('iss', 'https://evil.example');
      return back;
    });
    expect((await attempt(server, person)).error).toMatchObject(failed('authorization response', /another issuer/));
    expect(as.auth.paths).not.toContain('/token');
  });

  test('a server that sends people on to an honest one does not get the code they come back with', async () => {
    verifies('AUTH-077');
    const back = 'http://127.0.0.1:1/callback';
    await using honest = await authorizationServer(() => ({ clients: [{ id: 'shared', redirectUris: [back] }] }));
    await using evil = await anybody((origin) => {
      const fake = new AuthorizationServer({ issuer: origin });
      return async (request) => {
        const url = new URL(request.url);
        if (url.pathname === '/register') return answered({ client_id: 'shared' }, 201);
        if (url.pathname !== '/authorize') return fake.fetch(request);
        return new Response(null, { status: 302, headers: { location: `${honest.origin}/authorize${url.search}` } });
      };
    });
    await using server = await mcp(() => ({ issuers: [evil.origin] }));
    const { error, seen } = await attempt(server, new Person());
    expect(error).toMatchObject(failed('authorization response', /another issuer/));
    expect(honest.secrets.size).toBe(1);
    expect(leaked(honest, seen, evil.knocks, server.knocks)).toEqual([]);
    expect(evil.knocks.map(({ path }) => path)).not.toContain('/token');
  });
});

describe('code injection', () => {
  test.each<[string, (params: URLSearchParams) => void]>([
    ['with the state of another sign-in', (params) => params.set('state', 'of-another')],
    ['without a state', (params) => params.delete('state')],
    ['with two states', (params) => params.append('state', 'of-another')],
    ['with half a state', (params) => params.set('state', (params.get('state') ?? '').slice(0, -1))],
  ])('a response %s is not taken', async (_, change) => {
    verifies('AUTH-113');
    await using as = await authorizationServer();
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    const person = new Person((back) => {
      back.searchParams.set('code', 'code-of-the-attacker');
      change(back.searchParams);
      return back;
    });
    const { error, seen } = await attempt(server, person);
    expect(error).toMatchObject(failed('authorization response', /belongs to another sign-in/));
    expect(seen).not.toContain('code-of-the-attacker');
    expect(as.auth.paths).not.toContain('/token');
  });

  test('a code of another sign-in with the right state fails for want of the right verifier', async () => {
    verifies('AUTH-107');
    await using as = await authorizationServer();
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    let stolen: string | undefined;
    const person = new Person((back) => {
      const own = back.searchParams.get('code');
      if (stolen !== undefined) back.searchParams.set('code', stolen);
      stolen = own ?? undefined;
      return back;
    });
    // The first one's code is lost on the way.
    const losing = new Person((back) => {
      stolen = back.searchParams.get('code') ?? undefined;
      back.searchParams.delete('code');
      return back;
    });
    expect((await attempt(server, losing)).error).toMatchObject(failed('authorization response', /neither a code/));
    const { error, seen } = await attempt(server, person);
    expect(error).toMatchObject(failed('token', /invalid_grant/));
    expect(leaked(as, seen)).toEqual([]);
  });
});

describe('metadata', () => {
  test.each([
    ['another issuer', 'https://attacker.example'],
    ['the issuer with a slash', undefined],
  ])('that names %s is not used at all', async (_, issuer) => {
    verifies('AUTH-039', 'AUTH-040');
    await using as = await authorizationServer((origin) => ({ says: { issuer: issuer ?? `${origin}/` } }));
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    const person = new Person();
    expect((await attempt(server, person)).error).toMatchObject(
      failed('authorization server metadata', /its issuer is .* was asked/),
    );
    expect(person.visits).toEqual([]);
    expect(new Set(as.auth.paths)).toEqual(new Set(['/.well-known/oauth-authorization-server']));
  });

  test.each<[string, Record<string, unknown>]>([
    ['nothing of PKCE', { code_challenge_methods_supported: undefined }],
    ['only the plain method', { code_challenge_methods_supported: ['plain'] }],
    ['an empty list', { code_challenge_methods_supported: [] }],
    ['text in place of a list', { code_challenge_methods_supported: 'S256' }],
  ])('a server with %s stops the flow before the user is asked', async (_, says) => {
    verifies('AUTH-108');
    for (const metadata of ['oauth', 'oidc'] as const) {
      await using as = await authorizationServer(() => ({ says, metadata }));
      await using server = await mcp(() => ({ issuers: [as.origin] }));
      const person = new Person();
      expect((await attempt(server, person)).error).toMatchObject(failed('authorization request', /not safe/));
      expect(person.visits).toEqual([]);
      expect(as.auth.paths).not.toContain('/register');
    }
  });

  test.each([
    'javascript:alert(document.cookie)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///C:/Windows/System32/calc.exe',
    'ms-msdt:/id PCWDiagnostic',
    'http://auth.example/authorize',
    'http://10.0.0.1/authorize',
    'https://honest.example@evil.example/authorize',
    '-flag',
    '/authorize',
    '$(calc.exe)',
  ])('does not make a browser open %s', async (endpoint) => {
    verifies('SEC-037', 'SEC-038');
    await using as = await authorizationServer(() => ({ says: { authorization_endpoint: endpoint } }));
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    const person = new Person();
    expect((await attempt(server, person)).error).toMatchObject({ code: 'MCP_AUTH_BLOCKED', kind: 'auth' });
    expect(person.visits).toEqual([]);
    expect(as.auth.paths).not.toContain('/register');
  });

  test('cannot put its own words into our request for consent', async () => {
    const own =
      'redirect_uri=https://evil.example&redirect_uri=https://evil.example/2&state=x&code_challenge=y&keep=me';
    await using as = await authorizationServer((origin) => ({
      says: { authorization_endpoint: `${origin}/authorize?${own}&client_id=theirs&code_challenge_method=plain#frag` },
    }));
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    const person = new Person();
    expect((await attempt(server, person)).error).toBeUndefined();
    const { searchParams, hash } = new URL(person.visits[0] ?? '');
    for (const name of ['redirect_uri', 'state', 'client_id', 'code_challenge', 'code_challenge_method'])
      expect(searchParams.getAll(name)).toHaveLength(1);
    expect(searchParams.get('redirect_uri')).toBe('http://127.0.0.1:1/callback');
    expect(searchParams.get('code_challenge_method')).toBe('S256');
    expect([searchParams.get('keep'), hash]).toEqual(['me', '']);
  });

  test('cannot fill the credential store with what it issues', async () => {
    const long = 'x'.repeat(MiB / 4);
    await using as = await authorizationServer();
    as.auth.instead.set('/token', () =>
      answered({ access_token: 'token', token_type: 'Bearer', refresh_token: long, scope: long, id_token: long }),
    );
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    const memory = memoryCredentials();
    let longest = 0;
    const write: CredentialStore['write'] = async (key, value) => {
      longest = Math.max(longest, key.length + value.length);
      await memory.write(key, value);
    };
    const options = { store: { ...memory, write } };
    const person = new Person();
    expect((await attempt(server, person, undefined, options)).error).toBeUndefined();
    expect(longest).toBeLessThan(4096);
    as.auth.instead.set('/register', ({ json }) =>
      answered({ ...json, client_id: 'c', client_secret: long, token_endpoint_auth_method: long }, 201),
    );
    as.auth.instead.set('/token', () => answered({ error: 'invalid_client' }, 401));
    await attempt(server, person, undefined, { store: { ...memory, read: async () => undefined, write } });
    expect(longest).toBeLessThan(4096);
  });

  test('cannot make the user request more scopes than a URL can hold', async () => {
    await using as = await authorizationServer();
    const scopes = Array.from({ length: 2_000 }, (_, n) => `scope-number-${n}`);
    await using server = await mcp(() => ({ issuers: [as.origin], says: { scopes_supported: scopes } }));
    const person = new Person();
    expect((await attempt(server, person)).error).toMatchObject({
      code: 'MCP_AUTH_FAILED',
      details: { step: 'scopes', why: expect.stringContaining('the limit is 16384') },
    });
    expect(person.visits).toEqual([]);
  });

  const JSON_TYPE = { 'content-type': 'application/json' };
  test.each<[string, () => Response, object]>([
    [
      'that is too large',
      () => new Response(`"${'x'.repeat(2 * MiB)}"`, { headers: JSON_TYPE }),
      { code: 'MCP_AUTH_FAILED', cause: expect.objectContaining({ code: 'MCP_TOO_LARGE' }) },
    ],
    [
      'that unpacks to too much',
      () =>
        new Response(gzipSync(Buffer.alloc(8 * MiB, ' ')), { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } }),
      { code: 'MCP_AUTH_FAILED', cause: expect.objectContaining({ code: 'MCP_TOO_LARGE' }) },
    ],
    [
      'that is nested too deeply',
      () => new Response('['.repeat(100_000), { headers: JSON_TYPE }),
      { code: 'MCP_AUTH_FAILED' },
    ],
    [
      'that is no JSON',
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      { code: 'MCP_AUTH_FAILED' },
    ],
    ['that is a list', () => answered([]), { code: 'MCP_AUTH_FAILED' }],
    ['without anything in it', () => answered({}), { code: 'MCP_AUTH_FAILED' }],
    [
      'that is redirected in a circle',
      () => new Response(null, { status: 302, headers: { location: '' } }),
      { code: 'MCP_AUTH_BLOCKED' },
    ],
    [
      'that is redirected to the secrets of a cloud',
      () => new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/latest/' } }),
      { code: 'MCP_AUTH_BLOCKED' },
    ],
  ])('%s is refused', async (_, response, expected) => {
    verifies('SEC-020');
    await using evil = await anybody(() => () => response());
    await using server = await mcp(() => ({ issuers: [evil.origin] }));
    const person = new Person();
    expect((await attempt(server, person)).error).toMatchObject(expected);
    expect(person.visits).toEqual([]);
    expect(evil.knocks.length).toBeLessThan(9);
  });
});

describe('a token endpoint', () => {
  const told =
    (body: object, status = 200) =>
    (): Response =>
      answered(body, status);
  test.each<[string, () => Response, object]>([
    [
      'that answers with a page',
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      failed('token', /no access_token/),
    ],
    ['that answers with nothing', () => new Response(null, { status: 204 }), failed('token', /status 204/)],
    ['that answers with an empty object', told({}), failed('token', /no access_token/)],
    ['that answers with a list', told([1]), failed('token', /no access_token/)],
    ['whose token is a number', told({ access_token: 1, token_type: 'Bearer' }), failed('token', /no access_token/)],
    [
      'whose token holds a line break',
      told({ access_token: 'a\r\nX-Evil: 1', token_type: 'Bearer' }),
      failed('token', /no access_token/),
    ],
    [
      'whose token is too long to send',
      told({ access_token: 'a'.repeat(20_000), token_type: 'Bearer' }),
      failed('token', /no access_token/),
    ],
    [
      'whose token is of another kind',
      told({ access_token: 'a', token_type: 'mac' }),
      failed('token', /token_type mac/),
    ],
    [
      'whose token is bound to a key',
      told({ access_token: 'a', token_type: 'DPoP' }),
      failed('token', /token_type DPoP/),
    ],
    ['whose token is of no kind', told({ access_token: 'a' }), failed('token', /token_type none/)],
    ['that fails', told({ error: 'x' }, 500), failed('token', /status 500/)],
    ['that refuses without a word', () => new Response(null, { status: 400 }), failed('token', /status 400/)],
    ['that refuses for good', told({ error: 'invalid_grant' }, 400), failed('token', /invalid_grant/)],
    [
      'that sends the code on',
      () => new Response(null, { status: 307, headers: { location: 'https://evil.example/' } }),
      { code: 'MCP_AUTH_BLOCKED' },
    ],
    [
      'that never ends',
      () => new Response(`{"a":"${'x'.repeat(2 * MiB)}"}`, { headers: { 'content-type': 'application/json' } }),
      { code: 'MCP_AUTH_FAILED', cause: expect.objectContaining({ code: 'MCP_TOO_LARGE' }) },
    ],
  ])('%s fails clearly, once, and is shown nothing more', async (_, response, expected) => {
    await using as = await authorizationServer();
    as.auth.instead.set('/token', response);
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    const person = new Person();
    const { error, seen } = await attempt(server, person);
    expect(error).toMatchObject(expected);
    expect(person.visits).toHaveLength(1);
    expect(as.auth.paths.filter((path) => path === '/token')).toHaveLength(1);
    expect(server.knocks.filter(({ authorization }) => authorization !== null)).toEqual([]);
    expect(leaked(as, seen)).toEqual([]);
  });

  test('a server that repeats secrets with control characters is quoted without both', async () => {
    verifies('SEC-052');
    await using as = await authorizationServer();
    as.auth.instead.set('/token', ({ params }) =>
      answered(
        { error: 'invalid_grant', error_description: `\u001b[2J${params.get('code')} ${params.get('code_verifier')}` },
        400,
      ),
    );
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    const { error, seen } = await attempt(server, new Person());
    expect(error).toMatchObject(failed('token', /invalid_grant/));
    expect(leaked(as, seen)).toEqual([]);
    expect(String(error)).not.toContain('\u001b');
  });

  test('is the one that was discovered, even if the metadata changes its mind meanwhile', async () => {
    verifies('AUTH-074');
    await using thief = await anybody(() => () => answered({ access_token: 'x', token_type: 'Bearer' }));
    await using as = await authorizationServer();
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    const person = new Person((back) => {
      const swapped = { ...as.auth.document(), token_endpoint: `${thief.origin}/token` };
      as.auth.instead.set('/.well-known/oauth-authorization-server', () => answered(swapped));
      return back;
    });
    const { error, seen } = await attempt(server, person);
    expect(error).toBeUndefined();
    expect(thief.knocks).toEqual([]);
    expect(leaked(as, seen, thief.knocks)).toEqual([]);
  });
});

test('a refresh token that is good for one use is used once by all who share a file of credentials', async () => {
  await using as = await authorizationServer();
  const refreshed: (string | null)[] = [];
  let valid = 'token-0';
  as.auth.instead.set('/token', async ({ params }) => {
    if (params.get('grant_type') === 'refresh_token') {
      refreshed.push(params.get('refresh_token'));
      // As most authorization servers do: the second use can be a thief's, so all tokens are revoked.
      if (refreshed.length > 1) return answered({ error: 'invalid_grant' }, 400);
      valid = 'token-1';
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return answered({ access_token: valid, token_type: 'Bearer', refresh_token: `refresh-of-${valid}` });
  });
  await using server = await mcp((origin) => ({
    issuers: [as.origin],
    instead: ({ url, headers }) =>
      new URL(url).pathname === '/mcp' && headers.get('authorization') !== `Bearer ${valid}`
        ? challenge(401, { resource_metadata: origin + METADATA })
        : undefined,
  }));
  const folder = await mkdtemp(join(tmpdir(), 'mooring-'));
  try {
    const path = join(folder, 'kept', 'credentials');
    const person = new Person();
    const come = (): Promise<Outcome> =>
      attempt(server, person, undefined, { store: fileCredentials(path, { key: new Uint8Array(32) }) });
    expect((await come()).error).toBeUndefined();
    valid = 'none, until it is refreshed';
    const outcomes = await Promise.all([come(), come(), come(), come()]);
    expect(outcomes.map(({ error }) => error)).toEqual(Array(4).fill(undefined));
    expect([refreshed, person.visits.length]).toEqual([['refresh-of-token-0'], 1]);
    expect(await readdir(dirname(path))).toEqual(['credentials']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
