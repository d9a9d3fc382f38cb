/** A stream that stays open ends with the token it was opened with: the client comes back with the next one. */
import type { AuthInfo } from '../../model/caller.ts';
import type { Clock } from '../../peer/clock.ts';

/** After this, no clock still finds the token valid. */
const GRACE_MS = 60_000;
/** What a timer can hold. */
const MAX_MS = 2 ** 31 - 1;

/** Calls back when the token has expired, unless the returned function is called first. */
export function onExpiry(auth: AuthInfo | undefined, clock: Clock, run: () => void): () => void {
  if (auth?.expiresAt === undefined) return () => undefined;
  const ms = Math.max(0, auth.expiresAt - clock.wall()) + GRACE_MS;
  return ms > MAX_MS ? () => undefined : clock.after(ms, run, { idle: true });
}
