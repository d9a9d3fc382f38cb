/** A clock that moves only when a test says so. */
import type { Clock } from '../peer/clock.ts';
import { nextTurn } from '../peer/runtime.ts';

/** A clock that stands still until it is moved. */
export interface VirtualClock extends Clock {
  /** Lets time pass: runs what falls due, in order, and lets everything that follows from it settle in between. */
  advance(ms: number): Promise<void>;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** Where the wall clock starts: any moment will do, as long as it is the same in every run. */
const START = 1_000_000_000_000;

/** Makes a clock for tests. */
export function virtualClock(): VirtualClock {
  const timers = new Set<Timer>();
  let now = 0;
  return {
    now: () => now,
    wall: () => START + now,
    after(ms, run) {
      const timer: Timer = { due: now + Math.max(0, ms), run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const end = now + ms;
      await nextTurn();
      for (let next = earliest(timers, end); next !== undefined; next = earliest(timers, end)) {
        timers.delete(next);
        now = next.due;
        next.run();
        await nextTurn();
      }
      now = end;
    },
  };
}

/** Timers that are due at the same moment run in the order they were set. */
function earliest(timers: Iterable<Timer>, end: number): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) if (timer.due <= end && (first === undefined || timer.due < first.due)) first = timer;
  return first;
}
