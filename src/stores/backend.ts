/** What processes share: five things that a store must be able to do. Sessions, events, rates and the rest are built on them. */

/** A value as it is kept. */
export interface KeyedEntry {
  readonly value: string;
  /** Opaque. Every `put` makes another one, and none comes back for the same key, not even after `delete`. */
  readonly version: string;
  /** What `touch` left last, since the value was put. */
  readonly mark?: string | undefined;
}

/** How a value is put. */
export interface KeyedPutOptions {
  /** The value is forgotten when it was neither put nor touched for so long. */
  readonly ttlMs: number;
  /** The version that must be there; empty when there must be none. Absent: whatever is there is replaced. */
  readonly expected?: string | undefined;
}

/** Values by key, each with a version. */
export interface KeyedValues {
  /** `known` was read before. Where its version is still there, its value need not be read again; with its mark, it can be returned as it is. */
  get(key: string, known?: KeyedEntry): Promise<KeyedEntry | undefined>;
  /** The new version; undefined when another version is there than expected, and nothing was written. */
  put(key: string, value: string, options: KeyedPutOptions): Promise<string | undefined>;
  /** Prolongs the life of a value, and leaves a mark on it, such as a time. The version stays. False where there is no value, and none is made. */
  touch(key: string, ttlMs: number, mark?: string): Promise<boolean>;
  /** False where there is no value, or another version of it than expected. */
  delete(key: string, expected?: string): Promise<boolean>;
}

/** Keys that can be spent once. */
export interface OnceKeys {
  /** True the first time; false from then on, until `ttlMs` have passed. */
  spend(key: string, ttlMs: number): Promise<boolean>;
}

/** So many in so long. */
export interface SharedRate {
  readonly limit: number;
  readonly perMs: number;
  /** How many can come at once after a pause; `limit` unless you say otherwise. */
  readonly burst?: number | undefined;
}

/** Whether there was room; if not, nothing was counted, and there is room again after `retryMs`. */
export type RateResult = { readonly ok: true } | { readonly ok: false; readonly retryMs: number };

/** Counts how often something happens. */
export interface RateCounts {
  take(key: string, rate: SharedRate): Promise<RateResult>;
}

/** One entry of a log. */
export interface LogEntry {
  readonly seq: number;
  readonly data: string;
}

/** How long a log is kept after its last entry, and at least how many of its entries. */
export interface LogLimits {
  readonly ttlMs: number;
  readonly keep: number;
}

/** Numbered entries in order, from 1 on. */
export interface SharedLogs {
  /** `exists` where the log has this number or a later one: nothing was written. */
  append(log: string, entry: LogEntry, limits: LogLimits): Promise<'ok' | 'exists'>;
  /** Everything after that number. `gone` where the log is not known, or one of these entries is missing. */
  read(log: string, after: number): Promise<readonly LogEntry[] | 'gone'>;
}

/** Messages to all processes that listen at this moment. */
export interface Channels {
  publish(channel: string, data: string): Promise<void>;
  /** `onMissed`: messages were lost, or may have been. The publisher hears its own messages too. Returns a function that ends it. */
  subscribe(channel: string, onData: (data: string) => void, onMissed: () => void): () => void;
}

/** A store that several processes share. Every method rejects when the store cannot be reached. */
export interface Backend {
  readonly keyed: KeyedValues;
  readonly once: OnceKeys;
  readonly count: RateCounts;
  readonly log: SharedLogs;
  readonly channel: Channels;
}
