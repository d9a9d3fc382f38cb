/** The interface of `jwt`, `introspection` and verifiers of the application. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';

/** The claims of a token, as JWT (RFC 7519) and introspection (RFC 7662) name them: `iss`, `aud`, `sub`, `scope` … */
export type Claims = JsonObject;

/** The clock that a verifier must use. */
export interface VerificationTime {
  readonly clock: Clock;
  /** How far the clocks of two machines can be apart. */
  readonly clockSkewMs: number;
}

/**
 * Returns the claims of a token, or undefined if it is invalid. If it throws, the client gets 503 and can try again later.
 * `bearer` checks issuer, audience and times of the claims in every case.
 */
export interface TokenVerifier {
  (token: string, moment: VerificationTime): Claims | undefined | Promise<Claims | undefined>;
  /** The issuer of the tokens. */
  readonly issuer?: string;
}

/** Why a token is invalid, for the log of the server. Contains nothing of the token. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}
