/** The shell that this process was started from. */
import { homedir } from 'node:os';
import process from 'node:process';
import { systemClock } from '../peer/clock.ts';
import type { Parent, Shell } from './shell.ts';

/** For what is still being written. */
const LINGER_MS = 500;

export function processShell(): Shell {
  const [, script = ''] = process.argv;
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    platform: process.platform,
    signal: interrupted(),
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

/** The first Ctrl-C asks everything to end; the second does not wait for it. */
function interrupted(): AbortSignal {
  const over = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (over.signal.aborted) process.exit(130);
      over.abort(name);
    });
  }
  // The reader of our output may have seen enough: `mooring list … | head`.
  process.stdout.on('error', () => over.abort('stdout was closed'));
  return over.signal;
}
