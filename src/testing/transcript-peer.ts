/** The messages of the other side of a transcript that were not checked yet. */
import type { Message } from '../jsonrpc/message.ts';
import { type Clock, systemClock } from '../peer/clock.ts';
import { nextTurn } from '../peer/runtime.ts';
import { TranscriptMismatch } from './transcript.ts';

/** Silence for so long counts as the end, where a transcript is recorded and its end is not known. */
const QUIET_MS = 100;

export interface TranscriptPeerOptions {
  /** How long to wait for one message. 2 seconds. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

export class TranscriptPeer {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #queue: unknown[] = [];
  #arrived: (() => void) | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor({ clock = systemClock, timeoutMs = 2_000 }: TranscriptPeerOptions) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  push(message: Message | readonly Message[]): void {
    // As JSON would carry it.
    this.#queue.push(JSON.parse(JSON.stringify(message)));
    this.#arrived?.();
  }

  /** Nothing more will come, for this reason. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#arrived?.();
  }

  /** Undefined when nothing came in time. */
  async next(ms: number = this.#timeoutMs): Promise<unknown> {
    if (this.#queue.length === 0 && this.#failure === undefined) await this.#arrival(ms);
    if (this.#queue.length === 0 && this.#failure !== undefined) throw this.#failure.error;
    return this.#queue.shift();
  }

  async untilQuiet(): Promise<unknown[]> {
    const received: unknown[] = [];
    for (let one = await this.next(QUIET_MS); one !== undefined; one = await this.next(QUIET_MS)) received.push(one);
    return received;
  }

  async nothingMore(): Promise<void> {
    await nextTurn();
    const [actual] = this.#queue;
    if (actual !== undefined) throw new TranscriptMismatch('A message came that is not in the transcript', { actual });
  }

  #arrival(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#clock.after(ms, resolve);
      this.#arrived = () => {
        this.#arrived = undefined;
        stop();
        resolve();
      };
    });
  }
}
