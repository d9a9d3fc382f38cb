/** What a server is up to, and who wants to know. */
import type { ServerState } from './managed-server.ts';

export class States {
  readonly #listeners: Set<(state: ServerState) => void> = new Set();
  readonly #threw: (error: unknown) => void;
  #current: ServerState = 'idle';

  /** Is told of what listeners throw. */
  constructor(threw: (error: unknown) => void) {
    this.#threw = threw;
  }

  get current(): ServerState {
    return this.#current;
  }

  listen(listener: (state: ServerState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Whatever was stopped stays so. */
  become(state: ServerState): void {
    if (this.#current === state || this.#current === 'stopped') return;
    this.#current = state;
    for (const listener of this.#listeners) this.#tell(listener, state);
  }

  #tell(listener: (state: ServerState) => void, state: ServerState): void {
    try {
      listener(state);
    } catch (error) {
      this.#threw(error);
    }
  }
}
