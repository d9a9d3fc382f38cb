/** News between the processes that serve one address: what changes in one is told by all. */
import { type Change, isChange } from '../model/change.ts';

/** Plain data, so that it may travel as JSON. */
export interface SharedChanges {
  /** Which process it comes from; its own news means nothing to it. */
  readonly from: string;
  readonly changes: readonly Change[];
}

/** Whatever reaches all of them: a channel of Redis, messages of a cluster. It need not keep anything. */
export interface ChangeBus {
  /** Tells the others; whoever publishes may hear it too. */
  publish(shared: SharedChanges): void | Promise<void>;
  /** Calls back for everything that is published, until the returned function is called. */
  subscribe(listener: (shared: SharedChanges) => void): () => void;
}

/** For several servers in one process. */
export function memoryChangeBus(): ChangeBus {
  const listeners = new Set<(shared: SharedChanges) => void>();
  return {
    publish(shared) {
      for (const listener of [...listeners]) listener(shared);
    },
    subscribe(listener) {
      // The same function may be given twice, and is then told twice.
      const own = (shared: SharedChanges): void => listener(shared);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}

/** One process's end of a bus. */
export class ChangeBridge {
  readonly #bus: ChangeBus;
  readonly #failed: (thrown: unknown) => void;
  readonly #name: string = crypto.randomUUID();

  constructor(bus: ChangeBus, failed: (thrown: unknown) => void) {
    this.#bus = bus;
    this.#failed = failed;
  }

  /** Never throws: those who are here have been told, whatever becomes of the others. */
  async publish(changes: readonly Change[]): Promise<void> {
    try {
      await this.#bus.publish({ from: this.#name, changes });
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  /** Calls back for what the others tell. Never throws either. */
  subscribe(hear: (change: Change) => void): () => void {
    try {
      return this.#bus.subscribe(({ from, changes }) => {
        if (from === this.#name) return;
        // Another process may be of a newer version, and know of more.
        for (const one of changes) if (isChange(one)) hear(one);
      });
    } catch (thrown) {
      this.#failed(thrown);
      return () => undefined;
    }
  }
}
