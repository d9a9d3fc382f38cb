/** One request of ours under way: its deadline, its progress, and how it is cancelled. */
import { McpError, RpcError } from '../errors.ts';
import {
  failure,
  type Id,
  type JsonObject,
  METHOD_NOT_FOUND,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../jsonrpc/message.ts';
import type { ClientCapabilities } from '../model/caller.ts';
import { type LoggingLevel, type LogMessage, readLogMessage } from '../model/logging.ts';
import { MESSAGE, PROGRESS } from '../model/names.ts';
import { Abort } from '../peer/abort.ts';
import type { Deadline, Deadlines } from '../peer/deadlines.ts';
import { type Connection, type Exchange, type Link, whenAborted } from '../peer/exchange.ts';
import type { RawQuestionHandler } from './handlers.ts';
import type { ClientSettings } from './options.ts';

/** How far a request has come. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Settings of one request: signal, timeout, progress, `_meta`. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Instead of the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Instead of the client's `maxTimeoutMs`. */
  readonly maxTimeoutMs?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Goes along as `_meta`. Keys of your own have a prefix; the protocol's are not yours to set. */
  readonly meta?: JsonObject | undefined;
}

/** Settings of a tool call. */
export interface CallToolOptions extends RequestOptions {
  /** Gets the id of the task that the server has made of the call, before its result. */
  readonly onTask?: ((taskId: string) => void) | undefined;
}

/** Settings of a request whose result you get as it came. */
export interface RawRequestOptions extends RequestOptions {
  /**
   * What this request can be asked, instead of what the handlers of the client can answer. In revisions with a handshake, which
   * has declared it once for all requests, these can only be fewer: more reject with `MCP_BAD_DEFINITION`.
   */
  readonly capabilities?: ClientCapabilities | undefined;
  /**
   * Answers the questions about this request, instead of the handlers of the client, in every revision. Where a result asks for
   * input, it answers, and the request is sent again; without `ask` you get that result as it came. Where servers send requests,
   * it gets those on the stream of this request (HTTP), or while this is the only open request (stdio, HTTP+SSE); a question
   * that can be about another request as well is rejected.
   */
  readonly ask?: RawQuestionHandler | undefined;
  /** The least severe log message wanted for this request, instead of that of the client, in revisions where requests say so. */
  readonly logLevel?: LoggingLevel | undefined;
  /** Gets the log messages on the stream of this request, instead of the client's `onLog`. */
  readonly onLog?: ((message: LogMessage) => void) | undefined;
}

export interface OutgoingCallOptions extends RawRequestOptions {
  /** Stays open for as long as it is wanted. */
  readonly standing?: boolean;
  /** Gets what the server says on this request's behalf, but for progress and log messages. */
  readonly notify?: ((notification: RpcNotification) => void) | undefined;
  /** The request of another side that this one is for: cancelled with it, and without the cost of a signal. */
  readonly link?: Pick<Link, 'signal' | 'onAbort'> | undefined;
}

/** All open requests of one client. */
export interface OpenCalls {
  readonly settings: ClientSettings;
  readonly deadlines: Deadlines<OutgoingCall>;
}

export class OutgoingCall implements Link, Deadline {
  readonly #settings: ClientSettings;
  readonly #deadlines: Deadlines<OutgoingCall>;
  readonly #method: string;
  readonly #options: OutgoingCallOptions;
  readonly #abort: Abort = new Abort();
  readonly #started: number;
  due: number;
  place = -1;
  /** The id of the request, for what the server says on its behalf. */
  of: Id | undefined;
  #reported = Number.NEGATIVE_INFINITY;
  #unhook: (() => void) | undefined;
  #inbound: Exchange | undefined;
  /** Ends what is waited for right now. */
  #reject: ((reason: unknown) => void) | undefined;

