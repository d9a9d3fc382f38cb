/** The shell that this process was started from. */
import { homedir } from 'node:os';
import process from 'node:process';
import { errorCodeOf, toFileFault } from '../files/file-fault.ts';
import { systemClock } from '../peer/clock.ts';
import { exitCodes } from './exit-codes.ts';
import type { Parent, Shell } from './shell.ts';

/** For what is still being written. */
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
    signal: signals.over,
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
    listen: (hear, gone) => void process.on('message', hear).once('disconnect', gone),
  };
}

class ProcessSignals {
  readonly #over: AbortController = new AbortController();
  #hangup: (() => void) | undefined;

  constructor() {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(name, () => (name === 'SIGHUP' && this.#hangup !== undefined ? this.#hangup() : this.#end(name)));
    process.stdout.on('error', (error) => this.#onOutputError(error));
    // Without a listener, a log reader that ends would end this process with it. What it does not read is lost.
    process.stderr.on('error', () => undefined);
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  onHangup(listener: () => void): void {
    this.#hangup = listener;
  }

  #onOutputError(error: Error): void {
    // The reader of our output may have seen enough: `mooring list … | head`. A file that is cut off is no result.
    if (errorCodeOf(error) !== 'EPIPE' && !this.#over.signal.aborted) {
      process.stderr.write(`error ${toFileFault('standard output', error).message}\n`);
      process.once('exit', () => {
        process.exitCode = exitCodes.usage;
      });
    }
    this.#over.abort('stdout was closed');
  }

  /** The first Ctrl-C asks everything to end; the second does not wait for it. */
  #end(name: string): void {
    if (this.#over.signal.aborted) process.exit(130);
    this.#over.abort(name);
  }
}
