/** What a command has around it. Nothing in this room reaches for the process itself, so that tests can be the shell. */
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../peer/clock.ts';

export interface TerminalStream {
  /** True where a person sits. */
  readonly isTTY?: boolean;
}

export interface Parent {
  send(message: object): void;
  /** `gone`: it has let go of this process. */
  listen(hear: (message: unknown) => void, gone: () => void): void;
}

export interface Shell {
  readonly stdin: Readable & TerminalStream;
  /** What was asked for, and nothing else. */
  readonly stdout: Writable & TerminalStream & { readonly columns?: number };
  /** Everything that is said beside it: progress, notes, questions, errors. */
  readonly stderr: Writable & TerminalStream & { readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly platform: string;
  /** Aborts on Ctrl-C, and when the process is told to end. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** How to start this command line again, in a process of its own. */
  readonly self: { readonly command: string; readonly args: readonly string[] };
  /** From now on, the signal that asks for a reload (SIGHUP) is told here, and no longer ends the command. */
  onReload?(listener: () => void): void;
  /** Ends this process, whatever a module that was loaded into it still holds. Only where streams and signals are the process's own. */
  leave?(): void;
  /** The process that started this one, where it wants to be told. */
  readonly parent?: Parent | undefined;
}

/** Whether the user can be asked. */
export const canAsk = ({ stdin, stderr }: Shell): boolean => stdin.isTTY === true && stderr.isTTY === true;
