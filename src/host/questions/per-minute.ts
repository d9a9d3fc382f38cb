/** So many within any minute, however they are spread. */
import type { Clock } from '../../peer/clock.ts';

const MINUTE_MS = 60_000;

export class PerMinute {
  readonly #limit: number;
  readonly #clock: Clock;
  /** When each of the last minute was. */
  #times: readonly number[] = [];

  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  tryTake(): boolean {
    const now = this.#clock.now();
    this.#times = this.#times.filter((time) => now - time < MINUTE_MS);
    if (this.#times.length >= this.#limit) return false;
    this.#times = [...this.#times, now];
    return true;
  }
}
