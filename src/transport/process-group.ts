/** A child process with everything it started: ended together, so that nothing is left behind. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import process from 'node:process';
import type { Clock } from '../peer/clock.ts';

/** After the end of its input, and again after SIGTERM. */
const EXIT_MS = 2000;
/** For processes that a child leaves behind when it exits. */
const ORPHAN_MS = 500;
/** After SIGKILL: the system needs a moment to reap the processes. */
const REAP_MS = 500;
const LOOK_MS = 20;

export class ProcessGroup {
  readonly #child: ChildProcess;
  readonly #pid: number;
  readonly #clock: Clock;
  #wake: () => void = () => undefined;

  /** The child leads a group of its own (`detached`), except on Windows, where a tree of processes is found by its root. */
  constructor(child: ChildProcess, clock: Clock) {
    this.#child = child;
    // a child that was started has a pid
    this.#pid = child.pid as number;
    this.#clock = clock;
    child.once('exit', () => this.#wake());
    allowExitListeners(1);
    process.on('exit', this.#onOwnExit);
  }

  get exited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The child or something it started is still there. */
  get alive(): boolean {
    return !this.exited || (process.platform !== 'win32' && this.#signal(0));
  }

  /** Ends them all: waits until they exit, then sends SIGTERM, then SIGKILL. Takes less than 5 s. */
  async end(): Promise<void> {
    if (!(await this.#gone(EXIT_MS))) {
      this.#signal('SIGTERM');
      if (!(await this.#gone(EXIT_MS))) await this.kill();
    }
    this.#release();
  }

  async kill(): Promise<void> {
    this.#signal('SIGKILL');
    await this.#gone(REAP_MS);
    this.#release();
  }

  #release(): void {
    if (!process.listeners('exit').includes(this.#onOwnExit)) return;
    process.off('exit', this.#onOwnExit);
    allowExitListeners(-1);
  }

  /** Whether they were gone before the time was up. */
  #gone(ms: number): Promise<boolean> {
    let until = this.#clock.now() + ms;
    let alone = false;
    return new Promise((resolve) => {
      let cancel: () => void = () => undefined;
      const look = (): void => {
        cancel();
        const now = this.#clock.now();
        if (!alone && this.exited) {
          alone = true;
          until = Math.min(until, now + ORPHAN_MS);
        }
        const alive = this.alive;
        if (alive && now < until) cancel = this.#clock.after(LOOK_MS, look);
        else resolve(!alive);
      };
      this.#wake = look;
      look();
    });
  }

  /** False when there is no process to signal. */
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

  /** Our own process ends without having closed: the last moment to end them. */
  readonly #onOwnExit = (): void => {
    if (process.platform === 'win32') spawnSync('taskkill', this.#taskkill, { stdio: 'ignore', windowsHide: true });
    else this.#signal('SIGKILL');
  };
}

/** One listener per child is no leak, and must not be reported as one. */
function allowExitListeners(by: 1 | -1): void {
  const limit = process.getMaxListeners();
  if (limit > 0) process.setMaxListeners(limit + by);
}
