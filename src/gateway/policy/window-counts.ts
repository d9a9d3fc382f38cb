/** Counts events in sliding windows, in this process. */
import type { Clock } from '../../peer/clock.ts';
import { setNewest } from '../../peer/set-newest.ts';
import type { RateStore } from '../contract.ts';

/** A window is divided into this many buckets. The oldest counts in full, so the count is never too low. */
const PARTS = 60;
/** Beyond this, the least recently used window is evicted. */
const MAX_WINDOWS = 10_000;

/** A key with its limit. */
export interface CountedKey {
  readonly key: string;
  readonly limit: number;
  readonly perMs: number;
}

/** Calls by bucket number. */
type WindowParts = Map<number, number>;

export class WindowCounts implements RateStore {
  readonly #clock: Clock;
  readonly #windows: Map<string, WindowParts> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take: RateStore['take'] = async (key, rate) => {
    const full = this.takeAll([{ key, ...rate }]);
    return full === undefined ? { ok: true } : { ok: false, retryMs: full.retryMs };
  };

  /** Counts one event under every key, or none if one of the keys is full, and returns that key. */
  takeAll<K extends CountedKey>(counted: readonly K[]): { readonly full: K; readonly retryMs: number } | undefined {
    const now = this.#clock.now();
    for (const one of counted) {
      const retryMs = this.#waitMs(one, now);
      if (retryMs !== undefined) return { full: one, retryMs };
    }
    for (const { key, perMs } of counted) this.#add(key, Math.floor(now / (perMs / PARTS)));
    return undefined;
  }

  /** Undefined if the limit is not reached. */
  #waitMs({ key, limit, perMs }: CountedKey, now: number): number | undefined {
    const parts = this.#windows.get(key) ?? new Map();
    const oldest = Math.floor((now - perMs) / (perMs / PARTS));
    for (const at of parts.keys()) if (at < oldest) parts.delete(at);
    const [first] = parts.keys();
    const used = [...parts.values()].reduce((sum, calls) => sum + calls, 0);
    if (used < limit) return undefined;
    return first === undefined ? perMs : Math.max(1, Math.ceil((first + 1) * (perMs / PARTS) + perMs - now));
  }

  #add(key: string, at: number): void {
    const parts: WindowParts = this.#windows.get(key) ?? new Map();
    parts.set(at, (parts.get(at) ?? 0) + 1);
    setNewest(this.#windows, key, parts, MAX_WINDOWS);
  }
}
