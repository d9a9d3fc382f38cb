/** The interface of `jwt`, `introspection` and verifiers of the application. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';

/** The claims of a token, named as in JWT (RFC 7519) and introspection (RFC 7662): `iss`, `aud`, `sub`, `scope` … */
export type Claims = JsonObject;

/** The clock that a verifier must use. */
export interface VerificationTime {
  readonly clock: Clock;
  /** Allowed clock difference between machines. */
  readonly clockSkewMs: number;
}

/**
 * Returns the claims of a token, or undefined if the token is invalid. If the verifier throws, the client gets 503 and can retry.
 * `bearer` always checks issuer, audience and times of the claims itself.
 */
export interface TokenVerifier {
  (token: string, moment: VerificationTime): Claims | undefined | Promise<Claims | undefined>;
  /** The issuer of the tokens. */
  readonly issuer?: string;
}

/** Thrown by `jwt` to reject a token. The message is logged, so it contains no part of the token. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}
