/** Which requests bearer() accepts, what a rejection tells the client, and what the log gets. */
import { expect, test } from 'vitest';
import { AuthorizationServer, type AuthorizationServerOptions } from '../../../test/support/authorization-server.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Authenticator, AuthRejection } from '../../model/auth.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { parseChallenges } from '../../model/challenge.ts';
import { type VirtualClock, virtualClock } from '../../testing/virtual-clock.ts';
import { DpopProofs } from '../client/identity/dpop.ts';
import { type BearerOptions, bearer } from './bearer.ts';
import { introspection } from './introspection.ts';
import { jwt } from './jwt.ts';
import type { BearerRejection } from './rejection.ts';

const audience = 'https://dock.example/mcp';
const metadataUrl = 'https://dock.example/.well-known/oauth-protected-resource/mcp';

interface Scene {
  readonly server: AuthorizationServer;
  readonly clock: VirtualClock;
  readonly auth: Authenticator;
  readonly told: BearerRejection[];
  token(claims?: JsonObject): Promise<string>;
  /** Sends the headers, or a bearer token. */
  knock(shown: string | Readonly<Record<string, string>>, query?: string): Promise<AuthInfo | AuthRejection>;
}

function scene(options: Partial<BearerOptions> & { readonly issuing?: AuthorizationServerOptions } = {}): Scene {
  const { issuing, ...more } = options;
  const clock = virtualClock();
  const server = new AuthorizationServer({ now: () => clock.wall() / 1000, ...issuing });
  const told: BearerRejection[] = [];
  const verify = jwt({ issuer: server.issuer, fetch: server.fetch });
  const auth = bearer({ verify, audience, clock, onRejected: (one) => void told.push(one), ...more });
  return {
    server,
    clock,
    auth,
    told,
    token: (claims) => server.issue({ aud: audience, ...claims }),
    knock: async (shown, query) => {
      const headers = new Map(Object.entries(typeof shown === 'string' ? { authorization: `Bearer ${shown}` } : shown));
      return auth({ method: 'POST', path: '/mcp', query, header: (name) => headers.get(name) });
    },
  };
}

/** A rejection, and its parsed challenges. */
function refused(answer: AuthInfo | AuthRejection): { status: number; challenges: unknown[] } {
  if (!('wwwAuthenticate' in answer)) throw new Error('was let in');
  const challenges = parseChallenges(answer.wwwAuthenticate);
  return { status: answer.status, challenges: challenges.map((one) => [one.scheme, Object.fromEntries(one.params)]) };
}

const described = (text: string): unknown => expect.stringMatching(new RegExp(`^${text} \\([\\da-f]{8}\\)$`));

test('bearer() turns a valid token into caller and scopes', async () => {
  verifies('AUTH-088', 'AUTH-092', 'EXTAUTH-62');
  const { knock, token, clock } = scene();
  expect(await knock(await token({ scope: 'read write', tenant: 't1' }))).toEqual({
    issuer: 'https://auth.example',
    subject: 'ada',
    clientId: 'cli',
    scopes: ['read', 'write'],
    expiresAt: clock.wall() + 300_000,
    claims: expect.objectContaining({ sub: 'ada', tenant: 't1' }),
  });
});

test.each<[JsonObject, Partial<AuthInfo>]>([
  [{ client_id: undefined, azp: 'app' }, { clientId: 'app' }],
  [{ client_id: 'cli', azp: 'app' }, { clientId: 'cli' }],
  [{ scope: 'orders:read a,b' }, { scopes: ['orders:read', 'a,b'] }],
  [{ scope: undefined, scp: ['a', 'b', 7] }, { scopes: ['a', 'b'] }],
  [{ scope: undefined, scp: 'a b' }, { scopes: ['a', 'b'] }],
  [{ scope: '  a   b ' }, { scopes: ['a', 'b'] }],
  [{ scope: 7 }, { scopes: [] }],
  [{ sub: undefined }, { clientId: 'cli' }],
])('bearer() converts the claims %j to %j', async (claims, info) => {
  const { knock, token } = scene();
  expect(await knock(await token(claims))).toMatchObject(info);
});

