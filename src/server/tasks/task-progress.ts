/** How far a task is: written at most once a second, and the last word is never lost. */
import type { Clock } from '../../peer/clock.ts';
import type { TaskNews } from './record.ts';

const WRITE_MS = 1_000;

export class TaskProgress {
  readonly #clock: Clock;
  readonly #write: (news: TaskNews) => Promise<unknown>;
  #news: TaskNews | undefined;
  #cancel: (() => void) | undefined;
  #last = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, write: (news: TaskNews) => Promise<unknown>) {
    this.#clock = clock;
    this.#write = write;
  }

  tell(done: number, total: number | undefined, message: string | undefined): void {
    this.#news = { done, total, message: message ?? (total === undefined ? `${done}` : `${done} of ${total}`) };
    const wait = Math.max(0, this.#last + WRITE_MS - this.#clock.now());
    this.#cancel ??= this.#clock.after(wait, () => void this.flush(), { idle: true });
  }

  /** Never rejects: a task does not fail for want of a progress report. */
  async flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    const news = this.#news;
    this.#news = undefined;
    if (news === undefined) return;
    this.#last = this.#clock.now();
    await this.#write(news).catch(() => undefined);
  }
}
