/** The `Shell` of the real process: its streams, signals and environment. */
import { homedir } from 'node:os';
import process from 'node:process';
import { errorCodeOf, toFileFault } from '../files/file-fault.ts';
import { systemClock } from '../peer/clock.ts';
import { exitCodes } from './exit-codes.ts';
import type { Parent, Shell } from './shell.ts';

/** Time to flush the output before the process exits. */
const LINGER_MS = 500;

export function processShell(): Shell {
  const [, script = ''] = process.argv;
  const signals = new ProcessSignals();
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    platform: process.platform,
    signal: signals.signal,
    onReload: (listener) => signals.onHangup(listener),
    clock: systemClock,
    self: { command: process.execPath, args: [...process.execArgv, script] },
    leave: () => void systemClock.after(LINGER_MS, () => process.exit(), { idle: true }),
    parent: parent(),
  };
}

function parent(): Parent | undefined {
  if (process.send === undefined) return undefined;
  return {
    send: (message) => void process.send?.(message, undefined, undefined, () => undefined),
    listen: (onMessage, onDisconnect) => void process.on('message', onMessage).once('disconnect', onDisconnect),
  };
}

class ProcessSignals {
  readonly #abort: AbortController = new AbortController();
  #hangup: (() => void) | undefined;

  constructor() {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(name, () => (name === 'SIGHUP' && this.#hangup !== undefined ? this.#hangup() : this.#end(name)));
    process.stdout.on('error', (error) => this.#onOutputError(error));
    // Without a listener, EPIPE on stderr (its reader exited) would crash the process.
    process.stderr.on('error', () => undefined);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  onHangup(listener: () => void): void {
    this.#hangup = listener;
  }

  #onOutputError(error: Error): void {
    // EPIPE is normal (`mooring list … | head`). Other errors, such as a full disk, truncate the result, so the command fails.
    if (errorCodeOf(error) !== 'EPIPE' && !this.signal.aborted) {
      process.stderr.write(`error ${toFileFault('standard output', error).message}\n`);
      process.once('exit', () => {
        process.exitCode = exitCodes.usage;
      });
    }
    this.#abort.abort('stdout was closed');
  }

  /** The first signal starts a graceful shutdown; the second exits at once. */
  #end(name: string): void {
    if (this.signal.aborted) process.exit(130);
    this.#abort.abort(name);
  }
}
