/** Proofs of possession (DPoP, RFC 9449): whoever sends a token also shows, anew each time, the key it is bound to. */
import type { JWTPayload } from 'jose';
import type { AuthRequest } from '../../model/auth.ts';
import { digestText } from '../../model/canonical.ts';
import type { Clock } from '../../peer/clock.ts';
import { Nonces } from './nonces.ts';

/** Two keys, always: one that the server knew as well would prove nothing. */
export const PROOF_ALGORITHMS: readonly string[] = ['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256'];

/** How far the time of a proof may be from ours, either way. */
const WINDOW_MS = 5 * 60_000;
/** Proofs that are remembered, so that none is used twice; when there are more, only their time protects the oldest. */
const MAX_SPENT = 50_000;
const MAX_ID_LENGTH = 256;
const MAX_LENGTH = 16 * 1024;

export interface ProofRules {
  /** The endpoint as clients know it. */
  readonly audience: string;
  readonly clock: Clock;
  /** Clients must use a nonce of ours; with a key, one that several processes share. */
  readonly nonces: true | Uint8Array<ArrayBuffer> | undefined;
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
  /** When each may be forgotten, the first of them first. */
  readonly #spent: Map<string, number> = new Map();

  constructor(rules: ProofRules) {
    this.#rules = rules;
    const { clock, nonces } = rules;
    if (nonces !== undefined) this.#nonces = nonces === true ? new Nonces(clock) : new Nonces(clock, nonces);
  }

  /** To be sent along with a refusal, where clients must use one. */
  async nonceHeader(): Promise<Readonly<Record<string, string>>> {
    return this.#nonces === undefined ? {} : { 'DPoP-Nonce': await this.#nonces.create() };
  }

  async fault(bound: BoundToken): Promise<ProofFault | undefined> {
    const proof = bound.request.header('dpop');
    if (proof === undefined || proof.length > MAX_LENGTH) return invalid('there is no proof, or a very long one');
    const { EmbeddedJWK, calculateJwkThumbprint, jwtVerify } = await import('jose');
    const { clock } = this.#rules;
    const verified = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: [...PROOF_ALGORITHMS],
      // A proof has no lifetime of its own; a claim that says otherwise is held against the right time.
      currentDate: new Date(clock.wall()),
    }).catch(() => undefined);
    if (verified === undefined) return invalid('it is no proof that can be verified (typ, alg, jwk, signature)');
    const { payload, protectedHeader } = verified;
    if ((await calculateJwkThumbprint(protectedHeader.jwk ?? {})) !== bound.jkt)
      return invalid('it was made with another key than the token is bound to');
    const fault = this.#claimsFault(payload, bound.request) ?? (await tokenFault(payload, bound.token));
    if (fault !== undefined) return invalid(fault);
    if (this.#nonces !== undefined && !(await this.#nonces.isValid(String(payload['nonce']))))
      return { error: 'use_dpop_nonce', why: 'its nonce is missing, too old, or none of ours' };
    return this.#spend(`${bound.jkt} ${payload.jti}`) ? undefined : invalid('it was used before');
  }

  #claimsFault({ jti, iat, htm, htu }: JWTPayload, { method, path }: AuthRequest): string | undefined {
    const { audience, clock } = this.#rules;
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_LENGTH) return 'its "jti" is missing or too long';
    if (typeof iat !== 'number' || Math.abs(iat * 1000 - clock.wall()) > WINDOW_MS) return 'its "iat" is not now';
    if (htm !== method) return 'its "htm" is another method';
    // What stands in front of us may have shortened the path; the endpoint is known by its own name as well.
    const known = [audience, new URL(audience).origin + path].map(withoutQuery);
    const named = typeof htu === 'string' ? withoutQuery(htu) : undefined;
    return named !== undefined && known.includes(named) ? undefined : 'its "htu" is another address';
  }

  /** False when it was spent before. */
  #spend(id: string): boolean {
    const now = this.#rules.clock.now();
    for (const [old, until] of this.#spent) {
      if (until > now && this.#spent.size < MAX_SPENT) break;
      this.#spent.delete(old);
    }
    if (this.#spent.has(id)) return false;
    // From the earliest time that a proof may name to the latest.
    this.#spent.set(id, now + 2 * WINDOW_MS);
    return true;
  }
}

function withoutQuery(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

const invalid = (why: string): ProofFault => ({ error: 'invalid_dpop_proof', why });

async function tokenFault({ ath }: JWTPayload, token: string): Promise<string | undefined> {
  return ath === (await digestText(token)) ? undefined : 'its "ath" is the hash of another token';
}
