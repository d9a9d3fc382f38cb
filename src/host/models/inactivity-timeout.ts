/** The abort signal of one request to a provider: aborts with the caller's signal, and when no data arrives for too long. */
import type { Clock } from '../../peer/clock.ts';
import { joinSignals, sleep } from '../../peer/wait.ts';

/** Time without any data after which a reply times out. Long, because models can think before the first token. */
export const INACTIVITY_MS = 300_000;

export class InactivityTimeout {
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  readonly #controller: AbortController = new AbortController();
  #stop: () => void;

  constructor(clock: Clock, signal: AbortSignal | undefined) {
    this.signal = joinSignals(this.#controller.signal, signal);
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
    await sleep(this.#clock, ms, this.signal);
    this.#stop = this.#start();
  }

  #start(): () => void {
    return this.#clock.after(INACTIVITY_MS, () => this.#controller.abort());
  }
}
