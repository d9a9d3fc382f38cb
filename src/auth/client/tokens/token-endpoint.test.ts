/** Token requests: client authentication, and validation of the response. */
import { generateKeyPairSync } from 'node:crypto';
import { exportJWK, exportPKCS8, generateKeyPair, type JWK } from 'jose';
import { describe, expect, test } from 'vitest';
import { answered } from '../../../../test/support/authorization-server.ts';
import { OAuthWorld, type WorldOptions } from '../../../../test/support/oauth-world.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import type { TokenSet } from '../credentials/token-store.ts';
import { findAuthorizationServer } from '../discovery/authorization-server.ts';
import { DpopProofs } from '../identity/dpop.ts';
import { type RegisteredClient, toIdentity } from './client-auth.ts';
import { isTokenRefusal, requestToken, type TokenRefusal } from './token-endpoint.ts';

const grant = { grant_type: 'client_credentials', resource: 'https://mcp.example/mcp' };

async function ask(world: OAuthWorld, client: RegisteredClient, params = grant): Promise<TokenSet | TokenRefusal> {
  const server = await findAuthorizationServer(world.context, world.server.issuer);
  return requestToken(world.context, { server, client: toIdentity(client), params });
}

const failing = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'nothing failed',
    (error: unknown) => error,
  );

const only = (...methods: string[]): WorldOptions => ({
  servers: [{ says: { token_endpoint_auth_methods_supported: methods }, clients: [{ id: 'cli', secret: 's3cret' }] }],
});

describe('client authentication', () => {
  test.each([
    ['client_secret_basic', `Basic ${btoa('cli:s3cret')}`, [null, null]],
    ['client_secret_post', null, ['cli', 's3cret']],
  ])('a client with a secret authenticates as the server wants: %s', async (method, authorization, posted) => {
    const world = new OAuthWorld(only(method));
    expect(isTokenRefusal(await ask(world, { id: 'cli', secret: 's3cret' }))).toBe(false);
    const request = world.server.requests.at(-1);
    expect(request?.headers.get('authorization')).toBe(authorization);
    expect(['client_id', 'client_secret'].map((name) => request?.params.get(name))).toEqual(posted);
  });

  test('a client without a secret sends only its id', async () => {
    const world = new OAuthWorld({ servers: [{ clients: [{ id: 'cli' }] }] });
    await ask(world, { id: 'cli' });
    const request = world.server.requests.at(-1);
    expect([request?.params.get('client_id'), request?.headers.get('authorization')]).toEqual(['cli', null]);
  });

  test('client ids and secrets with any character arrive unchanged', async () => {
    const secret = 'a:b c%&+/ü€"';
    const world = new OAuthWorld({ servers: [{ clients: [{ id: 'https://app.example/c:1', secret }] }] });
    expect(await ask(world, { id: 'https://app.example/c:1', secret })).toHaveProperty('accessToken');
  });

  test('a client secret is sent in the header if the metadata names no method', async () => {
    const world = new OAuthWorld({
      servers: [{ says: { token_endpoint_auth_methods_supported: undefined }, clients: [{ id: 'cli', secret: 's' }] }],
    });
    await ask(world, { id: 'cli', secret: 's' });
    expect(world.server.requests.at(-1)?.headers.get('authorization')).toMatch(/^Basic /);
  });

  test('a client secret is not sent to a server that does not accept one', async () => {
    const world = new OAuthWorld(only('tls_client_auth'));
    expect(await failing(ask(world, { id: 'cli', secret: 's3cret' }))).toMatchObject({
      message: expect.stringContaining('does not accept a client secret, only tls_client_auth'),
    });
    expect(world.tokenForms).toEqual([]);
  });
});

