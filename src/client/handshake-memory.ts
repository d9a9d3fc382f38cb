/** What clients of one server share through their cache: whether it needs a handshake, so that only the first asks. */
import type { CacheView } from './cache.ts';
import type { ClientSettings } from './options.ts';

/** How long a server is met with a handshake before it is asked again what it speaks. */
export const HANDSHAKE_VERDICT_MS = 3_600_000;

export class HandshakeMemory {
  readonly #cache: CacheView;
  readonly #settings: ClientSettings;
  /** Clients that allow other revisions may find out otherwise. */
  readonly #params: object;

  constructor(cache: CacheView, settings: ClientSettings) {
    this.#cache = cache;
    this.#settings = settings;
    this.#params = { allowed: settings.allowed.map(({ id }) => id) };
  }

  /** When a client detected that the server needs a handshake; undefined if none did, or it is too long ago. */
  get since(): number | undefined {
    const kept = this.#cache.get('initialize', this.#params, this.#settings.clock.now());
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
