/** Time, passed in, so that tests can control it. */
export interface Clock {
  /** Milliseconds that only ever grow; for deadlines. */
  now(): number;
  /** Milliseconds since 1970; for what travels or is stored. */
  wall(): number;
  /** Calls back once. The process stays alive until then, unless the timer is `idle`. */
  after(ms: number, run: () => void, options?: { readonly idle: true }): () => void;
}

/** What a timer of the runtime can hold. It would end a longer one at once. */
const MAX_MS = 2 ** 31 - 1;

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, run, options) {
    if (ms > MAX_MS) return afterLong(ms, run, options);
    const timer: unknown = setTimeout(run, ms);
    // Only Node's timers hold the process; elsewhere a timer is a number.
    if (options?.idle === true && typeof timer === 'object' && timer !== null && 'unref' in timer) {
      if (typeof timer.unref === 'function') timer.unref();
    }
    return () => clearTimeout(timer as ReturnType<typeof setTimeout>); // what setTimeout returned
  },
};

function afterLong(...[ms, run, options]: Parameters<Clock['after']>): () => void {
  let stop = systemClock.after(
    MAX_MS,
    () => {
      stop = systemClock.after(ms - MAX_MS, run, options);
    },
    options,
  );
  return () => stop();
}
