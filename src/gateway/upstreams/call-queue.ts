/** How many calls an upstream has at a time. The others wait, in turn, and not for long. */
import type { Clock } from '../../peer/clock.ts';
import type { SignalSource } from '../contract.ts';
import type { UpstreamLimits } from '../spec.ts';
import { UpstreamError } from './upstream-error.ts';

interface WaitingTurn {
  readonly principal: string;
  start(): void;
  fail(error: unknown): void;
}

/** The part of a queue that one principal can fill while others wait too. */
const SHARE = 10;

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

  /** Resolves when it is this call's turn; `leave` must follow. */
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
    this.#sayEmpty();
  }

  /** Calls back once, when no call is open: at once, if there is none. */
  onEmpty(listener: () => void): void {
    this.#onEmpty.add(listener);
    this.#sayEmpty();
  }

  #sayEmpty(): void {
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

  /** Whether a principal has its share of the queue, and others wait. */
  #isGreedy(principal: string): boolean {
    if (principal === '') return false;
    const own = [...this.#waiting].filter((turn) => turn.principal === principal).length;
    return own >= Math.max(1, this.#limits.queue / SHARE) && own < this.#waiting.size;
  }

  /** Over HTTP this is a 503 with the time after which to try again. */
  #full(why: string): UpstreamError {
    return new UpstreamError(this.#label, 'not-sent', why, { retryAfterMs: this.#limits.queueMs });
  }
}
