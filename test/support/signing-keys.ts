/** The keys of an authorization server: one signs, earlier ones stay published until they are withdrawn. */
import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import type { JsonObject } from '../../src/jsonrpc/message.ts';

export interface TokenOptions {
  /** Replaces members of the header; undefined removes one. */
  readonly header?: Readonly<Record<string, unknown>>;
  /** Signs with this key. */
  readonly key?: CryptoKey | Uint8Array;
}

interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

interface KeyFacts {
  readonly issuer: string;
  readonly now: () => number;
  readonly seconds: number;
}

export class SigningKeys {
  readonly now: () => number;
  readonly seconds: number;
  readonly #issuer: string;
  #keys: readonly SigningKey[] = [];

  constructor({ issuer, now, seconds }: KeyFacts) {
    this.#issuer = issuer;
    this.now = now;
    this.seconds = seconds;
  }

  /** The published JWK set. */
  async published(): Promise<readonly JWK[]> {
    if (this.#keys.length === 0) await this.rotate();
    return this.#keys.map(({ publicJwk }) => publicJwk);
  }

  /** Replaces the signing key. With `withdraw`, tokens of earlier keys become invalid. */
  async rotate({ alg = 'ES256', withdraw = false }: { alg?: string; withdraw?: boolean } = {}): Promise<string> {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const kid = randomUUID();
    const key = { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
    this.#keys = withdraw ? [key] : [key, ...this.#keys];
    return kid;
  }

  /** Adds the default claims. */
  whole(claims: JsonObject): JsonObject {
    const now = this.now();
    const all = { iss: this.#issuer, iat: now, exp: now + this.seconds, jti: randomUUID(), ...claims };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  }

  async sign(claims: JsonObject, { header = {}, key }: TokenOptions = {}): Promise<string> {
    if (this.#keys.length === 0) await this.rotate();
    const [current] = this.#keys;
    if (current === undefined) throw new Error('no key has been made');
    const { kid, publicJwk } = current;
    const all = Object.entries({ alg: publicJwk.alg, kid, typ: 'at+jwt', ...header });
    // undefined removes a claim.
    const kept = Object.fromEntries(all.filter(([, value]) => value !== undefined)) as unknown as JWTHeaderParameters;
    return new SignJWT(this.whole(claims)).setProtectedHeader(kept).sign(key ?? current.privateKey);
  }
}