describe('a client with a key', () => {
  const known = async (alg: string) => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const world = new OAuthWorld({ servers: [{ clients: [{ id: 'cli', jwk: await withAlg(publicKey, alg) }] }] });
    return { privateKey, world };
  };
  const withAlg = async (key: CryptoKey, alg: string): Promise<JWK> => ({ ...(await exportJWK(key)), alg });

  test.each(['ES256', 'RS256'])('a client with a %s key signs an assertion for the issuer, valid once', async (alg) => {
    verifies('AUTH-047', 'EXTAUTH-36');
    const { privateKey, world } = await known(alg);
    expect(await ask(world, { id: 'cli', privateKey, alg })).toHaveProperty('accessToken');
    await ask(world, { id: 'cli', privateKey, alg });
    const [one, two] = world.tokenForms.map((form) => claims(form.get('client_assertion') ?? ''));
    expect(one).toMatchObject({ iss: 'cli', sub: 'cli', aud: 'https://auth.example' });
    expect(one?.['jti']).not.toBe(two?.['jti']);
    expect(Number(one?.['exp']) - Number(one?.['iat'])).toBeLessThanOrEqual(60);
    expect(world.tokenForms[0]?.has('client_secret')).toBe(false);
  });

  test('the key of a client can be PEM or a JSON Web Key', async () => {
    const { privateKey, world } = await known('ES256');
    expect(await ask(world, { id: 'cli', privateKey: await exportPKCS8(privateKey), alg: 'ES256' })).toHaveProperty(
      'accessToken',
    );
    const jwk = await withAlg(privateKey, 'ES256');
    expect(await ask(world, { id: 'cli', privateKey: jwk })).toHaveProperty('accessToken');
  });

  test('a client does not sign with an algorithm that the server does not accept', async () => {
    const { privateKey, world } = await known('ES384');
    expect(await failing(ask(world, { id: 'cli', privateKey, alg: 'ES384' }))).toMatchObject({
      message: expect.stringContaining('the key signs with ES384, the authorization server accepts ES256, RS256'),
    });
  });

  test('a client with a key fails at a server that only accepts secrets', async () => {
    const { privateKey } = await known('ES256');
    const world = new OAuthWorld(only('client_secret_basic'));
    expect(await failing(ask(world, { id: 'cli', privateKey, alg: 'ES256' }))).toMatchObject({
      message: expect.stringContaining('does not accept a signed assertion'),
    });
  });

  test.each(['HS256', 'none', undefined])('the algorithm %s is rejected for a client key', async (alg) => {
    verifies('EXTAUTH-49');
    const { privateKey } = await known('ES256');
    expect(() => toIdentity({ id: 'cli', privateKey, alg })).toThrow(
      expect.objectContaining({ code: 'MCP_BAD_DEFINITION' }),
    );
  });

  test('the error about an unreadable client key contains nothing of the key', async () => {
    const { world } = await known('ES256');
    const pkcs1 = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      type: 'pkcs1',
      format: 'pem',
    });
    const privateKey = String(pkcs1);
    const error = await failing(ask(world, { id: 'cli', privateKey, alg: 'RS256' }));
    expect(error).toMatchObject({ code: 'MCP_BAD_DEFINITION' });
    expect(JSON.stringify([String(error), error])).not.toContain(privateKey.slice(40, 80));
  });
});

