/** Closes a server that nobody has used for a while. */
import type { Clock } from '../../peer/clock.ts';
import type { LineUse } from './line-use.ts';

export interface RestHooks {
  readonly clock: Clock;
  readonly use: LineUse;
  close(): void;
}

export class Rest {
  readonly #idleMs: number;
  readonly #hooks: RestHooks;
  #stop: (() => void) | undefined;

  constructor(idleMs: number, hooks: RestHooks) {
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
    const left = use.isOpen ? this.#idleMs : use.at + this.#idleMs - clock.now();
    if (left > 0) this.#wait(left);
    else close();
  }
}
