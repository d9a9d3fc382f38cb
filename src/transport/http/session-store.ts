/** What is known about sessions, as data: another process that is given the same store can go on with them. */
import type { Session } from '../../peer/session.ts';

/** A session as it is kept: plain data, so that another process can go on with it. */
export interface StoredSession {
  readonly session: Session;
  /** Whose it is: nobody else gets to use it. */
  readonly principal: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly usedAt: number;
}

/** Every method may answer at once or later. What `get` returned last is written back by `put` when it changed. */
export interface SessionStore {
  get(id: string): StoredSession | undefined | Promise<StoredSession | undefined>;
  put(id: string, stored: StoredSession): void | Promise<void>;
  /** It was used; called at most once per second and session. */
  touch(id: string, usedAt: number): void | Promise<void>;
  delete(id: string): void | Promise<void>;
}

/** In this process, for as long as it lives. Limits are kept by whoever serves the sessions. */
export function memorySessionStore(): SessionStore {
  const sessions = new Map<string, StoredSession>();
  return {
    get: (id) => sessions.get(id),
    put: (id, stored) => void sessions.set(id, stored),
    touch(id, usedAt) {
      const stored = sessions.get(id);
      if (stored !== undefined) sessions.set(id, { ...stored, usedAt });
    },
    delete: (id) => void sessions.delete(id),
  };
}
