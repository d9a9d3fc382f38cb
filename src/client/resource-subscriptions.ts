/** Shares the subscriptions of one connection between its watches: the first watch of a resource subscribes, the last unsubscribes. */
import { untilAborted } from '../peer/wait.ts';

interface Subscription {
  /** The number of watches that need it. */
  watches: number;
  /** The last request about it. The next one waits, because over HTTP requests can overtake each other. */
  last: Promise<unknown>;
}

export class ResourceSubscriptions {
  readonly #send: (method: string, uri: string) => Promise<unknown>;
  readonly #byUri: Map<string, Subscription> = new Map();

  constructor(send: (method: string, uri: string) => Promise<unknown>) {
    this.#send = send;
  }

  /** Resolves when the server has accepted the subscription, with a function that ends it for this watch and never rejects. */
  async subscribe(uri: string, signal: AbortSignal): Promise<() => Promise<void>> {
    const shared = this.#byUri.get(uri) ?? { watches: 0, last: Promise.resolve() };
    this.#byUri.set(uri, shared);
    if (shared.watches++ === 0) shared.last = shared.last.then(() => this.#send('resources/subscribe', uri));
    const end = (): Promise<void> => this.#end(uri, shared);
    try {
      await untilAborted(shared.last, signal);
      return end;
    } catch (error) {
      void end();
      throw error;
    }
  }

  async #end(uri: string, shared: Subscription): Promise<void> {
    if (--shared.watches > 0) return;
    // If the server rejected the subscription, there is nothing to end.
    const ended = shared.last.then(() => this.#send('resources/unsubscribe', uri)).catch(() => undefined);
    shared.last = ended;
    await ended;
    if (shared.last === ended) this.#byUri.delete(uri);
  }
}
