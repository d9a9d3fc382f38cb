/** Makes DPoP proofs (RFC 9449): a fresh signature for each request shows that the sender holds the key the token is bound to. */
import { digestText } from '../../../model/canonical.ts';
import { printable } from '../../../model/printable.ts';
import { type Clock, systemClock } from '../../../peer/clock.ts';
import { setNewest } from '../../../peer/set-newest.ts';
import type { AuthContext } from '../context/auth-context.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';

/** Every server with DPoP is expected to support it. */
const ALGORITHM = 'ES256';
/** Enough for every server of one application; then the least recent nonce is dropped, and its origin issues a new one. */
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

/** Has one key pair, generated for the first proof. It stays in memory, and the private key is not extractable. */
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

  /** The value of the `DPoP` field for one request, with the last nonce of its origin, if any. */
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

  /** Remembers a nonce of an origin; true when it is a new one. */
  rememberNonce(url: URL, nonce: string | undefined): boolean {
    if (nonce === undefined || nonce === '' || nonce.length > MAX_NONCE_LENGTH) return false;
    if (this.#nonces.get(url.origin) === nonce) return false;
    setNewest(this.#nonces, url.origin, nonce, MAX_NONCES);
    return true;
  }

  #getSigner(): Promise<ProofSigner> {
    this.#signer ??= createSigner();
    return this.#signer;
  }
}

/** The library is loaded with the first proof. */
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

/** A server without DPoP would ignore the proof and issue a token that is not bound. */
export function checkProofSupport(context: AuthContext, { proofAlgorithms, guessed }: AuthorizationServer): void {
  if (guessed || proofAlgorithms?.includes(ALGORITHM) === true) return;
  const named = proofAlgorithms === undefined ? 'does not announce DPoP' : `supports ${proofAlgorithms.join(', ')}`;
  const why = `tokens must be bound to a key for ${ALGORITHM}, and the authorization server ${printable(named)}`;
  throw context.failure('proof of possession', why);
}
