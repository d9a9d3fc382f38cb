/** Checks DPoP proofs (RFC 9449) for `bearer`: a fresh signature with the key that the token is bound to, used once. */
import type { JWTPayload } from 'jose';
import type { AuthRequest } from '../../model/auth.ts';
import { digestText } from '../../model/canonical.ts';
import type { Clock } from '../../peer/clock.ts';
import { Nonces } from './nonces.ts';
import { type ProofLog, UsedProofs } from './used-proofs.ts';

/** Asymmetric only: a symmetric key, which the server has too, would prove nothing. */
export const PROOF_ALGORITHMS: readonly string[] = ['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256'];

/** How far `iat` of a proof can differ from the clock of this process, in either direction. */
const WINDOW_MS = 5 * 60_000;
/**
 * How long a used proof is remembered, so that it cannot be replayed: its whole validity window, and one hour, because a process whose
 * clock is behind or is set back accepts it for longer. Not more, because every request adds an entry.
 */
const USED_MS: number = 2 * WINDOW_MS + 1 + 60 * 60_000;
const MAX_ID_LENGTH = 256;
const MAX_LENGTH = 16 * 1024;

export interface ProofRules {
  /** The URL of the endpoint, as clients use it. */
  readonly audience: string;
  readonly clock: Clock;
  /** Requires a nonce of this server in each proof. Pass a key if several processes share nonces. */
  readonly nonces: true | Uint8Array<ArrayBuffer> | undefined;
  /** Allowed clock difference between processes that share a key. Default: 60 s. */
  readonly clockSkewMs?: number | undefined;
  /** Remembers used proofs. Default: in this process. */
  readonly log?: ProofLog | undefined;
}

export interface BoundToken {
  readonly request: AuthRequest;
  readonly token: string;
  /** The thumbprint of the key that the token is bound to. */
  readonly jkt: string;
}

export interface ProofFault {
  readonly error: 'invalid_dpop_proof' | 'use_dpop_nonce';
  readonly why: string;
}

export class DpopProofChecker {
  readonly #rules: ProofRules;
  readonly #nonces: Nonces | undefined;
  readonly #log: ProofLog;

  constructor(rules: ProofRules) {
    this.#rules = rules;
    const { clock, nonces, log, clockSkewMs = 60_000 } = rules;
    this.#log = log ?? new UsedProofs(clock);
    if (nonces !== undefined) this.#nonces = new Nonces({ clock, clockSkewMs }, nonces === true ? undefined : nonces);
  }

  /** A fresh nonce for the headers of a rejection; empty if nonces are not required. */
  async nonceHeader(): Promise<Readonly<Record<string, string>>> {
    return this.#nonces === undefined ? {} : { 'DPoP-Nonce': await this.#nonces.create() };
  }

  async fault(bound: BoundToken): Promise<ProofFault | undefined> {
    const proof = bound.request.header('dpop');
    if (proof === undefined || proof.length > MAX_LENGTH) return invalid('the DPoP proof is missing or too long');
    const { EmbeddedJWK, calculateJwkThumbprint, jwtVerify } = await import('jose');
    const { clock } = this.#rules;
    const verified = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: [...PROOF_ALGORITHMS],
      // RFC 9449 proofs have no `exp`; if a client sends one, it is compared with this clock.
      currentDate: new Date(clock.wall()),
    }).catch(() => undefined);
    if (verified === undefined) return invalid('the DPoP proof cannot be verified (typ, alg, jwk, signature)');
    const { payload, protectedHeader } = verified;
    if ((await calculateJwkThumbprint(protectedHeader.jwk ?? {})) !== bound.jkt)
      return invalid('it was signed with another key than the token is bound to');
    const fault = this.#claimsFault(payload, bound.request) ?? (await tokenFault(payload, bound.token));
    if (fault !== undefined) return invalid(fault);
    const { nonce } = payload;
    if (this.#nonces !== undefined && !(typeof nonce === 'string' && (await this.#nonces.isValid(nonce))))
      return { error: 'use_dpop_nonce', why: 'its nonce is missing, expired, or not from this server' };
    const id = await digestText(`${bound.jkt} ${payload.jti}`);
    return (await this.#log.spend(id, USED_MS)) ? undefined : invalid('it was used before');
  }

  #claimsFault({ jti, iat, htm, htu }: JWTPayload, { method, path }: AuthRequest): string | undefined {
    const { audience, clock } = this.#rules;
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_LENGTH) return 'its "jti" is missing or too long';
    if (typeof iat !== 'number' || Math.abs(iat * 1000 - clock.wall()) > WINDOW_MS)
      return 'its "iat" is too far from the current time';
    if (htm !== method) return 'its "htm" does not match the request method';
    // A proxy can rewrite the path, so the public URL of the endpoint is accepted too.
    const known = [audience, new URL(audience).origin + path].map(withoutQuery);
    const named = typeof htu === 'string' ? withoutQuery(htu) : undefined;
    return named !== undefined && known.includes(named) ? undefined : 'its "htu" does not match the request URL';
  }
}

function withoutQuery(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

const invalid = (why: string): ProofFault => ({ error: 'invalid_dpop_proof', why });

async function tokenFault({ ath }: JWTPayload, token: string): Promise<string | undefined> {
  return ath === (await digestText(token)) ? undefined : 'its "ath" does not match the token';
}
