/** A limit for what a request waits for: a promise of the application that never settles must not hold the request forever. */
import { McpError } from '../errors.ts';
import { isPromise } from '../jsonrpc/message.ts';
import type { Clock } from './clock.ts';
import { type IdleListener, KeepAlive } from './keep-alive.ts';

/** Longer than `jwt` needs to learn that its issuer is away. */
const LIMIT_MS = 30_000;

export class TimeLimit {
  /** All of them wait equally long, so one timer is enough. What is there at once needs none. */
  readonly #timer: KeepAlive;

  constructor(clock: Clock) {
    this.#timer = new KeepAlive(clock, LIMIT_MS);
  }

  /** What was returned; a promise of it rejects at the limit. */
  bound<T>(returned: T | Promise<T>, what: string): T | Promise<T> {
    return isPromise(returned) ? this.#wait(returned, what) : returned;
  }

  #wait<T>(promise: Promise<T>, method: string): Promise<T> {
    const timer = this.#timer;
    return new Promise((resolve, reject) => {
      const onIdle = (): void => {
        timer.remove(waiting);
        reject(new McpError('MCP_TIMEOUT', { method, ms: LIMIT_MS, setting: 'a fixed limit' }));
      };
      const waiting: IdleListener = { due: undefined, earlier: undefined, later: undefined, onIdle };
      timer.add(waiting);
      // What settles after the limit changes nothing. It can be the promise of any library. A `finally` would cost two promises more.
      Promise.resolve(promise).then(
        (value) => {
          timer.remove(waiting);
          resolve(value);
        },
        (error: unknown) => {
          timer.remove(waiting);
          reject(error);
        },
      );
    });
  }
}
