/** Runs a callback of the application whose result is not used and whose failure must not spread. */
import { isPromise } from '../jsonrpc/message.ts';

/** Calls the function without awaiting it. Catches a rejection too: if unhandled, it would end the process. */
export function callHook(run: () => unknown, failed: (error: unknown) => void = () => undefined): void {
  try {
    const done = run();
    if (isPromise(done)) Promise.resolve(done).catch(failed);
  } catch (error) {
    failed(error);
  }
}
