/** Pages that a user was sent to, until the server says that the visit is over. */
import { MAX_VISITS } from '../model/elicitation.ts';
import { setNewest } from '../peer/set-newest.ts';

export class PendingVisits {
  readonly #open: Map<unknown, () => void> = new Map();

  /** Resolves when the server reports this visit as over. Ids are the server's and mean nothing to us. */
  expect(id: unknown): Promise<void> {
    if (typeof id !== 'string') return new Promise(() => undefined);
    // A server may never say so; the oldest are forgotten first.
    return new Promise((resolve) => setNewest(this.#open, id, resolve, MAX_VISITS));
  }

  /** Unknown ids, and those already over, are ignored. */
  complete(id: unknown): void {
    this.#open.get(id)?.();
    this.#open.delete(id);
  }
}
