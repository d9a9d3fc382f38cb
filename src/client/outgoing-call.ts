/** One request of ours on its way: how long it may take, what it reports meanwhile, and who may call it off. */
import { McpError, RpcError } from '../errors.ts';
import {
  failure,
  type Id,
  METHOD_NOT_FOUND,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../jsonrpc/message.ts';
import { MESSAGE, PROGRESS } from '../model/names.ts';
import { Abort } from '../peer/abort.ts';
import type { Clock } from '../peer/clock.ts';
import type { DeadlinePause } from '../peer/deadline-pause.ts';
import type { Deadline, Deadlines } from '../peer/deadlines.ts';
import type { Connection, Exchange, Link } from '../peer/exchange.ts';
import type { Timeouts } from './options.ts';

/** How far a request has come. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Settings of one request: signal, deadline, progress. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Instead of the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Instead of the client's `maxTimeoutMs`. */
  readonly maxTimeoutMs?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface OutgoingCallOptions extends RequestOptions {
  /** Stays open for as long as it is wanted. */
  readonly standing?: boolean;
  /** Gets what the server says on this request's behalf, but for progress and log messages. */
  readonly notify?: ((notification: RpcNotification) => void) | undefined;
}

/** The line that a request goes out on, and where the server's own words go when they come back with its answer. */
interface OutgoingConnection {
  readonly connection: Connection;
  readonly inbound: Exchange;
}

/** What all requests of one client have in common. */
export interface CallContext {
  readonly clock: Clock;
  /** Everything under way, so that closing can call it off. */
  readonly deadlines: Deadlines<OutgoingCall>;
  readonly timeouts: Timeouts;
  /** Needed while the server's questions are being answered, or somebody signs in. */
  readonly pause: DeadlinePause;
  guard(what: string, run: () => void): void;
}

export class OutgoingCall implements Link, Deadline {
  readonly #context: CallContext;
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

  constructor(context: CallContext, method: string, options: OutgoingCallOptions) {
    this.#context = context;
    this.#method = method;
    this.#options = options;
    this.#started = context.clock.now();
    // What stands open has no end, but is among those that closing calls off.
    this.due = options.standing === true ? Number.POSITIVE_INFINITY : this.#started + this.#remainingMs(this.#started);
    context.deadlines.arm(this);
    if (options.signal !== undefined) this.#unhook = this.#hook(options.signal);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get aborted(): boolean {
    return this.#abort.aborted;
  }

  onAbort(listener: (reason: unknown) => void): void {
    this.#abort.onAbort(listener);
  }

  abort(reason: unknown): void {
    this.#abort.abort(reason);
    this.#reject?.(reason);
  }

  /** The promise, unless this request is called off first: then the reason why, whatever the other side does. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(resolve, reject);
      if (this.aborted) reject(this.#abort.reason);
      else this.#reject = reject;
    });
  }

  send({ connection: line, inbound }: OutgoingConnection, request: RpcRequest): Promise<RpcResponse> {
    this.#inbound = inbound;
    this.of = request.id;
    return this.race(line.exchange(request, this) as Promise<RpcResponse>); // a request is answered, or the exchange throws
  }

  /** Nothing is heard after this. */
  finish(): void {
    this.#reported = Number.POSITIVE_INFINITY;
    this.#context.deadlines.disarm(this);
    this.#unhook?.();
  }

  notify(message: RpcNotification): void {
    if (message.method === PROGRESS) this.#progressed(message.params ?? {});
    else if (this.#options.notify !== undefined && message.method !== MESSAGE) this.#options.notify(message);
    else this.#inbound?.(message, this).catch(() => undefined);
  }

  async ask(request: RpcRequest): Promise<RpcResponse> {
    const response = await this.#inbound?.(request, this);
    return response ?? failure(request.id, new RpcError(METHOD_NOT_FOUND, `${request.method} is not answered here`));
  }

  #progressed(report: { readonly [key: string]: unknown }): void {
    const { progress, total, message } = report;
    // Progress only grows; what does not grow is noise, and keeps nothing alive.
    if (typeof progress !== 'number' || !(progress > this.#reported)) return;
    this.#reported = progress;
    const now = this.#context.clock.now();
    const { onProgress, standing } = this.#options;
    if (standing !== true) this.due = now + this.#remainingMs(now);
    if (onProgress === undefined) return;
    const seen: Progress = {
      progress,
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    };
    this.#context.guard('onProgress', () => onProgress(seen));
  }

  /** How much longer to wait from now on, should nothing be heard. */
  #remainingMs(now: number): number {
    const { timeoutMs, maxTimeoutMs } = this.#timeouts;
    return Math.min(timeoutMs, this.#started + maxTimeoutMs - now);
  }

  get #timeouts(): { readonly timeoutMs: number; readonly maxTimeoutMs: number } {
    const { timeouts } = this.#context;
    const { timeoutMs = timeouts.timeoutMs } = this.#options;
    const { maxTimeoutMs = Math.max(timeouts.maxTimeoutMs, timeoutMs) } = this.#options;
    return { timeoutMs, maxTimeoutMs };
  }

  expire(): void {
    const { clock, deadlines, pause } = this.#context;
    const now = clock.now();
    const more = this.#remainingMs(now);
    if (pause.isPaused && more > 0) {
      this.due = now + more;
      deadlines.arm(this);
      return;
    }
    const { timeoutMs, maxTimeoutMs } = this.#timeouts;
    const ms = more > 0 || timeoutMs === 0 ? timeoutMs : maxTimeoutMs;
    const setting = `timeoutMs is ${timeoutMs} and restarts with each report of progress, maxTimeoutMs is ${maxTimeoutMs}`;
    this.abort(new McpError('MCP_TIMEOUT', { method: this.#method, ms, setting }));
  }

  #hook(signal: AbortSignal): () => void {
    const abort = (): void => this.abort(cancelledError(this.#method, signal));
    signal.addEventListener('abort', abort);
    return () => signal.removeEventListener('abort', abort);
  }
}

export function cancelledError(method: string, signal: AbortSignal): McpError {
  const reason: unknown = signal.reason;
  const why = reason instanceof Error ? reason.message : 'its signal was aborted';
  return new McpError('MCP_CANCELLED', { method, why }, { cause: reason });
}
