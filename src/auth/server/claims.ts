/** Checks the claims of a verified token, and turns them into what a handler sees. */
import type { AuthInfo } from '../../model/caller.ts';
import { deepFreeze } from '../../model/deep-freeze.ts';
import { printable } from '../../model/printable.ts';
import type { Claims, VerificationTime } from './token-verifier.ts';

export interface AcceptedClaims extends VerificationTime {
  readonly audience: string;
  readonly issuers: readonly string[];
}

/** Why a token is not valid here and now. */
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
  const now = clock.wall();
  if (exp !== undefined && !(typeof exp === 'number' && exp * 1000 + clockSkewMs > now)) return 'it has expired';
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf * 1000 - clockSkewMs <= now)) return 'it is not valid yet';
  // Without their subjects, the users of one client would be one caller.
  if (sub !== undefined && sub !== null && typeof sub !== 'string')
    return `its subject is ${showClaim(sub)}, which is not a string`;
  // State is kept per caller: all tokens without a subject and a client would share it.
  return subjectOf(claims) === undefined && clientOf(claims) === undefined
    ? 'it has neither a subject nor a client'
    : undefined;
}

const showClaim = (value: unknown): string =>
  value === undefined ? 'not named' : printable(JSON.stringify(value) ?? '').slice(0, 200);

/** Ignores the case of scheme and host, and the slash of a bare origin. */
function sameResource(one: string, other: string): boolean {
  return one === other || normalizeResource(one) === normalizeResource(other);
}

const normalizeResource = (uri: string): string =>
  uri.replace(/https?:\/\/[^/?#]*/i, (origin) => origin.toLowerCase()).replace(/^(https?:\/\/[^/?#]*)\/$/, '$1');

/** Each scope with those that it includes. */
type ImpliedScopes = ReadonlyMap<string, readonly string[]>;

/**
 * Makes what handlers see of claims: once, where a verifier gives out the same claims again, which cannot have changed since.
 * `token` is removed from the claims, so that a handler cannot pass it on.
 */
export function claimsReader(implies: ImpliedScopes): (claims: Claims, token: string) => AuthInfo {
  /** With the length of the claims: what is shorter than a token does not contain it. */
  const before = new WeakMap<Claims, { readonly auth: AuthInfo; readonly length: number }>();
  return (claims, token) => {
    const kept = before.get(claims);
    if (kept !== undefined && kept.length < token.length) return kept.auth;
    const auth = toAuthInfo(claims, token, implies);
    const length = isDeepFrozen(claims) ? JSON.stringify(claims).length : Number.POSITIVE_INFINITY;
    if (length < token.length) before.set(claims, { auth: deepFreeze(auth), length });
    return auth;
  };
}

const isDeepFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeepFrozen));

function toAuthInfo(claims: Claims, token: string, implies: ImpliedScopes): AuthInfo {
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

/** A copy: a verifier can cache its claims. */
function copyClaims(claims: Claims, token: string): Claims {
  const members = Object.entries(claims).flatMap(([name, value]): [string, unknown][] => {
    const text = JSON.stringify(value) as string | undefined; // undefined for what is not JSON
    return text === undefined || text.includes(token) ? [] : [[name, JSON.parse(text)]];
  });
  return Object.fromEntries(members);
}

const subjectOf = ({ sub }: Claims): string | undefined => nonEmpty(sub);
const clientOf = ({ client_id, azp }: Claims): string | undefined => nonEmpty(client_id) ?? nonEmpty(azp);
const nonEmpty = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** `scope` is separated by spaces; some authorization servers send a list called `scp`. */
function scopesOf({ scope, scp }: Claims): readonly string[] {
  const given = scope ?? scp;
  if (typeof given === 'string') return given.split(' ').filter((one) => one !== '');
  return Array.isArray(given) ? given.filter((one): one is string => typeof one === 'string') : [];
}

function withImplied(granted: readonly string[], implies: ImpliedScopes): readonly string[] {
  const all = new Set(granted);
  // Iterating over a set also visits what is added meanwhile.
  for (const scope of all) for (const more of implies.get(scope) ?? []) all.add(more);
  return [...all];
}
