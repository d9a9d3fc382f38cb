/** Tokens that say everything themselves: JWTs, signed by the issuer (RFC 9068). */
import { McpError } from '../../errors.ts';
import { digestText } from '../../model/canonical.ts';
import { guardedWeb } from '../web/guarded-web.ts';
import type { FetchFunction } from '../web/http-sender.ts';
import { KeySet } from './key-set.ts';
import { type Claims, InvalidToken, type TokenVerifier, type VerificationTime } from './token-verifier.ts';
import { VerifiedTokens } from './verified.ts';

/** Settings of `jwt`. */
export interface JwtOptions {
  /** Exactly as tokens and metadata spell it. */
  readonly issuer: string;
  /** Where its keys are; in its metadata when it is not given. */
  readonly jwksUri?: string;
  /** RS256, PS256, ES256 and EdDSA. */
  readonly algorithms?: readonly string[];
  /** What kind of token it must call itself; an ID token is none. `at+jwt` and `JWT`. */
  readonly typ?: readonly string[];
  /** Used in place of our own connections to the issuer. */
  readonly fetch?: FetchFunction;
}

const ALGORITHMS: readonly string[] = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
const TYPES: readonly string[] = ['at+jwt', 'JWT'];

/** Verifies tokens that are signed (RFC 9068), with the keys that their issuer publishes. */
export function jwt(options: JwtOptions): TokenVerifier {
  const { issuer, jwksUri, fetch } = options;
  const algorithms = [...(options.algorithms ?? ALGORITHMS)];
  const fault = urlFault(issuer) ?? (jwksUri === undefined ? undefined : urlFault(jwksUri)) ?? algFault(algorithms);
  if (fault !== undefined) throw new McpError('MCP_BAD_DEFINITION', { what: 'jwt', why: fault });
  const types = new Set((options.typ ?? TYPES).map(typeOf));
  const keys = new KeySet({ issuer, jwksUri, web: guardedWeb({ from: new URL(jwksUri ?? issuer), fetch }) });
  const verified = new VerifiedTokens();
  const judge = async (token: string, { clock, clockSkewMs }: VerificationTime): Promise<Claims> => {
    const jose = await import('jose');
    // Keys come from the issuer alone: `jku`, `x5u` and `jwk` in the header are the bearer's own words.
    const { payload, protectedHeader } = await jose
      .jwtVerify(token, keys.finder(clock), {
        issuer,
        algorithms,
        clockTolerance: clockSkewMs / 1000,
        currentDate: new Date(clock.wall()),
        requiredClaims: ['exp', 'iss', 'aud'],
      })
      .catch((thrown: unknown) => {
        throw thrown instanceof jose.errors.JOSEError ? new InvalidToken(reasonOf(thrown)) : thrown;
      });
    if (!types.has(typeOf(protectedHeader.typ ?? '')))
      throw new InvalidToken('its "typ" is not that of an access token');
    return payload;
  };
  const verify: TokenVerifier = async (token, moment) => {
    const { clock, clockSkewMs } = moment;
    const id = await digestText(token);
    const known = verified.get(await keys.current(clock), id);
    if (known !== undefined && Number(known['exp']) * 1000 + clockSkewMs > clock.wall()) return known;
    const claims = await judge(token, moment);
    verified.set(await keys.current(clock), id, claims);
    return claims;
  };
  return Object.assign(verify, { issuer });
}

const urlFault = (url: string): string | undefined => (URL.canParse(url) ? undefined : `"${url}" is no URL`);

function algFault(algorithms: readonly string[]): string | undefined {
  const symmetric = algorithms.find((alg) => /^(?:hs\d+|none)$/i.test(alg));
  if (symmetric === undefined) return undefined;
  return `"${symmetric}" lets anybody sign who can verify; use an algorithm with two keys`;
}

/** As media types are compared: without regard to case, and `application/` may be left out. */
const typeOf = (typ: string): string => typ.toLowerCase().replace(/^application\//, '');

/** The library's own words: they name claims and algorithms, never their values. */
const reasonOf = ({ code, message }: { code: string; message: string }): string => `${code}: ${message}`;
