/** A clock that a test advances. */
import type { Clock } from '../../src/peer/clock.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

export class HeldClock implements Clock {
  #now = 1_000;
  readonly #timers: Set<Timer> = new Set();
  /** All requested waits, in order. */
  readonly waits: number[] = [];

  /** The number of pending timers. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    this.waits.push(ms);
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Advances the time from timer to timer, and runs everything that follows from each. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#now = next.at;
      next.run();
      await settled();
    }
    this.#now = end;
    await settled();
  }

  #next(end: number): Timer | undefined {
    return [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}

/** Resolves when everything that needs no time has happened. */
export const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(() => setImmediate(resolve)));

/** A clock that advances with each wait, and calls `look` each time. */
export function eagerClock(look: (looks: number) => Promise<void> = async () => undefined): Clock {
  let [looks, now] = [0, 0];
  return {
    now: () => now,
    wall: () => now,
    after(ms, run) {
      now += ms;
      void look(++looks).then(run);
      return () => undefined;
    },
  };
}
