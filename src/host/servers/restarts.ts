/** How often a server may be started again by itself before it is given up. */
import { backoffMs } from '../../peer/backoff.ts';

const MAX_RESTARTS = 5;
const WINDOW_MS = 60_000;

export class Restarts {
  #at: readonly number[] = [];

  /** How long to wait before the next one; undefined when there were too many. */
  next(now: number, random: number): number | undefined {
    this.#at = [...this.#at.filter((at) => now - at < WINDOW_MS), now];
    return this.#at.length > MAX_RESTARTS ? undefined : backoffMs(this.#at.length - 1, random);
  }
}
