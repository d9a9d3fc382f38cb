/** Which DPoP proofs were used. A proof is good for one request. */
import type { Clock } from '../../peer/clock.ts';

/** Remembers which DPoP proofs were used, for all processes behind one URL. */
export interface ProofLog {
  /** True the first time that an id is given, false from then on; after `lifeMs` it may be forgotten. If it rejects, the client gets 503. */
  spend(id: string, lifeMs: number): boolean | Promise<boolean>;
}

/** Proofs that are remembered; beyond that, only its time protects the oldest one. */
const MAX_USED = 50_000;

/** Those of this process. All must have the same life. */
export class UsedProofs implements ProofLog {
  readonly #clock: Clock;
  /** With the time when each can be forgotten, in order. */
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
