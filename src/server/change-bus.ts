/** Publishes changes between the processes behind one URL, so that each of them notifies its clients. */
import type { Change } from '../model/change.ts';

/** Changes in a message of the bus. Plain data, so that it can be sent as JSON. */
export interface SharedChanges {
  /** The process that published it, which ignores it. */
  readonly from: string;
  readonly changes: readonly Change[];
}

/** Publish/subscribe between all processes, such as a Redis channel. It need not store anything. */
export interface ChangeBus {
  /** Publishes to the other processes; the publisher may receive it too. */
  publish(shared: SharedChanges): void | Promise<void>;
  /** Calls back for everything that is published, until the returned function is called. */
  subscribe(listener: (shared: SharedChanges) => void): () => void;
}

/** A change bus for several servers in one process. */
export function memoryChangeBus(): ChangeBus {
  const listeners = new Set<(shared: SharedChanges) => void>();
  return {
    publish(shared) {
      for (const listener of [...listeners]) listener(shared);
    },
    subscribe(listener) {
      // A wrapper, because the same function can be subscribed twice, and is then called twice.
      const own = (shared: SharedChanges): void => listener(shared);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
