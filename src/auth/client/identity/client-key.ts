/** Signs client assertions (`private_key_jwt`, RFC 7523) with the private key of a client. */
import type { CryptoKey, JWK } from 'jose';
import { badDefinition } from '../../../errors.ts';
import type { Clock } from '../../../peer/clock.ts';

/** A key from WebCrypto, as PEM (PKCS #8), or as a JSON Web Key. */
export type PrivateKey = CryptoKey | string | JWK;

export interface ClientKey {
  readonly key: PrivateKey;
  readonly alg: string;
}

/** Asymmetric algorithms only: with a symmetric key, the server could sign too. */
const asymmetric = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/;
/** Lifetime of an assertion; short, because it is used immediately. */
const LIFE_S = 60;

export function toClientKey(key: PrivateKey, alg: string | undefined): ClientKey {
  const named = alg ?? (typeof key === 'object' && 'alg' in key ? key.alg : undefined);
  if (named !== undefined && asymmetric.test(named)) return { key, alg: named };
  const why =
    named === undefined
      ? 'pass the algorithm it signs with ("alg"), such as ES256'
      : `"alg" is ${named}, which is not asymmetric`;
  throw badDefinition('The private key of the client', why);
}

/** Creates an assertion for one token request to one audience. */
export async function signAssertion(
  { key, alg }: ClientKey,
  { id, audience, clock }: { readonly id: string; readonly audience: string; readonly clock: Clock },
): Promise<string> {
  const { SignJWT } = await import('jose');
  const now = Math.floor(clock.wall() / 1000);
  const kid = typeof key === 'object' && 'kid' in key && typeof key.kid === 'string' ? { kid: key.kid } : {};
  return new SignJWT({ iss: id, sub: id, aud: audience, jti: crypto.randomUUID(), iat: now, exp: now + LIFE_S })
    .setProtectedHeader({ alg, typ: 'JWT', ...kid })
    .sign(await importKey(key, alg));
}

async function importKey(key: PrivateKey, alg: string): Promise<CryptoKey | Uint8Array> {
  const { importJWK, importPKCS8 } = await import('jose');
  if (typeof key === 'object' && 'extractable' in key) return key;
  try {
    return typeof key === 'string' ? await importPKCS8(key, alg) : await importJWK({ kty: '', ...key }, alg);
  } catch {
    // Without `cause`: messages of jose can contain parts of the key.
    const why = `it cannot be read as a key for ${alg}; give a CryptoKey, PKCS #8 in PEM, or a JSON Web Key`;
    throw badDefinition('The private key of the client', why);
  }
}
