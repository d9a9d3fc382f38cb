/** A circuit breaker: an upstream that keeps failing is left alone for a while, and then tried with one call. */
import type { Clock } from '../../peer/clock.ts';
import type { CircuitSpec } from '../spec.ts';

export type CircuitState = 'closed' | 'open' | 'trying';

/** So many calls must succeed in a row before the circuit counts as closed. */
const TRIALS = 3;

export class Circuit {
  readonly #spec: Required<CircuitSpec> | undefined;
  readonly #clock: Clock;
  /** When each of the last failures was. */
  #failures: readonly number[] = [];
  #openedAt: number | undefined;
  /** When a call was last let through to try the upstream. */
  #triedAt = Number.NEGATIVE_INFINITY;
  #trials = 0;

  constructor(spec: Required<CircuitSpec> | undefined, clock: Clock) {
    this.#spec = spec;
    this.#clock = clock;
  }

  get state(): CircuitState {
    if (this.#spec === undefined || this.#openedAt === undefined) return 'closed';
    return this.#clock.now() - this.#openedAt < this.#spec.openMs ? 'open' : 'trying';
  }

  /** Whether a call can be tried now. Until the upstream has answered one, another is tried only after `openMs`: a call can take long. */
  admits(): boolean {
    const { state } = this;
    if (state === 'closed') return true;
    const now = this.#clock.now();
    const isBeingTried = this.#trials === 0 && now - this.#triedAt < (this.#spec?.openMs ?? 0);
    if (state === 'open' || isBeingTried) return false;
    this.#triedAt = now;
    return true;
  }

  succeeded(): void {
    if (this.#openedAt === undefined) {
      if (this.#failures.length > 0) this.#failures = [];
      return;
    }
    if (this.state === 'trying' && ++this.#trials >= TRIALS) this.#reset(undefined);
  }

  failed(): void {
    if (this.#spec === undefined) return;
    const now = this.#clock.now();
    const { failures, windowMs } = this.#spec;
    this.#failures = [...this.#failures.filter((at) => now - at < windowMs), now].slice(-failures);
    if (this.state === 'trying' || this.#failures.length >= failures) this.#reset(now);
  }

  /** A call that was admitted came to nothing, and says nothing about the upstream. */
  abandoned(): void {
    this.#triedAt = Number.NEGATIVE_INFINITY;
  }

  #reset(openedAt: number | undefined): void {
    this.#openedAt = openedAt;
    this.#failures = [];
    this.#trials = 0;
    this.abandoned();
  }
}
