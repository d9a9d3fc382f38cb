/** The session store interface, the store in memory, and the merging of concurrent changes. */
import { isObject } from '../../jsonrpc/message.ts';
import type { PeerSession } from '../../peer/session.ts';

/** A session as it is stored: plain data, so that another process can continue it. */
export interface StoredSession {
  readonly session: PeerSession;
  /** The only caller that can use the session. */
  readonly principal: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When a process last used the session, in milliseconds since 1970. `touch` updates it. */
  readonly usedAt: number;
  /** Several processes have served the session, so none of them alone knows whether it is in use. */
  readonly shared?: boolean;
}

/** A session in a store, with its version. */
export interface VersionedSession extends StoredSession {
  /** Opaque. Every `put` creates a new version. A version is never reused, not even after `delete`. */
  readonly version: string;
}

/** The conditions of a `put`. */
export interface PutOptions {
  /** The version that must be in the store (compare-and-set); undefined if the session must not exist. */
  readonly expected: string | undefined;
  /** The store can delete the session after this time without `put` or `touch`. */
  readonly ttlMs: number;
}

/** Validates what a store returned: one without types can return anything, such as a row with the session as JSON text. */
export const isStoredSession = (stored: unknown): stored is VersionedSession =>
  isObject(stored) &&
  isObject(stored['session']) &&
  `${typeof stored['principal']} ${typeof stored['version']}` === 'string string' &&
  Number.isFinite(stored['createdAt']) &&
  Number.isFinite(stored['usedAt']);

/** Stores sessions. Methods can be synchronous or asynchronous. Several processes can write at once, so `put` compares versions. */
export interface SessionStore {
  /** True if the store deletes sessions after their `ttlMs`. Otherwise processes compare `usedAt` with their own clocks, which can differ. */
  readonly hasExpiry?: boolean | undefined;
  /** Reads a session. If the version of `known`, which was read before, is still current, `known` can be returned with the newest `usedAt`. */
  get(id: string, known?: VersionedSession): VersionedSession | undefined | Promise<VersionedSession | undefined>;
  /** Writes a session and returns its new version. Writes nothing and returns undefined if another version is stored than expected. */
  put(id: string, stored: StoredSession, options: PutOptions): string | undefined | Promise<string | undefined>;
  /** Updates `usedAt`, not the version. Must not create a session. Called at most once per second, session and process. */
  touch(id: string, usedAt: number, ttlMs: number): void | Promise<void>;
  delete(id: string): void | Promise<void>;
}

/** An operation of a session store or event log. */
export type StoreOperation = 'get' | 'put' | 'touch' | 'delete' | 'append' | 'read';

/** Stores sessions in memory. The server enforces limits and expiry. */
export function memorySessionStore(): SessionStore {
  const sessions = new Map<string, VersionedSession>();
  let versions = 0;
  return {
    get: (id) => sessions.get(id),
    put(id, stored, { expected }) {
      if (sessions.get(id)?.version !== expected) return undefined;
      const version = String(++versions);
      // No spread: each object would get its own hidden class, which takes more memory than its data.
      const { session, principal, createdAt, usedAt } = stored;
      const kept = { session, principal, createdAt, usedAt, version };
      sessions.set(id, stored.shared === undefined ? kept : { ...kept, shared: stored.shared });
      return version;
    },
    touch(id, usedAt) {
      const stored = sessions.get(id);
      if (stored !== undefined) sessions.set(id, { ...stored, usedAt });
    },
    delete: (id) => void sessions.delete(id),
  };
}

/** Whether the session changed in this process since `base` was stored. */
export const isChanged = (ours: PeerSession, base: PeerSession): boolean =>
  (ours.ready === true && base.ready !== true) ||
  ours.logLevel !== base.logLevel ||
  ours.subscriptions !== base.subscriptions;

/** Rolls back changes of this process since `base`, except the end of the handshake, which can be stored later. */
export function undoChanges(ours: PeerSession, { logLevel, subscriptions }: PeerSession): void {
  if (logLevel === undefined) delete ours.logLevel;
  else ours.logLevel = logLevel;
  if (subscriptions === undefined) delete ours.subscriptions;
  else ours.subscriptions = subscriptions;
}

/** Three-way merge: `theirs`, with the changes from `base` to `ours`. */
export function mergeSession(theirs: PeerSession, base: PeerSession, ours: PeerSession): PeerSession {
  const merged = { ...theirs };
  if (ours.ready === true) merged.ready = true;
  if (ours.logLevel !== undefined && ours.logLevel !== base.logLevel) merged.logLevel = ours.logLevel;
  if (ours.subscriptions !== undefined)
    merged.subscriptions = mergeLists(theirs.subscriptions, base.subscriptions, ours.subscriptions);
  return merged;
}

/** Returns an unchanged array as it is, because arrays are compared by identity. */
function mergeLists(theirs: string[] | undefined, base: string[] | undefined, ours: string[]): string[] {
  if (theirs === base) return ours;
  const [before, stored] = [base ?? [], theirs ?? []];
  const kept = stored.filter((uri) => ours.includes(uri) || !before.includes(uri));
  const added = ours.filter((uri) => !before.includes(uri) && !kept.includes(uri));
  return added.length === 0 && kept.length === stored.length ? stored : [...kept, ...added];
}
