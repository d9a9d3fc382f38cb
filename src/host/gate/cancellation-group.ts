/**
 * What is under way, each with a signal of its own: it ends with the caller's, or with everything else. `AbortSignal.any` would leave a
 * little of each behind for as long as the longest-lived of its signals.
 */
import { setMaxListeners } from 'node:events';

export class CancellationGroup {
  readonly #running: Map<AbortController, Promise<unknown>> = new Map();
  #reason: Error | undefined;

  /** With a signal that is aborted already, should everything have been called off before. */
  async run<T>(caller: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const own = new AbortController();
    const abort = (): void => own.abort(caller?.reason);
    if (this.#reason !== undefined) own.abort(this.#reason);
    else if (caller?.aborted === true) abort();
    else if (caller !== undefined) {
      // Many may be under way for one caller.
      setMaxListeners(0, caller);
      caller.addEventListener('abort', abort);
    }
    const running = work(own.signal);
    this.#running.set(own, running);
    try {
      return await running;
    } finally {
      this.#running.delete(own);
      caller?.removeEventListener('abort', abort);
    }
  }

  /** All of it, and whatever begins from now on. */
  cancelAll(reason: Error): void {
    this.#reason ??= reason;
    for (const own of this.#running.keys()) own.abort(this.#reason);
  }

  /** When nothing is under way any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }
}
