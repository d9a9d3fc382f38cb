/** What the processes of a cluster share, with maps in place of a database. */
import type { ChangeBus, EventLog, LoggedEvent, SessionStore, VersionedSession } from 'mooring';

// #region shared
/** What every process must have in common: from Redis, from a database, from the secrets of the cluster. */
export interface Shared {
  readonly sessions: SessionStore;
  readonly eventLog: EventLog;
  readonly changes: ChangeBus;
  readonly stateKeys: readonly Uint8Array<ArrayBuffer>[];
}

export function sessionsIn(kept: Map<string, string>): SessionStore {
  const read = (id: string): VersionedSession | undefined => JSON.parse(kept.get(id) ?? 'null') ?? undefined;
  return {
    get: async (id) => read(id),
    // Comparing and writing is one step, as a script or a transaction is in a database; to expire after `ttlMs`.
    async put(id, stored, { expected }) {
      if (read(id)?.version !== expected) return undefined;
      const version = crypto.randomUUID();
      kept.set(id, JSON.stringify({ ...stored, version }));
      return version;
    },
    async touch(id, usedAt) {
      const stored = read(id);
      if (stored !== undefined) kept.set(id, JSON.stringify({ ...stored, usedAt }));
    },
    delete: async (id) => void kept.delete(id),
  };
}

export function eventsIn(kept: Map<string, LoggedEvent[]>): EventLog {
  return {
    append: async (stream, event) => void kept.set(stream, [...(kept.get(stream) ?? []), event]),
    read: async (stream, after) => kept.get(stream)?.slice(after),
  };
}
// #endregion
