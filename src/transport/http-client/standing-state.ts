/** The state of the GET stream of a session ("standing stream"), for listeners that depend on its messages. */
import type { McpError } from '../../errors.ts';
import type { StandingStream, StandingStreamListener } from '../../peer/exchange.ts';

export class StandingState implements StandingStream {
  readonly #listeners: Set<StandingStreamListener> = new Set();
  #isOpen = false;
  #failure: McpError | undefined;

  follow(listener: StandingStreamListener): () => void {
    this.#listeners.add(listener);
    if (this.#failure !== undefined) listener.ended(this.#failure);
    else if (this.#isOpen) listener.opened(true);
    return () => this.#listeners.delete(listener);
  }

  opened(isWhole: boolean): void {
    this.#isOpen = true;
    for (const listener of this.#listeners) listener.opened(isWhole);
  }

  ended(reason: McpError): void {
    this.#failure = reason;
    for (const listener of this.#listeners) listener.ended(reason);
  }
}
