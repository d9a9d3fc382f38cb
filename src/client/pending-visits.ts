/** Pages that a user was sent to, until the server says that the visit is over. */
import { setNewest } from '../peer/set-newest.ts';

/** A server may never say so; the oldest are forgotten first. */
const MAX_OPEN = 100;

export class PendingVisits {
  readonly #open: Map<unknown, () => void> = new Map();

  /** Resolves when the server reports this visit as over. Ids are the server's and mean nothing to us. */
  expect(id: unknown): Promise<void> {
    if (typeof id !== 'string') return new Promise(() => undefined);
    return new Promise((resolve) => setNewest(this.#open, id, resolve, MAX_OPEN));
  }

  /** Unknown ids, and those already over, are ignored. */
  complete(id: unknown): void {
    this.#open.get(id)?.();
    this.#open.delete(id);
  }
}
