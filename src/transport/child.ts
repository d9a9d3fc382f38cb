/** Starts a server as a child process and connects over its standard streams. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { McpError, RpcError } from '../errors.ts';
import type { Message } from '../jsonrpc/message.ts';
import { parse } from '../jsonrpc/read.ts';
import { printable } from '../model/printable.ts';
import { callHook } from '../peer/call-hook.ts';
import { type Clock, systemClock } from '../peer/clock.ts';
import { Duplex } from '../peer/duplex.ts';
import type { Connection, Exchange, Transport } from '../peer/exchange.ts';
import { nextTurn } from '../peer/runtime.ts';
import type { PeerSession } from '../peer/session.ts';
import { Deferred } from '../peer/wait.ts';
import { Lines, MAX_LINE_BYTES } from './lines.ts';
import { ProcessGroup } from './process-group.ts';
import { type ChildProgram, startCommand } from './start-command.ts';
import { StderrTail } from './stderr-tail.ts';
import { WriteQueue } from './write-queue.ts';

/** A server to start as a child process: its command and limits. */
export interface Command extends ChildProgram {
  readonly clock?: Clock | undefined;
  /** Maximum length of a line from the server. A longer one ends the conversation. Default: 10 MiB. */
  readonly maxLineBytes?: number | undefined;
  /** Maximum size of our responses that the server has not read. More end the conversation. Default: 16 MiB. */
  readonly maxUnreadBytes?: number | undefined;
  /** Maximum number of open requests of the server; more are rejected. Default: 1,024. */
  readonly maxInFlight?: number | undefined;
  /** Called with each chunk of the server's stderr. */
  readonly onStderr?: ((text: string) => void) | undefined;
  /** Called with each unexpected line on the server's stdout: its fault, its beginning, and whether it is malformed. */
  readonly onStray?: ((what: string, sample: string, isMalformed?: true) => void) | undefined;
}

/** After the first sign of the end (exit or closed pipe), how long to wait for further output and for the exit code. */
const GRACE_MS = 250;
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** Length of the beginning of a stray line that is reported. */
const SAMPLE = 200;

/**
 * Connects by starting `command`. Closing the connection ends the process and the processes that it started. A process that was
 * started in its own group (`detached`, `setsid`) ends only if it watches its parent.
 */
export function childTransport(command: Command): Transport {
  return async (inbound, session) => new ChildConnection(await startCommand(command), command, { inbound, session });
}

class ChildConnection implements Connection {
  readonly #closing: Deferred<Error | undefined> = new Deferred();
  readonly closed: Promise<Error | undefined> = this.#closing.promise;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #command: Command;
  readonly #clock: Clock;
  readonly #group: ProcessGroup;
  readonly #duplex: Duplex;
  readonly #queue: WriteQueue;
  readonly #lines: Lines;
  readonly #stderr: StderrTail = new StderrTail();
  /** The line that is being handled, for `onStray`. */
  #line = '';
  #strays = 0;
  #badLine: McpError | undefined;
  #unread = 0;
  /** The first sign of the end, or the exit code or signal. */
  #how: string | undefined;
  #stopGrace: (() => void) | undefined;
  #isOver = false;
  #stopped: Promise<void> | undefined;

