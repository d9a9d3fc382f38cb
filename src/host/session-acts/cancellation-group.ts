/**
 * Running operations, each with its own signal that aborts with the caller's or with the whole group. `AbortSignal.any` would retain
 * some memory per operation for as long as the longest-lived of its signals.
 */
import { onAbort } from '../../peer/wait.ts';

export class CancellationGroup {
  readonly #running: Map<AbortController, Promise<unknown>> = new Map();
  #reason: Error | undefined;

  /** Runs `work` with a signal that aborts with the caller's or with the group; immediately, if the group has been cancelled. */
  async run<T>(caller: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const own = new AbortController();
    if (this.#reason !== undefined) own.abort(this.#reason);
    const stop = onAbort(caller, () => own.abort(caller?.reason));
    const running = work(own.signal);
    this.#running.set(own, running);
    try {
      return await running;
    } finally {
      this.#running.delete(own);
      stop();
    }
  }

  /** Cancels all running operations, and all that start later. */
  cancelAll(reason: Error): void {
    this.#reason ??= reason;
    for (const own of this.#running.keys()) own.abort(this.#reason);
  }

  /** Resolves when all operations have settled. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }
}
