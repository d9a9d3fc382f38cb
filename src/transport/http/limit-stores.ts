/** Wraps stores of the application with a time limit for each method. */
import { badDefinition, type McpError } from '../../errors.ts';
import { valueKind } from '../../model/value-kind.ts';
import type { Clock } from '../../peer/clock.ts';
import { TimeLimit } from '../../peer/time-limit.ts';
import type { EventLog, LoggedEvent } from './event-log.ts';
import type { SessionStore, StoreOperation } from './session-store.ts';

export function limitSessionStore(store: SessionStore, clock: Clock): SessionStore {
  const limit = new TimeLimit(clock);
  return {
    hasExpiry: store.hasExpiry,
    get: (id, known) => limit.bound(store.get(id, known), 'get of the session store'),
    put: (id, stored, options) => limit.bound(store.put(id, stored, options), 'put of the session store'),
    touch: (id, usedAt, ttlMs) => limit.bound(store.touch(id, usedAt, ttlMs), 'touch of the session store'),
    delete: (id) => limit.bound(store.delete(id), 'delete of the session store'),
  };
}

export interface LimitedEventLog extends EventLog {
  /** `before` is the pending append of the previous event. The limit includes waiting for it, so that many events fail at once. */
  append(stream: string, event: LoggedEvent, before?: Promise<void>): void | Promise<void>;
}

/** Reports failed reads. `EventStream` reports failed appends, because it sends those events without an id. */
export function limitEventLog(
  log: EventLog,
  clock: Clock,
  onFailed: (thrown: unknown, operation: StoreOperation) => void,
): LimitedEventLog {
  const limit = new TimeLimit(clock);
  const reading = async <T>(read: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      const found = await limit.bound(read(), 'read of the event log');
      // Databases can return null for undefined.
      if (found === undefined || found === null || Array.isArray(found)) return found ?? undefined;
      throw wrongReturn('read of the event log', found);
    } catch (thrown) {
      onFailed(thrown, 'read');
      throw thrown;
    }
  };
  return {
    append: (stream, event, before) =>
      limit.bound(
        before?.then(() => log.append(stream, event)) ?? log.append(stream, event),
        'append of the event log',
      ),
    read: (stream, after) => reading(() => log.read(stream, after)),
    claim: async (stream, requests) => log.claim?.(stream, requests),
    orphaned: (stream) => reading(() => log.orphaned?.(stream)),
  };
}

/** The error for a store that returns a value of the wrong type. */
export const wrongReturn = (method: string, returned: unknown): McpError =>
  badDefinition(method, `it returned ${valueKind(returned)}`);