describe('token responses', () => {
  const told = async (answer: Response): Promise<TokenSet> => {
    const world = new OAuthWorld({ servers: [{ clients: [{ id: 'cli' }] }] });
    world.instead = ({ url }) => (url.endsWith('/token') ? answer : undefined);
    const outcome = await ask(world, { id: 'cli' });
    if (isTokenRefusal(outcome)) throw new Error(outcome.why);
    return outcome;
  };
  const token = { access_token: 'abc', token_type: 'Bearer' };

  test.each([
    ['no token', answered({ token_type: 'Bearer' })],
    ['an empty one', answered({ ...token, access_token: '' })],
    ['one that no header can carry', answered({ ...token, access_token: 'a\r\nx: y' })],
    ['one of 20,000 characters', answered({ ...token, access_token: 'a'.repeat(20_000) })],
    ['no type', answered({ access_token: 'abc' })],
    ['another type', answered({ ...token, token_type: 'mac' })],
    ['a list', answered([])],
    ['a page', new Response('<html>', { status: 200 })],
    ['a fault of its own', new Response('', { status: 502 })],
    ['a refusal without a reason', answered({}, 400)],
    ['an error with status 200', answered({ error: 'invalid_grant' })],
    ['an error with status 201', answered({ error: 'invalid_grant' }, 201)],
    ['an error with status 399', answered({ error: 'invalid_grant' }, 399)],
    ['an error with status 500', answered({ error: 'invalid_grant' }, 500)],
  ])('a token response is rejected: %s', async (_, answer) => {
    expect(await failing(told(answer))).toMatchObject({ code: 'MCP_AUTH_FAILED', details: { step: 'token' } });
  });

  test('a token response can have token_type in any case, a lifetime as text, and other scopes', async () => {
    const outcome = await told(answered({ ...token, token_type: 'bEaReR', expires_in: '60', scope: 'a b  a' }));
    expect(outcome).toMatchObject({ scheme: 'Bearer', scopes: ['a', 'b'], refreshToken: undefined });
    const { expiresAt = 0, renewAt = 0 } = outcome;
    expect(expiresAt - renewAt).toBe(30_000);
  });

  test('a token with a short lifetime is renewed at half of it, one with an invalid lifetime never', async () => {
    const { expiresAt = 0, renewAt = 0 } = await told(answered({ ...token, expires_in: 10 }));
    expect(expiresAt - renewAt).toBe(5_000);
    expect(await told(answered({ ...token, expires_in: -5 }))).toMatchObject({ accessToken: 'abc' });
    expect(await told(answered({ ...token, expires_in: 'soon' }))).not.toHaveProperty('expiresAt');
  });

  test('a lifetime over ten years counts as ten years', async () => {
    const before = Date.now();
    const { expiresAt = 0 } = await told(answered({ ...token, expires_in: 1e11 }));
    const tenYears = 315_360_000_000;
    expect(expiresAt - before).toBeGreaterThanOrEqual(tenYears);
    expect(expiresAt - before).toBeLessThan(tenYears + 3_600_000);
  });

  test.each<[string, number, string | undefined, number]>([
    ['with a new nonce, the proof is made again', 400, 'n1', 2],
    ['without a nonce, nothing would change', 400, undefined, 1],
    ['a success is none, whatever it says', 200, 'n1', 1],
  ])('a token endpoint that wants a nonce: %s', async (_, status, nonce, times) => {
    const world = new OAuthWorld({ servers: [{ clients: [{ id: 'cli' }] }] });
    const headers = { 'content-type': 'application/json', ...(nonce === undefined ? {} : { 'dpop-nonce': nonce }) };
    let asked = 0;
    world.instead = ({ url }) => {
      if (!url.endsWith('/token')) return undefined;
      asked++;
      return new Response('{"error":"use_dpop_nonce"}', { status, headers });
    };
    const server = await findAuthorizationServer(world.context, world.server.issuer);
    const request = { server, client: { id: 'cli' }, params: grant, proofs: new DpopProofs() };
    await failing(requestToken(world.context, request));
    expect(asked).toBe(times);
  });

  test('a token that expires at once is renewed before it is used again', async () => {
    const before = Date.now();
    const { expiresAt, renewAt } = await told(answered({ ...token, expires_in: 0 }));
    expect(expiresAt).toBeGreaterThanOrEqual(before);
    expect(renewAt).toBe(expiresAt);
  });

  test.each([
    [{ ...token, expires_in: 60, scope: 'a b' }, 'for 60 s, with the scopes a b'],
    [token, 'for an unknown time, with the requested scopes'],
  ])('the trace has the lifetime and the scopes of a token: %j', async (answer, why) => {
    const world = new OAuthWorld({ servers: [{ clients: [{ id: 'cli' }] }] });
    world.instead = ({ url }) => (url.endsWith('/token') ? answered(answer) : undefined);
    await ask(world, { id: 'cli' });
    expect(world.traced.at(-1)).toEqual({ step: 'token', outcome: 'accepted', why });
    expect(JSON.stringify(world.traced)).not.toContain('abc');
  });

  test.each([400, 401, 499])('a token error response can have status %s', async (status) => {
    const world = new OAuthWorld({ servers: [{ clients: [{ id: 'cli' }] }] });
    const error_description = 'x'.repeat(1_000);
    world.instead = ({ url }) =>
      url.endsWith('/token') ? answered({ error: 'invalid_grant', error_description }, status) : undefined;
    const outcome = await ask(world, { id: 'cli' });
    const words = `invalid_grant (${'x'.repeat(1_000)})`.slice(0, 300);
    expect(outcome).toEqual({ refused: 'invalid_grant', why: `the authorization server said ${words}` });
  });

  test('the error of a rejected token request quotes the server without the secrets of the request', async () => {
    verifies('SEC-052');
    const world = new OAuthWorld({ servers: [{ clients: [{ id: 'cli', secret: 'hush-hush' }] }] });
    const said = 'code hush-hush-123 of cli with hush-hush is bad\n';
    world.instead = ({ url }) =>
      url.endsWith('/token') ? answered({ error: 'invalid_grant', error_description: said }, 400) : undefined;
    const params = { ...grant, code: 'hush-hush-123' };
    expect(await ask(world, { id: 'cli', secret: 'hush-hush' }, params)).toEqual({
      refused: 'invalid_grant',
      why: 'the authorization server said invalid_grant (code … of cli with … is bad\\u000a)',
    });
  });

  test.each(['code', 'code_verifier', 'refresh_token', 'assertion', 'subject_token'])(
    'the error of a rejected token request does not quote its %s',
    async (name) => {
      const world = new OAuthWorld({ servers: [{ clients: [{ id: 'cli' }] }] });
      const error_description = 'hush-hush-123 is bad, and the resource is undefined';
      world.instead = ({ url }) =>
        url.endsWith('/token') ? answered({ error: 'invalid_grant', error_description }, 400) : undefined;
      expect(await ask(world, { id: 'cli' }, { ...grant, [name]: 'hush-hush-123' })).toEqual({
        refused: 'invalid_grant',
        why: 'the authorization server said invalid_grant (… is bad, and the resource is undefined)',
      });
    },
  );

  test('the error of a rejected token request has no secrets of the request in the encodings of headers and forms', async () => {
    const secret = 'hush & hush';
    const world = new OAuthWorld({ servers: [{ clients: [{ id: 'cli', secret }] }] });
    const said = `got Basic ${btoa(`cli:${secret}`)} and client_secret=hush+%26+hush&code=c`;
    world.instead = ({ url }) =>
      url.endsWith('/token') ? answered({ error: 'invalid_grant', error_description: said }, 400) : undefined;
    expect(await ask(world, { id: 'cli', secret })).toEqual({
      refused: 'invalid_grant',
      why: 'the authorization server said invalid_grant (got Basic [masked] and client_secret=[masked]&code=[masked])',
    });
  });
});

const claims = (jwt: string): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>; // our own
