/** Limits how often a server can ask for a new token or more scopes, so that it cannot make the user sign in forever. */
import type { Clock } from '../../../peer/clock.ts';

/** Limit for the same scopes and the same operation. */
export const MAX_ROUNDS = 3;
/** Limit for all scopes and operations together, because a server can invent new scopes each time. */
export const MAX_ROUNDS_IN_ALL = 10;
const WINDOW_MS = 600_000;

/** Creates a counter. Each call counts a sign-in for these scopes of an operation, and returns false at the limit. */
export function stepUpLimit(clock: Clock): (operation: string, scopes: readonly string[]) => boolean {
  let rounds: readonly { readonly what: string; readonly at: number }[] = [];
  return (operation, scopes) => {
    const what = JSON.stringify([operation, ...[...scopes].sort()]);
    const now = clock.now();
    const recent = rounds.filter(({ at }) => now - at < WINDOW_MS);
    const same = recent.filter((round) => round.what === what);
    if (same.length >= MAX_ROUNDS || recent.length >= MAX_ROUNDS_IN_ALL) return false;
    rounds = [...recent, { what, at: now }];
    return true;
  };
}
