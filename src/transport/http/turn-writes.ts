/** Responses of one turn of the event loop, written together at its end. */
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers';
import type { Clock } from '../../peer/clock.ts';

export interface PendingWrite {
  readonly response: Pick<ServerResponse, 'socket' | 'destroy'>;
  flush(): void;
}

/** A handler that computes for longer must not hold up the responses that were ready before it. */
const MAX_WAIT_MS = 1;

/**
 * Many clients are served in one turn: each of them is read, and answered. A response that is written while the others are still being
 * read wakes its client at once, which on one machine costs the writer about as much as the call itself (bench: http-session, 16
 * connections). Written one after the other, they wake what reads them once.
 */
export class TurnWrites {
  readonly #clock: Clock;
  #waiting: PendingWrite[] = [];
  #since = 0;
  #lastSocket: unknown;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether it is written with the others of this turn. If not, its owner writes it now. */
  takes(write: PendingWrite): boolean {
    // A client that calls alone, one call after the other, has no others to wait for.
    const { socket } = write.response;
    const isAlone = this.#waiting.length === 0 && socket === this.#lastSocket;
    this.#lastSocket = socket;
    if (isAlone) return false;
    if (this.#waiting.push(write) === 1) {
      this.#since = this.#clock.now();
      setImmediate(this.#flush);
    } else if (this.#clock.now() - this.#since > MAX_WAIT_MS) this.#flush();
    return true;
  }

  readonly #flush = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const write of waiting) flushNow(write);
  };
}

/** Never throws. */
export function flushNow(write: PendingWrite): void {
  try {
    write.flush();
  } catch (error) {
    cutOff(write.response, error);
  }
}

/** A framework can have put functions of its own in the place of `write` and `end`: what they fail to write is cut off. */
export function cutOff(response: PendingWrite['response'], error: unknown): void {
  response.destroy(error instanceof Error ? error : undefined);
}
