/** Work that several callers wait for. It is aborted when the last of them stops waiting. */
import { McpError } from '../../../errors.ts';
import { onAbort } from '../../../peer/wait.ts';

export class SharedWork<T> {
  readonly #control: AbortController = new AbortController();
  readonly #outcome: Promise<T>;
  #waiting = 0;

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#outcome = work(this.#control.signal);
    // Without a waiting caller, a failure is not an unhandled rejection.
    this.#outcome.catch(() => undefined);
  }

  /** Until the work is done, or the caller's signal is aborted. */
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

  /** For a caller that comes later. It does not fail because earlier callers cancelled. */
  async join(signal: AbortSignal): Promise<void> {
    if (this.#control.signal.aborted) await this.#outcome.catch(() => undefined);
    else await this.wait(signal);
  }
}

const cancelledError = (): McpError =>
  new McpError('MCP_CLOSED', { why: 'the request that waited for credentials was cancelled' });
