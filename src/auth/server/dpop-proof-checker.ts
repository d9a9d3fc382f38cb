/** Checks DPoP proofs (RFC 9449): a fresh signature with the key that the token is bound to. */
import type { JWTPayload } from 'jose';
import type { AuthRequest } from '../../model/auth.ts';
import { digestText } from '../../model/canonical.ts';
import type { Clock } from '../../peer/clock.ts';
import { Nonces } from './nonces.ts';

/** Asymmetric only: a key that the server has too would prove nothing. */
export const PROOF_ALGORITHMS: readonly string[] = ['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256'];

/** How far the time of a proof can be from ours, either way. */
const WINDOW_MS = 5 * 60_000;
/** Proofs that are remembered against replay; beyond that, only its time protects the oldest one. */
const MAX_SPENT = 50_000;
const MAX_ID_LENGTH = 256;
const MAX_LENGTH = 16 * 1024;

/** Remembers which DPoP proofs were used, for all processes behind one URL. */
export interface ProofLog {
  /** True the first time that an id is given, false from then on; after `lifeMs` it may be forgotten. If it rejects, the client gets 503. */
  spend(id: string, lifeMs: number): boolean | Promise<boolean>;
}

export interface ProofRules {
  /** The URL of the endpoint, as clients use it. */
  readonly audience: string;
  readonly clock: Clock;
  /** Clients must use a nonce of this server; with a key, one that several processes share. */
  readonly nonces: true | Uint8Array<ArrayBuffer> | undefined;
  /** Where used proofs are remembered; in this process by default. */
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
  /** Used proofs with the time when each can be dropped, in order. */
  readonly #spent: Map<string, number> = new Map();

  constructor(rules: ProofRules) {
    this.#rules = rules;
    const { clock, nonces } = rules;
    if (nonces !== undefined) this.#nonces = nonces === true ? new Nonces(clock) : new Nonces(clock, nonces);
  }

  /** Sent with a rejection, if clients must use nonces. */
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
      // A proof has no lifetime of its own; if it has `exp` all the same, our clock decides.
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
    const id = `${bound.jkt} ${payload.jti}`;
    const { log } = this.#rules;
    const isFirst = log === undefined ? this.#spend(id) : await log.spend(await digestText(id), 2 * WINDOW_MS);
    return isFirst ? undefined : invalid('it was used before');
  }

  #claimsFault({ jti, iat, htm, htu }: JWTPayload, { method, path }: AuthRequest): string | undefined {
    const { audience, clock } = this.#rules;
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_LENGTH) return 'its "jti" is missing or too long';
    if (typeof iat !== 'number' || Math.abs(iat * 1000 - clock.wall()) > WINDOW_MS) return 'its "iat" is not now';
    if (htm !== method) return 'its "htm" is another method';
    // A proxy can have rewritten the path, so the public URL of the endpoint counts too.
    const known = [audience, new URL(audience).origin + path].map(withoutQuery);
    const named = typeof htu === 'string' ? withoutQuery(htu) : undefined;
    return named !== undefined && known.includes(named) ? undefined : 'its "htu" is another address';
  }

  /** False when it was used before. */
  #spend(id: string): boolean {
    const now = this.#rules.clock.now();
    for (const [old, until] of this.#spent) {
      if (until > now && this.#spent.size < MAX_SPENT) break;
      this.#spent.delete(old);
    }
    if (this.#spent.has(id)) return false;
    // From the earliest valid time of a proof to the latest.
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
