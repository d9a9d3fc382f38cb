/** Creates DPoP proofs (RFC 9449): a signature for each request proves possession of the key that the token is bound to. */
import { digestText } from '../../../model/canonical.ts';
import { printable } from '../../../model/printable.ts';
import { type Clock, systemClock } from '../../../peer/clock.ts';
import { setNewest } from '../../../peer/set-newest.ts';
import type { AuthContext } from '../context/auth-context.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';

/** The algorithm that servers with DPoP are most likely to support. */
const ALGORITHM = 'ES256';
/** Cached nonces, one per origin. The least recently set is evicted, and its origin then issues a new one. */
const MAX_NONCES = 100;
const MAX_NONCE_LENGTH = 1024;

interface ProofSigner {
  readonly thumbprint: string;
  sign(claims: Readonly<Record<string, string | number>>): Promise<string>;
}

export interface ProvenRequest {
  readonly method: string;
  readonly url: URL;
  readonly accessToken?: string;
}

/** Signs with one key pair, generated for the first proof. The private key is not extractable, and is never stored. */
export class DpopProofs {
  readonly #clock: Clock;
  readonly #nonces: Map<string, string> = new Map();
  #signer: Promise<ProofSigner> | undefined;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** The thumbprint of the key, for `dpop_jkt`. */
  async thumbprint(): Promise<string> {
    return (await this.#getSigner()).thumbprint;
  }

  /** The value of the `DPoP` header for one request, with the last nonce of its origin, if any. */
  async proof({ method, url, accessToken }: ProvenRequest): Promise<string> {
    const { sign } = await this.#getSigner();
    const nonce = this.#nonces.get(url.origin);
    return sign({
      jti: crypto.randomUUID(),
      htm: method,
      htu: url.origin + url.pathname,
      iat: Math.floor(this.#clock.wall() / 1000),
      ...(accessToken === undefined ? {} : { ath: await digestText(accessToken) }),
      ...(nonce === undefined ? {} : { nonce }),
    });
  }

  /** Stores the nonce that an origin issued, for the next proof. False if there is none that can be used. */
  rememberNonce(url: URL, nonce: string | undefined): boolean {
    if (nonce === undefined || nonce === '' || nonce.length > MAX_NONCE_LENGTH) return false;
    setNewest(this.#nonces, url.origin, nonce, MAX_NONCES);
    return true;
  }

  #getSigner(): Promise<ProofSigner> {
    this.#signer ??= createSigner();
    return this.#signer;
  }
}

/** Imports jose lazily, for the first proof. */
async function createSigner(): Promise<ProofSigner> {
  const { SignJWT, calculateJwkThumbprint, exportJWK, generateKeyPair } = await import('jose');
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM, { extractable: false });
  const jwk = await exportJWK(publicKey);
  const header = { typ: 'dpop+jwt', alg: ALGORITHM, jwk };
  return {
    thumbprint: await calculateJwkThumbprint(jwk),
    sign: (claims) => new SignJWT({ ...claims }).setProtectedHeader(header).sign(privateKey),
  };
}

/** Throws for a server without DPoP, which would ignore the proof and issue an unbound token. */
export function checkProofSupport(context: AuthContext, { proofAlgorithms, lacksMetadata }: AuthorizationServer): void {
  if (lacksMetadata || proofAlgorithms?.includes(ALGORITHM) === true) return;
  const named = proofAlgorithms === undefined ? 'does not announce DPoP' : `supports ${proofAlgorithms.join(', ')}`;
  const why = `tokens must be bound to a key for ${ALGORITHM}, and the authorization server ${printable(named)}`;
  throw context.failure('proof of possession', why);
}
