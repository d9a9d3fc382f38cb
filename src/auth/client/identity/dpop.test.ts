/** DPoP proofs of the client, checked as a server checks them. */
import { calculateJwkThumbprint, decodeProtectedHeader, EmbeddedJWK, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { HeldClock } from '../../../../test/support/held-clock.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import { DpopProofs } from './dpop.ts';

const url = new URL('https://mcp.example/mcp?user=7#top');
const clock = new HeldClock();
const at = new Date(clock.wall());

test('a DPoP proof names the method, the URL and the time of one request', async () => {
  const { payload, protectedHeader } = await jwtVerify(
    await new DpopProofs(clock).proof({ method: 'POST', url }),
    EmbeddedJWK,
    { typ: 'dpop+jwt', currentDate: at },
  );
  expect(payload).toEqual({ jti: expect.any(String), htm: 'POST', htu: 'https://mcp.example/mcp', iat: 1 });
  expect(Object.keys(protectedHeader).sort()).toEqual(['alg', 'jwk', 'typ']);
});

test('a DPoP proof has the hash of the access token that is sent with it', async () => {
  // The example of RFC 9449, section 7.1.
  const accessToken = 'Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU';
  const proof = await new DpopProofs(clock).proof({ method: 'GET', url, accessToken });
  const { payload } = await jwtVerify(proof, EmbeddedJWK, { currentDate: at });
  expect(payload['ath']).toBe('fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo');
});

test('DPoP proofs of one client have the same key and different ids', async () => {
  const proofs = new DpopProofs();
  const made = await Promise.all(Array.from({ length: 20 }, () => proofs.proof({ method: 'POST', url })));
  const seen = await Promise.all(made.map((proof) => jwtVerify(proof, EmbeddedJWK)));
  expect(new Set(seen.map(({ payload }) => payload.jti)).size).toBe(20);
  const thumbprints = made.map((proof) => calculateJwkThumbprint(decodeProtectedHeader(proof).jwk ?? {}));
  expect(new Set(await Promise.all(thumbprints))).toEqual(new Set([await proofs.thumbprint()]));
});

test('two clients have different DPoP keys', async () => {
  expect(await new DpopProofs().thumbprint()).not.toBe(await new DpopProofs().thumbprint());
});

test('DPoP proofs are signed with ES256, and only the public key is in the header', async () => {
  verifies('EXTAUTH-49');
  const header = decodeProtectedHeader(await new DpopProofs().proof({ method: 'POST', url }));
  expect(header).toMatchObject({ alg: 'ES256', jwk: { kty: 'EC' } });
  expect(header.jwk).not.toHaveProperty('d');
  expect(header.jwk).not.toHaveProperty('k');
});

test('the private key of DPoP proofs is not extractable', async () => {
  verifies('EXTAUTH-50');
  const made: CryptoKey[] = [];
  const { subtle } = crypto;
  const sign = subtle.sign.bind(subtle);
  subtle.sign = (algorithm, key, data) => {
    made.push(key);
    return sign(algorithm, key, data);
  };
  try {
    await new DpopProofs().proof({ method: 'POST', url });
  } finally {
    Reflect.deleteProperty(subtle, 'sign');
  }
  expect(made).toHaveLength(1);
  expect(made[0]?.extractable).toBe(false);
});

async function nonceIn(proofs: DpopProofs, to: string): Promise<unknown> {
  const proof = await proofs.proof({ method: 'POST', url: new URL(to) });
  return (await jwtVerify(proof, EmbeddedJWK, { currentDate: at })).payload['nonce'];
}

test('a DPoP proof has the last nonce of its origin, never that of another', async () => {
  const proofs = new DpopProofs(clock);
  const nonceFor = (to: string): Promise<unknown> => nonceIn(proofs, to);
  expect(await nonceFor('https://mcp.example/mcp')).toBeUndefined();
  for (const nonce of ['first', 'first', 'second']) expect(proofs.rememberNonce(url, nonce)).toBe(true);
  expect(await nonceFor('https://mcp.example/elsewhere')).toBe('second');
  expect(await nonceFor('https://mcp.example:8443/mcp')).toBeUndefined();
  expect(await nonceFor('https://auth.example/token')).toBeUndefined();
});

test('a missing, empty or overlong DPoP nonce is ignored', () => {
  const proofs = new DpopProofs();
  for (const nonce of [undefined, '', 'n'.repeat(1025)]) expect(proofs.rememberNonce(url, nonce)).toBe(false);
});

test('beyond 100 origins, the DPoP nonce of the least recent one is dropped', async () => {
  const proofs = new DpopProofs(clock);
  const origin = (n: number): string => `https://server${n}.example/`;
  for (let n = 0; n < 100; n++) proofs.rememberNonce(new URL(origin(n)), 'nonce');
  proofs.rememberNonce(new URL(origin(0)), 'newer');
  proofs.rememberNonce(new URL(origin(100)), 'nonce');
  const nonces = await Promise.all([0, 1, 2, 100].map((n) => nonceIn(proofs, origin(n))));
  expect(nonces).toEqual(['newer', undefined, 'nonce', 'nonce']);
});
