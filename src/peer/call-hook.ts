/** Runs a function of the application on which nothing else depends, and for which nothing waits. */
import { isPromise } from '../jsonrpc/message.ts';

/** An `async` function fails in its promise, which would end the process if nothing caught it. */
export function callHook(run: () => unknown, failed: (error: unknown) => void = () => undefined): void {
  try {
    const done = run();
    if (isPromise(done)) Promise.resolve(done).catch(failed);
  } catch (error) {
    failed(error);
  }
}
