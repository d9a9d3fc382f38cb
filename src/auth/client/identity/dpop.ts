/** Makes DPoP proofs (RFC 9449): every request shows anew that whoever sends a token also holds the key it is bound to. */
import { McpError } from '../../../errors.ts';
import { type Clock, systemClock } from '../../../peer/clock.ts';
import type { ProofMaker } from './proof.ts';

/** Asymmetric ones only: a key that the server knows too proves nothing. */
export type ProofAlgorithm = 'ES256' | 'EdDSA';

export interface ProofOptions {
  /** ES256, which every server that knows DPoP can be expected to take. */
  readonly alg?: ProofAlgorithm | undefined;
  /** A pair of your own, for tokens that outlive the process; its private key must not be extractable. */
  readonly keys?: CryptoKeyPair | undefined;
  readonly clock?: Clock | undefined;
}

/** Enough for every server that one application talks to; then the oldest is forgotten, and gives a new one. */
const MAX_NONCES = 100;
const MAX_NONCE_LENGTH = 1024;
/** What WebCrypto calls the keys that an algorithm signs with. */
const KEYS: Readonly<Record<ProofAlgorithm, (key: KeyAlgorithm & { readonly namedCurve?: string }) => boolean>> = {
  ES256: ({ name, namedCurve }) => name === 'ECDSA' && namedCurve === 'P-256',
  EdDSA: ({ name }) => name === 'Ed25519',
};

/** Keeps one key pair, made with the first proof. It lives in memory, and nothing can read the private half. */
export function dpopProofs(options: ProofOptions = {}): ProofMaker {
  const { alg = 'ES256', keys, clock = systemClock } = options;
  if (keys !== undefined) checkKeys(keys, alg);
  return new DpopProofMaker({ alg, keys, clock });
}

interface DpopSettings {
  readonly alg: ProofAlgorithm;
  readonly keys: CryptoKeyPair | undefined;
  readonly clock: Clock;
}

class DpopProofMaker implements ProofMaker {
  readonly #settled: DpopSettings;
  readonly #nonces: Map<string, string> = new Map();
  #signer: Promise<Signer> | undefined;

  constructor(settled: DpopSettings) {
    this.#settled = settled;
  }

  async thumbprint(): Promise<string> {
    return (await this.#ready()).thumbprint;
  }

  async proof({ method, url, accessToken }: Parameters<ProofMaker['proof']>[0]): Promise<string> {
    const { sign } = await this.#ready();
    const nonce = this.#nonces.get(url.origin);
    return sign({
      jti: crypto.randomUUID(),
      htm: method,
      htu: url.origin + url.pathname,
      iat: Math.floor(this.#settled.clock.wall() / 1000),
      ...(accessToken === undefined ? {} : { ath: await sha256(accessToken) }),
      ...(nonce === undefined ? {} : { nonce }),
    });
  }

  rememberNonce(url: URL, nonce: string | undefined): boolean {
    if (nonce === undefined || nonce === '' || nonce.length > MAX_NONCE_LENGTH) return false;
    const known = this.#nonces.get(url.origin);
    if (known === nonce) return false;
    this.#nonces.delete(url.origin);
    this.#nonces.set(url.origin, nonce);
    const [oldest] = this.#nonces.keys();
    if (this.#nonces.size > MAX_NONCES && oldest !== undefined) this.#nonces.delete(oldest);
    return true;
  }

  #ready(): Promise<Signer> {
    this.#signer ??= createSigner(this.#settled);
    return this.#signer;
  }
}

interface Signer {
  readonly thumbprint: string;
  sign(claims: Readonly<Record<string, string | number>>): Promise<string>;
}

/** Signing is the business of a library, which is loaded when there is something to sign. */
async function createSigner({ alg, keys }: DpopSettings): Promise<Signer> {
  const { SignJWT, calculateJwkThumbprint, exportJWK, generateKeyPair } = await import('jose');
  const { privateKey, publicKey } = keys ?? (await generateKeyPair(alg, { extractable: false }));
  const jwk = await exportJWK(publicKey);
  return {
    thumbprint: await calculateJwkThumbprint(jwk),
    sign: (claims) => new SignJWT({ ...claims }).setProtectedHeader({ typ: 'dpop+jwt', alg, jwk }).sign(privateKey),
  };
}

function checkKeys({ privateKey }: CryptoKeyPair, alg: ProofAlgorithm): void {
  const why = privateKey.extractable
    ? 'its private key can be read out; make or import it with extractable: false'
    : `its keys are for ${privateKey.algorithm.name}; pass the "alg" that they are for, ES256 or EdDSA`;
  if (privateKey.extractable || !KEYS[alg](privateKey.algorithm))
    throw new McpError('MCP_BAD_DEFINITION', { what: 'The key pair for DPoP', why });
}

async function sha256(token: string): Promise<string> {
  const { base64url } = await import('jose');
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))));
}
