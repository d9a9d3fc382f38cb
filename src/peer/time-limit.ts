/** Limits how long a request waits for a promise of the application, which may never settle. */
import { McpError } from '../errors.ts';
import { isPromise } from '../jsonrpc/message.ts';
import type { Clock } from './clock.ts';
import { type IdleListener, KeepAlive } from './keep-alive.ts';

/** Longer than `jwt` takes to find its issuer unreachable. Can end up to an eighth early, with others that are due soon (`KeepAlive`). */
const LIMIT_MS = 30_000;

export class TimeLimit {
  /** One timer for all promises, because they have the same limit. */
  readonly #timer: KeepAlive;

  constructor(clock: Clock) {
    this.#timer = new KeepAlive(clock, LIMIT_MS);
  }

  /** Returns a plain value as it is, and a promise that rejects at the limit. `what` names it in the error. */
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
      // `Promise.resolve`, because it can be a thenable of any library. No `finally`, which would allocate two more promises.
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
