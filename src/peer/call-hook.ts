/** Runs a function of the application, of which nothing else depends. */

/** An `async` function fails in its promise, which would end the process if nothing caught it. */
export function callHook(run: () => unknown, failed: (error: unknown) => void = () => undefined): void {
  try {
    const done = run();
    if (done instanceof Promise) done.catch(failed);
  } catch (error) {
    failed(error);
  }
}
