/** Closes a server that nobody has used for a while. */
import type { Clock } from '../../peer/clock.ts';
import type { ConnectionActivity } from './connection-activity.ts';

export interface IdleTimerHooks {
  readonly clock: Clock;
  readonly use: ConnectionActivity;
  close(): void;
}

export class IdleTimer {
  readonly #idleMs: number;
  readonly #hooks: IdleTimerHooks;
  #stop: (() => void) | undefined;

  constructor(idleMs: number, hooks: IdleTimerHooks) {
    this.#idleMs = idleMs;
    this.#hooks = hooks;
  }

  start(): void {
    this.stop();
    this.#wait(this.#idleMs);
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Idle: nobody stays for it. */
  #wait(ms: number): void {
    this.#stop = this.#hooks.clock.after(ms, () => this.#look(), { idle: true });
  }

  #look(): void {
    const { clock, use, close } = this.#hooks;
    const left = use.isOpen ? this.#idleMs : use.lastActiveAt + this.#idleMs - clock.now();
    if (left > 0) this.#wait(left);
    else close();
  }
}