test('a request without credentials gets 401 with the metadata URL and without an error', async () => {
  verifies('AUTH-007', 'AUTH-027', 'AUTH-028', 'AUTH-060', 'SEC-053', 'AUTH-095');
  const { knock, auth } = scene({ scopes: ['read'], realm: 'Dock' });
  const expected = {
    status: 401,
    challenges: [['bearer', { realm: 'Dock', scope: 'read', resource_metadata: metadataUrl }]],
  };
  expect(refused(await knock({}))).toEqual(expected);
  expect(refused(await knock({ authorization: 'Basic YWRhOnB3' }))).toEqual(expected);
  expect(refused(await knock({ authorization: 'DPoP abc' }))).toEqual(expected);
  expect([...(auth.documents?.keys() ?? [])]).toEqual([new URL(metadataUrl).pathname]);
});

test.each([
  'Bearer',
  'Bearer ',
  'bearer a b',
  'Bearer a, Bearer b',
  'Bearer a,b',
  'Bearer "a"',
  'Bearer ä',
  'Bearer =a',
  `Bearer ${'a'.repeat(16 * 1024)}`,
])('the Authorization field %.30j is malformed: 400', async (authorization) => {
  verifies('AUTH-095');
  const { knock, server } = scene();
  const params = {
    error: 'invalid_request',
    error_description: described('The credentials cannot be read'),
    resource_metadata: metadataUrl,
  };
  expect(refused(await knock({ authorization }))).toEqual({ status: 400, challenges: [['bearer', params]] });
  expect(server.requests).toEqual([]);
});

test('an Authorization field of 16 kB is read', async () => {
  const { knock } = scene();
  expect(refused(await knock('a'.repeat(16 * 1024 - 'Bearer '.length))).status).toBe(401);
});

test('a token in the URL is rejected, alone and together with a valid one', async () => {
  verifies('AUTH-095', 'SEC-052');
  const { knock, token, told } = scene();
  const good = await token();
  for (const shown of [{}, { authorization: `Bearer ${good}` }]) {
    expect(refused(await knock(shown, `a=b&access_token=${good}`)).status).toBe(400);
  }
  expect(JSON.stringify(told)).not.toContain(good);
});

test.each<[string, JsonObject, string]>([
  ['for another server', { aud: 'https://other.example/mcp' }, 'its audience is "https://other.example/mcp"'],
  ['for the whole origin', { aud: 'https://dock.example' }, 'its audience is'],
  ['for the path with a slash', { aud: 'https://dock.example/mcp/' }, 'its audience is'],
  ['for a path that differs in its last letter', { aud: 'https://dock.example/mcq' }, 'its audience is'],
  ['for a host that ends in the path', { aud: 'https://dock.examplemcp' }, 'its audience is'],
  ['for a text that ends in it', { aud: `x${audience}` }, 'its audience is'],
  ['for a text of two lines', { aud: `${audience}\n` }, 'its audience is'],
  ['for a long text', { aud: 'x'.repeat(300) }, `its audience is "${'x'.repeat(199)}, not ${audience}`],
  ['for a path below', { aud: 'https://dock.example/mcp/x' }, 'its audience is'],
  ['for a path that only looks alike', { aud: 'https://dock.example/MCP' }, 'its audience is'],
  ['with the audience *', { aud: '*' }, 'its audience is "*"'],
  ['for something generic', { aud: 'account' }, 'its audience is "account"'],
  ['for several others', { aud: ['a', 'b', ''] }, 'its audience is ["a","b",""]'],
  ['without an audience', { aud: [] }, 'its audience is []'],
  ['without subject and client', { sub: undefined, client_id: undefined }, 'it has neither a subject nor a client'],
  ['with an empty subject and client', { sub: '', client_id: '', azp: 7 }, 'it has neither a subject nor a client'],
  ['that has expired', { exp: 999_999_000 }, '"exp"'],
  ['that will be good', { nbf: 1_000_001_000 }, '"nbf"'],
  ['of another issuer', { iss: 'https://evil.example' }, '"iss"'],
])('a token %s gets 401, and only the log has the reason', async (_what, claims, why) => {
  verifies('AUTH-088', 'AUTH-089', 'AUTH-090', 'AUTH-092', 'AUTH-093', 'AUTH-095');
  verifies('SEC-016', 'SEC-051', 'SEC-054', 'SEC-056', 'EXTAUTH-39');
  const { knock, token, told } = scene();
  const answer = await knock(await token(claims));
  const params = {
    error: 'invalid_token',
    error_description: described('The token is not accepted'),
    resource_metadata: metadataUrl,
  };
  expect(refused(answer)).toEqual({ status: 401, challenges: [['bearer', params]] });
  expect(told).toMatchObject([{ status: 401, error: 'invalid_token', why: expect.stringContaining(why) }]);
  // The same id is in the challenge and in the log.
  expect(JSON.stringify(answer)).toContain(told[0]?.id);
});

