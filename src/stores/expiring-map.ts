/** A map whose values expire. Expired values are removed when they are read, and incrementally on writes. */
import type { Clock } from '../peer/clock.ts';

/** How many values each write checks for expiry. More than one, so that the map shrinks faster than it grows. */
const CHECKS_PER_WRITE = 2;

export class ExpiringMap<T> {
  readonly #clock: Clock;
  readonly #values: Map<string, { readonly value: T; readonly until: number }> = new Map();
  #sweep: IterableIterator<[string, { readonly until: number }]> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: string): T | undefined {
    const entry = this.#values.get(key);
    if (entry === undefined || entry.until > this.#clock.now()) return entry?.value;
    this.#values.delete(key);
    return undefined;
  }

  set(key: string, value: T, ttlMs: number): void {
    this.#removeSomeExpired();
    this.#values.set(key, { value, until: this.#clock.now() + ttlMs });
  }

  delete(key: string): boolean {
    return this.#values.delete(key);
  }

  /** Checks the next few values, in a cycle through the whole map: TTLs differ, so insertion order is not expiry order. */
  #removeSomeExpired(): void {
    const now = this.#clock.now();
    for (let i = 0; i < CHECKS_PER_WRITE; i++) {
      this.#sweep ??= this.#values.entries();
      const next = this.#sweep.next();
      if (next.done === true) this.#sweep = undefined;
      else if (next.value[1].until <= now) this.#values.delete(next.value[0]);
    }
  }
}
