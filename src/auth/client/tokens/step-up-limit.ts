/** Remembers what more was asked for lately: a server that is never satisfied must not have a person sign in time and again. */
import type { Clock } from '../../../peer/clock.ts';

/** Times that the same scopes are asked for on behalf of the same operation. */
export const MAX_ROUNDS = 3;
/** Times that anything more is asked for: a server may think of new scopes each time. */
export const MAX_ROUNDS_IN_ALL = 10;
const FORGOTTEN_MS = 600_000;

export class StepUpLimit {
  readonly #clock: Clock;
  #asked: readonly { readonly what: string; readonly at: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one more; false if there were enough. */
  tryRound(operation: string, scopes: readonly string[]): boolean {
    const what = JSON.stringify([operation, ...[...scopes].sort()]);
    const now = this.#clock.now();
    const recent = this.#asked.filter(({ at }) => now - at < FORGOTTEN_MS);
    const same = recent.filter((round) => round.what === what);
    if (same.length >= MAX_ROUNDS || recent.length >= MAX_ROUNDS_IN_ALL) return false;
    this.#asked = [...recent, { what, at: now }];
    return true;
  }
}
