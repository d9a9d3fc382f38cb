/** Publishes changes between the processes behind one URL, so that each of them notifies its clients. */
import { type Change, isChange } from '../model/change.ts';

/** Plain data, so that it may travel as JSON. */
export interface SharedChanges {
  /** The process that published it, which ignores it. */
  readonly from: string;
  readonly changes: readonly Change[];
}

/** Reaches all processes, such as a Redis channel. It need not store anything. */
export interface ChangeBus {
  /** Publishes to the other processes; the publisher may receive it too. */
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
      // The same function can be subscribed twice, and is then called twice.
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

  /** Never throws: clients of this process are notified even if the bus fails. */
  async publish(changes: readonly Change[]): Promise<void> {
    try {
      await this.#bus.publish({ from: this.#name, changes });
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  /** Calls back for changes of other processes. Never throws. */
  subscribe(hear: (change: Change) => void): () => void {
    try {
      return this.#bus.subscribe(({ from, changes }) => {
        if (from === this.#name) return;
        // A process with a newer version may publish more kinds.
        for (const one of changes) if (isChange(one)) hear(one);
      });
    } catch (thrown) {
      this.#failed(thrown);
      return () => undefined;
    }
  }
}
