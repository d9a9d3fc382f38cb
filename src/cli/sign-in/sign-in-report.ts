/** Prints a stored sign-in: user, issuer, scopes and expiry. Never prints tokens. */
import type { StoredSignIn } from '../../auth/index.ts';
import { displayUrl, printable } from '../../model/printable.ts';
import { columns } from '../columns.ts';
import type { CommandContext } from '../command.ts';

/** The access token has expired and cannot be refreshed. */
export const isExpired = ({ expiresAt, isRenewable }: StoredSignIn, now: number): boolean =>
  !isRenewable && expiresAt !== undefined && expiresAt <= now;

/** `path` is the credentials file. */
export function reportSignIn(url: URL, stored: StoredSignIn, path: string, { shell, print }: CommandContext): void {
  const { issuer, resource, clientId, user, scopes, expiresAt, isRenewable } = stored;
  const expires = expiresAt === undefined ? undefined : new Date(expiresAt).toISOString();
  print.data({
    signedIn: true,
    url: displayUrl(url),
    issuer,
    resource,
    clientId,
    user,
    scopes,
    expires,
    isRenewable,
    path,
  });
  const rows: readonly (readonly [string, string])[] = [
    ['user', userText(stored)],
    ['issuer', printable(issuer)],
    ['client', printable(clientId ?? 'without an id')],
    ['scopes', scopes.length === 0 ? 'left to the issuer' : printable(scopes.join(' '))],
    ['expires', expiryText(stored, shell.clock.wall())],
    ['stored in', path],
  ];
  for (const line of columns(rows, shell.stdout)) print.line(line);
}

function userText({ user }: StoredSignIn): string {
  if (user === undefined) return 'unknown (no ID token; `mooring login --scope openid` asks for one)';
  const { subject, name, email } = user;
  const more = [name, email].filter((one) => one !== undefined && one !== subject);
  return printable(more.length === 0 ? subject : `${more.join(', ')} (${subject})`);
}

function expiryText({ expiresAt, isRenewable }: StoredSignIn, now: number): string {
  if (expiresAt === undefined) return 'the issuer does not say';
  const at = new Date(expiresAt)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace('T', ' ');
  const left = expiresAt - now;
  const when = left <= 0 ? 'expired' : `in ${durationText(left)}`;
  return `${at} (${when}${isRenewable ? ', renewed when needed' : ''})`;
}

function durationText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${Math.round(ms / 1000)} s`;
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
