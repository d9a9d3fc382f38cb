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
  #isTrying = false;
  #trials = 0;

  constructor(spec: Required<CircuitSpec> | undefined, clock: Clock) {
    this.#spec = spec;
    this.#clock = clock;
  }

  get state(): CircuitState {
    if (this.#spec === undefined || this.#openedAt === undefined) return 'closed';
    return this.#clock.now() - this.#openedAt < this.#spec.openMs ? 'open' : 'trying';
  }

  /** Whether a call can be tried now. While the upstream is being tried, one at a time. */
  admits(): boolean {
    const { state } = this;
    if (state === 'closed') return true;
    if (state === 'open' || (this.#isTrying && this.#trials === 0)) return false;
    this.#isTrying = true;
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
    this.#isTrying = false;
  }

  #reset(openedAt: number | undefined): void {
    this.#openedAt = openedAt;
    this.#failures = [];
    this.#isTrying = false;
    this.#trials = 0;
  }
}
