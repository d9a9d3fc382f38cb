/** What a caller is told who is not let in: one complete challenge, in words that give nothing away (RFC 6750, RFC 9449). */
import type { AuthRejection } from '../../model/auth.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { formatChallenge } from '../web/challenge.ts';
import { PROOF_ALGORITHMS } from './dpop-proof-checker.ts';

/** What happened to a request, for the log of whoever runs the server. Nothing of a token is in it. */
export interface BearerRejection {
  /** The client was given it too, where it was given a reason. */
  readonly id: string;
  /** 503: nobody could tell whether the token is good. */
  readonly status: AuthRejection['status'] | 503;
  readonly error: ChallengeError | undefined;
  readonly why: string;
  /** Who it was, where that is known. */
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
  /** What a token needs to be let in. */
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

/** What each error means to a client. The reason itself is for the log. */
const texts: Readonly<Record<ChallengeError, string>> = {
  invalid_request: 'The credentials cannot be read',
  invalid_token: 'The token is not accepted',
  insufficient_scope: 'The token does not reach this far',
  invalid_dpop_proof: 'The proof of possession is not accepted',
  use_dpop_nonce: 'The proof of possession needs the nonce that comes with this answer',
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
  // Both ways are open: the other one is named after the one that most clients know.
  const other = dpop === 'accepted' && !proof ? `, ${formatChallenge('DPoP', { algs })}` : '';
  return { status, wwwAuthenticate: challenge + other, ...(headers === undefined ? {} : { headers }) };
}

export function reportRejection(refused: BearerRejection, onRejected: ChallengeFacts['onRejected']): void {
  try {
    onRejected?.(refused);
  } catch {
    // Whoever is told of a refusal must not be able to turn it into something else.
  }
}
