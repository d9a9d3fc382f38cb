/** Time, handed in, so that tests can hold it. */
export interface Clock {
  /** Milliseconds that only ever grow; for deadlines. */
  now(): number;
  /** Milliseconds since 1970; for what travels or is stored. */
  wall(): number;
  /** Calls back once. The timer does not keep the process alive. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, run) {
    const timer: unknown = setTimeout(run, ms);
    // Only Node's timers hold the process; elsewhere a timer is a number.
    if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function')
      timer.unref();
    return () => clearTimeout(timer as ReturnType<typeof setTimeout>); // what setTimeout returned
  },
};
