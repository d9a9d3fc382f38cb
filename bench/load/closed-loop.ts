/** Runs one loop per caller; each loop calls again as soon as it has its answer, until the time is over. */
export interface Load {
  readonly calls: number;
  /** Milliseconds from the first call to the last answer. */
  readonly ms: number;
  /** Milliseconds of each call. */
  readonly latencies: readonly number[];
}

export async function closedLoop(loops: readonly (() => Promise<void>)[], ms: number): Promise<Load> {
  const latencies: number[] = [];
  const began = performance.now();
  const until = began + ms;
  const run = async (once: () => Promise<void>): Promise<void> => {
    for (let now = performance.now(); now < until; ) {
      await once();
      const done = performance.now();
      latencies.push(done - now);
      now = done;
    }
  };
  await Promise.all(loops.map(run));
  return { calls: latencies.length, ms: performance.now() - began, latencies };
}
