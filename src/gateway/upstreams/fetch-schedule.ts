/** When a cached list is fetched again without a request: soon after a change, and ever less often while fetching it fails. */
import type { Clock } from '../../peer/clock.ts';

/** The delay of the first retry, and how long requests do not trigger another fetch after a failure. */
export const RETRY_MS = 1_000;
/** The upper bound of the exponential backoff of retries. */
const LONGEST_RETRY_MS = 30_000;
/** Retries for a caller's own list, whose credentials may have expired. */
const MAX_RETRIES = 5;
/** Change notifications are debounced, and a list that keeps changing is fetched at this interval. */
const GATHER_MS = 50;
const FETCH_AGAIN_MS = 2_000;

export interface FetchScheduleSettings {
  readonly clock: Clock;
  /** Whether it is a caller's own list. */
  readonly isPersonal: boolean;
  fetch(): void;
}

export class FetchSchedule {
  readonly #settings: FetchScheduleSettings;
  /** The last fetch because of a change. */
  #changedAt: number = Number.NEGATIVE_INFINITY;
  #stopAfterChange: (() => void) | undefined;
  #stopRetry: (() => void) | undefined;
  /** Consecutive failures. */
  #failures = 0;
  #isEnded = false;

  constructor(settings: FetchScheduleSettings) {
    this.#settings = settings;
  }

  /** Callers are notified only once the list is known to have changed, so it is fetched without waiting for a request. */
  changed(): void {
    const { clock, fetch } = this.#settings;
    if (this.#isEnded) return;
    const waitMs = Math.max(GATHER_MS, this.#changedAt + FETCH_AGAIN_MS - clock.now());
    this.#stopAfterChange ??= clock.after(
      waitMs,
      () => {
        this.#stopAfterChange = undefined;
        this.#changedAt = clock.now();
        fetch();
      },
      { idle: true },
    );
  }

  /** A fetch begins, which makes a scheduled retry unnecessary. */
  began(): void {
    this.#stopRetry?.();
    this.#stopRetry = undefined;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /** Callers that wait for notifications send no requests, so only a retry notices that the upstream has recovered. */
  failed(): void {
    this.#failures++;
    const { clock, fetch } = this.#settings;
    if (!this.#isEnded && !this.#hasGivenUp) this.#stopRetry ??= clock.after(this.#retryMs, fetch, { idle: true });
  }

  /** What follows a failure, for operators. */
  get advice(): string {
    if (this.#hasGivenUp) return 'The gateway tries again when its caller lists';
    const [next, longest] = [this.#retryMs / 1_000, LONGEST_RETRY_MS / 1_000];
    return `The gateway tries again in ${next} s, then less often, at least every ${longest} s`;
  }

  end(): void {
    this.#isEnded = true;
    this.#stopAfterChange?.();
    this.#stopRetry?.();
  }

  get #hasGivenUp(): boolean {
    return this.#settings.isPersonal && this.#failures > MAX_RETRIES;
  }

  get #retryMs(): number {
    return Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** this.#failures);
  }
}
