/** The `Backend` interface: five primitives that a shared store implements. Sessions, events, rates and the rest are built on them. */

/** A stored value. */
export interface KeyedEntry {
  readonly value: string;
  /** Opaque. Every `put` creates a new version, which is never reused for the same key, not even after `delete`. */
  readonly version: string;
  /** The mark that the last `touch` set; `put` removes it. */
  readonly mark?: string | undefined;
}

/** Options of `put`. */
export interface KeyedPutOptions {
  /** The value expires this long after the last `put` or `touch`. */
  readonly ttlMs: number;
  /** Compare-and-set: the required current version, or an empty string if the key must not exist. Undefined: replaces any version. */
  readonly expected?: string | undefined;
}

/** A key-value store with versions and expiry. */
export interface KeyedValues {
  /**
   * Reads a value. `known` is a cached entry: if its version is current, the value need not be read again; if its mark is current too,
   * `known` itself can be returned.
   */
  get(key: string, known?: KeyedEntry): Promise<KeyedEntry | undefined>;
  /** Writes a value. Resolves with the new version, or with undefined if the current version is not the expected one. */
  put(key: string, value: string, options: KeyedPutOptions): Promise<string | undefined>;
  /** Extends the TTL of a value, and sets its mark, such as a time, without changing the version. False if the key does not exist; then none is created. */
  touch(key: string, ttlMs: number, mark?: string): Promise<boolean>;
  /** Deletes a value. False if the key does not exist, or the current version is not the expected one. */
  delete(key: string, expected?: string): Promise<boolean>;
}

/** Single-use keys. */
export interface OnceKeys {
  /** Atomic: true the first time, then false until `ttlMs` have passed. */
  spend(key: string, ttlMs: number): Promise<boolean>;
}

/** A rate limit: `limit` calls per `perMs`. */
export interface SharedRate {
  readonly limit: number;
  readonly perMs: number;
  /** How many calls are allowed at once after a pause. Default: `limit`. */
  readonly burst?: number | undefined;
}

/** Whether a call is allowed. A rejected call is not counted, and can be retried after `retryMs`. */
export type RateResult = { readonly ok: true } | { readonly ok: false; readonly retryMs: number };

/** Rate limit counters by key. */
export interface RateCounts {
  take(key: string, rate: SharedRate): Promise<RateResult>;
}

/** One entry of a log. */
export interface LogEntry {
  readonly seq: number;
  readonly data: string;
}

/** The TTL of a log after its last entry, and the minimum number of entries that it retains. */
export interface LogLimits {
  readonly ttlMs: number;
  readonly keep: number;
}

/** Append-only logs, whose entries are numbered from 1. */
export interface SharedLogs {
  /** Appends an entry. `exists` if the log already has this number or a later one; then nothing is written. */
  append(log: string, entry: LogEntry, limits: LogLimits): Promise<'ok' | 'exists'>;
  /** All entries after a number. `gone` if the log does not exist, or one of these entries is missing. */
  read(log: string, after: number): Promise<readonly LogEntry[] | 'gone'>;
}

/** Publish/subscribe channels, without persistence. */
export interface Channels {
  publish(channel: string, data: string): Promise<void>;
  /** Subscribes to a channel. A publisher gets its own messages too. Calls `onMissed` if messages were or could be lost. Returns a function that unsubscribes. */
  subscribe(channel: string, onData: (data: string) => void, onMissed: () => void): () => void;
}

/** A store that several processes share. Every method rejects if the store is unreachable. */
export interface Backend {
  readonly keyed: KeyedValues;
  readonly once: OnceKeys;
  readonly count: RateCounts;
  readonly log: SharedLogs;
  readonly channel: Channels;
}
