/** A circuit breaker: stops calls to an upstream that keeps failing, and later probes it with one call. */
import type { Clock } from '../../peer/clock.ts';
import type { CircuitSpec } from '../spec.ts';

export type CircuitState = 'closed' | 'open' | 'trying';

/** Successful calls in a row that close the circuit. */
const TRIALS = 3;

export class Circuit {
  readonly #spec: Required<CircuitSpec> | undefined;
  readonly #clock: Clock;
  /** Times of the latest failures. */
  #failures: readonly number[] = [];
  #openedAt: number | undefined;
  /** When the last probe was admitted. */
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

  /** Whether a call is admitted. Until a probe has succeeded, another is admitted only every `openMs`, because a call can take long. */
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

  /** An admitted call ended without evidence about the upstream, for example by cancellation. */
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
