/**
 * A stream of messages in a session: the response to one POST, or the GET stream ("standing stream"). If it breaks, it is resumed
 * from the last event, with backoff.
 */
import { McpError } from '../../errors.ts';
import type { Id, RpcResponse } from '../../jsonrpc/message.ts';
import { statelessCodes } from '../../model/names.ts';
import { backoffMs, MAX_ATTEMPTS } from '../../peer/backoff.ts';
import type { Deadline } from '../../peer/deadlines.ts';
import { answerIn, type ErrorResponse, failureIn, toHttpError, unexpectedError } from './http-errors.ts';
import type { OutgoingHttpRequest, ResponseHandler } from './outgoing-http-request.ts';
import type { Sender } from './sender.ts';
import type { SseEvent, SseParser } from './sse-parser.ts';
import type { StandingState } from './standing-state.ts';
import type { ResponseHeader } from './wire.ts';

/** Minimum delay before a stream is resumed, whatever `retry` the server sends. */
const MIN_PAUSE_MS = 50;
/** After this many responses in a row without a message, our backoff applies in addition to the server's `retry`. */
const MAX_EMPTY = 3;
/** Limits the backoff for empty responses to four seconds: a server can work for long before it sends a message. */
const MAX_QUIET = 2;
/** A stream that stayed open this long does not count as failed, even without an event. */
const LASTING_MS = 30_000;
const MAX_ID_LENGTH = 1024;

export interface PostedRequest {
  readonly id: Id;
  readonly method: string;
  readonly body: string;
  readonly repeatable: boolean;
  /** The revision that an `initialize` offers. */
  readonly offers?: string;
  /** For `initialize`: whether the server may expect HTTP+SSE, judging by its status. */
  suggestsSse?(status: number): boolean;
}

/** The session that streams belong to. */
export interface StreamChannel {
  readonly sender: Sender;
  /** The headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the revision can resume a stream. */
  readonly resumable: boolean;
  readonly hasSession: boolean;
  readonly isOver: boolean;
  readonly standing: Pick<StandingState, 'opened' | 'ended'>;
  /** Over HTTP+SSE, messages are posted to a URL that the server named, and all responses arrive on one stream. */
  readonly usesSse: boolean;
  toPost(request: Omit<PostedRequest, 'id'>): OutgoingHttpRequest;
  /** Handles a JSON text that arrived on the stream of our request `of`. */
  receive(text: string, of?: Id): void;
  setSession(id: string | undefined): void;
  /** Settles a request with a response. */
  answer(response: RpcResponse): void;
  fail(id: Id, error: McpError): void;
  /** Called when the server does not know the session, so that it has not handled the request with this id. */
  loseSession(operation: string, id?: Id): void;
  /** Switches to HTTP+SSE. Resolves with false if the server does not support it. */
  fallBack(): Promise<boolean>;
}

export class SessionStream implements ResponseHandler, Deadline {
  readonly #channel: StreamChannel;
  /** Undefined for the standing stream. */
  readonly #posted: PostedRequest | undefined;
  due: number = Number.POSITIVE_INFINITY;
  place = -1;
  /** Whether the current response is that to the POST, and not to a GET that resumes its stream. */
  #isPost: boolean;
  #isSettled = false;
  /** The current response has ended or failed. */
  #isRead = false;
  #stop: () => void = () => undefined;
  #events: SseParser | undefined;
  /** When the current stream was opened; undefined if none is open. */
  #openedAt: number | undefined;
  #wasOpened = false;
  #lastId: string | undefined;
  #retry: number | undefined;
  /** Attempts in a row without any event, not even an id. */
  #failed = 0;
  /** Attempts in a row without a message. Ids do not count, or a server could keep us reconnecting fast by sending only ids. */
  #quiet = 0;

  constructor(channel: StreamChannel, posted?: PostedRequest) {
    this.#channel = channel;
    this.#posted = posted;
    this.#isPost = posted !== undefined;
  }

