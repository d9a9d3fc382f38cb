/** Queues the messages of the checked side of a transcript until they are compared. */
import type { Message } from '../jsonrpc/message.ts';
import { type Clock, systemClock } from '../peer/clock.ts';
import { nextTurn } from '../peer/runtime.ts';
import { TranscriptMismatch } from './transcript.ts';

/** When recording, a pause of this length counts as the end of the messages. */
const QUIET_MS = 100;

export interface TranscriptPeerOptions {
  /** How long to wait for each message. Default: 2 seconds. */
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
    // Copies the message as JSON, as a real transport would.
    this.#queue.push(JSON.parse(JSON.stringify(message)));
    this.#arrived?.();
  }

  /** Makes `next` reject with this error, once the queue is empty. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#arrived?.();
  }

  /** The next message, or undefined after the timeout. */
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

  async expectNoMore(): Promise<void> {
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
