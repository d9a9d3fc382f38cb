/** Asks a server from time to time whether it is still there, if it has not said anything by itself. */
import { RpcError } from '../../errors.ts';
import type { Clock } from '../../peer/clock.ts';

/** How often a server is asked whether it is well. */
export interface HealthOptions {
  /** How long a server may be silent before it is asked. 30 s. */
  readonly everyMs?: number;
  /** How long it may take to answer. 10 s. */
  readonly timeoutMs?: number;
  /** After so many questions in a row without an answer it is opened anew. 2. */
  readonly failures?: number;
}

export interface HealthCheckHooks {
  readonly clock: Clock;
  /** When it last said anything. */
  lastMessageAt(): number;
  ping(timeoutMs: number): Promise<void>;
  /** It did not answer, so many times in a row. */
  missed(failures: number, why: string): void;
  /** It is beyond hope. */
  lost(failures: number): void;
}

export class HealthCheck {
  readonly #options: Required<HealthOptions>;
  readonly #hooks: HealthCheckHooks;
  #failures = 0;
  #stop: (() => void) | undefined;

  constructor(options: HealthOptions, hooks: HealthCheckHooks) {
    this.#options = { everyMs: 30_000, timeoutMs: 10_000, failures: 2, ...options };
    this.#hooks = hooks;
  }

  start(): void {
    this.stop();
    this.#failures = 0;
    this.#wait();
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Idle: nobody stays for it. */
  #wait(): void {
    this.#stop = this.#hooks.clock.after(this.#options.everyMs, () => void this.#look(), { idle: true });
  }

  async #look(): Promise<void> {
    const { clock, lastMessageAt: heardAt, ping, missed, lost } = this.#hooks;
    const { everyMs, timeoutMs, failures } = this.#options;
    const running = this.#stop;
    if (clock.now() - heardAt() >= everyMs) {
      const why = await ping(timeoutMs).then(() => undefined, pingFailure);
      if (this.#stop !== running) return;
      this.#failures = why === undefined ? 0 : this.#failures + 1;
      if (why !== undefined) missed(this.#failures, why);
      if (this.#failures >= failures) {
        lost(this.#failures);
        return;
      }
    } else this.#failures = 0;
    this.#wait();
  }
}

/** Whoever refuses to answer is there. */
const pingFailure = (error: unknown): string | undefined => (error instanceof RpcError ? undefined : String(error));
