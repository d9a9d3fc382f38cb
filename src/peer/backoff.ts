/** Exponential backoff with jitter, for reconnecting. */
const SHORTEST_MS = 1_000;
const LONGEST_MS = 30_000;

/** Failed attempts in a row after which the failure is reported. */
export const MAX_ATTEMPTS = 5;

/** The delay after `failed` attempts. `random` is between 0 and 1. */
export function backoffMs(failed: number, random: number): number {
  const longest = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** failed);
  return SHORTEST_MS + random * (longest - SHORTEST_MS);
}