  constructor({ settings, deadlines }: OpenCalls, method: string, options: OutgoingCallOptions) {
    this.#settings = settings;
    this.#deadlines = deadlines;
    this.#method = method;
    this.#options = options;
    this.#started = settings.clock.now();
    // A standing request never expires, but is among those that closing cancels.
    this.due = options.standing === true ? Number.POSITIVE_INFINITY : this.#started + this.#remainingMs(this.#started);
    deadlines.arm(this);
    if (options.signal !== undefined) this.#unhook = this.#hook(options.signal);
    if (options.link !== undefined) whenAborted(options.link, (reason) => this.#cancelledWith(reason));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** What the request brings along for questions about it. */
  get answers(): Pick<OutgoingCallOptions, 'ask' | 'capabilities'> {
    return this.#options;
  }

  get aborted(): boolean {
    return this.#abort.aborted;
  }

  /** Why it was cancelled. */
  get reason(): unknown {
    return this.#abort.reason;
  }

  onAbort(listener: (reason: unknown) => void): void {
    this.#abort.onAbort(listener);
  }

  abort(reason: unknown): void {
    this.#abort.abort(reason);
    this.#reject?.(reason);
  }

  /** The promise, unless this request is cancelled first: then the reason, whatever the other side does. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(resolve, reject);
      if (this.aborted) reject(this.#abort.reason);
      else this.#reject = reject;
    });
  }

  /** `inbound` gets the messages of the server that come with the answer. */
  send(connection: Connection, inbound: Exchange, request: RpcRequest): Promise<RpcResponse> {
    this.#inbound = inbound;
    this.of = request.id;
    return this.race(connection.exchange(request, this) as Promise<RpcResponse>); // a request is answered, or the exchange throws
  }

  /** No progress is reported after this. */
  finish(): void {
    this.#reported = Number.POSITIVE_INFINITY;
    this.#deadlines.disarm(this);
    this.#unhook?.();
  }

  notify(message: RpcNotification): void {
    if (message.method === PROGRESS) this.#progressed(message.params ?? {});
    else if (message.method === MESSAGE && this.#options.onLog !== undefined) this.#logged(message.params ?? {});
    else if (this.#options.notify !== undefined && message.method !== MESSAGE) this.#options.notify(message);
    else this.#inbound?.(message, this).catch(() => undefined);
  }

  async ask(request: RpcRequest): Promise<RpcResponse> {
    const response = await this.#inbound?.(request, this);
    return response ?? failure(request.id, new RpcError(METHOD_NOT_FOUND, `${request.method} is not answered here`));
  }

  #logged(params: JsonObject): void {
    const log = readLogMessage(params);
    if (log !== undefined) this.#settings.warnings.guard('onLog', () => this.#options.onLog?.(log));
  }

  #progressed(report: { readonly [key: string]: unknown }): void {
    const { progress, total, message } = report;
    // Progress only grows; what does not grow is noise, and keeps nothing alive.
    if (typeof progress !== 'number' || !(progress > this.#reported)) return;
    this.#reported = progress;
    const now = this.#settings.clock.now();
    const { onProgress, standing } = this.#options;
    if (standing !== true) this.due = now + this.#remainingMs(now);
    if (onProgress === undefined) return;
    const seen: Progress = {
      progress,
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    };
    this.#settings.warnings.guard('onProgress', () => onProgress(seen));
  }

  /** How much longer to wait from now on, if no progress is reported. */
  #remainingMs(now: number): number {
    const { timeoutMs, maxTimeoutMs } = this.#timeouts;
    return Math.min(timeoutMs, this.#started + maxTimeoutMs - now);
  }

  get #timeouts(): { readonly timeoutMs: number; readonly maxTimeoutMs: number } {
    const { timeouts } = this.#settings;
    const { timeoutMs = timeouts.timeoutMs } = this.#options;
    const { maxTimeoutMs = Math.max(timeouts.maxTimeoutMs, timeoutMs) } = this.#options;
    return { timeoutMs, maxTimeoutMs };
  }

  expire(): void {
    const { clock, pause } = this.#settings;
    const now = clock.now();
    const more = this.#remainingMs(now);
    if (pause.isPaused && more > 0) {
      this.due = now + more;
      this.#deadlines.arm(this);
      return;
    }
    const { timeoutMs, maxTimeoutMs } = this.#timeouts;
    const ms = more > 0 || timeoutMs === 0 ? timeoutMs : maxTimeoutMs;
    const setting = `timeoutMs is ${timeoutMs} and restarts with each report of progress, maxTimeoutMs is ${maxTimeoutMs}`;
    this.abort(new McpError('MCP_TIMEOUT', { method: this.#method, ms, setting }));
  }

  /** A link can outlive this request, which is then no longer among those with a deadline. */
  #cancelledWith(reason: unknown): void {
    if (this.place !== -1) this.abort(cancelledError(this.#method, { reason }));
  }

  #hook(signal: AbortSignal): () => void {
    const abort = (): void => this.abort(cancelledError(this.#method, signal));
    signal.addEventListener('abort', abort);
    return () => signal.removeEventListener('abort', abort);
  }
}

export function cancelledError(method: string, { reason }: { readonly reason: unknown }): McpError {
  const why = reason instanceof Error ? reason.message : 'its signal was aborted';
  return new McpError('MCP_CANCELLED', { method, why }, { cause: reason });
}
