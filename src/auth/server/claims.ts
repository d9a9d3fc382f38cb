/** What a verified token says, held against what this server accepts; and what a handler gets to know of it. */
import type { AuthInfo } from '../../model/caller.ts';
import { printable } from '../../model/printable.ts';
import type { Claims, VerificationTime } from './token-verifier.ts';

export interface AcceptedClaims extends VerificationTime {
  readonly audience: string;
  readonly issuers: readonly string[];
}

/** Why a token is not for this server, or not now; undefined when it is. */
export function claimsFault(
  claims: Claims,
  { audience, issuers, clock, clockSkewMs }: AcceptedClaims,
): string | undefined {
  const { iss, aud, exp, nbf } = claims;
  if (typeof iss !== 'string' || !issuers.includes(iss))
    return `its issuer is ${showClaim(iss)}, and only ${issuers.join(', ')} is trusted here`;
  const meant: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!meant.some((one) => typeof one === 'string' && sameResource(one, audience)))
    return `it is meant for ${showClaim(aud)}, not for ${audience}`;
  const now = clock.wall();
  if (exp !== undefined && !(typeof exp === 'number' && exp * 1000 + clockSkewMs > now)) return 'it has expired';
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf * 1000 - clockSkewMs <= now)) return 'it is not valid yet';
  // Everything that is kept for a caller is kept under these: a token that names nobody would share it with all like it.
  return subjectOf(claims) === undefined && clientOf(claims) === undefined ? 'it names nobody' : undefined;
}

const showClaim = (value: unknown): string =>
  value === undefined ? 'not named' : printable(JSON.stringify(value) ?? '').slice(0, 200);

/** The same resource, however the letters of its scheme and host are written, and with or without the slash of a bare origin. */
function sameResource(one: string, other: string): boolean {
  return one === other || normalizeResource(one) === normalizeResource(other);
}

function normalizeResource(uri: string): string {
  const [, origin = '', path = ''] = /^([a-z][a-z\d+.-]*:\/\/[^/?#]*)(.*)$/is.exec(uri) ?? ['', '', uri];
  return origin.toLowerCase() + (origin !== '' && path === '/' ? '' : path);
}

export interface InfoOptions {
  /** Left out wherever it stands: whoever handles the request must not be able to send it on. */
  readonly token: string;
  /** Each scope with those that it stands for. */
  readonly implies: ReadonlyMap<string, readonly string[]>;
}

export function toAuthInfo(claims: Claims, { token, implies }: InfoOptions): AuthInfo {
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

/** Verifiers may keep theirs for the next request. */
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

/** `scope` is a text with blanks in it; some authorization servers write a list called `scp`. */
function scopesOf({ scope, scp }: Claims): readonly string[] {
  const given = scope ?? scp;
  if (typeof given === 'string') return given.split(' ').filter((one) => one !== '');
  return Array.isArray(given) ? given.filter((one): one is string => typeof one === 'string') : [];
}

function withImplied(granted: readonly string[], implies: InfoOptions['implies']): readonly string[] {
  const all = new Set(granted);
  // A set is walked to its end, also to what is added on the way.
  for (const scope of all) for (const more of implies.get(scope) ?? []) all.add(more);
  return [...all];
}
