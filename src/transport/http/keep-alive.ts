/** Keeps what is quiet from being taken for dead: each that waits is called in turn, by one timer for all. */
import type { Clock } from '../../peer/clock.ts';
import type { EventSink } from './view.ts';

/** Each knows its neighbours: every request waits, and a look-up, or a place of its own, would cost each of them. */
export interface IdleListener {
  /** When it is called next; undefined while it does not wait. */
  due: number | undefined;
  earlier: IdleListener | undefined;
  later: IdleListener | undefined;
  /** Nothing may have been heard of it for as long as the interval. */
  onIdle(): void;
}

export class KeepAlive {
  readonly #clock: Clock;
  readonly #ms: number;
  /** All wait equally long, so who came first is due first. */
  #first: IdleListener | undefined;
  #last: IdleListener | undefined;
  #stop: (() => void) | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Calls them once per interval, until they leave. */
  add(who: IdleListener): void {
    if (who.due !== undefined) this.remove(who);
    who.due = this.#clock.now() + this.#ms;
    who.earlier = this.#last;
    if (this.#last === undefined) this.#first = who;
    else this.#last.later = who;
    this.#last = who;
    this.#stop ??= this.#clock.after(this.#ms, this.#onTimer, { idle: true });
  }

  /** The timer is left to find nothing due: the next request will want it again. */
  remove(who: IdleListener): void {
    if (who.due === undefined) return;
    const { earlier, later } = who;
    if (earlier === undefined) this.#first = later;
    else earlier.later = later;
    if (later === undefined) this.#last = earlier;
    else later.earlier = earlier;
    who.due = undefined;
    who.earlier = undefined;
    who.later = undefined;
  }

  close(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  readonly #onTimer = (): void => {
    const now = this.#clock.now();
    // Whoever is due soon goes along: many streams must not mean many timers.
    const soon = now + this.#ms / 8;
    for (let who = this.#first; who?.due !== undefined && who.due <= soon; who = this.#first) {
      this.add(who);
      who.onIdle();
    }
    const next = this.#first?.due;
    this.#stop = next === undefined ? undefined : this.#clock.after(next - now, this.#onTimer, { idle: true });
  };
}

/** A line that means nothing. A reader that has not read the last one needs no other. */
export function writeKeepAlive(sink: EventSink): void {
  if (sink.queued === 0) sink.write(':\n\n');
}
