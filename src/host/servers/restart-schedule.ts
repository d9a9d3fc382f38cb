/** Schedules restarts after a lost connection: exponential backoff, up to a number of restarts. */
import { backoffMs } from '../../peer/backoff.ts';
import type { Clock } from '../../peer/clock.ts';
import { sleep } from '../../peer/wait.ts';

/** Maximum number of restarts within `WINDOW_MS`. After that, the server has failed. */
const MAX_RESTARTS = 5;
const WINDOW_MS = 60_000;

export class RestartSchedule {
  readonly #clock: Clock;
  readonly #random: () => number;
  #restartedAt: readonly number[] = [];
  /** The earliest time of the next connection. */
  #dueAt = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Calls `reopen` after a growing delay. Returns false if there were too many restarts. */
  plan(reopen: () => void): boolean {
    const now = this.#clock.now();
    this.#restartedAt = [...this.#restartedAt.filter((at) => now - at < WINDOW_MS), now];
    if (this.#restartedAt.length > MAX_RESTARTS) return false;
    const pause = backoffMs(this.#restartedAt.length - 1, this.#random());
    this.#dueAt = now + pause;
    this.#cancel = this.#clock.after(pause, reopen, { idle: true });
    return true;
  }

  cancel(): void {
    this.#cancel?.();
  }

  /** Delays a request that is made before `reopen` is called. */
  waitUntilDue(signal: AbortSignal): Promise<void> {
    const ms = this.#dueAt - this.#clock.now();
    return ms <= 0 ? Promise.resolve() : sleep(this.#clock, ms, signal);
  }
}
