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

/** A server to start: its command, and its limits. */
export interface Command extends ChildProgram {
  readonly clock?: Clock | undefined;
  /** A longer line from the server ends the conversation. 10 MiB. */
  readonly maxLineBytes?: number | undefined;
  /** Responses that the server asked for and does not read; more end the conversation. 16 MiB. */
  readonly maxUnreadBytes?: number | undefined;
  /** Requests of the server that can be open at once; more are rejected. 1,024. */
  readonly maxInFlight?: number | undefined;
  /** Given what the server writes to stderr, as it comes. */
  readonly onStderr?: ((text: string) => void) | undefined;
  /** Called with what the server wrote to stdout that nothing waits for, how it begins, and whether it is no message at all. */
  readonly onStray?: ((what: string, sample: string, isMalformed?: true) => void) | undefined;
}

/** How long to wait for the rest, when one sign of the end has been seen: the exit, or a closed pipe. */
const GRACE_MS = 250;
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
const SAMPLE = 200;

/**
 * Connects by starting `command`; closing the connection ends the process and everything it started, but for processes that were started
 * in a group of their own (`detached`, `setsid`): those end with their parent only if they watch for it.
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
  readonly #lastWords: StderrTail = new StderrTail();
  /** The line being read, to report it. */
  #line = '';
  #strays = 0;
  #badLine: McpError | undefined;
  #unread = 0;
  /** How it ended, as far as is known. */
  #how: string | undefined;
  #noGrace: (() => void) | undefined;
  #over = false;
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
      // A garbled character is better than a call that never ends.
      lossy: true,
    });
    this.#queue = new WriteQueue(child.stdin, { onClosed: () => this.#losing('it closed its stdin') });
    this.#listen();
  }

  get exchange(): Exchange {
    return this.#duplex.exchange;
  }

  silence(): McpError {
    // A question such as "Ok to proceed?" has no end of line.
    this.#lines.end();
    const { command } = this.#command;
    return this.#badLine ?? new McpError('MCP_SERVER_SILENT', { command, stderr: this.#lastWords.quoted() });
  }

  async close(): Promise<void> {
    if (!this.#over)
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
      this.#losing('it closed its stdout');
    });
    // Always read: a child must not block because its stderr is full.
    stderr.on('data', (chunk: Buffer) => {
      this.#lastWords.push(chunk);
      callHook(() => this.#command.onStderr?.(decoder.write(chunk)));
    });
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
    this.#child.once('exit', (code, signal) => {
      this.#how = signal === null ? `code ${code}` : `signal ${signal}`;
      this.#losing(this.#how);
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
    // A response. A server that asks without end and reads nothing must not fill our memory.
    this.#unread = this.#queue.bytes === 0 ? 0 : this.#unread + line.length;
    const limit = this.#command.maxUnreadBytes ?? MAX_UNREAD_BYTES;
    if (this.#unread > limit && this.#queue.bytes > limit) this.#tooLarge('What was not read', 'maxUnreadBytes', limit);
  }

  #tooLarge(what: string, setting: string, limit: number): void {
    if (this.#over) return;
    const by = `${what} by the server process ${this.#command.command}`;
    this.#stop(new McpError('MCP_TOO_LARGE', { what: by, limit, setting }), () => this.#group.kill());
  }

  /** A sign of the end. There may be more to read, and the exit says better what happened. */
  #losing(how: string): void {
    if (this.#over) return;
    if (this.#how === undefined) this.#how = how;
    this.#noGrace ??= this.#clock.after(GRACE_MS, () => void nextTurn().then(() => this.#lost()));
  }

  #lost(): void {
    if (this.#over) return;
    const { command } = this.#command;
    const details = { command, how: this.#how ?? 'it is gone', stderr: this.#lastWords.quoted() };
    // A program that is no server often says so on stdout, and exits.
    const cause = this.#badLine === undefined ? {} : { cause: this.#badLine };
    this.#stop(new McpError('MCP_SERVER_EXITED', details, cause), () => this.#group.end());
  }

  #stop(reason: McpError, end: () => Promise<void>): void {
    this.#over = true;
    this.#noGrace?.();
    this.#duplex.end(reason);
    if (reason.code !== 'MCP_CLOSED') this.#closing.resolve(reason);
    this.#stopped = this.#windUp(end);
  }

  async #windUp(end: () => Promise<void>): Promise<void> {
    const { stdin, stdout, stderr } = this.#child;
    // Read on, so that the child can write the rest and exit.
    stdout.off('data', this.#onData);
    stdout.resume();
    void this.#queue.end();
    await end();
    this.#queue.release();
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    this.#child.unref();
  }
}