test.each(['https://dock.example/mcp', 'HTTPS://Dock.Example/mcp'])(
  'a token for the audience %s is accepted',
  async (aud) => {
    verifies('AUTH-084');
    const { knock, token } = scene();
    expect(await knock(await token({ aud: ['https://other.example', aud] }))).toMatchObject({ subject: 'ada' });
  },
);

test('a token is accepted up to one minute after it expires and before it becomes valid (clock skew)', async () => {
  const { knock, token, clock } = scene();
  const now = clock.wall() / 1000;
  for (const claims of [{ exp: now - 59 }, { nbf: now + 60 }])
    expect(await knock(await token(claims))).toMatchObject({ subject: 'ada' });
  for (const claims of [{ exp: now - 60 }, { nbf: now + 61 }])
    expect(await knock(await token(claims))).toMatchObject({ status: 401 });
});

test('an audience that is a bare origin matches with and without its slash', async () => {
  for (const own of ['https://dock.example', 'https://dock.example/']) {
    const { knock, server } = scene({ audience: own });
    for (const aud of ['https://dock.example', 'https://dock.example/']) {
      expect(await knock(await server.issue({ aud }))).toMatchObject({ subject: 'ada' });
    }
  }
});

test('a trailing slash is significant in an audience with a path', async () => {
  const own = 'https://dock.example/to/https://pier.example';
  const { knock, server } = scene({ audience: own });
  expect(await knock(await server.issue({ aud: own }))).toMatchObject({ subject: 'ada' });
  expect(await knock(await server.issue({ aud: `${own}/` }))).toMatchObject({ status: 401 });
});

test('a token for one server is rejected by another', async () => {
  verifies('AUTH-089', 'SEC-016');
  const here = scene();
  const { issuer, fetch } = here.server;
  const there = bearer({ verify: jwt({ issuer, fetch }), audience: 'https://pier.example/mcp', clock: here.clock });
  const authorization = `Bearer ${await here.token()}`;
  const request = { method: 'POST', path: '/mcp', header: () => authorization };
  expect(await here.auth(request)).toMatchObject({ subject: 'ada' });
  expect(refused(await there(request)).status).toBe(401);
});

test('a token without a scope of the endpoint gets 403 with all required scopes', async () => {
  verifies('AUTH-066', 'AUTH-067', 'AUTH-068', 'AUTH-095', 'SEC-046', 'SEC-047', 'SEC-050');
  const { knock, token, auth, told } = scene({ scopes: ['read', 'list'] });
  const params = (scope: string): unknown => ({
    error: 'insufficient_scope',
    error_description: described('The token lacks a scope'),
    scope,
    resource_metadata: metadataUrl,
  });
  expect(refused(await knock(await token({ scope: 'read' })))).toEqual({
    status: 403,
    challenges: [['bearer', params('read list')]],
  });
  const caller = await knock(await token({ scope: 'list read' }));
  if ('wwwAuthenticate' in caller || auth.insufficient === undefined) throw new Error('was not let in');
  expect(refused(auth.insufficient(['write', 'list', 'admin'], caller))).toEqual({
    status: 403,
    challenges: [['bearer', params('read list write admin')]],
  });
  expect(told).toMatchObject([
    { status: 403, error: 'insufficient_scope', why: 'it lacks list', auth: { subject: 'ada' } },
    { status: 403, error: 'insufficient_scope', why: 'it lacks write admin', auth: { subject: 'ada' } },
  ]);
});

