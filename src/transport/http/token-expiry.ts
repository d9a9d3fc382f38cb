/** Ends a long-lived stream when the token of its request expires. The client reconnects with its next token. */
import type { AuthInfo } from '../../model/caller.ts';
import { type Clock, MAX_TIMER_MS } from '../../peer/clock.ts';

/** Allowance for clock skew. */
const GRACE_MS = 60_000;

/** Calls `run` when the token has expired, unless that is too far away for a timer. The returned function cancels it. */
export function onTokenExpiry(auth: AuthInfo | undefined, clock: Clock, run: () => void): () => void {
  if (auth?.expiresAt === undefined) return () => undefined;
  const ms = Math.max(0, auth.expiresAt - clock.wall()) + GRACE_MS;
  return ms > MAX_TIMER_MS ? () => undefined : clock.after(ms, run, { idle: true });
}
