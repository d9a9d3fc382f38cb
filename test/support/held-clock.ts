/** Time that passes when a test says so. */
import type { Clock } from '../../src/peer/clock.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

export class HeldClock implements Clock {
  #now = 1_000;
  readonly #timers: Set<Timer> = new Set();
  /** Every wait that was asked for, in order. */
  readonly waits: number[] = [];

  /** Timers that have neither run nor been cancelled. */
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

  /** Lets time pass, from one timer to the next, and everything happen that follows from each. */
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

/** When everything that could happen without time passing has happened. */
export const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(() => setImmediate(resolve)));

/** A clock whose time passes by being waited for; each time, something else may happen. */
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
