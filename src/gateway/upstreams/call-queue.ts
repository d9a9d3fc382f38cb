/** Limits concurrent calls to an upstream. Further calls wait in a FIFO queue with a timeout. */
import type { Clock } from '../../peer/clock.ts';
import type { SignalSource } from '../contract.ts';
import type { UpstreamLimits } from '../spec.ts';
import { UpstreamError } from './upstream-error.ts';

interface WaitingTurn {
  readonly principal: string;
  start(): void;
  fail(error: unknown): void;
}

/** While others wait, one principal can fill at most a tenth of the queue. */
const FAIR_SHARE = 10;

export class CallQueue {
  readonly #label: string;
  readonly #limits: Required<UpstreamLimits>;
  readonly #clock: Clock;
  readonly #waiting: Set<WaitingTurn> = new Set();
  readonly #onEmpty: Set<() => void> = new Set();
  #open = 0;

  constructor(label: string, limits: Required<UpstreamLimits>, clock: Clock) {
    this.#label = label;
    this.#limits = limits;
    this.#clock = clock;
  }

  get open(): number {
    return this.#open;
  }
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Undefined if the call can start immediately; otherwise resolves when it is its turn. Call `leave` afterwards. */
  enter(principal: string, by: SignalSource): Promise<void> | undefined {
    if (this.#open < this.#limits.calls && this.#waiting.size === 0) {
      this.#open++;
      return undefined;
    }
    return this.#wait(principal, by.signal);
  }

  leave(): void {
    this.#open--;
    const [next] = this.#waiting;
    if (next !== undefined) {
      this.#open++;
      next.start();
    }
    this.#notifyIfEmpty();
  }

  /** Calls the listener once when no call is open, immediately if there is none. */
  onEmpty(listener: () => void): void {
    this.#onEmpty.add(listener);
    this.#notifyIfEmpty();
  }

  #notifyIfEmpty(): void {
    if (this.#open > 0) return;
    for (const listener of this.#onEmpty) listener();
    this.#onEmpty.clear();
  }

  #wait(principal: string, signal: AbortSignal): Promise<void> {
    const { queue, queueMs, calls } = this.#limits;
    if (this.#waiting.size >= queue || this.#isGreedy(principal))
      throw this.#full(`is busy: ${calls} calls are open, and ${this.#waiting.size} wait`);
    return new Promise((resolve, reject) => {
      const finish = (run: () => void) => (): void => {
        if (!this.#waiting.delete(turn)) return;
        stop();
        signal.removeEventListener('abort', abort);
        run();
      };
      const turn: WaitingTurn = { principal, start: finish(resolve), fail: (error) => finish(() => reject(error))() };
      const stop = this.#clock.after(queueMs, () => turn.fail(this.#full(`is busy: no turn within ${queueMs} ms`)));
      const abort = (): void => turn.fail(signal.reason);
      signal.addEventListener('abort', abort);
      this.#waiting.add(turn);
      if (signal.aborted) abort();
    });
  }

  /** Whether a principal has used its share of the queue while others wait. */
  #isGreedy(principal: string): boolean {
    if (principal === '') return false;
    const own = [...this.#waiting].filter((turn) => turn.principal === principal).length;
    return own >= Math.max(1, this.#limits.queue / FAIR_SHARE) && own < this.#waiting.size;
  }

  /** Becomes a 503 with Retry-After over HTTP. */
  #full(why: string): UpstreamError {
    return new UpstreamError(this.#label, 'not-sent', why, { retryAfterMs: this.#limits.queueMs });
  }
}
