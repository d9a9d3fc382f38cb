/** The environment of a command: streams, variables, clock, signal. Commands do not use `process`, so tests can replace it. */
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../peer/clock.ts';

export interface TerminalStream {
  readonly isTTY?: boolean;
}

/** The IPC channel to the parent process. */
export interface Parent {
  send(message: object): void;
  listen(onMessage: (message: unknown) => void, onDisconnect: () => void): void;
}

export interface Shell {
  readonly stdin: Readable & TerminalStream;
  /** Only the result. */
  readonly stdout: Writable & TerminalStream & { readonly columns?: number };
  /** Progress, notes, questions and errors. */
  readonly stderr: Writable & TerminalStream & { readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly platform: string;
  /** Aborted by Ctrl-C, SIGTERM or SIGHUP (the reason is the signal's name), and when stdout is closed. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Starts mooring again, in a child process. */
  readonly self: { readonly command: string; readonly args: readonly string[] };
  /** From now on, SIGHUP calls `listener` instead of ending the command. */
  onReload?(listener: () => void): void;
  /** Exits the process even if a loaded module keeps it alive. Present only if this is the shell of a real process. */
  leave?(): void;
  /** Present if the parent process opened an IPC channel. */
  readonly parent?: Parent | undefined;
}

/** Whether stdin and stderr are terminals, so that the user can be asked. */
export const canAsk = ({ stdin, stderr }: Shell): boolean => stdin.isTTY === true && stderr.isTTY === true;
