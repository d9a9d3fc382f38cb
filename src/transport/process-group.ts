/** Ends a child process together with the processes that it started, so that no orphans stay behind. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import process from 'node:process';
import type { Clock } from '../peer/clock.ts';

/** Time to exit after the end of its input, and again after SIGTERM. */
const EXIT_MS = 2000;
/** Time for the remaining processes once the child itself has exited. */
const ORPHAN_MS = 500;
/** Time for the system to reap the processes after SIGKILL. */
const REAP_MS = 500;
const POLL_MS = 20;

export class ProcessGroup {
  readonly #child: ChildProcess;
  readonly #pid: number;
  readonly #clock: Clock;
  #wake: () => void = () => undefined;

  /** The child must lead its own process group (`detached`). Not on Windows, where `taskkill` ends the process tree. */
  constructor(child: ChildProcess, clock: Clock) {
    this.#child = child;
    this.#pid = child.pid as number; // a started child has a pid
    this.#clock = clock;
    child.once('exit', () => this.#wake());
    allowExitListeners(1);
    process.on('exit', this.#onOwnExit);
  }

  get exited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Whether the child or a process of its group is alive. */
  get alive(): boolean {
    return !this.exited || (process.platform !== 'win32' && this.#signal(0));
  }

  /** Waits for all processes to exit; then sends SIGTERM, and at last SIGKILL. Takes less than 5 s. */
  async end(): Promise<void> {
    if (!(await this.#waitUntilGone(EXIT_MS))) {
      this.#signal('SIGTERM');
      if (!(await this.#waitUntilGone(EXIT_MS))) await this.kill();
    }
    this.#release();
  }

  async kill(): Promise<void> {
    this.#signal('SIGKILL');
    await this.#waitUntilGone(REAP_MS);
    this.#release();
  }

  #release(): void {
    if (!process.listeners('exit').includes(this.#onOwnExit)) return;
    process.off('exit', this.#onOwnExit);
    allowExitListeners(-1);
  }

  /** Resolves with whether all processes exited within `ms`. */
  #waitUntilGone(ms: number): Promise<boolean> {
    let until = this.#clock.now() + ms;
    let childExited = false;
    return new Promise((resolve) => {
      let cancel: () => void = () => undefined;
      const look = (): void => {
        cancel();
        const now = this.#clock.now();
        if (!childExited && this.exited) {
          childExited = true;
          until = Math.min(until, now + ORPHAN_MS);
        }
        const alive = this.alive;
        if (alive && now < until) cancel = this.#clock.after(POLL_MS, look);
        else resolve(!alive);
      };
      this.#wake = look;
      look();
    });
  }

  /** Returns false if no process is left to signal. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    if (process.platform === 'win32') {
      if (!this.exited)
        spawn('taskkill', this.#taskkill, { stdio: 'ignore', windowsHide: true }).on('error', () => undefined);
      return !this.exited;
    }
    try {
      return process.kill(-this.#pid, signal);
    } catch {
      return false;
    }
  }

  get #taskkill(): string[] {
    return ['/pid', String(this.#pid), '/T', '/F'];
  }

  /** Kills the group if this process exits without closing the connection. */
  readonly #onOwnExit = (): void => {
    if (process.platform === 'win32') spawnSync('taskkill', this.#taskkill, { stdio: 'ignore', windowsHide: true });
    else this.#signal('SIGKILL');
  };
}

/** Each child adds one `exit` listener. Raises the limit with them, so that Node does not warn about a leak. */
function allowExitListeners(by: 1 | -1): void {
  const limit = process.getMaxListeners();
  if (limit > 0) process.setMaxListeners(limit + by);
}
