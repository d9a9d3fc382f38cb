/** Checks the claims of a verified token for `bearer`, and converts them into the `AuthInfo` that handlers get. */
import { isObject } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { deepFreeze } from '../../model/deep-freeze.ts';
import { printable } from '../../model/printable.ts';
import { valueKind } from '../../model/value-kind.ts';
import type { Claims, VerificationTime } from './token-verifier.ts';

export interface AcceptedClaims extends VerificationTime {
  readonly audience: string;
  readonly issuers: readonly string[];
}

/** Why this server rejects the claims now; undefined if it accepts them. */
export function claimsFault(
  claims: Claims,
  { audience, issuers, clock, clockSkewMs }: AcceptedClaims,
): string | undefined {
  const { iss, aud, exp, nbf, sub } = claims;
  if (typeof iss !== 'string' || !issuers.includes(iss))
    return `its issuer is ${showClaim(iss)}, and only ${issuers.join(', ')} is trusted here`;
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audiences.some((one) => typeof one === 'string' && sameResource(one, audience)))
    return `its audience is ${showClaim(aud)}, not ${audience}`;
  if (isMilliseconds(exp)) return 'its "exp" is in milliseconds, not in seconds';
  const now = clock.wall();
  if (exp !== undefined && !(typeof exp === 'number' && exp * 1000 + clockSkewMs > now)) return 'it has expired';
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf * 1000 - clockSkewMs <= now)) return 'it is not valid yet';
  // If a malformed subject were ignored, all users of one client would be the same caller.
  if (sub !== undefined && sub !== null && typeof sub !== 'string')
    return `its subject is ${showClaim(sub)}, which is not a string`;
  // State is stored per caller: all tokens without both a subject and a client would share it.
  return subjectOf(claims) === undefined && clientOf(claims) === undefined
    ? 'it has neither a subject nor a client'
    : undefined;
}

/** A time in seconds that is greater belongs to the year 33658; one in milliseconds belongs to 2001. */
const isMilliseconds = (exp: unknown): boolean => typeof exp === 'number' && exp > 1e12;

/**
 * What is wrong with the result of a verifier, whatever the token: undefined if the token alone is to blame. Quotes no claim, because it
 * is printed.
 */
export function verifierFault(result: unknown): string | undefined {
  // A verifier without types can return these for an invalid token.
  if (result === undefined || result === null || result === false) return undefined;
  if (!isObject(result)) return valueKind(result);
  const { iss, aud, exp, sub, client_id = sub, azp = client_id } = result;
  const missing = Object.entries({ iss, aud, sub: azp }).filter(([, claim]) => claim === undefined);
  if (missing.length > 0) return `claims without ${missing.map(([name]) => `"${name}"`).join(' and ')}`;
  return isMilliseconds(exp) ? 'an "exp" in milliseconds' : undefined;
}

const showClaim = (value: unknown): string =>
  value === undefined ? 'not named' : printable(JSON.stringify(value) ?? '').slice(0, 200);

/** Ignores the case of scheme and host, and the slash of a bare origin. */
function sameResource(one: string, other: string): boolean {
  return one === other || normalizeResource(one) === normalizeResource(other);
}

const normalizeResource = (uri: string): string =>
  uri.replace(/https?:\/\/[^/?#]*/i, (origin) => origin.toLowerCase()).replace(/^(https?:\/\/[^/?#]*)\/$/, '$1');

/** Each scope with the scopes that it includes. */
type ImpliedScopes = ReadonlyMap<string, readonly string[]>;

/**
 * Converts claims to `AuthInfo`, cached per claims object if that is deeply frozen. Members that contain `token` are removed, so that a
 * handler cannot forward it.
 */
export function claimsReader(implies: ImpliedScopes): (claims: Claims, token: string) => AuthInfo {
  /** `length` is that of the claims as JSON: claims shorter than a token cannot contain it. */
  const cache = new WeakMap<Claims, { readonly auth: AuthInfo; readonly length: number }>();
  return (claims, token) => {
    const cached = cache.get(claims);
    if (cached !== undefined && cached.length < token.length) return cached.auth;
    const auth = toAuthInfo(claims, token, implies);
    const length = isDeepFrozen(claims) ? JSON.stringify(claims).length : Number.POSITIVE_INFINITY;
    if (length < token.length) cache.set(claims, { auth: deepFreeze(auth), length });
    return auth;
  };
}

const isDeepFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeepFrozen));

/** The identity of a caller whose token has these claims. */
export const callerOfClaims = (claims: Claims): AuthInfo => toAuthInfo(claims, undefined, new Map());

function toAuthInfo(claims: Claims, token: string | undefined, implies: ImpliedScopes): AuthInfo {
  const { iss, exp } = claims;
  const subject = subjectOf(claims);
  const clientId = clientOf(claims);
  return {
    ...(typeof iss === 'string' ? { issuer: iss } : {}),
    ...(subject === undefined ? {} : { subject }),
    ...(clientId === undefined ? {} : { clientId }),
    scopes: withImplied(scopesOf(claims), implies),
    ...(typeof exp === 'number' ? { expiresAt: exp * 1000 } : {}),
    claims: copyClaims(claims, token),
  };
}

/** Copies the claims, because a verifier can cache the original. */
function copyClaims(claims: Claims, token: string | undefined): Claims {
  const members = Object.entries(claims).flatMap(([name, value]): [string, unknown][] => {
    const text = JSON.stringify(value) as string | undefined; // undefined for a function, which is not JSON
    return text === undefined || (token !== undefined && text.includes(token)) ? [] : [[name, JSON.parse(text)]];
  });
  return Object.fromEntries(members);
}

const subjectOf = ({ sub }: Claims): string | undefined => nonEmpty(sub);
const clientOf = ({ client_id, azp }: Claims): string | undefined => nonEmpty(client_id) ?? nonEmpty(azp);
const nonEmpty = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Reads `scope`, separated by spaces, or the list `scp` that some authorization servers send instead. */
function scopesOf({ scope, scp }: Claims): readonly string[] {
  const given = scope ?? scp;
  if (typeof given === 'string') return given.split(' ').filter((one) => one !== '');
  return Array.isArray(given) ? given.filter((one): one is string => typeof one === 'string') : [];
}

function withImplied(granted: readonly string[], implies: ImpliedScopes): readonly string[] {
  const all = new Set(granted);
  // Transitive: iterating over a set also visits scopes that are added during the loop.
  for (const scope of all) for (const more of implies.get(scope) ?? []) all.add(more);
  return [...all];
}
