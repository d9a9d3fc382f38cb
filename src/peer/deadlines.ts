/** Many deadlines on one timer: almost all are disarmed before they are due, so arming one must cost next to nothing. */
import type { Clock } from './clock.ts';
import { IntrusiveSet } from './intrusive-set.ts';

/** Timers overflow beyond this and fire at once. */
const LONGEST_SLEEP = 0x7fff_ffff;

/** Something that expires unless it is disarmed first. */
export interface Deadline {
  due: number;
  /** Its index among those that are armed; −1 elsewhere. */
  place: number;
  expire(): void;
}

export class Deadlines<T extends Deadline = Deadline> {
  readonly #clock: Clock;
  readonly #armed: IntrusiveSet<T> = new IntrusiveSet();
  #wakesAt = Number.POSITIVE_INFINITY;
  #sleep: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Expires it when it is due. `due` can grow meanwhile, never shrink; the timer notices when it wakes. */
  arm(deadline: T): void {
    this.#armed.add(deadline);
    if (deadline.due < this.#wakesAt) this.#wake(deadline.due);
  }

  /** False when it was not armed. The timer is left to find nothing due: the next call will want it again. */
  disarm(deadline: T): boolean {
    return this.#armed.delete(deadline);
  }

  /** Disarms everything and returns it. */
  close(): T[] {
    this.#sleep?.();
    this.#sleep = undefined;
    this.#wakesAt = Number.POSITIVE_INFINITY;
    return this.#armed.clear();
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
    for (const deadline of this.#armed.all) {
      if (deadline.due <= now) due.push(deadline);
      else if (deadline.due < next) next = deadline.due;
    }
    if (next < this.#wakesAt) this.#wake(next);
    // One that expires may disarm another.
    for (const deadline of due) if (this.disarm(deadline)) deadline.expire();
  }
}

/** Deadlines are paused while a user is being asked: they look here before they expire. */
export class DeadlinePause {
  #asked = 0;

  get isPaused(): boolean {
    return this.#asked > 0;
  }

  /** Pauses until the promise is settled. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#asked++;
    try {
      return await work;
    } finally {
      this.#asked--;
    }
  }

  /** Calls back after so long, once no pause is on; until the returned function is called. */
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