test('the same missing scopes give the same challenge', async () => {
  verifies('AUTH-064');
  const { knock, token, auth } = scene({ scopes: ['b', 'a', 'b'] });
  const caller = await knock(await token({ scope: 'a b' }));
  const scopeOf = (answer: AuthRejection): unknown => /scope="([^"]*)"/.exec(answer.wwwAuthenticate)?.[1];
  const challenge = async (): Promise<unknown[]> => [
    scopeOf((await knock({})) as AuthRejection), // without credentials
    scopeOf((await knock(await token())) as AuthRejection), // without scopes
    scopeOf(auth.insufficient?.([], caller as AuthInfo) as AuthRejection), // both are accepted above
  ];
  expect(await challenge()).toEqual(['b a', 'b a', 'b a']);
  expect(await challenge()).toEqual(await challenge());
});

test('a scope includes those it implies, transitively', async () => {
  verifies('AUTH-073');
  const implies = { admin: ['write'], write: ['read', 'write'], loop: ['loop', 'admin'] };
  const { knock, token } = scene({ scopes: ['read'], implies });
  for (const scope of ['read', 'write', 'admin', 'loop']) {
    expect(await knock(await token({ scope }))).toMatchObject({ subject: 'ada' });
  }
  expect(await knock(await token({ scope: 'admin x' }))).toMatchObject({ scopes: ['admin', 'x', 'write', 'read'] });
  for (const scope of ['x', 'Read', 'reads', '__proto__', 'constructor']) {
    expect(refused(await knock(await token({ scope }))).status).toBe(403);
  }
});

test('the claims of a verifier function are checked like all others', async () => {
  verifies('AUTH-089', 'SEC-051');
  const claims: JsonObject = { iss: 'https://own.example', aud: audience, sub: 'ada', scope: 'read' };
  const authorizationServers = ['https://own.example'];
  const judged = async (says: unknown): Promise<number | undefined> => {
    const { knock } = scene({ authorizationServers, verify: () => says as JsonObject });
    const answer = await knock('t');
    return 'wwwAuthenticate' in answer ? answer.status : undefined;
  };
  expect(await judged(claims)).toBeUndefined();
  for (const says of [undefined, null, 'yes', true, [], {}]) expect(await judged(says)).toBe(401);
  for (const wrong of [
    { iss: undefined },
    { iss: 'https://evil.example' },
    { aud: undefined },
    { aud: 'x' },
    { aud: [[audience]] },
    { exp: 1 },
    { exp: 'soon' },
    { exp: Number.NaN },
    { nbf: 9_999_999_999 },
    { sub: undefined },
  ]) {
    expect(await judged({ ...claims, ...wrong })).toBe(401);
  }
});

test('bearer() reports 503, not 401, when the verifier itself fails', async () => {
  const { knock, told } = scene({
    authorizationServers: ['https://own.example'],
    verify: (token) => Promise.reject(new Error(`the database is away; looked for ${token}, not found: ${token}`)),
  });
  await expect(knock('abc123')).rejects.toThrow('the database is away');
  expect(told).toEqual([
    {
      id: expect.stringMatching(/^[\da-f]{8}$/),
      status: 503,
      error: undefined,
      why: 'the database is away; looked for …, not found: …',
    },
  ]);
});

test('handlers get no part of the token, even if a verifier puts it into the claims', async () => {
  const authorizationServers = ['https://own.example'];
  const verify = (token: string): JsonObject => ({
    iss: 'https://own.example',
    aud: audience,
    sub: 'ada',
    token,
    nested: { deep: [`Bearer ${token}`] },
    tenant: 't1',
    later: undefined,
  });
  const { knock } = scene({ authorizationServers, verify });
  const auth = await knock('abc.123~x');
  expect(JSON.stringify(auth)).not.toContain('abc.123~x');
  expect(auth).toMatchObject({ claims: { sub: 'ada', tenant: 't1' } });
});

