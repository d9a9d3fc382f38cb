/** What the other side of a transcript said and nobody has looked at yet. */
import type { Message } from '../jsonrpc/message.ts';
import { type Clock, nextTurn, systemClock } from '../peer/clock.ts';
import { TranscriptMismatch } from './transcript.ts';

/** Who said nothing for so long will say nothing more. Only for taking down what is not known beforehand. */
const QUIET_MS = 100;

export interface TranscriptPeerOptions {
  /** How long a line may be waited for; 2,000 ms. */
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
    // As it looks after a journey.
    this.#queue.push(JSON.parse(JSON.stringify(message)));
    this.#arrived?.();
  }

  /** Nothing more will be said, for this reason. */
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
    const said: unknown[] = [];
    for (let one = await this.next(QUIET_MS); one !== undefined; one = await this.next(QUIET_MS)) said.push(one);
    return said;
  }

  async nothingMore(): Promise<void> {
    await nextTurn();
    const [actual] = this.#queue;
    if (actual !== undefined)
      throw new TranscriptMismatch('Something was said that is not in the transcript', { actual });
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
