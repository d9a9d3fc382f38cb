/** Fixed-window rate limit: allows `limit` events per window, which lasts one second by default. */
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
    // Reads the clock only once the limit is reached.
    const now = this.#clock.now();
    if (now - this.#since < this.#perMs) return false;
    this.#since = now;
    this.#count = 1;
    return true;
  }
}
