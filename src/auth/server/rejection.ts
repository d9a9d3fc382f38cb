/** Turns a rejection into a challenge (RFC 6750, RFC 9449) that reveals no details, and reports it to the server's log. */
import type { AuthRejection } from '../../model/auth.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { formatChallenge } from '../../model/challenge.ts';
import { callHook } from '../../peer/call-hook.ts';
import { PROOF_ALGORITHMS } from './dpop-proof-checker.ts';

/** A rejected request, for the log of the server. Contains nothing of the token. */
export interface BearerRejection {
  /** Also in the challenge, if it has an error. */
  readonly id: string;
  /** 503: the verifier failed. */
  readonly status: AuthRejection['status'] | 503;
  readonly error: ChallengeError | undefined;
  readonly why: string;
  /** The caller, if it is known. */
  readonly auth?: AuthInfo;
}

export type ChallengeError =
  | 'invalid_request'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce';

export interface RejectedToken {
  readonly status: AuthRejection['status'];
  readonly error?: ChallengeError;
  readonly why: string;
  /** The scopes that a token needs. */
  readonly scopes: readonly string[];
  readonly auth?: AuthInfo;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ChallengeFacts {
  readonly realm: string | undefined;
  readonly metadataUrl: string;
  readonly dpop: 'accepted' | 'required' | undefined;
  readonly onRejected: ((refusal: BearerRejection) => void) | undefined;
}

/** For clients. The reason itself is for the log. */
const texts: Readonly<Record<ChallengeError, string>> = {
  invalid_request: 'The credentials cannot be read',
  invalid_token: 'The token is not accepted',
  insufficient_scope: 'The token lacks a scope',
  invalid_dpop_proof: 'The proof of possession is not accepted',
  use_dpop_nonce: 'The proof of possession needs the nonce of this response',
};

export function toRejection(refused: RejectedToken, facts: ChallengeFacts): AuthRejection {
  const { status, error, why, scopes, auth, headers } = refused;
  const { realm, metadataUrl, dpop } = facts;
  const id = crypto.randomUUID().slice(0, 8);
  reportRejection({ id, status, error, why, ...(auth === undefined ? {} : { auth }) }, facts.onRejected);
  const params = {
    realm,
    error,
    error_description: error === undefined ? undefined : `${texts[error]} (${id})`,
    scope: scopes.length === 0 ? undefined : scopes.join(' '),
    resource_metadata: metadataUrl,
  };
  const algs = PROOF_ALGORITHMS.join(' ');
  const proof = dpop === 'required' || error === 'invalid_dpop_proof' || error === 'use_dpop_nonce';
  const challenge = proof ? formatChallenge('DPoP', { ...params, algs }) : formatChallenge('Bearer', params);
  // Both schemes are accepted: DPoP comes after Bearer, which most clients know.
  const other = dpop === 'accepted' && !proof ? `, ${formatChallenge('DPoP', { algs })}` : '';
  return { status, wwwAuthenticate: challenge + other, ...(headers === undefined ? {} : { headers }) };
}

export function reportRejection(refused: BearerRejection, onRejected: ChallengeFacts['onRejected']): void {
  // An error in the application's log must not change the response.
  callHook(() => onRejected?.(refused));
}
