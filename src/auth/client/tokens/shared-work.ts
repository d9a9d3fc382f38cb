/** One operation that several callers share. Aborted when the last of them cancels. */
import { McpError } from '../../../errors.ts';
import { onAbort, untilAborted } from '../../../peer/wait.ts';

export class SharedWork<T> {
  readonly #control: AbortController = new AbortController();
  readonly #outcome: Promise<T>;
  #waiting = 0;

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#outcome = work(this.#control.signal);
    // Callers get the failure from wait(). Without this, a failure after the last cancel would be an unhandled rejection.
    this.#outcome.catch(() => undefined);
  }

  /** Resolves with the result. Rejects if the work fails, or the caller's signal is aborted. */
  wait(signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting++;
      const leave = (): void => {
        reject(cancelledError());
        if (--this.#waiting === 0) this.#control.abort(cancelledError());
      };
      this.#outcome.finally(onAbort(signal, leave)).then(resolve, reject);
    });
  }

  /** Waits for work that other callers started. If they have all cancelled, waits for the abort to finish instead of failing. */
  async join(signal: AbortSignal): Promise<void> {
    if (this.#control.signal.aborted)
      await untilAborted(
        this.#outcome.catch(() => undefined),
        signal,
      );
    else await this.wait(signal);
  }
}

const cancelledError = (): McpError =>
  new McpError('MCP_CLOSED', { why: 'the request that waited for credentials was cancelled' });
