/** Keeps what is quiet from being taken for dead: each that waits is called in turn, by one timer for all. */
import type { Clock } from '../../peer/clock.ts';
import type { EventSink } from './view.ts';

/** Something that waits. Each knows its neighbours: every request waits, and a look-up would cost each of them. */
export abstract class Beating {
  /** When it is called; undefined while it does not wait. */
  due: number | undefined = undefined;
  earlier: Beating | undefined = undefined;
  later: Beating | undefined = undefined;

  /** Nothing may have been heard of it for as long as the interval. */
  abstract beat(): void;
}

export class Pulse {
  readonly #clock: Clock;
  readonly #ms: number;
  /** All wait equally long, so who came first is due first. */
  #first: Beating | undefined;
  #last: Beating | undefined;
  #stop: (() => void) | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  add(one: Beating): void {
    this.#append(one, this.#clock.now());
    this.#stop ??= this.#clock.after(this.#ms, this.#beat, { idle: true });
  }

  /** The timer is left to find nothing due: the next request will want it again. */
  remove(one: Beating): void {
    if (one.due === undefined) return;
    one.due = undefined;
    if (one.earlier === undefined) this.#first = one.later;
    else one.earlier.later = one.later;
    if (one.later === undefined) this.#last = one.earlier;
    else one.later.earlier = one.earlier;
  }

  close(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #append(one: Beating, now: number): void {
    one.due = now + this.#ms;
    one.earlier = this.#last;
    one.later = undefined;
    if (this.#last === undefined) this.#first = one;
    else this.#last.later = one;
    this.#last = one;
  }

  readonly #beat = (): void => {
    const now = this.#clock.now();
    // Whoever is due soon goes along: many streams must not mean many timers.
    const soon = now + this.#ms / 8;
    for (let one = this.#first; one?.due !== undefined && one.due <= soon; one = this.#first) {
      this.remove(one);
      this.#append(one, now);
      one.beat();
    }
    const next = this.#first?.due;
    this.#stop = next === undefined ? undefined : this.#clock.after(next - now, this.#beat, { idle: true });
  };
}

/** Comments on a stream, which mean nothing. */
export class Comments extends Beating {
  readonly #sink: EventSink;

  constructor(sink: EventSink) {
    super();
    this.#sink = sink;
  }

  beat(): void {
    comment(this.#sink);
  }
}

/** A reader that has not read the last one needs no other. */
export function comment(sink: EventSink): void {
  if (sink.queued === 0) sink.write(':\n\n');
}
