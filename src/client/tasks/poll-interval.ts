/** How long to wait before the next look at a task. */

const SHORTEST_MS = 250;
const LONGEST_MS = 60_000;
/** Where the server says none: it grows while nothing changes. */
const FIRST_MS = 1_000;
const GROWTH = 1.5;
const LONGEST_OWN_MS = 15_000;
/** Spreads clients that began together. Only ever later, since a server may reject those that come early. */
const JITTER = 0.1;

/** `unchanged` looks in a row found nothing new; `random` is between 0 and 1. */
export function pollInterval(theirs: number | undefined, unchanged: number, random: number): number {
  const ms = theirs ?? Math.min(LONGEST_OWN_MS, FIRST_MS * GROWTH ** unchanged);
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ms) * (1 + JITTER * random));
}
