/** Runs many deadlines on one timer. Most are disarmed before they are due, so arming must be cheap. */
import { type Clock, MAX_TIMER_MS } from './clock.ts';
import { IntrusiveSet } from './intrusive-set.ts';

/** Expires at `due`, unless it is disarmed first. */
export interface Deadline {
  due: number;
  /** Index in the set of armed deadlines; −1 if disarmed. */
  place: number;
  expire(): void;
}

export class Deadlines<T extends Deadline = Deadline> {
  readonly #clock: Clock;
  readonly #armed: IntrusiveSet<T> = new IntrusiveSet();
  /** When the timer fires. */
  #timerDue = Number.POSITIVE_INFINITY;
  #stopTimer: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `expire` when the deadline is due. While armed, `due` can only be increased: the timer rereads it when it fires. */
  arm(deadline: T): void {
    this.#armed.add(deadline);
    if (deadline.due < this.#timerDue) this.#setTimer(deadline.due);
  }

  /** Returns false if it was not armed. Does not clear the timer: the next call would set it again. */
  disarm(deadline: T): boolean {
    return this.#armed.delete(deadline);
  }

  /** Disarms and returns all deadlines. */
  close(): T[] {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#timerDue = Number.POSITIVE_INFINITY;
    return this.#armed.clear();
  }

  #setTimer(due: number): void {
    this.#stopTimer?.();
    this.#timerDue = due;
    const ms = Math.min(Math.max(0, due - this.#clock.now()), MAX_TIMER_MS);
    this.#stopTimer = this.#clock.after(ms, () => this.#expireDue(), { idle: true });
  }

  #expireDue(): void {
    this.#stopTimer = undefined;
    this.#timerDue = Number.POSITIVE_INFINITY;
    const now = this.#clock.now();
    const due: T[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const deadline of this.#armed.all) {
      if (deadline.due <= now) due.push(deadline);
      else if (deadline.due < next) next = deadline.due;
    }
    if (next < this.#timerDue) this.#setTimer(next);
    // An expiring deadline can disarm another.
    for (const deadline of due) if (this.disarm(deadline)) deadline.expire();
  }
}

/** Pauses deadlines while a user is being asked. Deadlines check it before they expire. */
export class DeadlinePause {
  #openQuestions = 0;

  get isPaused(): boolean {
    return this.#openQuestions > 0;
  }

  /** Pauses until the promise settles. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#openQuestions++;
    try {
      return await work;
    } finally {
      this.#openQuestions--;
    }
  }

  /** Calls `expire` after `ms`, or after `ms` more if paused at that moment. The returned function cancels it. */
  after(clock: Clock, ms: number, expire: () => void): () => void {
    const arm = (): (() => void) =>
      clock.after(ms, () => {
        if (this.isPaused) stop = arm();
        else expire();
      });
    let stop = arm();
    return () => stop();
  }
}
