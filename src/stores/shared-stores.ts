/** `sharedStores`: builds all shared stores of a server (sessions, events, changes, single-use keys) on one backend. */
import type { Id } from '../jsonrpc/message.ts';
import { checkObject } from '../model/check-argument.ts';
import { type Clock, systemClock } from '../peer/clock.ts';
import type { StateLog } from '../revisions/asks/seal.ts';
import type { ChangeBus, SharedChanges } from '../server/change-bus.ts';
import type { EventLog } from '../transport/http/event-log.ts';
import type { EndedSessions } from '../transport/http/sealed-session-spec.ts';
import type { SessionStore, StoredSession, VersionedSession } from '../transport/http/session-store.ts';
import type { Backend, KeyedEntry, RateCounts } from './backend.ts';
import { ProcessLease } from './process-lease.ts';

/** The event log of a stream expires 10 minutes after its last event, and retains at least 1,000 events. */
const LOG_LIMITS = { ttlMs: 10 * 60_000, keep: 1_000 };

/** Stores for every option of a server that takes a store. */
export interface SharedStores {
  readonly backend: Backend;
  /** For `sessions` of a server on HTTP. */
  readonly sessions: SessionStore;
  /** For `eventLog` of a server on HTTP. */
  readonly eventLog: EventLog;
  /** For `changes` of `createServer`. */
  readonly changes: ChangeBus;
  /** For `singleUse` of `createServer`: replay protection for the state of suspended calls. */
  readonly singleUse: StateLog;
  /** For `proofLog` of `bearer`: replay protection for DPoP proofs. */
  readonly proofLog: StateLog;
  readonly rates: RateCounts;
  /** For `ended` of sealed sessions. */
  readonly ended: EndedSessions;
}

/** Creates stores on a backend: `memoryBackend()`, `redisBackend()`, or your own. */
export function sharedStores(
  backend: Backend,
  { clock = systemClock }: { readonly clock?: Clock | undefined } = {},
): SharedStores {
  checkObject(backend, 'sharedStores(backend)', 'a backend, such as redisBackend(connection)');
  const { keyed, once, count } = backend;
  return {
    backend,
    sessions: sharedSessions(backend),
    eventLog: sharedEvents(backend, clock),
    changes: sharedChanges(backend),
    singleUse: { spend: (id, lifeMs) => once.spend(`u:${id}`, lifeMs) },
    proofLog: { spend: (id, lifeMs) => once.spend(`p:${id}`, lifeMs) },
    rates: { take: (key, rate) => count.take(`r:${key}`, rate) },
    ended: {
      add: async (name, ttlMs) => void (await keyed.put(`x:${name}`, '', { ttlMs })),
      has: async (name) => (await keyed.get(`x:${name}`)) !== undefined,
    },
  };
}

function sharedSessions({ keyed }: Backend): SessionStore {
  return {
    hasExpiry: true,
    get(id, known) {
      // `value` is empty, because the text of an unchanged session is not parsed.
      const entry = known && { value: '', version: known.version, mark: `${known.usedAt}` };
      return keyed.get(`s:${id}`, entry).then((read) => (read === entry ? known : readSession(read, known)));
    },
    put: (id, stored, { expected = '', ttlMs }) => keyed.put(`s:${id}`, JSON.stringify(stored), { ttlMs, expected }),
    touch: async (id, usedAt, ttlMs) => void (await keyed.touch(`s:${id}`, ttlMs, `${usedAt}`)),
    delete: async (id) => void (await keyed.delete(`s:${id}`)),
  };
}

function readSession(entry: KeyedEntry | undefined, known: VersionedSession | undefined): VersionedSession | undefined {
  if (entry === undefined) return undefined;
  const { value, version, mark } = entry;
  const stored = version === known?.version ? known : (JSON.parse(value) as StoredSession); // as `put` wrote it
  return { ...stored, usedAt: Number(mark ?? stored.usedAt), version };
}

function sharedEvents(backend: Backend, clock: Clock): EventLog {
  const { log } = backend;
  const lease = new ProcessLease(backend.keyed, clock, LOG_LIMITS.ttlMs);
  return {
    claim: (stream, requests) => lease.claim(`c:${stream}`, JSON.stringify(requests)),
    async orphaned(stream) {
      const requests = await lease.orphaned(`c:${stream}`);
      return requests === undefined ? undefined : (JSON.parse(requests) as Id[]); // as `claim` wrote it
    },
    async append(stream, { seq, data, last }) {
      await log.append(`e:${stream}`, { seq, data: `${last === true ? 1 : 0}${data}` }, LOG_LIMITS);
    },
    async read(stream, after) {
      const entries = await log.read(`e:${stream}`, after);
      if (entries === 'gone') return undefined;
      return entries.map(({ seq, data }) => ({
        seq,
        data: data.slice(1),
        ...(data.startsWith('1') && { last: true }),
      }));
    },
  };
}

function sharedChanges({ channel }: Backend): ChangeBus {
  return {
    publish: (shared) => channel.publish('changes', JSON.stringify(shared)),
    subscribe: (listener) =>
      channel.subscribe(
        'changes',
        (data) => {
          const shared = readChanges(data);
          if (shared !== undefined) listener(shared);
        },
        () => listener({ from: '', changes: [{ kind: 'tools' }, { kind: 'prompts' }, { kind: 'resources' }] }),
      ),
  };
}

/** Parses a message of the channel; undefined if another program wrote it. The change hub checks each change. */
function readChanges(data: string): SharedChanges | undefined {
  try {
    const shared: unknown = JSON.parse(data);
    return typeof shared === 'object' && shared !== null ? (shared as SharedChanges) : undefined; // as `publish` wrote it
  } catch {
    return undefined;
  }
}
