/** Remembers in the shared cache that a server needs a handshake, so that only its first client has to probe. */
import type { CacheView } from './cache.ts';
import type { ClientSettings } from './options.ts';

/** How long clients start with a handshake before they probe the server again. */
export const HANDSHAKE_TTL_MS = 3_600_000;

export class HandshakeMemory {
  readonly #cache: CacheView;
  readonly #settings: ClientSettings;
  /** Part of the cache key: clients that allow other revisions can negotiate another result. */
  readonly #params: object;
  /** An earlier process found that the server needs a handshake. */
  readonly #isExpected: boolean;

  constructor(cache: CacheView, settings: ClientSettings, isExpected: boolean) {
    this.#cache = cache;
    this.#settings = settings;
    this.#isExpected = isExpected;
    this.#params = { allowed: settings.allowed.map(({ id }) => id) };
  }

  /** When a client detected that the server needs a handshake; undefined if unknown or expired. */
  get since(): number | undefined {
    const now = this.#settings.clock.now();
    if (this.#isExpected) return now;
    const entry = this.#cache.get('initialize', this.#params, now);
    return entry?.value as number | undefined; // only `remember` stores under this method
  }

  remember(): void {
    const now = this.#settings.clock.now();
    const hints = { ttlMs: HANDSHAKE_TTL_MS, cacheScope: 'public' } as const;
    this.#cache.put({ method: 'initialize', params: this.#params, value: now, result: now, hints, now });
  }

  forget(): void {
    this.#cache.forget(({ method }) => method === 'initialize');
  }
}
