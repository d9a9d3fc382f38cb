/** Defers the responses of one turn of the event loop, to write them together at its end. */
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers';
import type { Clock } from '../../peer/clock.ts';

export interface PendingWrite {
  readonly response: Pick<ServerResponse, 'socket' | 'destroy'>;
  flush(): void;
}

/** Maximum delay of a response, so that a handler with a long computation does not hold up earlier responses. */
const MAX_WAIT_MS = 1;

/**
 * In one turn, a server reads and answers requests of many clients. A response that is written while others are still being read wakes
 * its client at once, which on one machine costs the writer about as much as the call itself (bench: http-session, 16 connections).
 * Responses that are written in a row wake their reader once.
 */
export class TurnWrites {
  readonly #clock: Clock;
  #waiting: PendingWrite[] = [];
  #since = 0;
  #lastSocket: unknown;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Defers a write to the end of the turn. Returns false if the caller must write now. */
  tryDefer(write: PendingWrite): boolean {
    // Sequential calls on the same connection have no other responses to wait for.
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

/** Flushes a write; never throws. */
export function flushNow(write: PendingWrite): void {
  try {
    write.flush();
  } catch (error) {
    cutOff(write.response, error);
  }
}

/** Destroys a response whose write threw: frameworks can replace `write` and `end` with functions of their own. */
export function cutOff(response: PendingWrite['response'], error: unknown): void {
  response.destroy(error instanceof Error ? error : undefined);
}
