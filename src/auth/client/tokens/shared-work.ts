/** Work that several wait for, and that is called off when none of them does any more. */
import { McpError } from '../../../errors.ts';

export class SharedWork<T> {
  readonly #control: AbortController = new AbortController();
  readonly #outcome: Promise<T>;
  #waiting = 0;

  constructor(work: (calledOff: AbortSignal) => Promise<T>) {
    this.#outcome = work(this.#control.signal);
    // Whoever waits is told; there may be nobody left.
    this.#outcome.catch(() => undefined);
  }

  /** Until it is done, or the signal says that nobody waits here any more. */
  wait(signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting++;
      const leave = (): void => {
        reject(calledOff());
        if (--this.#waiting === 0) this.#control.abort(calledOff());
      };
      if (signal.aborted) {
        leave();
        return;
      }
      signal.addEventListener('abort', leave, { once: true });
      const stay = (): void => signal.removeEventListener('abort', leave);
      this.#outcome.finally(stay).then(resolve, reject);
    });
  }

  /** For who comes while it is under way. What was called off concerns nobody who comes later. */
  async join(signal: AbortSignal): Promise<void> {
    if (this.#control.signal.aborted) await this.#outcome.catch(() => undefined);
    else await this.wait(signal);
  }
}

const calledOff = (): McpError => new McpError('MCP_CLOSED', { why: 'nobody waits for credentials any more' });
