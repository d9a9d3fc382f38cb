/** The `Shell` of the real process: its streams, signals and environment. */
import { homedir } from 'node:os';
import process from 'node:process';
import { errorCodeOf, toFileFault } from '../files/file-fault.ts';
import { systemClock } from '../peer/clock.ts';
import { exitCodes } from './exit-codes.ts';
import type { Parent, Shell } from './shell.ts';
import { watchNpx } from './watch-npx.ts';

/** Time to flush the output before the process exits. */
const LINGER_MS = 500;

export function processShell(): Shell {
  const [, script = ''] = process.argv;
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: workingFolder(),
    home: homedir(),
    platform: process.platform,
    ...watchSignals(),
    clock: systemClock,
    self: { command: process.execPath, args: [...process.execArgv, script] },
    leave: () => void systemClock.after(LINGER_MS, () => process.exit(), { idle: true }),
    parent: parent(),
  };
}

/** A folder that was removed keeps its path, so that only what is read from it fails. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return process.env['PWD'] ?? homedir();
  }
}

function parent(): Parent | undefined {
  if (process.send === undefined) return undefined;
  return {
    send: (message) => void process.send?.(message, undefined, undefined, () => undefined),
    listen: (onMessage, onDisconnect) => void process.on('message', onMessage).once('disconnect', onDisconnect),
  };
}

/** The signal that ends the command, and a setter for what SIGHUP does instead. */
function watchSignals(): Required<Pick<Shell, 'signal' | 'onReload'>> {
  const over = new AbortController();
  let reload: (() => void) | undefined;
  /** The first signal starts a graceful shutdown; the second exits at once. */
  const end = (name: string): void => {
    if (over.signal.aborted) process.exit(130);
    over.abort(name);
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, end);
  const stopWatching = watchNpx(process, systemClock, () => {
    process.stderr.write('npx has ended, so mooring ends too\n');
    over.abort('SIGTERM');
  });
  process.on('SIGHUP', (name) => {
    // The terminal was closed, which ends npx too: a command that was started with nohup goes on.
    stopWatching();
    if (reload === undefined) end(name);
    else reload();
  });
  process.stdout.on('error', (error) => {
    // EPIPE is normal (`mooring list … | head`). Other errors, such as a full disk, truncate the result, so the command fails.
    if (errorCodeOf(error) !== 'EPIPE' && !over.signal.aborted) {
      process.stderr.write(`error ${toFileFault('standard output', error).message}\n`);
      process.once('exit', () => {
        process.exitCode = exitCodes.usage;
      });
    }
    over.abort('stdout was closed');
  });
  // Without a listener, EPIPE on stderr (its reader exited) would crash the process.
  process.stderr.on('error', () => undefined);
  return {
    signal: over.signal,
    onReload: (listener) => {
      reload = listener;
    },
  };
}
