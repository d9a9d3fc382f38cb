/** `memoryBackend`: an in-memory `Backend`, for a single process and for tests. */
import { type Clock, systemClock } from '../peer/clock.ts';
import type { Backend, KeyedEntry, LogEntry, RateResult, SharedLogs, SharedRate } from './backend.ts';
import { ExpiringMap } from './expiring-map.ts';

/** Stores everything in this process. Expired values are removed by later writes. */
export function memoryBackend({ clock = systemClock }: { readonly clock?: Clock } = {}): Backend {
  return {
    keyed: memoryKeyed(clock),
    once: memoryOnce(clock),
    count: memoryCount(clock),
    log: memoryLog(clock),
    channel: memoryChannel(),
  };
}

function memoryKeyed(clock: Clock): Backend['keyed'] {
  const entries = new ExpiringMap<KeyedEntry>(clock);
  let versions = 0;
  return {
    get: async (key) => entries.get(key),
    async put(key, value, { ttlMs, expected }) {
      if (expected !== undefined && (entries.get(key)?.version ?? '') !== expected) return undefined;
      const version = `${++versions}`;
      entries.set(key, { value, version }, ttlMs);
      return version;
    },
    async touch(key, ttlMs, mark) {
      const entry = entries.get(key);
      if (entry === undefined) return false;
      entries.set(key, mark === undefined ? entry : { ...entry, mark }, ttlMs);
      return true;
    },
    async delete(key, expected) {
      const entry = entries.get(key);
      if (entry === undefined || (expected !== undefined && entry.version !== expected)) return false;
      return entries.delete(key);
    },
  };
}

function memoryOnce(clock: Clock): Backend['once'] {
  const spent = new ExpiringMap<true>(clock);
  return {
    async spend(key, ttlMs) {
      if (spent.get(key) === true) return false;
      spent.set(key, true, ttlMs);
      return true;
    },
  };
}

function memoryCount(clock: Clock): Backend['count'] {
  const fullAt = new ExpiringMap<number>(clock);
  return {
    async take(key, rate) {
      const now = clock.now();
      const { result, next } = takeAt(now, fullAt.get(key) ?? now, rate);
      if (result.ok) fullAt.set(key, next, next - now);
      return result;
    },
  };
}

/** Rate limit by GCRA; `at` is the theoretical arrival time. The TAKE script of redis-backend.ts is the same algorithm. */
function takeAt(now: number, at: number, rate: SharedRate): { readonly result: RateResult; readonly next: number } {
  const { limit, perMs, burst = limit } = rate;
  const interval = perMs / limit;
  const next = Math.max(now, Math.min(at, now + interval * burst)) + interval;
  const retryMs = Math.ceil(next - now - interval * burst);
  return { next, result: retryMs > 0 ? { ok: false, retryMs } : { ok: true } };
}

function memoryLog(clock: Clock): SharedLogs {
  const logs = new ExpiringMap<LogEntry[]>(clock);
  return {
    async append(name, entry, { ttlMs, keep }) {
      const entries = logs.get(name) ?? [];
      if (entry.seq <= (entries.at(-1)?.seq ?? 0)) return 'exists';
      entries.push(entry);
      // Trims in batches, because each splice moves all remaining entries.
      if (entries.length > keep * 1.5) entries.splice(0, entries.length - keep);
      logs.set(name, entries, ttlMs);
      return 'ok';
    },
    async read(name, after) {
      const entries = logs.get(name);
      return entries === undefined ? 'gone' : entriesAfter(entries, after);
    },
  };
}

/** The entries after a number, or `gone` if a number is missing. */
export function entriesAfter(log: readonly LogEntry[], after: number): readonly LogEntry[] | 'gone' {
  const entries = log.filter(({ seq }) => seq > after);
  return entries.every(({ seq }, i) => seq === after + 1 + i) ? entries : 'gone';
}

function memoryChannel(): Backend['channel'] {
  const listeners = new Map<string, Set<(data: string) => void>>();
  return {
    async publish(channel, data) {
      for (const listener of [...(listeners.get(channel) ?? [])]) listener(data);
    },
    subscribe(channel, onData) {
      const all = listeners.get(channel) ?? new Set();
      listeners.set(channel, all);
      // Wraps the function, so that one that is subscribed twice is called twice.
      const own = (data: string): void => onData(data);
      all.add(own);
      return () => {
        all.delete(own);
        if (all.size === 0 && listeners.get(channel) === all) listeners.delete(channel);
      };
    },
  };
}
