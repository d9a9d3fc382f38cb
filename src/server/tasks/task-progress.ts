/** Throttles the progress reports of a task: writes at most one per second, and never drops the last one. */
import type { Clock } from '../../peer/clock.ts';
import type { NowOrLater } from './now-or-later.ts';
import type { ProgressReport } from './record.ts';

const WRITE_MS = 1_000;

export class TaskProgress {
  readonly #clock: Clock;
  readonly #write: (report: ProgressReport) => NowOrLater<unknown>;
  #report: ProgressReport | undefined;
  #cancel: (() => void) | undefined;
  #last = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, write: (report: ProgressReport) => NowOrLater<unknown>) {
    this.#clock = clock;
    this.#write = write;
  }

  report(done: number, total: number | undefined, message: string | undefined): void {
    this.#report = { done, total, message: message ?? (total === undefined ? `${done}` : `${done} of ${total}`) };
    const wait = Math.max(0, this.#last + WRITE_MS - this.#clock.now());
    this.#cancel ??= this.#clock.after(wait, () => void this.flush(), { idle: true });
  }

  /** Writes the pending report. Never rejects. */
  async flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    const report = this.#report;
    this.#report = undefined;
    if (report === undefined) return;
    this.#last = this.#clock.now();
    try {
      await this.#write(report);
    } catch {
      // A lost progress report must not fail the task.
    }
  }
}
