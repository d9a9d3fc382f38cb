/** Tracks visits of pages (URL elicitation) until the server reports them as complete. */
import { MAX_VISITS } from '../model/elicitation.ts';
import { setNewest } from '../peer/set-newest.ts';

export class PendingVisits {
  readonly #open: Map<unknown, () => void> = new Map();

  /** Resolves when the server reports this visit as complete. The server chooses the ids, which are opaque. */
  expect(id: unknown): Promise<void> {
    if (typeof id !== 'string') return new Promise(() => undefined);
    // Servers may never report completion, so the oldest visits are evicted at the limit.
    return new Promise((resolve) => setNewest(this.#open, id, resolve, MAX_VISITS));
  }

  /** Ignores unknown and completed ids. */
  complete(id: unknown): void {
    this.#open.get(id)?.();
    this.#open.delete(id);
  }
}
