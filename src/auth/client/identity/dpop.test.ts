/** Proofs of possession, checked the way a server checks them. */
import { calculateJwkThumbprint, decodeProtectedHeader, EmbeddedJWK, generateKeyPair, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { HeldClock } from '../../../../test/support/held-clock.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import { dpopProofs, type ProofAlgorithm } from './dpop.ts';

const url = new URL('https://mcp.example/mcp?user=7#top');
const clock = new HeldClock();
const at = new Date(clock.wall());

test('proves possession for one method at one address at one time', async () => {
  const { payload, protectedHeader } = await jwtVerify(
    await dpopProofs({ clock }).proof({ method: 'POST', url }),
    EmbeddedJWK,
    { typ: 'dpop+jwt', currentDate: at },
  );
  expect(payload).toEqual({ jti: expect.any(String), htm: 'POST', htu: 'https://mcp.example/mcp', iat: 1 });
  expect(Object.keys(protectedHeader).sort()).toEqual(['alg', 'jwk', 'typ']);
});

test('binds a proof to the token that is sent with it', async () => {
  // The example of RFC 9449, section 7.1.
  const accessToken = 'Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU';
  const proof = await dpopProofs({ clock }).proof({ method: 'GET', url, accessToken });
  const { payload } = await jwtVerify(proof, EmbeddedJWK, { currentDate: at });
  expect(payload['ath']).toBe('fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo');
});

test('makes every proof a fresh one, with the same key', async () => {
  const proofs = dpopProofs();
  const made = await Promise.all(Array.from({ length: 20 }, () => proofs.proof({ method: 'POST', url })));
  const seen = await Promise.all(made.map((proof) => jwtVerify(proof, EmbeddedJWK)));
  expect(new Set(seen.map(({ payload }) => payload.jti)).size).toBe(20);
  const thumbprints = made.map((proof) => calculateJwkThumbprint(decodeProtectedHeader(proof).jwk ?? {}));
  expect(new Set(await Promise.all(thumbprints))).toEqual(new Set([await proofs.thumbprint()]));
});

test('gives each maker a key of its own', async () => {
  expect(await dpopProofs().thumbprint()).not.toBe(await dpopProofs().thumbprint());
});

test.each<[ProofAlgorithm | undefined, string, string]>([
  [undefined, 'ES256', 'EC'],
  ['ES256', 'ES256', 'EC'],
  ['EdDSA', 'EdDSA', 'OKP'],
])('signs with a public key when told %s: %s', async (alg, signed, kty) => {
  verifies('EXTAUTH-49');
  const header = decodeProtectedHeader(await dpopProofs({ alg }).proof({ method: 'POST', url }));
  expect(header).toMatchObject({ alg: signed, jwk: { kty } });
  expect(header.jwk).not.toHaveProperty('d');
  expect(header.jwk).not.toHaveProperty('k');
});

test('makes a private key that nobody can read out', async () => {
  verifies('EXTAUTH-50');
  const made: CryptoKey[] = [];
  const { subtle } = crypto;
  const sign = subtle.sign.bind(subtle);
  subtle.sign = (algorithm, key, data) => {
    made.push(key);
    return sign(algorithm, key, data);
  };
  try {
    await dpopProofs().proof({ method: 'POST', url });
  } finally {
    Reflect.deleteProperty(subtle, 'sign');
  }
  expect(made).toHaveLength(1);
  expect(made[0]?.extractable).toBe(false);
});

test('takes a pair of keys, and no private key that can be read out', async () => {
  verifies('EXTAUTH-50');
  const keys = await generateKeyPair('ES256');
  expect(await dpopProofs({ keys }).thumbprint()).toBe(await dpopProofs({ keys }).thumbprint());
  const loose = await generateKeyPair('ES256', { extractable: true });
  expect(() => dpopProofs({ keys: loose })).toThrow('extractable: false');
});

test.each<[ProofAlgorithm, string]>([
  ['EdDSA', 'ES256'],
  ['ES256', 'ES384'],
  ['ES256', 'PS256'],
  ['ES256', 'EdDSA'],
])('refuses for %s keys that were made for %s', async (alg, other) => {
  const keys = await generateKeyPair(other);
  expect(() => dpopProofs({ alg, keys })).toThrow('pass the "alg" that they are for');
});

test('puts into a proof the last nonce of the origin that it is for, and of no other', async () => {
  const proofs = dpopProofs({ clock });
  const nonceFor = async (to: string): Promise<unknown> => {
    const proof = await proofs.proof({ method: 'POST', url: new URL(to) });
    return (await jwtVerify(proof, EmbeddedJWK, { currentDate: at })).payload['nonce'];
  };
  expect(await nonceFor('https://mcp.example/mcp')).toBeUndefined();
  expect(proofs.rememberNonce(url, 'first')).toBe(true);
  expect(proofs.rememberNonce(url, 'first')).toBe(false);
  expect(proofs.rememberNonce(url, 'second')).toBe(true);
  expect(await nonceFor('https://mcp.example/elsewhere')).toBe('second');
  expect(await nonceFor('https://mcp.example:8443/mcp')).toBeUndefined();
  expect(await nonceFor('https://auth.example/token')).toBeUndefined();
});

test('takes no nonce for none, for an empty one and for one without end', () => {
  const proofs = dpopProofs();
  for (const nonce of [undefined, '', 'n'.repeat(1025)]) expect(proofs.rememberNonce(url, nonce)).toBe(false);
});

test('forgets the nonce of the origin that gave one least recently, when there are too many', async () => {
  const proofs = dpopProofs({ clock });
  const origin = (n: number): URL => new URL(`https://server${n}.example/`);
  for (let n = 0; n < 100; n++) proofs.rememberNonce(origin(n), 'nonce');
  proofs.rememberNonce(origin(0), 'newer');
  proofs.rememberNonce(origin(100), 'nonce');
  expect([proofs.rememberNonce(origin(0), 'newer'), proofs.rememberNonce(origin(2), 'nonce')]).toEqual([false, false]);
  expect(proofs.rememberNonce(origin(1), 'nonce')).toBe(true);
});
