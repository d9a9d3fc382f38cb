/** What is known about sessions, as data: another process that is given the same store can go on with them. */
import { isObject } from '../../jsonrpc/message.ts';
import type { PeerSession } from '../../peer/session.ts';

/** A session as it is kept: plain data, so that another process can go on with it. */
export interface StoredSession {
  readonly session: PeerSession;
  /** The only caller that can use it. */
  readonly principal: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When a process last used it; `touch` moves it on. */
  readonly usedAt: number;
  /** Several processes have served it, so none of them knows alone whether it is in use. */
  readonly shared?: boolean;
}

/** What a store has, and which state of it that is. */
export interface VersionedSession extends StoredSession {
  /** Opaque. Every `put` makes another one, and none comes back, not even after `delete`. */
  readonly version: string;
}

/** How a session is written. */
export interface PutOptions {
  /** The version that must still be there; undefined when there must be none. */
  readonly expected: string | undefined;
  /** The store may forget the session when it was neither put nor touched for so long. */
  readonly ttlMs: number;
}

/** A store that no compiler has checked can return anything, such as a row with the session as text in it. */
export const isStoredSession = (stored: unknown): stored is VersionedSession =>
  isObject(stored) &&
  isObject(stored['session']) &&
  `${typeof stored['principal']} ${typeof stored['version']}` === 'string string' &&
  Number.isFinite(stored['createdAt']) &&
  Number.isFinite(stored['usedAt']);

/** Every method may answer at once or later. Several processes may write at once: `put` compares versions. */
export interface SessionStore {
  /** True where the store forgets sessions after their `ttlMs`. Otherwise processes compare `usedAt` with their own clocks, which can differ. */
  readonly hasExpiry?: boolean | undefined;
  /** `known` was read before. Where its version is still there, it can be returned again, with the newest `usedAt`. */
  get(id: string, known?: VersionedSession): VersionedSession | undefined | Promise<VersionedSession | undefined>;
  /** The new version; undefined when another version is there than expected, and nothing was written. */
  put(id: string, stored: StoredSession, options: PutOptions): string | undefined | Promise<string | undefined>;
  /** The session was used: `usedAt` changes and the version does not. Where there is no such session, none is made. At most once per second, session and process. */
  touch(id: string, usedAt: number, ttlMs: number): void | Promise<void>;
  delete(id: string): void | Promise<void>;
}

/** What a store or log was asked to do. */
export type StoreOperation = 'get' | 'put' | 'touch' | 'delete' | 'append' | 'read';

/** In this process, for as long as it lives. The servers keep the limits. */
export function memorySessionStore(): SessionStore {
  const sessions = new Map<string, VersionedSession>();
  let versions = 0;
  return {
    get: (id) => sessions.get(id),
    put(id, stored, { expected }) {
      if (sessions.get(id)?.version !== expected) return undefined;
      const version = String(++versions);
      // Not by a spread: each of these would have a layout of its own, which takes more memory than what it says.
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

/** Whether something was agreed on here since `base` was written. */
export const isChanged = (ours: PeerSession, base: PeerSession): boolean =>
  (ours.ready === true && base.ready !== true) ||
  ours.logLevel !== base.logLevel ||
  ours.subscriptions !== base.subscriptions;

/** Takes back what was agreed on here since `base` was written, but for the end of the handshake: that can be stored later. */
export function undoChanges(ours: PeerSession, { logLevel, subscriptions }: PeerSession): void {
  if (logLevel === undefined) delete ours.logLevel;
  else ours.logLevel = logLevel;
  if (subscriptions === undefined) delete ours.subscriptions;
  else ours.subscriptions = subscriptions;
}

/** `theirs`, with what was changed here since `base`. */
export function mergeSession(theirs: PeerSession, base: PeerSession, ours: PeerSession): PeerSession {
  const merged = { ...theirs };
  if (ours.ready === true) merged.ready = true;
  if (ours.logLevel !== undefined && ours.logLevel !== base.logLevel) merged.logLevel = ours.logLevel;
  if (ours.subscriptions !== undefined)
    merged.subscriptions = mergeLists(theirs.subscriptions, base.subscriptions, ours.subscriptions);
  return merged;
}

/** The same array where there is nothing to merge: arrays are compared by identity. */
function mergeLists(theirs: string[] | undefined, base: string[] | undefined, ours: string[]): string[] {
  if (theirs === base) return ours;
  const [before, stored] = [base ?? [], theirs ?? []];
  const kept = stored.filter((uri) => ours.includes(uri) || !before.includes(uri));
  const added = ours.filter((uri) => !before.includes(uri) && !kept.includes(uri));
  return added.length === 0 && kept.length === stored.length ? stored : [...kept, ...added];
}
