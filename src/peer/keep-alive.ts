/** Keep-alive for streams and open requests, and limits for what they wait for: each is called once per interval, by one timer for all. */
import type { Clock } from './clock.ts';

/** A node of a linked list: every request is added and removed, which must need no look-up and no allocation. */
export interface IdleListener {
  /** When it is called next; undefined while it does not wait. */
  due: number | undefined;
  earlier: IdleListener | undefined;
  later: IdleListener | undefined;
  /** Called when the interval has passed. */
  onIdle(): void;
}

export class KeepAlive {
  readonly #clock: Clock;
  readonly #ms: number;
  /** All wait equally long, so the first one is due first. */
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

  /** The timer is left to find nothing due: the next request will want it again. */
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
    // Listeners that are due soon are called too: many streams must not mean many timers.
    const soon = now + this.#ms / 8;
    for (let listener = this.#first; listener?.due !== undefined && listener.due <= soon; listener = this.#first) {
      this.add(listener);
      listener.onIdle();
    }
    const next = this.#first?.due;
    this.#stop = next === undefined ? undefined : this.#clock.after(next - now, this.#onTimer, { idle: true });
  };
}
