/** Turns a rejection into a challenge (RFC 6750, RFC 9449) that reveals no details, and reports it to the server's log. */
import type { AuthRejection } from '../../model/auth.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { formatChallenge } from '../../model/challenge.ts';
import { callHook } from '../../peer/call-hook.ts';
import { PROOF_ALGORITHMS } from './dpop-proof-checker.ts';

/** A rejected request, for the log of the server. Contains no part of the token. */
export interface BearerRejection {
  /** Correlates the log entry with the challenge, whose `error_description` contains this id if it has an error. */
  readonly id: string;
  /** 401 or 403, 400 for malformed credentials, or 503 if the verifier failed. */
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
  /** The scopes that a token needs, for the challenge. */
  readonly scopes: readonly string[];
  readonly auth?: AuthInfo;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ChallengeSettings {
  readonly realm: string | undefined;
  readonly metadataUrl: string;
  readonly dpop: 'accepted' | 'required' | undefined;
  readonly onRejected: ((refusal: BearerRejection) => void) | undefined;
}

/** Error descriptions for clients. The detailed reason is only logged. */
const texts: Readonly<Record<ChallengeError, string>> = {
  invalid_request: 'The credentials cannot be read',
  invalid_token: 'The token is not accepted',
  insufficient_scope: 'The token lacks a scope',
  invalid_dpop_proof: 'The proof of possession is not accepted',
  use_dpop_nonce: 'The proof of possession needs the nonce of this response',
};

export function toRejection(refused: RejectedToken, settings: ChallengeSettings): AuthRejection {
  const { status, error, why, scopes, auth, headers } = refused;
  const { realm, metadataUrl, dpop } = settings;
  const id = crypto.randomUUID().slice(0, 8);
  // An exception in the application's hook must not change the response.
  callHook(() => settings.onRejected?.({ id, status, error, why, ...(auth === undefined ? {} : { auth }) }));
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
  // Both schemes are accepted: lists Bearer first, because most clients support only that.
  const other = dpop === 'accepted' && !proof ? `, ${formatChallenge('DPoP', { algs })}` : '';
  return { status, wwwAuthenticate: challenge + other, ...(headers === undefined ? {} : { headers }) };
}
