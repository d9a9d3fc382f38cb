/** What the processes of a cluster share, with maps in place of a database. */
import type { EventLog, LoggedEvent, NewsBus, SessionStore } from 'mooring';

// #region shared
/** What every process must have in common: from Redis, from a database, from the secrets of the cluster. */
export interface Shared {
  readonly store: SessionStore;
  readonly log: EventLog;
  readonly news: NewsBus;
  readonly stateKeys: readonly Uint8Array<ArrayBuffer>[];
}

export function sessionsIn(kept: Map<string, string>): SessionStore {
  return {
    get: async (id) => JSON.parse(kept.get(id) ?? 'null') ?? undefined,
    put: async (id, stored) => void kept.set(id, JSON.stringify(stored)), // to expire after your sessionIdleMs
    async touch(id, usedAt) {
      const stored = kept.get(id);
      if (stored !== undefined) kept.set(id, JSON.stringify({ ...JSON.parse(stored), usedAt }));
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
