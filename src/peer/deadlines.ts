/** Many deadlines on one timer: almost all are called off before they are due, so arming one must cost next to nothing. */
import type { Clock } from './clock.ts';

/** Timers overflow beyond this and fire at once. */
const LONGEST_SLEEP = 0x7fff_ffff;

export class Deadline {
  due: number;
  readonly expire: () => void;

  constructor(due: number, expire: () => void) {
    this.due = due;
    this.expire = expire;
  }
}

export class Deadlines {
  readonly #clock: Clock;
  readonly #armed: Set<Deadline> = new Set();
  #wakesAt = Number.POSITIVE_INFINITY;
  #sleep: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  arm(ms: number, expire: () => void): Deadline {
    const deadline = new Deadline(this.#clock.now() + ms, expire);
    this.#armed.add(deadline);
    if (deadline.due < this.#wakesAt) this.#wake(deadline.due);
    return deadline;
  }

  /** Moves a deadline further away; the timer notices when it wakes. */
  extend(deadline: Deadline, ms: number): void {
    deadline.due = this.#clock.now() + ms;
  }

  /** The timer is left to find nothing due: the next call will want it again. */
  disarm(deadline: Deadline): void {
    this.#armed.delete(deadline);
  }

  close(): void {
    this.#armed.clear();
    this.#sleep?.();
    this.#sleep = undefined;
    this.#wakesAt = Number.POSITIVE_INFINITY;
  }

  #wake(at: number): void {
    this.#sleep?.();
    this.#wakesAt = at;
    const ms = Math.min(Math.max(0, at - this.#clock.now()), LONGEST_SLEEP);
    this.#sleep = this.#clock.after(ms, () => this.#check(), { idle: true });
  }

  #check(): void {
    this.#sleep = undefined;
    this.#wakesAt = Number.POSITIVE_INFINITY;
    const now = this.#clock.now();
    const due: Deadline[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const deadline of this.#armed) {
      if (deadline.due <= now) due.push(deadline);
      else if (deadline.due < next) next = deadline.due;
    }
    if (next < this.#wakesAt) this.#wake(next);
    // One that expires may disarm another.
    for (const deadline of due) if (this.#armed.delete(deadline)) deadline.expire();
  }
}
