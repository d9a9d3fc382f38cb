/** The source of time, injected so that tests can control it. */
export interface Clock {
  /** Monotonic milliseconds, for deadlines. */
  now(): number;
  /** Milliseconds since 1970, for timestamps that are sent or stored. */
  wall(): number;
  /** Calls `run` once after `ms`; the returned function cancels it. Keeps the process alive, unless the timer is `idle`. */
  after(ms: number, run: () => void, options?: { readonly idle: true }): () => void;
}

/** Maximum delay of `setTimeout`, which fires at once for a longer one. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, run, options) {
    if (ms > MAX_TIMER_MS) return afterLong(ms, run, options);
    const timer: unknown = setTimeout(run, ms);
    // Only Node's timers keep the process alive; elsewhere a timer is a number.
    if (options?.idle === true && typeof timer === 'object' && timer !== null && 'unref' in timer) {
      if (typeof timer.unref === 'function') timer.unref();
    }
    return () => clearTimeout(timer as ReturnType<typeof setTimeout>); // setTimeout returned it
  },
};

function afterLong(...[ms, run, options]: Parameters<Clock['after']>): () => void {
  let stop = systemClock.after(
    MAX_TIMER_MS,
    () => {
      stop = systemClock.after(ms - MAX_TIMER_MS, run, options);
    },
    options,
  );
  return () => stop();
}