test('changes to the claims of one request do not reach the next', async () => {
  const claims = { iss: 'https://own.example', aud: audience, sub: 'ada', roles: ['user'] };
  const { knock } = scene({ authorizationServers: ['https://own.example'], verify: () => claims });
  const first = await knock('t');
  const roles = 'claims' in first ? (first.claims?.['roles'] ?? []) : [];
  expect(roles).toEqual(['user']);
  (roles as string[]).push('admin'); // the test's own verifier returned it
  expect(await knock('t')).toMatchObject({ claims: { roles: ['user'] } });
});

test('requests with the same token share one frozen caller object', async () => {
  const { knock, token } = scene();
  const shown = await token({ roles: ['user'] });
  const first = await knock(shown);
  expect(await knock(shown)).toBe(first);
  expect(() => Object.assign(first, { subject: 'eve' })).toThrow(TypeError);
  const roles = 'claims' in first ? first.claims?.['roles'] : undefined;
  expect(() => (roles as string[]).push('admin')).toThrow(TypeError); // the test put it there
});

test('claims that are not deeply frozen, or are longer than the token, are not taken from the cache', async () => {
  const own = { authorizationServers: ['https://own.example'] };
  const facts = { iss: 'https://own.example', aud: audience, sub: 'ada' };
  const nested = { role: 'user' };
  const claims = Object.freeze({ ...facts, nested });
  const changing = scene({ ...own, verify: () => claims });
  const long = 'x'.repeat(1_000);
  await changing.knock(long);
  nested.role = 'admin';
  expect(await changing.knock(long)).toMatchObject({ claims: { nested: { role: 'admin' } } });
  const shared = Object.freeze({ ...facts, note: 'abc' });
  const { knock } = scene({ ...own, verify: () => shared });
  expect(await knock(long)).toMatchObject({ claims: { note: 'abc' } });
  expect(await knock('abc')).not.toHaveProperty('claims.note');
  expect(await knock(long)).toMatchObject({ claims: { note: 'abc' } });
});

test('an exception of onRejected does not change the response', async () => {
  const { knock } = scene({
    onRejected: () => {
      throw new Error('the log is full');
    },
  });
  expect(refused(await knock({})).status).toBe(401);
});

test('a realm or scope cannot inject quotes or line breaks into the challenge', async () => {
  for (const realm of [
    '"',
    '\\',
    'a", Basic realm="b',
    'a\r\nSet-Cookie: x=y\r\n\r\n',
    '\u0000',
    'ü\u2028\ud800',
    ', Bearer',
  ]) {
    const { knock } = scene({ realm });
    const answer = await knock({});
    if (!('wwwAuthenticate' in answer)) throw new Error('was let in');
    expect(answer.wwwAuthenticate).toMatch(/^Bearer [\x20-\x7e]*$/);
    expect(parseChallenges(answer.wwwAuthenticate)).toHaveLength(1);
  }
  for (const scope of ['a", error="x', 'a\r\nSet-Cookie: x=y', 'ä']) {
    expect(() => scene({ scopes: [scope] })).toThrow('printable ASCII');
  }
});

test.each<[string, Partial<BearerOptions>, string]>([
  [
    'another issuer than its verifier',
    { authorizationServers: ['https://b.example'] },
    'must name https://auth.example',
  ],
  ['no issuer at all', { verify: () => undefined }, '"authorizationServers" is empty'],
  ['nonces without proofs', { nonces: true }, 'bearer: "nonces" are for DPoP proofs'],
  ['a short key', { dpop: 'accepted', nonces: new Uint8Array(31) }, 'a key of 32 bytes'],
  ['time that runs backwards', { clockSkewMs: -1 }, 'not negative'],
  ['offline_access', { scopes: ['offline_access'] }, 'for clients; leave it out'],
  ['an audience that is not a URL', { audience: 'dock' }, 'is not a URL'],
])('bearer() rejects its options: %s', (_what, options, why) => {
  verifies('AUTH-026', 'AUTH-100');
  expect(() => scene(options)).toThrow(why);
});

