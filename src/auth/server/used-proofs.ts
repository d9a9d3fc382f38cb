/** Replay protection for DPoP proofs: remembers which were used, because each is valid for one request. */
import type { Clock } from '../../peer/clock.ts';

/** Remembers used DPoP proofs for all processes behind one URL. */
export interface ProofLog {
  /** Atomically records an id: true the first time, false for a replay. The id can expire after `lifeMs`. If the promise rejects, the client gets 503. */
  spend(id: string, lifeMs: number): boolean | Promise<boolean>;
}

/** Entries before the oldest is evicted; an evicted proof can be replayed until its `iat` is too old. */
const MAX_USED = 50_000;

/** In-memory `ProofLog` of one process. Every `lifeMs` must be the same, because entries expire in insertion order. */
export class UsedProofs implements ProofLog {
  readonly #clock: Clock;
  /** Proof ids with their expiry times, soonest first. */
  readonly #used: Map<string, number> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  spend(id: string, lifeMs: number): boolean {
    const now = this.#clock.now();
    for (const [old, until] of this.#used) {
      if (until > now && this.#used.size < MAX_USED) break;
      this.#used.delete(old);
    }
    if (this.#used.has(id)) return false;
    this.#used.set(id, now + lifeMs);
    return true;
  }
}
