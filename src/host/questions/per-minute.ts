/** So many within any minute, however they are spread. */
import type { Clock } from '../../peer/clock.ts';

const MINUTE_MS = 60_000;

/** Whether one more is within the limit; it counts then. */
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
