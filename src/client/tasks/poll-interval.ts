/** Computes the delay before a task is polled again. */

const SHORTEST_MS = 250;
const LONGEST_MS = 60_000;
/** Used if the server names no interval: grows while the task does not change. */
const FIRST_MS = 1_000;
const GROWTH = 1.5;
const LONGEST_OWN_MS = 15_000;
/** Spreads clients that started together. Only adds to the delay, since a server may reject polls before its interval. */
const JITTER = 0.1;

/** `unchanged` is the number of consecutive polls without a change; `random` is between 0 and 1. */
export function pollInterval(theirs: number | undefined, unchanged: number, random: number): number {
  const ms = theirs ?? Math.min(LONGEST_OWN_MS, FIRST_MS * GROWTH ** unchanged);
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ms) * (1 + JITTER * random));
}
