/** Tasks that are being created in this process: a store that takes time does not count them yet. */
import { Deferred } from '../../peer/wait.ts';

export class TaskCreations {
  readonly #byOwner: Map<string, Set<Deferred<void>>> = new Map();

  /** Takes one of so many places, and returns the way to end it. Undefined if all of them are taken. */
  begin(owner: string, places: number): (() => void) | undefined {
    const underWay = this.#byOwner.get(owner) ?? new Set();
    if (underWay.size >= places) return undefined;
    const ended = new Deferred<void>();
    this.#byOwner.set(owner, underWay.add(ended));
    return () => {
      underWay.delete(ended);
      if (underWay.size === 0) this.#byOwner.delete(owner);
      ended.resolve();
    };
  }

  /** Resolves when one of those that are under way has ended. */
  async whenOneEnds(owner: string): Promise<void> {
    const underWay = this.#byOwner.get(owner);
    if (underWay !== undefined) await Promise.race([...underWay].map(({ promise }) => promise));
  }
}
