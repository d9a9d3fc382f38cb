/**
 * A stream of messages in a session: the response to one POST, or the standing stream. When it breaks off, it is resumed from the
 * last event that came, and not too soon.
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

/** The shortest pause before a stream is resumed, whatever the server says. */
const MIN_PAUSE_MS = 50;
/** So many responses in a row without a message, and a server that is polled no longer sets the pace alone. */
const MAX_EMPTY = 3;
/** Limits our own pause to four seconds: a server may work for long before it has something to say. */
const MAX_QUIET = 2;
/** A stream that lasted so long did not fail, even if nothing came. */
const LASTING_MS = 30_000;
const MAX_ID_LENGTH = 1024;

export interface PostedRequest {
  readonly id: Id;
  readonly method: string;
  readonly body: string;
  readonly repeatable: boolean;
  /** Of `initialize`: the revision it offers. */
  readonly offers?: string;
  /** Of `initialize`: whether a status means that the server expects HTTP+SSE. */
  suggestsSse?(status: number): boolean;
}

/** The session that streams belong to. */
export interface StreamChannel {
  readonly sender: Sender;
  /** Of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the revision can resume a stream. */
  readonly resumable: boolean;
  readonly hasSession: boolean;
  readonly isOver: boolean;
  /** What is known of the standing stream. */
  readonly standing: Pick<StandingState, 'opened' | 'ended'>;
  /** Over HTTP+SSE, messages go to a URL that the server named, and all answers come on one stream. */
  readonly usesSse: boolean;
  toPost(request: Omit<PostedRequest, 'id'>): OutgoingHttpRequest;
  /** Takes a JSON text that came on the stream of this request of ours. */
  receive(text: string, of?: Id): void;
  setSession(id: string | undefined): void;
  /** Gives a request its outcome. */
  answer(response: RpcResponse): void;
  fail(id: Id, error: McpError): void;
  /** The server does not know the session: it has not looked at the request with this id. */
  lost(operation: string, id?: Id): void;
  /** Switches to HTTP+SSE, if the server speaks that. */
  fallBack(): Promise<boolean>;
}

export class SessionStream implements ResponseHandler, Deadline {
  readonly #channel: StreamChannel;
  /** Undefined for the standing stream. */
  readonly #posted: PostedRequest | undefined;
  due: number = Number.POSITIVE_INFINITY;
  place = -1;
  /** The response that comes in is the one to the POST, not to a GET that resumes. */
  #isPost: boolean;
  /** The request has its outcome. */
  #isSettled = false;
  #isRead = false;
  #stop: () => void = () => undefined;
  #events: SseParser | undefined;
  /** When the response that comes in began; undefined where none does. */
  #openedAt: number | undefined;
  #wasOpened = false;
  #lastId: string | undefined;
  #retry: number | undefined;
  /** Attempts in a row that brought nothing, not even an id. */
  #failed = 0;
  /** Attempts in a row that brought no message. Ids alone cost a server nothing, and must not set the pace. */
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

