/**
 * Work in progress, each with a signal of its own that aborts with the caller's or with the whole group. `AbortSignal.any` would keep a
 * little of each for as long as the longest-lived of its signals.
 */
import { setMaxListeners } from 'node:events';
import { onAbort } from '../../peer/wait.ts';

export class CancellationGroup {
  readonly #running: Map<AbortController, Promise<unknown>> = new Map();
  #reason: Error | undefined;

  /** `work` gets a signal that aborts with the caller's or with the group, at once if the group was cancelled before. */
  async run<T>(caller: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const own = new AbortController();
    if (this.#reason !== undefined) own.abort(this.#reason);
    // One caller may have much in progress.
    if (caller !== undefined) setMaxListeners(0, caller);
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

  /** Cancels what is in progress, and what begins from now on. */
  cancelAll(reason: Error): void {
    this.#reason ??= reason;
    for (const own of this.#running.keys()) own.abort(this.#reason);
  }

  /** Resolves when nothing is in progress any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }
}
