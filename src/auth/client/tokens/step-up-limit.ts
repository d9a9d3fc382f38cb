/** Limits how often a server can ask for more scopes: one that is never satisfied must not make the user sign in again and again. */
import type { Clock } from '../../../peer/clock.ts';

/** For the same scopes and the same operation. */
export const MAX_ROUNDS = 3;
/** For all scopes together: a server can invent new scopes each time. */
export const MAX_ROUNDS_IN_ALL = 10;
const WINDOW_MS = 600_000;

export class StepUpLimit {
  readonly #clock: Clock;
  #rounds: readonly { readonly what: string; readonly at: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one more round; false at the limit. */
  tryRound(operation: string, scopes: readonly string[]): boolean {
    const what = JSON.stringify([operation, ...[...scopes].sort()]);
    const now = this.#clock.now();
    const recent = this.#rounds.filter(({ at }) => now - at < WINDOW_MS);
    const same = recent.filter((round) => round.what === what);
    if (same.length >= MAX_ROUNDS || recent.length >= MAX_ROUNDS_IN_ALL) return false;
    this.#rounds = [...recent, { what, at: now }];
    return true;
  }
}