  start(): void {
    if (this.#posted === undefined) this.#get();
    else this.#send(this.#channel.toPost(this.#posted));
  }

  /** Called when the request was answered, failed or was cancelled. */
  settled(): void {
    this.#isSettled = true;
    if (this.#isRead && this.#events === undefined) return;
    if (this.#channel.isOver) this.expire();
    else this.#channel.sender.linger(this);
  }

  /** Aborts the current response and any retry. */
  expire(): void {
    this.#stop();
  }

  succeeded(header: ResponseHeader): void {
    if (this.#isPost && this.#posted?.method === 'initialize') this.#channel.setSession(header('mcp-session-id'));
  }

  json(text: string): void {
    this.#isRead = true;
    this.#channel.receive(text, this.#posted?.id);
    if (this.#isSettled) return;
    this.#fail(new McpError('MCP_BAD_RESULT', { method: this.#operation, why: 'it has no response to the request' }));
  }

  opened(events: SseParser): void {
    const { sender, standing } = this.#channel;
    this.#events = events;
    this.#openedAt = sender.settings.clock.now();
    // With `Last-Event-ID`, the server also sends the events that were missed.
    if (this.#posted === undefined) standing.opened(!this.#wasOpened || this.#lastId !== undefined);
    this.#wasOpened = true;
  }

  event({ type, data }: SseEvent): void {
    this.#noteProgress();
    // An event without data only carries an id to resume from.
    if (data === '' || type !== 'message') return;
    this.#quiet = 0;
    this.#channel.receive(data, this.#posted?.id);
  }

  ended(): void {
    this.#responseEnded();
    // Usually the request is already answered, and an error would be created in vain.
    if (this.#isWanted) this.#retryOrGiveUp(new McpError('MCP_CLOSED', { why: 'it ended' }));
  }

  failed(error: McpError): void {
    this.#responseEnded();
    if (this.#isPost && this.#events === undefined) this.#fail(error);
    else if (error.kind === 'offline') this.#retryOrGiveUp(error);
    else this.#giveUp(error);
  }

  accepted(): void {
    const { sender, usesSse } = this.#channel;
    const { url } = sender.settings;
    if (!this.#isPost) this.#giveUp(unexpectedError(url, this.#operation, 'it opened no stream'));
    else if (usesSse) this.#isRead = true;
    else this.#fail(unexpectedError(url, this.#operation, 'it accepted the request but sent no response'));
  }

  rejected(response: ErrorResponse): void {
    this.#responseEnded();
    const { usesSse, hasSession, sender } = this.#channel;
    const isLost = response.status === 404 && hasSession;
    if (!this.#isPost) {
      const error = toHttpError(response, sender.settings.url, this.#operation);
      // 409: a server that allows one stream per session may not have noticed yet that the last one broke.
      const isTaken = response.status === 409 && this.#posted === undefined && this.#wasOpened;
      if (error.kind === 'offline' || isTaken) this.#retryOrGiveUp(error);
      else if (isLost && this.#wasOpened) this.#channel.loseSession(this.#operation);
      else if (this.#posted === undefined && this.#lastId !== undefined) {
        // The server may have evicted the event: opens the stream again without `Last-Event-ID`.
        this.#lastId = undefined;
        this.#events = undefined;
        this.#retryOrGiveUp(error);
      } else this.#giveUp(error);
    } else if (isLost) this.#channel.loseSession(this.#operation, this.#posted?.id);
    else if (!usesSse && this.#isWrongTransport(response)) void this.#fallBack(response);
    else this.#reject(response);
  }

  get #operation(): string {
    return this.#posted?.method ?? 'the standing stream';
  }

  get #isWanted(): boolean {
    return !this.#isSettled && !this.#channel.isOver;
  }

  #send(request: OutgoingHttpRequest): void {
    const call = this.#channel.sender.send(request, this);
    this.#stop = () => call.abort();
  }

  /** Opens the standing stream, or resumes a stream after its last event. */
  #get(): void {
    this.#isPost = false;
    const from: Record<string, string> = this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId };
    const headers = { ...this.#channel.headers, accept: 'text/event-stream', ...from };
    this.#send({ method: 'GET', operation: this.#operation, headers, expects: 'stream' });
  }

  async #fallBack(response: ErrorResponse): Promise<void> {
    try {
      if (!(await this.#channel.fallBack())) this.#reject(response);
      else if (!this.#isSettled) {
        this.#isRead = false;
        this.start();
      }
    } catch (cause) {
      const why = String(cause);
      const isKnown = cause instanceof McpError;
      this.#fail(isKnown ? cause : new McpError('MCP_BAD_RESULT', { method: this.#operation, why }, { cause }));
    }
  }

  #isWrongTransport({ status, text }: ErrorResponse): boolean {
    const code = failureIn(text)?.error.code;
    return this.#posted?.suggestsSse?.(status) === true && (code === undefined || !statelessCodes.has(code));
  }

  /** Settles the request with the JSON-RPC error in the response, or else with an error for the status. */
  #reject(response: ErrorResponse): void {
    const id = this.#posted?.id;
    const failure = id === undefined ? undefined : answerIn(response, id);
    if (id === undefined || failure === undefined)
      this.#fail(toHttpError(response, this.#channel.sender.settings.url, this.#operation));
    else this.#channel.answer({ ...failure, id });
  }

  /** The stream broke: resumes it after a delay, or gives up. */
  #retryOrGiveUp(error: McpError): void {
    this.#noteProgress();
    if (!this.#isWanted) return;
    const { sender, resumable } = this.#channel;
    const { clock } = sender.settings;
    if (this.#openedAt !== undefined && clock.now() - this.#openedAt >= LASTING_MS) {
      this.#failed = 0;
      this.#quiet = 0;
    }
    this.#openedAt = undefined;
    this.#quiet++;
    const canResume = this.#posted === undefined || (this.#lastId !== undefined && resumable);
    // The standing stream is retried without limit, because its server supports it and may only be restarting.
    const isUnlimited = this.#posted === undefined && this.#wasOpened;
    if (!canResume || (++this.#failed > MAX_ATTEMPTS && !isUnlimited)) this.#giveUp(error);
    else
      this.#stop = clock.after(this.#pauseMs(), () => {
        if (this.#isWanted) this.#get();
      });
  }

  /** Fails the request. Its outcome is unknown, except after a protocol error. */
  #giveUp(error: McpError): void {
    const why = `the stream of ${this.#operation} broke off and could not be resumed (${error.message})`;
    const isKnown = error.kind === 'protocol' || this.#posted === undefined;
    this.#fail(isKnown ? error : new McpError('MCP_CLOSED', { why }, { cause: error }));
  }

  #fail(error: McpError): void {
    this.#isRead = true;
    if (this.#posted === undefined) this.#channel.standing.ended(error);
    else this.#channel.fail(this.#posted.id, error);
  }

  #responseEnded(): void {
    this.#isRead = true;
    this.#channel.sender.stopLingering(this);
  }

  /** The delay before the next attempt: at least the server's `retry`, and our backoff after failures or without `retry`. */
  #pauseMs(): number {
    const failures = Math.max(this.#failed, Math.min(this.#quiet, MAX_QUIET));
    const ours = backoffMs(failures, this.#channel.sender.settings.random());
    if (this.#retry === undefined) return ours;
    return Math.max(this.#retry, this.#failed > 1 || this.#quiet > MAX_EMPTY ? ours : MIN_PAUSE_MS);
  }

  /** Stores the last event id, to resume from it, and the server's `retry`. */
  #noteProgress(): void {
    const { lastEventId: id, retry } = this.#events ?? {};
    this.#retry = retry ?? this.#retry;
    if (id === undefined || id === this.#lastId) return;
    // Discards an id that cannot be sent in a header.
    this.#lastId = id.length <= MAX_ID_LENGTH && /^[\x20-\x7e]+$/.test(id) ? id : undefined;
    this.#failed = 0;
  }
}