  constructor(
    child: ChildProcessWithoutNullStreams,
    command: Command,
    to: { inbound: Exchange; session: PeerSession },
  ) {
    this.#child = child;
    this.#command = command;
    this.#clock = command.clock ?? systemClock;
    this.#group = new ProcessGroup(child, this.#clock);
    this.#duplex = new Duplex({
      send: (message) => this.#send(message),
      ...to,
      maxInFlight: command.maxInFlight,
      ignoreNoise: true,
      onStray: (what, _, isMalformed) => this.#stray(what, this.#line, isMalformed),
    });
    this.#lines = new Lines({
      onLine: (line) => this.#take(line),
      onDropped: () => this.#tooLarge('A line written', 'maxLineBytes', command.maxLineBytes ?? MAX_LINE_BYTES),
      maxBytes: command.maxLineBytes,
      // Dropping a line with one invalid character would let its call run into the timeout.
      lossy: true,
    });
    this.#queue = new WriteQueue(child.stdin, { onClosed: () => this.#loseAfterGrace('it closed its stdin') });
    this.#listen();
  }

  get exchange(): Exchange {
    return this.#duplex.exchange;
  }

  silence(): McpError {
    // Flush: a prompt such as "Ok to proceed?" has no newline.
    this.#lines.end();
    const { command } = this.#command;
    return this.#badLine ?? new McpError('MCP_SERVER_SILENT', { command, stderr: this.#stderr.quoted() });
  }

  async close(): Promise<void> {
    if (!this.#isOver)
      this.#stop(new McpError('MCP_CLOSED', { why: 'it was closed on this side' }), () => this.#group.end());
    await this.#stopped;
    this.#closing.resolve(undefined);
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child;
    const decoder = new StringDecoder();
    stdout.on('data', this.#onData);
    stdout.once('end', () => {
      this.#lines.end();
      this.#loseAfterGrace('it closed its stdout');
    });
    // Always drain stderr, or the child blocks when the pipe is full.
    stderr.on('data', (chunk: Buffer) => {
      this.#stderr.push(chunk);
      callHook(() => this.#command.onStderr?.(decoder.write(chunk)));
    });
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
    this.#child.once('exit', (code, signal) => {
      this.#how = signal === null ? `code ${code}` : `signal ${signal}`;
      this.#loseAfterGrace(this.#how);
    });
    this.#child.once('close', () => this.#lost());
  }

  readonly #onData = (chunk: Buffer): void => this.#lines.push(chunk);

  #take(line: string): void {
    this.#line = line;
    try {
      this.#duplex.receive(parse(line));
    } catch (thrown) {
      this.#stray(thrown instanceof RpcError ? thrown.message : String(thrown), line, true);
    }
    this.#line = '';
  }

  #stray(what: string, line: string, isMalformed?: true): void {
    const sample = printable(line.slice(0, SAMPLE));
    this.#strays++;
    if (isMalformed) this.#badLine ??= new McpError('MCP_BAD_LINE', { peer: this.#command.command, line: sample });
    callHook(() => this.#command.onStray?.(`${what} (${this.#strays} so far)`, sample, isMalformed));
  }

  #send(message: Message | readonly Message[]): void {
    const line = JSON.stringify(message);
    this.#queue.add(line);
    if ('method' in message) return;
    // Only responses are limited here: a server could send endless requests and never read our responses.
    this.#unread = this.#queue.bytes === 0 ? 0 : this.#unread + line.length;
    const limit = this.#command.maxUnreadBytes ?? MAX_UNREAD_BYTES;
    if (this.#unread > limit && this.#queue.bytes > limit)
      this.#tooLarge('The backlog not read', 'maxUnreadBytes', limit);
  }

  #tooLarge(what: string, setting: string, limit: number): void {
    if (this.#isOver) return;
    const by = `${what} by the server process ${this.#command.command}`;
    this.#stop(new McpError('MCP_TOO_LARGE', { what: by, limit, setting }), () => this.#group.kill());
  }

  /** Handles a sign of the end. Waits, because output can still be unread, and because the exit code explains more. */
  #loseAfterGrace(how: string): void {
    if (this.#isOver) return;
    if (this.#how === undefined) this.#how = how;
    this.#stopGrace ??= this.#clock.after(GRACE_MS, () => void nextTurn().then(() => this.#lost()));
  }

  #lost(): void {
    if (this.#isOver) return;
    const { command } = this.#command;
    const details = { command, how: this.#how ?? 'it is gone', stderr: this.#stderr.quoted() };
    // A program that is not a server often prints an explanation to stdout and exits.
    const cause = this.#badLine === undefined ? {} : { cause: this.#badLine };
    this.#stop(new McpError('MCP_SERVER_EXITED', details, cause), () => this.#group.end());
  }

  #stop(reason: McpError, end: () => Promise<void>): void {
    this.#isOver = true;
    this.#stopGrace?.();
    this.#duplex.end(reason);
    if (reason.code !== 'MCP_CLOSED') this.#closing.resolve(reason);
    this.#stopped = this.#endChild(end);
  }

  async #endChild(end: () => Promise<void>): Promise<void> {
    const { stdin, stdout, stderr } = this.#child;
    // Drain stdout, or a child that still writes would block instead of exiting.
    stdout.off('data', this.#onData);
    stdout.resume();
    void this.#queue.end();
    await end();
    this.#queue.release();
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    this.#child.unref();
  }
}
