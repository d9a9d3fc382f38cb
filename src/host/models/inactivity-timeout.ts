/** The signal of one request to a provider: it aborts when the caller's does, and when nothing has come for too long. */
import type { Clock } from '../../peer/clock.ts';

/** Nothing at all for this long, and the answer is given up. Models think before they speak. */
export const INACTIVITY_MS = 300_000;

export class InactivityTimeout {
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  readonly #controller: AbortController = new AbortController();
  #stop: () => void;

  constructor(clock: Clock, signal: AbortSignal | undefined) {
    const { signal: own } = this.#controller;
    this.signal = signal === undefined ? own : AbortSignal.any([own, signal]);
    this.#clock = clock;
    this.#stop = this.#start();
  }

  reset(): void {
    this.#stop();
    this.#stop = this.#start();
  }

  stop(): void {
    this.#stop();
  }

  async pause(ms: number): Promise<void> {
    this.#stop();
    await new Promise<void>((resolve) => {
      const stop = this.#clock.after(ms, resolve);
      const callOff = (): void => {
        stop();
        resolve();
      };
      this.signal.addEventListener('abort', callOff, { once: true });
    });
    this.signal.throwIfAborted();
    this.#stop = this.#start();
  }

  #start(): () => void {
    return this.#clock.after(INACTIVITY_MS, () => this.#controller.abort());
  }
}
