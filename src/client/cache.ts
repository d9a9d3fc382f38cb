/** Answers kept for as long as they said they may be. Nothing is fetched ahead of time: a stale answer is just gone. */
import { canonicalJson } from '../model/canonical.ts';
import type { Change } from '../model/change.ts';
import type { CacheHints } from '../model/parts.ts';

interface CacheEntry {
  readonly value: unknown;
  readonly until: number;
  readonly room: unknown;
  readonly method: string;
  readonly uri: unknown;
  /** Which credentials it was asked for with; undefined where it holds for all. */
  readonly credentials: number | undefined;
}

/** An answer that is still good, and the credentials that it was given for. */
export type CacheHit = Pick<CacheEntry, 'value' | 'credentials'>;

/** How much a cache may hold. */
export interface CacheOptions {
  /** More answers than this are not kept; the oldest go first. */
  readonly maxEntries?: number;
}

/** What `responseCache` makes: an opaque value for `connect(…, { cache })`. */
export interface ResponseCache {
  readonly kind: 'response-cache';
}

/** Makes a cache that clients can share: what is private stays with the client that received it, and with the credentials it used. */
export const responseCache = (options: CacheOptions = {}): ResponseCache => new SharedCache(options);

/** The inside of a `ResponseCache`. */
export class SharedCache implements ResponseCache {
  readonly kind = 'response-cache';
  readonly #entries: Map<string, CacheEntry> = new Map();
  readonly #maxEntries: number;
  #rooms = 0;

  constructor(options: CacheOptions = {}) {
    this.#maxEntries = options.maxEntries ?? 1000;
  }

  /** One client's view. Clients of the same origin share what is public; without an origin nothing is shared. */
  open(origin?: string): CacheView {
    const own = ++this.#rooms;
    const rooms: readonly unknown[] = origin === undefined ? [own] : [own, origin];
    const keyIn = (room: unknown, method: string, params: object): string => canonicalJson([room, method, params]);
    return {
      get: (method, params, now) => {
        for (const room of rooms) {
          const key = keyIn(room, method, params);
          const entry = this.#entries.get(key);
          if (entry === undefined) continue;
          if (entry.until > now) return entry;
          this.#entries.delete(key);
        }
        return undefined;
      },
      put: ({ method, params, value, hints, now, credentials: used }) => {
        if (hints.ttlMs <= 0) return;
        const isPublic = hints.cacheScope === 'public';
        const room = isPublic ? (origin ?? own) : own;
        const credentials = isPublic ? undefined : used;
        const key = keyIn(room, method, params);
        this.#entries.delete(key);
        this.#entries.set(key, { value, until: now + hints.ttlMs, room, method, uri: uriIn(params), credentials });
        const [oldest] = this.#entries.keys();
        if (this.#entries.size > this.#maxEntries && oldest !== undefined) this.#entries.delete(oldest);
      },
      forget: (concerns) => {
        for (const [key, entry] of this.#entries)
          if (rooms.includes(entry.room) && concerns(entry)) this.#entries.delete(key);
      },
    };
  }
}

export interface CacheView {
  get(method: string, params: object, now: number): CacheHit | undefined;
  put(answer: CacheableResult): void;
  forget(concerns: (entry: Pick<CacheEntry, 'method' | 'uri'>) => boolean): void;
}
interface CacheableResult {
  readonly method: string;
  /** Everything that the answer depends on. */
  readonly params: object;
  readonly value: unknown;
  readonly hints: Required<CacheHints>;
  readonly now: number;
  /** Those that it was asked for with, where there were any. */
  readonly credentials?: number | undefined;
}

const uriIn = (params: object): unknown => ('uri' in params ? params.uri : undefined);

const listsOf = {
  tools: ['tools/list'],
  prompts: ['prompts/list'],
  resources: ['resources/list', 'resources/templates/list'],
} as const;

/** What a piece of news makes stale. News of a resource may be about a part of it, or about the whole that it is part of. */
export function staleBy(news: Change): (entry: Pick<CacheEntry, 'method' | 'uri'>) => boolean {
  if (news.kind !== 'resource') {
    const methods: readonly string[] = listsOf[news.kind];
    return ({ method }) => methods.includes(method);
  }
  return ({ uri }) => typeof uri === 'string' && (uri.startsWith(news.uri) || news.uri.startsWith(uri));
}
