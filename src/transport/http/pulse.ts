/** Keeps what is quiet from being taken for dead: each that waits is called in turn, by one timer for all. */
import type { Clock } from '../../peer/clock.ts';
import type { EventSink } from './view.ts';

export interface Beating {
  /** Nothing may have been heard of it for as long as the interval. */
  beat(): void;
}

/** Somebody's place among those who wait. Each knows its neighbours: every request waits, and a look-up would cost each of them. */
export class Place {
  readonly who: Beating;
  due: number;
  earlier: Place | undefined = undefined;
  later: Place | undefined = undefined;
  left = false;

  constructor(who: Beating, due: number) {
    this.who = who;
    this.due = due;
  }
}

export class Pulse {
  readonly #clock: Clock;
  readonly #ms: number;
  /** All wait equally long, so who came first is due first. */
  #first: Place | undefined;
  #last: Place | undefined;
  #stop: (() => void) | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Calls them once per interval, until the place is left. */
  add(who: Beating): Place {
    const place = new Place(who, this.#clock.now() + this.#ms);
    this.#append(place);
    this.#stop ??= this.#clock.after(this.#ms, this.#beat, { idle: true });
    return place;
  }

  /** The timer is left to find nothing due: the next request will want it again. */
  leave(place: Place): void {
    if (place.left) return;
    place.left = true;
    this.#unlink(place);
  }

  close(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #append(place: Place): void {
    place.earlier = this.#last;
    place.later = undefined;
    if (this.#last === undefined) this.#first = place;
    else this.#last.later = place;
    this.#last = place;
  }

  #unlink({ earlier, later }: Place): void {
    if (earlier === undefined) this.#first = later;
    else earlier.later = later;
    if (later === undefined) this.#last = earlier;
    else later.earlier = earlier;
  }

  readonly #beat = (): void => {
    const now = this.#clock.now();
    // Whoever is due soon goes along: many streams must not mean many timers.
    const soon = now + this.#ms / 8;
    for (let place = this.#first; place !== undefined && place.due <= soon; place = this.#first) {
      this.#unlink(place);
      place.due = now + this.#ms;
      this.#append(place);
      place.who.beat();
    }
    const next = this.#first?.due;
    this.#stop = next === undefined ? undefined : this.#clock.after(next - now, this.#beat, { idle: true });
  };
}

/** A line that means nothing. A reader that has not read the last one needs no other. */
export function comment(sink: EventSink): void {
  if (sink.queued === 0) sink.write(':\n\n');
}
