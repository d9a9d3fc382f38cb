/** A rate limit: at most so many events within any 60 seconds. */
import type { Clock } from '../../peer/clock.ts';

const MINUTE_MS = 60_000;

/** Returns a function that counts an event and returns true, or returns false if the limit is reached. */
export function perMinute(limit: number, clock: Clock): () => boolean {
  let times: readonly number[] = [];
  return () => {
    const now = clock.now();
    times = times.filter((time) => now - time < MINUTE_MS);
    if (times.length >= limit) return false;
    times = [...times, now];
    return true;
  };
}
