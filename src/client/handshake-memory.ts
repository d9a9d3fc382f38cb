/** Clients of one server share through their cache whether it needs a handshake, so that only the first has to find out. */
import type { CacheView } from './cache.ts';
import type { ClientSettings } from './options.ts';

/** How long a server gets a handshake before it is asked again what it speaks. */
export const HANDSHAKE_VERDICT_MS = 3_600_000;

export class HandshakeMemory {
  readonly #cache: CacheView;
  readonly #settings: ClientSettings;
  /** Clients that allow other revisions may find out otherwise. */
  readonly #params: object;
  /** Known before there was this client. */
  readonly #isExpected: boolean;

  constructor(cache: CacheView, settings: ClientSettings, isExpected: boolean) {
    this.#cache = cache;
    this.#settings = settings;
    this.#isExpected = isExpected;
    this.#params = { allowed: settings.allowed.map(({ id }) => id) };
  }

  /** When a client detected that the server needs a handshake; undefined if none did, or it is too long ago. */
  get since(): number | undefined {
    const now = this.#settings.clock.now();
    if (this.#isExpected) return now;
    const kept = this.#cache.get('initialize', this.#params, now);
    return kept?.value as number | undefined; // as only `remember` keeps something under this name
  }

  remember(): void {
    const now = this.#settings.clock.now();
    const hints = { ttlMs: HANDSHAKE_VERDICT_MS, cacheScope: 'public' } as const;
    this.#cache.put({ method: 'initialize', params: this.#params, value: now, hints, now });
  }

  forget(): void {
    this.#cache.forget(({ method }) => method === 'initialize');
  }
}
