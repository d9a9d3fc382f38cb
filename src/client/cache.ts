/** The response cache of clients: stores results for the TTL that the server declares, without prefetching. */
import { canonicalJson } from '../model/canonical.ts';
import type { Change } from '../model/change.ts';
import type { CacheHints } from '../model/parts.ts';

interface CacheEntry {
  readonly value: unknown;
  readonly until: number;
  readonly scope: unknown;
  readonly method: string;
  readonly uri: unknown;
  /** The credentials of the request; undefined if the result is public. */
  readonly credentials: number | undefined;
  /** The length of the result as JSON. */
  readonly length: number;
}

/** A cached result, and the credentials it was issued to. */
export type CacheHit = Pick<CacheEntry, 'value' | 'credentials'>;

/** Limits of a response cache. */
export interface CacheOptions {
  /** Beyond this, or 64 Mi characters, the oldest results are evicted. Default: 1000. */
  readonly maxEntries?: number;
}

/** A cache made by `responseCache()`: an opaque value for `connect(…, { cache })`. */
export interface ResponseCache {
  readonly kind: 'response-cache';
}

/** Makes a cache that clients can share. Private results are returned only to the client and the credentials that received them. */
export const responseCache = (options: CacheOptions = {}): ResponseCache => new SharedCache(options);

/** Maximum length of all results together. A single result can have 16 MiB (`maxAnswerBytes`). */
const MAX_LENGTH = 64 * 1024 * 1024;

/** The implementation of `ResponseCache`. */
export class SharedCache implements ResponseCache {
  readonly kind = 'response-cache';
  readonly #entries: Map<string, CacheEntry> = new Map();
  readonly #maxEntries: number;
  /** The length of all results together. */
  #length = 0;
  #views = 0;
  #forgotten = 0;

  constructor(options: CacheOptions = {}) {
    this.#maxEntries = options.maxEntries ?? 1000;
  }

  /** Returns the view of one client. Clients of the same origin share public results; without an origin, nothing is shared. */
  open(origin?: string): CacheView {
    const own = ++this.#views;
    const scopes: readonly unknown[] = origin === undefined ? [own] : [own, origin];
    const keyIn = (scope: unknown, method: string, params: object): string => canonicalJson([scope, method, params]);
    return {
      forgotten: () => this.#forgotten,
      get: (method, params, now) => {
        for (const scope of scopes) {
          const key = keyIn(scope, method, params);
          const entry = this.#entries.get(key);
          if (entry === undefined) continue;
          if (entry.until > now) return entry;
          this.#delete(key);
        }
        return undefined;
      },
      put: ({ method, params, value, result, hints, now, credentials: used }) => {
        if (hints.ttlMs <= 0) return;
        const isPublic = hints.cacheScope === 'public';
        const scope = isPublic ? (origin ?? own) : own;
        const credentials = isPublic ? undefined : used;
        const key = keyIn(scope, method, params);
        const { length } = JSON.stringify(result);
        this.#set(key, { value, until: now + hints.ttlMs, scope, method, uri: uriIn(params), credentials, length });
      },
      forget: (concerns) => {
        this.#forgotten++;
        for (const [key, entry] of this.#entries)
          if (scopes.includes(entry.scope) && concerns(entry)) this.#delete(key);
      },
    };
  }

  /** Sets the newest entry, and evicts the oldest ones while there are too many or they are too long. */
  #set(key: string, entry: CacheEntry): void {
    this.#delete(key);
    this.#entries.set(key, entry);
    this.#length += entry.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#length <= MAX_LENGTH) break;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#length -= this.#entries.get(key)?.length ?? 0;
    this.#entries.delete(key);
  }
}

export interface CacheView {
  /** The number of calls of `forget`, by any client: if it grew during a request, the result can be stale already. */
  forgotten(): number;
  get(method: string, params: object, now: number): CacheHit | undefined;
  put(answer: CacheableResult): void;
  forget(concerns: (entry: Pick<CacheEntry, 'method' | 'uri'>) => boolean): void;
}
interface CacheableResult {
  readonly method: string;
  /** Together with the method, the cache key. */
  readonly params: object;
  readonly value: unknown;
  /** The result as it was received, whose length counts. */
  readonly result: unknown;
  readonly hints: Required<CacheHints>;
  readonly now: number;
  /** The credentials of the request, if it had any. */
  readonly credentials?: number | undefined;
}

const uriIn = (params: object): unknown => ('uri' in params ? params.uri : undefined);

const listsOf = {
  tools: ['tools/list'],
  prompts: ['prompts/list'],
  resources: ['resources/list', 'resources/templates/list'],
} as const;

/** Selects entries that a change makes stale. A changed URI also affects the resources it contains and those that contain it. */
export function staleAfter(change: Change): (entry: Pick<CacheEntry, 'method' | 'uri'>) => boolean {
  if (change.kind !== 'resource') {
    const methods: readonly string[] = listsOf[change.kind];
    return ({ method }) => methods.includes(method);
  }
  return ({ uri }) => typeof uri === 'string' && (uri.startsWith(change.uri) || change.uri.startsWith(uri));
}
