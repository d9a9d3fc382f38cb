/** Calls each listener once per interval, on one timer for all. Used for keep-alive of streams and for time limits. */
import type { Clock } from './clock.ts';

/** Node of an intrusive linked list: every request is added and removed, so neither may look up or allocate. */
export interface IdleListener {
  /** When it is called next; undefined while it is not in the list. */
  due: number | undefined;
  earlier: IdleListener | undefined;
  later: IdleListener | undefined;
  /** Called when the interval has passed. */
  onIdle(): void;
}

export class KeepAlive {
  readonly #clock: Clock;
  readonly #ms: number;
  /** The listener that is due first: all wait equally long, so the list is in order of `due`. */
  #first: IdleListener | undefined;
  #last: IdleListener | undefined;
  #stop: (() => void) | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Calls the listener once per interval, until it is removed. */
  add(listener: IdleListener): void {
    if (listener.due !== undefined) this.remove(listener);
    listener.due = this.#clock.now() + this.#ms;
    listener.earlier = this.#last;
    if (this.#last === undefined) this.#first = listener;
    else this.#last.later = listener;
    this.#last = listener;
    this.#stop ??= this.#clock.after(this.#ms, this.#onTimer, { idle: true });
  }

  /** Does not clear the timer: re-arming it for every request costs more than an empty wake-up. */
  remove(listener: IdleListener): void {
    if (listener.due === undefined) return;
    const { earlier, later } = listener;
    if (earlier === undefined) this.#first = later;
    else earlier.later = later;
    if (later === undefined) this.#last = earlier;
    else later.earlier = earlier;
    listener.due = undefined;
    listener.earlier = undefined;
    listener.later = undefined;
  }

  close(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  readonly #onTimer = (): void => {
    const now = this.#clock.now();
    // Also calls listeners that are due soon, so that many streams do not cause many wake-ups.
    const soon = now + this.#ms / 8;
    for (let listener = this.#first; listener?.due !== undefined && listener.due <= soon; listener = this.#first) {
      this.add(listener);
      listener.onIdle();
    }
    const next = this.#first?.due;
    this.#stop = next === undefined ? undefined : this.#clock.after(next - now, this.#onTimer, { idle: true });
  };
}
