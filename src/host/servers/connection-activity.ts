/** What goes on between a host and one server: whether anything is open, and when the last of it was over. */
import { isRequest, type Message, type RpcRequest } from '../../jsonrpc/message.ts';
import { DISCOVER, LISTEN } from '../../model/names.ts';
import type { Clock } from '../../peer/clock.ts';

export class ConnectionActivity {
  readonly #clock: Clock;
  readonly #subscribed: Set<unknown> = new Set();
  #open = 0;
  #at = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A call, a question, or news of a resource that somebody waits for. */
  get isOpen(): boolean {
    return this.#open > 0 || this.#subscribed.size > 0;
  }

  /** When something was last begun or over. */
  get lastActiveAt(): number {
    return this.#at;
  }

  /** A new line: nothing was asked for on it yet. */
  begin(): void {
    this.#subscribed.clear();
    this.#at = this.#clock.now();
  }

  /** Open until the returned function is called. */
  hold(): () => void {
    this.#open++;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#open--;
      this.#at = this.#clock.now();
    };
  }

  /** In either direction. */
  async track<T>(message: Message, run: () => Promise<T>): Promise<T> {
    if (!isRequest(message) || isHousekeeping(message)) return run();
    const release = this.hold();
    try {
      const result = await run();
      this.#note(message);
      return result;
    } finally {
      release();
    }
  }

  #note({ method, params = {} }: RpcRequest): void {
    if (method === 'resources/subscribe') this.#subscribed.add(params['uri']);
    if (method === 'resources/unsubscribe') this.#subscribed.delete(params['uri']);
  }
}

/** What the host asks for its own sake: whether the server is there, and whether its lists have changed. */
function isHousekeeping({ method, params }: RpcRequest): boolean {
  if (method !== LISTEN) return method === 'ping' || method === DISCOVER;
  const wanted = params?.['notifications'];
  return typeof wanted === 'object' && wanted !== null && !('resourceSubscriptions' in wanted);
}
