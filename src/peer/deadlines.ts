/** Many deadlines on one timer: almost all are called off before they are due, so arming one must cost next to nothing. */
import type { Clock } from './clock.ts';

/** Timers overflow beyond this and fire at once. */
const LONGEST_SLEEP = 0x7fff_ffff;

/** Something that expires unless it is disarmed first. */
export interface Deadline {
  due: number;
  /** Its place among those that are armed; kept by `Deadlines`, and −1 elsewhere. */
  place: number;
  expire(): void;
}

export class Deadlines<T extends Deadline = Deadline> {
  readonly #clock: Clock;
  /** Not a Set: see `ByNumber`. The last one takes the place of whichever leaves. */
  readonly #armed: T[] = [];
  #wakesAt = Number.POSITIVE_INFINITY;
  #sleep: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Until it is due. It may become due later meanwhile, never sooner; the timer notices when it wakes. */
  arm(deadline: T): void {
    deadline.place = this.#armed.push(deadline) - 1;
    if (deadline.due < this.#wakesAt) this.#wake(deadline.due);
  }

  /** False when it was not armed. The timer is left to find nothing due: the next call will want it again. */
  disarm(deadline: T): boolean {
    const { place } = deadline;
    if (place === -1) return false;
    deadline.place = -1;
    const last = this.#armed.pop();
    if (last === undefined || last === deadline) return true;
    this.#armed[place] = last;
    last.place = place;
    return true;
  }

  /** Disarms everything, and says what that was. */
  close(): T[] {
    const armed = this.#armed.splice(0);
    for (const deadline of armed) deadline.place = -1;
    this.#sleep?.();
    this.#sleep = undefined;
    this.#wakesAt = Number.POSITIVE_INFINITY;
    return armed;
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
    const due: T[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const deadline of this.#armed) {
      if (deadline.due <= now) due.push(deadline);
      else if (deadline.due < next) next = deadline.due;
    }
    if (next < this.#wakesAt) this.#wake(next);
    // One that expires may disarm another.
    for (const deadline of due) if (this.disarm(deadline)) deadline.expire();
  }
}
