/** An open request of the client: handles its deadline, progress and cancellation. */
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
import { onAbort } from '../peer/wait.ts';
import type { RawQuestionHandler } from './handlers.ts';
import type { ClientSettings } from './options.ts';

/** The progress of a request. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Settings of one request: signal, timeout, progress, `_meta`. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Overrides the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Overrides the client's `maxTimeoutMs`. */
  readonly maxTimeoutMs?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Sent as `_meta`. Your own keys need a prefix. Keys reserved by the protocol are rejected, except for trace context. */
  readonly meta?: JsonObject | undefined;
}

/** Settings of a tool call. */
export interface CallToolOptions extends RequestOptions {
  /** Called with the task id if the server runs the call as a task. */
  readonly onTask?: ((taskId: string) => void) | undefined;
}

/** Settings of a request whose result is returned unchecked. */
export interface RawRequestOptions extends RequestOptions {
  /**
   * Capabilities for questions about this request, instead of those of the client's handlers. In revisions with a handshake, they
   * must be a subset of those declared in the handshake; otherwise the request rejects with `MCP_BAD_DEFINITION`.
   */
  readonly capabilities?: ClientCapabilities | undefined;
  /**
   * Answers questions about this request instead of the client's handlers, in every revision. If a result asks for input, `ask`
   * answers, and the request is sent again; without `ask`, that result is returned. If the server asks by sending a request, `ask`
   * gets the requests on this request's stream (HTTP), or those that arrive while this is the only open request (stdio, HTTP+SSE).
   * If other requests are open too, the question is rejected as ambiguous.
   */
  readonly ask?: RawQuestionHandler | undefined;
  /** Minimum severity of log messages for this request, instead of the client's. Only in revisions that set it per request. */
  readonly logLevel?: LoggingLevel | undefined;
  /** Gets the log messages on the stream of this request, instead of the client's `onLog`. */
  readonly onLog?: ((message: LogMessage) => void) | undefined;
}

export interface OutgoingCallOptions extends RawRequestOptions {
  /** A long-lived request without a timeout, such as a subscription. */
  readonly standing?: boolean;
  /** Gets the notifications about this request, except for progress and log messages. */
  readonly notify?: ((notification: RpcNotification) => void) | undefined;
  /** The incoming request that this one serves. Its cancellation cancels this one, without the cost of an AbortSignal. */
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
  /** The id of the request, which links the server's messages to it. */
  of: Id | undefined;
  #lastProgress = Number.NEGATIVE_INFINITY;
  #unhook: (() => void) | undefined;
  #inbound: Exchange | undefined;
  /** Rejects the pending `race`. */
  #reject: ((reason: unknown) => void) | undefined;

  constructor({ settings, deadlines }: OpenCalls, method: string, options: OutgoingCallOptions) {
    this.#settings = settings;
    this.#deadlines = deadlines;
    this.#method = method;
    this.#options = options;
    this.#started = settings.clock.now();
    // A standing request never expires. It is armed only so that closing the client cancels it.
    this.due = options.standing === true ? Number.POSITIVE_INFINITY : this.#started + this.#remainingMs(this.#started);
    deadlines.arm(this);
    const { signal } = options;
    if (signal !== undefined) this.#unhook = onAbort(signal, () => this.abort(cancelledError(method, signal)));
    if (options.link !== undefined) whenAborted(options.link, (reason) => this.#cancelByLink(reason));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The handler and capabilities that this request has for questions about it. */
  get answers(): Pick<OutgoingCallOptions, 'ask' | 'capabilities'> {
    return this.#options;
  }

  get aborted(): boolean {
    return this.#abort.aborted;
  }

  /** The reason of the cancellation. */
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

  /** Settles like the promise, but rejects at once when this request is cancelled, even if the server never responds. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(resolve, reject);
      if (this.aborted) reject(this.#abort.reason);
      else this.#reject = reject;
    });
  }

  /** Sends the request. `inbound` handles other messages that the server sends while it is open. */
  send(connection: Connection, inbound: Exchange, request: RpcRequest): Promise<RpcResponse> {
    this.#inbound = inbound;
    this.of = request.id;
    return this.race(connection.exchange(request, this) as Promise<RpcResponse>); // for a request, an exchange responds or throws
  }

  /** Ends the deadline and stops reporting progress. */
  finish(): void {
    this.#lastProgress = Number.POSITIVE_INFINITY;
    this.#deadlines.disarm(this);
    this.#unhook?.();
  }

  notify(message: RpcNotification): void {
    if (message.method === PROGRESS) this.#handleProgress(message.params ?? {});
    else if (message.method === MESSAGE && this.#options.onLog !== undefined) this.#handleLog(message.params ?? {});
    else if (this.#options.notify !== undefined && message.method !== MESSAGE) this.#options.notify(message);
    else this.#inbound?.(message, this).catch(() => undefined);
  }

  async ask(request: RpcRequest): Promise<RpcResponse> {
    const response = await this.#inbound?.(request, this);
    return response ?? failure(request.id, new RpcError(METHOD_NOT_FOUND, `${request.method} is not supported here`));
  }

  #handleLog(params: JsonObject): void {
    const log = readLogMessage(params);
    if (log !== undefined) this.#settings.warnings.guard('onLog', () => this.#options.onLog?.(log));
  }

  #handleProgress(report: { readonly [key: string]: unknown }): void {
    const { progress, total, message } = report;
    // Progress must increase. A report that does not is ignored, and does not restart the timeout.
    if (typeof progress !== 'number' || !(progress > this.#lastProgress)) return;
    this.#lastProgress = progress;
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

  /** Milliseconds until the request times out, if no progress is reported. */
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

  /** Cancels this request with the incoming one, unless it is already finished: a link can outlive this request. */
  #cancelByLink(reason: unknown): void {
    if (this.place !== -1) this.abort(cancelledError(this.#method, { reason }));
  }
}

export function cancelledError(method: string, { reason }: { readonly reason: unknown }): McpError {
  const why = reason instanceof Error ? reason.message : 'its signal was aborted';
  return new McpError('MCP_CANCELLED', { method, why }, { cause: reason });
}
