/** `virtualClock()`: a fake clock for tests, which moves only on `advance`. */
import type { Clock } from '../peer/clock.ts';
import { nextTurn } from '../peer/runtime.ts';

/** A clock that moves only when you call `advance`. */
export interface VirtualClock extends Clock {
  /** Moves the clock. Runs due timers in order, and lets promises settle after each. */
  advance(ms: number): Promise<void>;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** Start of the wall clock, fixed so that test runs are reproducible. */
const START = 1_000_000_000_000;

/** Creates a virtual clock. */
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

/** The next timer to run. Timers that are due at the same time run in the order they were set. */
function earliest(timers: Iterable<Timer>, end: number): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) if (timer.due <= end && (first === undefined || timer.due < first.due)) first = timer;
  return first;
}
