/** Values that are forgotten after a while. */
import type { Clock } from '../peer/clock.ts';

/** How many values each write looks at for those that have expired: so many more are forgotten than are written. */
const LOOKS = 2;

export class ExpiringMap<T> {
  readonly #clock: Clock;
  readonly #values: Map<string, { readonly value: T; readonly until: number }> = new Map();
  #looking: IterableIterator<[string, { readonly until: number }]> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: string): T | undefined {
    const kept = this.#values.get(key);
    if (kept === undefined || kept.until > this.#clock.now()) return kept?.value;
    this.#values.delete(key);
    return undefined;
  }

  set(key: string, value: T, ttlMs: number): void {
    this.#forgetSome();
    this.#values.set(key, { value, until: this.#clock.now() + ttlMs });
  }

  delete(key: string): boolean {
    return this.#values.delete(key);
  }

  /** Goes round and round, a few at a time: lives differ, so no order says which ends next. */
  #forgetSome(): void {
    const now = this.#clock.now();
    for (let i = 0; i < LOOKS; i++) {
      this.#looking ??= this.#values.entries();
      const next = this.#looking.next();
      if (next.done === true) this.#looking = undefined;
      else if (next.value[1].until <= now) this.#values.delete(next.value[0]);
    }
  }
}
