/** Allows so many per second. */
import type { Clock } from './clock.ts';

export class Throttle {
  readonly #limit: number;
  readonly #perMs: number;
  readonly #clock: Clock;
  #since: number;
  #count = 0;

  constructor(limit: number, clock: Clock, perMs = 1_000) {
    this.#limit = limit;
    this.#clock = clock;
    this.#perMs = perMs;
    this.#since = clock.now();
  }

  allows(): boolean {
    if (this.#count < this.#limit) {
      this.#count++;
      return true;
    }
    // Time is only looked at when the allowance is used up.
    const now = this.#clock.now();
    if (now - this.#since < this.#perMs) return false;
    this.#since = now;
    this.#count = 1;
    return true;
  }
}
