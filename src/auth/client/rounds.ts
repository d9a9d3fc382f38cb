/** Remembers what more was asked for lately: a server that is never satisfied must not have a person sign in time and again. */
import type { Clock } from '../../peer/clock.ts';

/** Times that the same scopes are asked for on behalf of the same operation. */
export const MAX_ROUNDS = 3;
const FORGOTTEN_MS = 600_000;
const MAX_REMEMBERED = 256;

export class Rounds {
  readonly #clock: Clock;
  readonly #asked: Map<string, number[]> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one more; false if there were enough. */
  another(operation: string, scopes: readonly string[]): boolean {
    const key = JSON.stringify([operation, ...[...scopes].sort()]);
    const now = this.#clock.now();
    const recent = (this.#asked.get(key) ?? []).filter((at) => now - at < FORGOTTEN_MS);
    if (recent.length >= MAX_ROUNDS) return false;
    this.#asked.delete(key);
    this.#asked.set(key, [...recent, now]);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > MAX_REMEMBERED && oldest !== undefined) this.#asked.delete(oldest);
    return true;
  }
}
