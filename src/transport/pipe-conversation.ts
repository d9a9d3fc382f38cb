/** Serves one conversation over a pair of byte streams, with one message per line. Independent of the process. */
import type { Readable, Writable } from 'node:stream';
import { McpError, RpcError } from '../errors.ts';
import { failure, INVALID_REQUEST, type Message, PARSE_ERROR } from '../jsonrpc/message.ts';
import { parse } from '../jsonrpc/read.ts';
import { write } from '../jsonrpc/write.ts';
import { MESSAGE, PROGRESS } from '../model/names.ts';
import { callHook } from '../peer/call-hook.ts';
import { type Clock, systemClock } from '../peer/clock.ts';
import { Duplex } from '../peer/duplex.ts';
import { LOCAL_CLIENT, type Servable, type ServedConversation } from '../peer/exchange.ts';
import { nextTurn } from '../peer/runtime.ts';
import { Deferred, withTimeout } from '../peer/wait.ts';
import { type LineFault, Lines, MAX_LINE_BYTES } from './lines.ts';
import { WriteQueue } from './write-queue.ts';

export interface ConversationOptions {
  readonly clock?: Clock | undefined;
  /** Maximum length of a line. A longer one is rejected (−32600) and skipped. Default: 10 MiB. */
  readonly maxLineBytes?: number | undefined;
  /** Backpressure: while more bytes than this wait for the client, the server stops reading from it. Default: 1 MiB. */
  readonly maxQueueBytes?: number | undefined;
  /** Maximum number of open requests; more are rejected. Default: 1,024. */
  readonly maxInFlight?: number | undefined;
  /** How long open requests can take after the end of input. Default: 1,500 ms. */
  readonly drainMs?: number | undefined;
  /** Called with each message that could not be read or delivered. */
  readonly onStray?: ((what: string, message: unknown) => void) | undefined;
}

/** Messages handled per turn. A chunk can hold more than `maxInFlight`, but most are answered before the next turn. */
const PER_TURN = 128;

export class PipeConversation {
  readonly #end: Deferred<void> = new Deferred();
  /** Settles when all responses are sent. Rejects only with an error that the server's `close` throws. */
  readonly ended: Promise<void> = this.#end.promise;
  readonly #input: Readable;
  readonly #options: ConversationOptions;
  readonly #clock: Clock;
  readonly #duplex: Duplex;
  readonly #server: ServedConversation;
  readonly #queue: WriteQueue;
  readonly #lines: Lines;
  #backlog: string[] = [];
  /** Lines handled in this turn. */
  #taken = 0;
  #isEnding = false;

  constructor(server: Servable, streams: { input: Readable; output: Writable }, options: ConversationOptions) {
    this.#input = streams.input;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const session = {};
    this.#queue = new WriteQueue(streams.output, {
      onClosed: () => this.#finish(Promise.resolve(), 'the client is gone'),
      onDrain: () => this.#regulate(),
    });
    this.#duplex = new Duplex({
      send: (message) => this.#send(message),
      inbound: (message, link) => this.#server.exchange(message, link),
      session,
      maxInFlight: options.maxInFlight,
      onStray: this.#stray,
    });
    this.#lines = new Lines({
      onLine: (line) => this.#takeOrQueue(line),
      onDropped: (fault, head) => this.#dropped(fault, head),
      maxBytes: options.maxLineBytes,
    });
    this.#server = server.open(
      this.#duplex.push(() => this.end('the client asked for it'), LOCAL_CLIENT),
      session,
    );
    this.#input.on('data', this.#onData);
    this.#input.on('end', this.#onEnd);
    this.#input.on('close', this.#onEnd);
    this.#input.on('error', this.#onEnd);
  }

  /** Stops reading, waits up to `drainMs` for open requests, and ends. */
  end(why: string): void {
    if (!this.#isEnding) this.#finish(this.#withDrainLimit(this.#duplex.drained()), why);
  }

  readonly #onData = (chunk: Uint8Array): void => {
    this.#taken = 0;
    this.#lines.push(chunk);
    if (this.#backlog.length > 0 || this.#queue.bytes > this.#maxQueue) this.#regulate();
  };

  readonly #onEnd = (): void => {
    if (this.#isEnding) return;
    this.#taken = 0;
    this.#lines.end();
    this.end('the input has ended');
  };

  get #maxQueue(): number {
    return this.#options.maxQueueBytes ?? 1024 * 1024;
  }

  /** Pauses or resumes the input, depending on the write queue and the backlog. */
  #regulate(): void {
    if (this.#isEnding) return;
    if (this.#queue.bytes > this.#maxQueue) this.#input.pause();
    else if (this.#backlog.length === 0) this.#input.resume();
    else {
      this.#input.pause();
      void nextTurn().then(() => this.#catchUp());
    }
  }

  #catchUp(): void {
    if (this.#isEnding || this.#queue.bytes > this.#maxQueue) return;
    for (const line of this.#backlog.splice(0, PER_TURN)) this.#take(line);
    this.#regulate();
  }

  #takeOrQueue(line: string): void {
    if (this.#taken++ < PER_TURN && this.#backlog.length === 0) this.#take(line);
    else this.#backlog.push(line);
  }

  #take(line: string): void {
    let value: unknown;
    try {
      value = parse(line);
    } catch (thrown) {
      this.#stray('line that is not JSON', line);
      this.#duplex.send(failure(undefined, thrown));
      return;
    }
    this.#duplex.receive(value);
  }

  readonly #stray = (what: string, message: unknown): void => callHook(() => this.#options.onStray?.(what, message));

  #dropped(fault: LineFault, head: string): void {
    this.#stray(`line that is ${fault}`, head);
    const limit = this.#options.maxLineBytes ?? MAX_LINE_BYTES;
    const error =
      fault === 'too long'
        ? new RpcError(INVALID_REQUEST, `Invalid request: a line holds at most ${limit} bytes (maxLineBytes)`)
        : new RpcError(PARSE_ERROR, 'Parse error: not UTF-8');
    this.#duplex.send(failure(undefined, error));
  }

  #send(message: Message | readonly Message[]): void {
    // Drops progress and log messages while the client does not read.
    if ('method' in message && (message.method === PROGRESS || message.method === MESSAGE)) {
      if (this.#queue.bytes > this.#maxQueue) {
        this.#stray('notification that the client is too slow for', message);
        return;
      }
    }
    this.#queue.add(write(message));
  }

  #finish(drained: Promise<void>, why: string): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#end.resolve(this.#close(drained, why));
  }

  async #close(drained: Promise<void>, why: string): Promise<void> {
    this.#input.off('data', this.#onData);
    this.#input.pause();
    await drained;
    try {
      // Closing sends the final responses of subscriptions within this turn.
      this.#server.close();
      await nextTurn();
    } finally {
      this.#duplex.end(new McpError('MCP_CLOSED', { why }));
      await this.#withDrainLimit(this.#queue.flushed());
      this.#queue.release();
      this.#input.off('end', this.#onEnd);
      this.#input.off('close', this.#onEnd);
    }
  }

  #withDrainLimit(done: Promise<void>): Promise<void> {
    return withTimeout(this.#options.drainMs ?? 1500, this.#clock, done);
  }
}
