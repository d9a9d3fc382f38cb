/** Keeps streams from being taken for dead: a comment to each of them, by one timer for all. */
import type { Clock } from '../../peer/clock.ts';
import type { EventSink } from './view.ts';

export class Pulse {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #sinks: Set<EventSink> = new Set();
  #stop: (() => void) | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  add(sink: EventSink): void {
    this.#sinks.add(sink);
    this.#stop ??= this.#clock.after(this.#ms, this.#beat, { idle: true });
  }

  remove(sink: EventSink): void {
    this.#sinks.delete(sink);
    if (this.#sinks.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  readonly #beat = (): void => {
    this.#stop = this.#clock.after(this.#ms, this.#beat, { idle: true });
    // A reader that has not read the last one needs no other.
    for (const sink of this.#sinks) if (sink.queued === 0) sink.write(':\n\n');
  };
}