test('the metadata names only the scopes of the endpoint, unless scopesSupported is set', () => {
  verifies('SEC-046', 'SEC-050', 'AUTH-024');
  const documentOf = (options: Partial<BearerOptions>): unknown =>
    [...(scene(options).auth.documents?.values() ?? [])][0];
  expect(documentOf({ scopes: ['read'] })).toEqual({
    resource: audience,
    authorization_servers: ['https://auth.example'],
    scopes_supported: ['read'],
    bearer_methods_supported: ['header'],
  });
  expect(documentOf({ scopes: ['read'], scopesSupported: ['read', 'write'] })).toMatchObject({
    scopes_supported: ['read', 'write'],
  });
  expect(documentOf({ dpop: 'required' })).toMatchObject({ dpop_bound_access_tokens_required: true });
});

test('authorizationServerMetadata is published at the well-known path of the server', () => {
  verifies('AUTH-009', 'AUTH-013');
  const metadata = { issuer: 'https://auth.example', token_endpoint: 'https://auth.example/token' };
  const { auth } = scene({ authorizationServerMetadata: metadata });
  expect(auth.documents?.get('/.well-known/oauth-authorization-server')).toEqual(metadata);
});

interface Bound extends Scene {
  /** A request with a DPoP-bound token, and a proof by its key. */
  proven(more?: {
    claims?: JsonObject;
    scheme?: string;
    proof?: string | undefined;
  }): Promise<AuthInfo | AuthRejection>;
  heard(answer: AuthInfo | AuthRejection): boolean;
}

function bound(options: Partial<BearerOptions> = {}): Bound {
  const it = scene({ dpop: 'accepted', ...options });
  const maker = new DpopProofs(it.clock);
  const url = new URL(audience);
  return {
    ...it,
    async proven(more = {}) {
      const { claims, scheme = 'DPoP' } = more;
      const accessToken = await it.token({ cnf: { jkt: await maker.thumbprint() }, ...claims });
      const dpop = 'proof' in more ? more.proof : await maker.proof({ method: 'POST', url, accessToken });
      return it.knock({ authorization: `${scheme} ${accessToken}`, ...(dpop === undefined ? {} : { dpop }) });
    },
    heard: (answer) => maker.rememberNonce(url, 'headers' in answer ? answer.headers?.['DPoP-Nonce'] : undefined),
  };
}

test('a DPoP-bound token is accepted only with a proof of its key', async () => {
  verifies('EXTAUTH-47', 'EXTAUTH-52');
  const { proven, told } = bound();
  expect(await proven()).toMatchObject({ subject: 'ada' });
  const asBearer = refused(await proven({ scheme: 'Bearer' }));
  expect(asBearer).toMatchObject({
    status: 401,
    challenges: [
      ['bearer', { error: 'invalid_token' }],
      ['dpop', {}],
    ],
  });
  for (const proof of [undefined, '', 'x']) {
    expect(refused(await proven({ proof }))).toMatchObject({
      status: 401,
      challenges: [['dpop', { error: 'invalid_dpop_proof', algs: expect.stringContaining('ES256') }]],
    });
  }
  expect(told.map(({ why }) => why)[0]).toBe('it is bound to a key, but the request has no DPoP proof');
});

test.each([{ cnf: undefined }, { cnf: {} }, { cnf: { jkt: '' } }, { cnf: { jkt: 7 } }, { cnf: 'x' }])(
  'a proof is worth nothing for a token with %j',
  async (claims) => {
    verifies('EXTAUTH-52');
    const { proven, told } = bound();
    expect(refused(await proven({ claims })).status).toBe(401);
    expect(told.map(({ why }) => why)).toEqual(['it is not bound to a key']);
  },
);

test('a DPoP proof of another key is rejected', async () => {
  verifies('EXTAUTH-52');
  const { proven, told } = bound();
  expect(refused(await proven({ claims: { cnf: { jkt: 'x' } } })).status).toBe(401);
  expect(told.map(({ why }) => why)).toEqual(['it was signed with another key than the token is bound to']);
});

