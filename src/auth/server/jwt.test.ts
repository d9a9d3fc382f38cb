/** jwt(): which signed tokens it accepts, and the attacks that it rejects. */
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, importJWK, type JWK } from 'jose';
import { expect, test, vi } from 'vitest';
import {
  AuthorizationServer,
  type AuthorizationServerOptions,
  answered,
} from '../../../test/support/authorization-server.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { type VirtualClock, virtualClock } from '../../testing/virtual-clock.ts';
import { type JwtOptions, jwt } from './jwt.ts';
import { InvalidToken } from './token-verifier.ts';

const audience = 'https://dock.example/mcp';

interface Scene {
  readonly server: AuthorizationServer;
  readonly clock: VirtualClock;
  /** The claims of the token, or why it is rejected. */
  judged(token: string): Promise<JsonObject | string>;
}

function scene(options: AuthorizationServerOptions & { readonly rules?: Partial<JwtOptions> } = {}): Scene {
  const clock = virtualClock();
  const { rules, ...rest } = options;
  const server = new AuthorizationServer({ ...rest, now: () => clock.wall() / 1000 });
  const { issuer } = server;
  const verify = jwt({ issuer, fetch: server.fetch, ...rules });
  return {
    server,
    clock,
    judged: async (token) => {
      try {
        return (await verify(token, { clock, clockSkewMs: 60_000 })) ?? 'undefined';
      } catch (thrown) {
        if (thrown instanceof InvalidToken) return thrown.message;
        throw thrown;
      }
    },
  };
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test.each(['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'])(
  'jwt() returns the claims of a token signed with %s',
  async (alg) => {
    verifies('EXTAUTH-39', 'SEC-051');
    const { server, judged } = scene();
    await server.keys.rotate({ alg });
    expect(await judged(await server.issue({ aud: audience, scope: 'read' }))).toMatchObject({
      iss: server.issuer,
      aud: audience,
      sub: 'ada',
      scope: 'read',
    });
  },
);

test.each(['at+jwt', 'AT+JWT', 'application/at+jwt', 'JWT', 'jwt'])('jwt() accepts typ %s', async (typ) => {
  const { server, judged } = scene();
  expect(await judged(await server.issue({ aud: audience }, { header: { typ } }))).toMatchObject({ sub: 'ada' });
});

test.each([undefined, '', 'id+jwt', 'dpop+jwt', 'oauth-id-jag+jwt', 'logout+jwt', 'at+jwt ', 'at+application/jwt'])(
  'jwt() rejects typ %j',
  async (typ) => {
    const { server, judged } = scene();
    expect(await judged(await server.issue({ aud: audience }, { header: { typ } }))).toContain('"typ"');
  },
);

test.each([7, true, {}, ['at+jwt']])('jwt() rejects a typ that is not text: %j', async (typ) => {
  const { server, judged } = scene();
  const header = { typ: typ as unknown as string };
  expect(await judged(await server.issue({ aud: audience }, { header }))).toContain('"typ"');
});

test('jwt() rejects unsigned tokens in every spelling of none', async () => {
  verifies('AUTH-088', 'SEC-051');
  const { server, judged } = scene();
  const [, body = '', signature = ''] = (await server.issue({ aud: audience })).split('.');
  for (const alg of ['none', 'None', 'NONE', 'nOnE', '']) {
    for (const end of ['', signature, 'AA']) {
      expect(await judged(`${part({ alg, typ: 'at+jwt' })}.${body}.${end}`)).toMatch(/^ERR_/);
    }
  }
});

test('jwt() rejects a token that is signed with the public key as an HMAC secret', async () => {
  verifies('AUTH-088', 'SEC-051');
  const { server, judged } = scene({ rules: { algorithms: ['RS256'] } });
  const kid = await server.keys.rotate({ alg: 'RS256' });
  const [, body = ''] = (await server.issue({ aud: audience })).split('.');
  const [jwk = {}] = await server.keys.published();
  const spki = await exportSPKI((await importJWK(jwk, 'RS256')) as CryptoKey); // an RSA key is one
  for (const secret of [spki, spki.trimEnd(), JSON.stringify(jwk), jwk.n ?? '']) {
    for (const [alg, hash] of [
      ['HS256', 'sha256'],
      ['HS512', 'sha512'],
    ] as const) {
      const signed = `${part({ alg, kid, typ: 'at+jwt' })}.${body}`;
      const mac = createHmac(hash, secret).update(signed).digest('base64url');
      expect(await judged(`${signed}.${mac}`)).toContain('ERR_JOSE_ALG_NOT_ALLOWED');
    }
  }
});

test.each(['HS256', 'hs512', 'none', 'None'])(
  'jwt() rejects the algorithm %s in its options, alone or with others',
  (algorithm) => {
    verifies('EXTAUTH-49');
    for (const algorithms of [[algorithm], ['RS256', algorithm]])
      expect(() => scene({ rules: { algorithms } })).toThrow('Use an algorithm such as ES256');
  },
);

test('jwt() can be given any asymmetric algorithm, also one whose name resembles a symmetric one', () => {
  expect(() => scene({ rules: { algorithms: ['HSS-LMS'] } })).not.toThrow();
});

test('jwt() accepts only the listed algorithms', async () => {
  const { server, judged } = scene({ rules: { algorithms: ['ES256'] } });
  await server.keys.rotate({ alg: 'RS256' });
  expect(await judged(await server.issue({ aud: audience }))).toContain('ERR_JOSE_ALG_NOT_ALLOWED');
});

test('jwt() tries every matching key for a token without a key id, as during key rotation', async () => {
  const { server, judged } = scene();
  const header = { kid: undefined };
  const older = await server.issue({ aud: audience, sub: 'bob' }, { header });
  await server.keys.rotate();
  expect(await judged(older)).toMatchObject({ sub: 'bob' });
  expect(await judged(await server.issue({ aud: audience }, { header }))).toMatchObject({ sub: 'ada' });
  const { privateKey: key } = await generateKeyPair('ES256');
  expect(await judged(await server.issue({ aud: audience }, { header, key }))).toContain('SIGNATURE_VERIFICATION');
  expect(await judged(await server.issue({ aud: audience, iss: 'https://evil.example' }, { header }))).toContain(
    '"iss"',
  );
});

test('jwt() skips a published key that is too short, and rejects a token that names an unusable key', async () => {
  const { server, judged } = scene();
  await server.keys.rotate({ alg: 'RS256' });
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
  const broken = { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', kid: 'broken' };
  const published = await server.keys.published();
  server.instead.set('/jwks', () => answered({ keys: [{ ...short, kid: 'short' }, broken, ...published] }));
  const nameless = await server.issue({ aud: audience }, { header: { kid: undefined } });
  expect(await judged(nameless)).toMatchObject({ sub: 'ada' });
  for (const [kid, alg] of [
    ['short', 'RS256'],
    ['broken', 'ES256'],
  ])
    expect(await judged(`${part({ kid, alg, typ: 'at+jwt' })}.${part({})}.AAAA`)).toContain('cannot be used');
});

test('jwt() ignores keys in the header of a token (jwk, jku, x5u)', async () => {
  verifies('AUTH-088');
  const { server, judged } = scene();
  await server.issue({ aud: audience });
  const evil = await generateKeyPair('ES256', { extractable: true });
  const jwk: JWK = await exportJWK(evil.publicKey);
  const [known = {}] = await server.keys.published();
  for (const header of [
    { jwk },
    { jwk, kid: undefined },
    { jku: 'https://evil.example/jwks' },
    { jku: 'https://evil.example/jwks', kid: 'evil' },
    { x5u: 'https://evil.example/cert' },
    { x5c: ['MIIB'] },
    { kid: '../../evil' },
    { kid: "' or 1=1 --" },
    { kid: '/dev/null' },
    { kid: '__proto__' },
    { kid: known.kid },
  ]) {
    const token = await server.issue({ aud: audience }, { header, key: evil.privateKey });
    expect(await judged(token)).toMatch(/^ERR_(JWS_SIGNATURE_VERIFICATION_FAILED|JWKS_NO_MATCHING_KEY)/);
  }
  expect(server.requests.every(({ path }) => /jwks|well-known/.test(path))).toBe(true);
});

test('jwt() rejects a token whose claims were changed', async () => {
  const { server, judged } = scene();
  const [head = '', , signature = ''] = (await server.issue({ aud: audience })).split('.');
  const claims = { iss: server.issuer, aud: audience, sub: 'eve', exp: 9_999_999_999 };
  expect(await judged(`${head}.${part(claims)}.${signature}`)).toContain('SIGNATURE');
  const other = await new AuthorizationServer().issue({ aud: audience });
  expect(await judged(other)).toContain('NO_MATCHING_KEY');
});

test.each<[string, JsonObject, string]>([
  ['another issuer', { iss: 'https://evil.example' }, '"iss"'],
  ['an issuer that differs in one slash', { iss: 'https://auth.example/' }, '"iss"'],
  ['no issuer', { iss: undefined }, '"iss"'],
  ['no audience', { aud: undefined }, '"aud"'],
  ['no end', { exp: undefined }, '"exp"'],
  ['an end that is a text', { exp: '9999999999' }, '"exp"'],
  ['an end that was', { exp: 999_999_939 }, '"exp"'],
  ['a beginning that will be', { nbf: 1_000_000_061 }, '"nbf"'],
])('jwt() rejects a token: %s', async (_what, claims, why) => {
  verifies('AUTH-088', 'AUTH-090', 'SEC-051', 'SEC-056');
  const { server, judged } = scene();
  expect(await judged(await server.issue({ aud: audience, ...claims }))).toContain(why);
});

test('jwt() tolerates a clock skew of one minute', async () => {
  const { server, clock, judged } = scene();
  const token = await server.issue({ aud: audience, exp: clock.wall() / 1000 + 10 });
  await clock.advance(69_000);
  expect(await judged(token)).toMatchObject({ sub: 'ada' });
  await clock.advance(2_000);
  expect(await judged(token)).toContain('"exp"');
});

test.each([
  'x',
  'a.b',
  'a.b.c',
  'a.b.c.d',
  '..',
  `${part({ alg: 'ES256' })}..`,
  `${'a.'.repeat(5_000)}b`,
  `${part({ alg: 'ES256', crit: ['exp'], exp: 1 })}.e30.AA`,
  `${Buffer.from('{"alg":"ES256"').toString('base64url')}.e30.AA`,
  `${part({ alg: 'ES256', b64: false, crit: ['b64'] })}.e30.AA`,
  `${part(['ES256'])}.e30.AA`,
])('jwt() rejects %.40j', async (token) => {
  const { judged } = scene();
  expect(await judged(token)).toMatch(/^ERR_/);
});

test('jwt() fetches keys once for concurrent requests', async () => {
  const { server, clock, judged } = scene();
  const token = await server.issue({ aud: audience });
  await Promise.all(Array.from({ length: 20 }, () => judged(token)));
  await clock.advance(9 * 60_000);
  expect(await judged(await server.issue({ aud: audience }))).toMatchObject({ sub: 'ada' });
  expect(server.paths).toEqual(['/.well-known/oauth-authorization-server', '/jwks']);
  await clock.advance(2 * 60_000);
  await judged(token);
  expect(server.paths.filter((path) => path === '/jwks')).toHaveLength(2);
});

test('jwt() refetches keys for an unknown key id, at most once every 30 s', async () => {
  const { server, clock, judged } = scene({ rules: { jwksUri: 'https://auth.example/jwks' } });
  await judged(await server.issue({ aud: audience }));
  await server.keys.rotate();
  const rotated = await server.issue({ aud: audience });
  expect(await judged(rotated)).toMatchObject({ sub: 'ada' });
  const madeUp = async (n: number): Promise<unknown> =>
    judged(await server.issue({ aud: audience }, { header: { kid: `k${n}` } }));
  for (let n = 0; n < 50; n++) expect(await madeUp(n)).toContain('NO_MATCHING_KEY');
  expect(server.paths).toEqual(['/jwks', '/jwks']);
  await clock.advance(29_999);
  await madeUp(1);
  expect(server.paths).toHaveLength(2);
  await clock.advance(1);
  await madeUp(1);
  expect(server.paths).toHaveLength(3);
});

test('after the issuer changes its keys, jwt() accepts concurrent tokens that name the new one', async () => {
  const { server, judged } = scene({ rules: { jwksUri: 'https://auth.example/jwks' } });
  await judged(await server.issue({ aud: audience }));
  await server.keys.rotate();
  const rotated = [];
  for (let n = 0; n < 5; n++) rotated.push(await server.issue({ aud: audience, sub: `user ${n}` }));
  const claims = await Promise.all(rotated.map(judged));
  expect(claims).toMatchObject(rotated.map((_, n) => ({ sub: `user ${n}` })));
  expect(server.paths).toEqual(['/jwks', '/jwks']);
});

test('jwt() accepts a withdrawn key for ten minutes at most', async () => {
  const { server, clock, judged } = scene({ tokenSeconds: 3_600 });
  const token = await server.issue({ aud: audience });
  expect(await judged(token)).toMatchObject({ sub: 'ada' });
  await server.keys.rotate({ withdraw: true });
  await clock.advance(10 * 60_000 + 1);
  expect(await judged(token)).toContain('NO_MATCHING_KEY');
});

test('jwt() does not cache a token that a withdrawn key verified while the keys changed', async () => {
  const { server, clock, judged } = scene({ tokenSeconds: 3_600 });
  const old = await server.issue({ aud: audience });
  await judged(await server.issue({ aud: audience }));
  const { subtle } = crypto;
  const verify = subtle.verify.bind(subtle);
  const spy = vi.spyOn(subtle, 'verify').mockImplementationOnce(async (...signed) => {
    await server.keys.rotate({ withdraw: true });
    await clock.advance(10 * 60_000);
    expect(await judged(await server.issue({ aud: audience }))).toMatchObject({ sub: 'ada' });
    return verify(...signed);
  });
  await judged(old);
  spy.mockRestore();
  expect(await judged(old)).toContain('ERR_JWKS_NO_MATCHING_KEY');
});

test('jwt() caches a token whose key the issuer has just added', async () => {
  const { server, judged } = scene();
  await judged(await server.issue({ aud: audience }));
  await server.keys.rotate();
  const verifying = vi.spyOn(crypto.subtle, 'verify');
  try {
    const token = await server.issue({ aud: audience });
    for (let n = 0; n < 3; n++) expect(await judged(token)).toMatchObject({ sub: 'ada' });
    expect(verifying).toHaveBeenCalledTimes(1);
  } finally {
    verifying.mockRestore();
  }
});

test('jwt() does not take the claims of a known token for the same token with another signature', async () => {
  const { server, judged } = scene();
  const token = await server.issue({ aud: audience });
  expect(await judged(token)).toMatchObject({ sub: 'ada' });
  const [header, claims] = token.split('.');
  for (const signature of ['', 'AAAA', (await server.issue({ aud: 'x' })).split('.')[2]])
    expect(await judged(`${header}.${claims}.${signature}`)).toMatch(/^ERR_/);
});

test('jwt() uses cached keys for one hour while the issuer is unreachable', async () => {
  const { server, clock, judged } = scene({ tokenSeconds: 10_000 });
  await clock.advance(40 * 60_000);
  const token = await server.issue({ aud: audience });
  await judged(token);
  server.instead.set('/jwks', () => answered({}, 500));
  await clock.advance(20 * 60_000);
  const verifying = vi.spyOn(crypto.subtle, 'verify');
  for (let n = 0; n < 5; n++) expect(await judged(token)).toMatchObject({ sub: 'ada' });
  expect(verifying).not.toHaveBeenCalled();
  verifying.mockRestore();
  expect(server.paths.filter((path) => path === '/jwks')).toHaveLength(2);
  await clock.advance(40 * 60_000 - 1);
  expect(await judged(token)).toMatchObject({ sub: 'ada' });
  await clock.advance(1);
  for (let n = 0; n < 3; n++) await expect(judged(token)).rejects.toMatchObject({ code: 'MCP_AUTH_VERIFIER' });
});

test('jwt() fetches keys again for the next token after a failed fetch', async () => {
  const { server, judged } = scene();
  const token = await server.issue({ aud: audience });
  server.instead.set('/jwks', () => answered({}, 500));
  await expect(judged(token)).rejects.toThrow('the request for its keys returned status 500');
  server.instead.delete('/jwks');
  expect(await judged(token)).toMatchObject({ sub: 'ada' });
});

test('jwt() verifies a known token again after it expires and after the keys change', async () => {
  const { server, clock, judged } = scene({ tokenSeconds: 30 });
  const verifying = vi.spyOn(crypto.subtle, 'verify');
  try {
    const token = await server.issue({ aud: audience });
    for (let n = 0; n < 5; n++) expect(await judged(token)).toMatchObject({ sub: 'ada' });
    expect(verifying).toHaveBeenCalledTimes(1);
    await clock.advance(90_000);
    expect(await judged(token)).toContain('"exp"');
    const lasting = await server.issue({ aud: audience, exp: clock.wall() / 1000 + 3_600 });
    expect(await judged(lasting)).toMatchObject({ sub: 'ada' });
    await server.keys.rotate({ withdraw: true });
    // A token with the new key makes the server fetch the keys.
    expect(await judged(await server.issue({ aud: audience }))).toMatchObject({ sub: 'ada' });
    expect(await judged(lasting)).toContain('NO_MATCHING_KEY');
  } finally {
    verifying.mockRestore();
  }
});

test.each<[string, JsonObject, string]>([
  ['metadata of another issuer', { issuer: 'https://evil.example' }, 'names another issuer'],
  ['metadata without keys', { jwks_uri: undefined }, 'its metadata has no "jwks_uri"'],
])('jwt() throws when metadata has no usable keys: %s', async (_what, says, why) => {
  const { server, judged } = scene({ says });
  await expect(judged(await server.issue({ aud: audience }))).rejects.toThrow(why);
});

test.each([{}, { keys: 'x' }, { keys: [1] }, { keys: [{ kty: 'EC' }, 1] }, [], 'x', null])(
  'jwt() throws when the key set is %j',
  async (jwks) => {
    const { server, judged } = scene();
    server.instead.set('/jwks', () => answered(jwks as object));
    await expect(judged(await server.issue({ aud: audience }))).rejects.toMatchObject({ code: 'MCP_AUTH_VERIFIER' });
  },
);

test.each(['oauth', 'oidc'] as const)('jwt() finds keys through %s metadata, also with a path', async (metadata) => {
  for (const issuer of ['https://auth.example', 'https://auth.example/tenant']) {
    const { server, judged } = scene({ issuer, metadata });
    expect(await judged(await server.issue({ aud: audience }))).toMatchObject({ iss: issuer });
  }
});

test.each(['[]', 'null', 'x'])('jwt() looks for metadata elsewhere where a response is %s', async (text) => {
  const { server, judged } = scene();
  const headers = { 'content-type': 'application/json' };
  server.instead.set('/.well-known/oauth-authorization-server', () => new Response(text, { headers }));
  expect(await judged(await server.issue({ aud: audience }))).toMatchObject({ sub: 'ada' });
});

test.each([
  [{ issuer: 'auth.example' }, '"auth.example" is not a URL'],
  [{ issuer: 'https://auth.example', jwksUri: 'keys' }, '"keys" is not a URL'],
])('jwt() rejects the options %j', (options, why) => {
  expect(() => jwt(options)).toThrow(expect.objectContaining({ code: 'MCP_BAD_DEFINITION' }));
  expect(() => jwt(options)).toThrow(why);
});

test('jwt() fetches keys on this machine if the application names that URL', async () => {
  const asked: string[] = [];
  const server = new AuthorizationServer({});
  const { judged } = scene({
    rules: {
      issuer: server.issuer,
      jwksUri: 'http://127.0.0.1:1/jwks',
      fetch: async (url, init) => {
        asked.push(url.href);
        return server.fetch(new URL('/jwks', server.issuer), init);
      },
    },
  });
  expect(await judged(await server.issue({ aud: audience }))).toMatchObject({ sub: 'ada' });
  expect(asked).toEqual(['http://127.0.0.1:1/jwks']);
});

test('jwt() with typ accepts only that type', async () => {
  const { server, judged } = scene({ rules: { typ: ['vendor+jwt'] } });
  expect(await judged(await server.issue({ aud: audience }, { header: { typ: 'vendor+jwt' } }))).toMatchObject({
    sub: 'ada',
  });
  expect(await judged(await server.issue({ aud: audience }, { header: { typ: 'at+jwt' } }))).toContain('"typ"');
});
