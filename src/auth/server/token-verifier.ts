/** Who tells whether a token is good, and what it says. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';

/** What a token says of itself, as JWT (RFC 7519) and introspection (RFC 7662) call it: `iss`, `aud`, `sub`, `scope` … */
export type Claims = JsonObject;

/** How a verifier tells the time. */
export interface VerificationTime {
  readonly clock: Clock;
  /** How far the clocks of two machines may be apart. */
  readonly clockSkewMs: number;
}

/**
 * The claims of a token, or undefined when it is not good. Throwing says that nobody could tell, and the client is asked
 * to come back later. Whatever it returns, `bearer` checks issuer, audience and times.
 */
export interface TokenVerifier {
  (token: string, moment: VerificationTime): Claims | undefined | Promise<Claims | undefined>;
  /** Whose tokens these are. */
  readonly issuer?: string;
}

/** A token that is not good, and why: for the log of whoever runs the server. Holds nothing of the token itself. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}