test('a token that is bound to a certificate is rejected', async () => {
  const { knock, token } = scene();
  expect(refused(await knock(await token({ cnf: { 'x5t#S256': 'x' } }))).status).toBe(401);
});

test('the audience of a DPoP-bound token is checked too', async () => {
  verifies('EXTAUTH-48');
  const { proven } = bound({ scopes: ['read'] });
  expect(refused(await proven({ claims: { aud: 'https://other.example' } })).status).toBe(401);
  expect(refused(await proven({ claims: { scope: 'write' } })).status).toBe(403);
  expect(refused(await proven({ claims: { scope: 'write' }, proof: undefined })).status).toBe(401);
  expect(await proven({ claims: { scope: 'read' } })).toMatchObject({ subject: 'ada' });
});

test('the challenge names Bearer and DPoP with dpop accepted, and only DPoP with dpop required', async () => {
  verifies('EXTAUTH-47');
  expect(refused(await bound().knock({}))).toMatchObject({
    status: 401,
    challenges: [
      ['bearer', { resource_metadata: metadataUrl }],
      ['dpop', { algs: expect.any(String) }],
    ],
  });
  const { knock, token, proven } = bound({ dpop: 'required', scopes: ['read'] });
  expect(refused(await knock({})).challenges).toEqual([
    ['dpop', { scope: 'read', resource_metadata: metadataUrl, algs: expect.any(String) }],
  ]);
  expect(refused(await knock(await token({ scope: 'read' })))).toMatchObject({
    status: 401,
    challenges: [['dpop', { error: 'invalid_token' }]],
  });
  expect(await proven({ claims: { scope: 'read' } })).toMatchObject({ subject: 'ada' });
});

test('bearer() accepts a nonce key of exactly 32 bytes', () => {
  expect(() => bound({ nonces: new Uint8Array(32) })).not.toThrow();
});

test('a rejection that demands a DPoP nonce has one', async () => {
  verifies('EXTAUTH-56');
  const { proven, heard } = bound({ nonces: true });
  const first = await proven();
  expect(refused(first)).toMatchObject({ status: 401, challenges: [['dpop', { error: 'use_dpop_nonce' }]] });
  expect(heard(first)).toBe(true);
  expect(await proven()).toMatchObject({ subject: 'ada' });
});

test.each([
  [undefined, 'bearer({ verify, audience }): the options must be an object, not undefined'],
  [{ audience }, 'bearer: "verify" must be a function, such as jwt({ issuer }), not undefined'],
  [{ verify: (): undefined => undefined }, 'bearer: "audience" must be the URL of this endpoint, not undefined'],
  [{ verify: 'letmein', audience }, 'bearer: "verify" must be a function, such as jwt({ issuer }), not text'],
  [{ verify: (): undefined => undefined, audience, scope: [] }, 'there is no option "scope"; did you mean scopes'],
  [
    { ...{ verify: (): undefined => undefined, authorizationServers: ['https://a.example'], audience }, proofLog: {} },
    '"proofLog" remembers DPoP proofs; set dpop to "accepted" or "required"',
  ],
])('bearer() says what is missing or misspelt: %#', (options, why) => {
  expect(() => bearer(options as BearerOptions)).toThrow(why); // the compiler would report it
});

test('jwt() and introspection() say what is missing or misspelt', () => {
  const make = (from: unknown, options?: unknown) => () => (from as (options: unknown) => unknown)(options); // as above
  expect(make(jwt)).toThrow('jwt({ issuer }): the options must be an object, not undefined');
  expect(make(jwt, 'https://login.example.com')).toThrow('the options must be an object, not text');
  expect(make(jwt, { issuer: 'https://login.example.com', jwksUrl: 'x' })).toThrow('did you mean jwksUri?');
  const right = { issuer: 'https://a.example', endpoint: 'https://a.example/i', client: { id: 'a', secret: 'b' } };
  expect(make(introspection, right)).not.toThrow();
  for (const wrong of [{ issuer: 'a' }, { endpoint: '/i' }, { client: undefined }])
    expect(make(introspection, { ...right, ...wrong })).toThrow(
      '"issuer" and "endpoint" must be URLs, and "client" must be { id, secret }',
    );
});