  /** The request was answered, failed or cancelled. */
  settled(): void {
    this.#isSettled = true;
    if (this.#isRead && this.#events === undefined) return;
    if (this.#channel.isOver) this.expire();
    else this.#channel.sender.linger(this);
  }

  /** Nothing more is wanted of it. */
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
    this.#fail(new McpError('MCP_BAD_RESULT', { method: this.#operation, why: 'it does not answer the request' }));
  }

  opened(events: SseParser): void {
    const { sender, standing } = this.#channel;
    this.#events = events;
    this.#openedAt = sender.settings.clock.now();
    // From the last event on, the server sends what came meanwhile.
    if (this.#posted === undefined) standing.opened(!this.#wasOpened || this.#lastId !== undefined);
    this.#wasOpened = true;
  }

  event({ type, data }: SseEvent): void {
    this.#noteProgress();
    // An event without data only says where the stream can be resumed.
    if (data === '' || type !== 'message') return;
    this.#quiet = 0;
    this.#channel.receive(data, this.#posted?.id);
  }

  ended(): void {
    this.#responseEnded();
    // Mostly the answer has come, and making an error would be wasted.
    if (this.#isWanted) this.#brokenOff(new McpError('MCP_CLOSED', { why: 'it ended' }));
  }

  failed(error: McpError): void {
    this.#responseEnded();
    if (this.#isPost && this.#events === undefined) this.#fail(error);
    else if (error.kind === 'offline') this.#brokenOff(error);
    else this.#giveUp(error);
  }

  accepted(): void {
    const { sender, usesSse } = this.#channel;
    const { url } = sender.settings;
    if (!this.#isPost) this.#giveUp(unexpectedError(url, this.#operation, 'it opened no stream'));
    else if (usesSse) this.#isRead = true;
    else this.#fail(unexpectedError(url, this.#operation, 'it accepted the request and gave no answer'));
  }

  rejected(response: ErrorResponse): void {
    this.#responseEnded();
    const { usesSse, hasSession, sender } = this.#channel;
    const isLost = response.status === 404 && hasSession;
    if (!this.#isPost) {
      const error = toHttpError(response, sender.settings.url, this.#operation);
      // A server that has one stream for each session can take a while to notice that the last one broke off.
      const isTaken = response.status === 409 && this.#posted === undefined && this.#wasOpened;
      if (error.kind === 'offline' || isTaken) this.#brokenOff(error);
      else if (isLost && this.#wasOpened) this.#channel.lost(this.#operation);
      else if (this.#posted === undefined && this.#lastId !== undefined) {
        // The server may not know the event any more: the stream is opened from now on.
        this.#lastId = undefined;
        this.#events = undefined;
        this.#brokenOff(error);
      } else this.#giveUp(error);
    } else if (isLost) this.#channel.lost(this.#operation, this.#posted?.id);
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

  /** Opens the standing stream, or resumes the stream from where it broke off. */
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

  /** An error of JSON-RPC is an answer, unless a 5xx carries it for no request in particular. */
  #reject(response: ErrorResponse): void {
    const id = this.#posted?.id;
    const failure = id === undefined ? undefined : answerIn(response, id);
    if (id === undefined || failure === undefined)
      this.#fail(toHttpError(response, this.#channel.sender.settings.url, this.#operation));
    else this.#channel.answer({ ...failure, id });
  }

  #brokenOff(error: McpError): void {
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
    // A server that had a standing stream has one again when it is back.
    const isPatient = this.#posted === undefined && this.#wasOpened;
    if (!canResume || (++this.#failed > MAX_ATTEMPTS && !isPatient)) this.#giveUp(error);
    else
      this.#stop = clock.after(this.#pauseMs(), () => {
        if (this.#isWanted) this.#get();
      });
  }

  /** Whatever kept it from being resumed: what became of the work behind it is not known. */
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
    this.#channel.sender.ended(this);
  }

  /** Never less than the server asks for; by our own rule after failures, or where the server asks for nothing. */
  #pauseMs(): number {
    const failures = Math.max(this.#failed, Math.min(this.#quiet, MAX_QUIET));
    const ours = backoffMs(failures, this.#channel.sender.settings.random());
    if (this.#retry === undefined) return ours;
    return Math.max(this.#retry, this.#failed > 1 || this.#quiet > MAX_EMPTY ? ours : MIN_PAUSE_MS);
  }

  /** Remembers how far the stream has come. */
  #noteProgress(): void {
    const { lastEventId: id, retry } = this.#events ?? {};
    this.#retry = retry ?? this.#retry;
    if (id === undefined || id === this.#lastId) return;
    // An id that no header can carry is of no use.
    this.#lastId = id === '' || !isSendable(id) ? undefined : id;
    this.#failed = 0;
  }
}

function isSendable(id: string): boolean {
  if (id.length > MAX_ID_LENGTH) return false;
  for (let i = 0; i < id.length; i++) {
    const c = id.charCodeAt(i);
    if (c < 0x20 || c > 0x7e) return false;
  }
  return true;
}
