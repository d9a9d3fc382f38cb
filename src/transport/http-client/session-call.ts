/** One request of a session: posted, answered as JSON or on a stream, which is taken up again should it break off. */
import { McpError } from '../../errors.ts';
import type { Id, RpcResponse } from '../../jsonrpc/message.ts';
import { statelessCodes } from '../../model/names.ts';
import { displayUrl } from '../../model/printable.ts';
import type { Deadline } from '../../peer/deadlines.ts';
import { answerIn, failureIn, type Refusal, toRefusalError } from './refusal.ts';
import { exchangeHttp, type ReplyHandler } from './reply.ts';
import type { Sent } from './sender.ts';
import type { SseEvent, SseParser } from './sse-parser.ts';
import { EventStreamReader, type StreamChannel, type StreamOwner } from './stream.ts';
import type { WireCall } from './wire.ts';

/** How long a stream may stay open after its answer. */
const GRACE_MS = 1_000;

export interface PostedRequest {
  readonly id: Id;
  readonly method: string;
  readonly body: string;
  readonly repeatable: boolean;
  /** Of the opening alone: the revision it offers. */
  readonly offers?: string;
  /** Of the opening alone: whether a status means that the server expects HTTP+SSE. */
  suggestsSse?(status: number): boolean;
}

/** The session that a request belongs to. */
export interface CallChannel extends StreamChannel {
  readonly over: boolean;
  /** Messages are posted to an address that the server named, and its answers come on one stream. */
  readonly twoEndpoints: boolean;
  posting(posted: Omit<PostedRequest, 'id'>): Sent;
  remember(sessionId: string | undefined): void;
  /** Gives a request its outcome. */
  answer(response: RpcResponse): void;
  fail(id: Id, error: McpError): void;
  /** The server does not know the session: the request with this id was not looked at. */
  lost(what: string, id?: Id): void;
  /** Switches to HTTP+SSE, if the server speaks that. */
  fallBack(): Promise<boolean>;
}

export class ClientSessionCall implements ReplyHandler, StreamOwner, Deadline {
  readonly #channel: CallChannel;
  readonly #posted: PostedRequest;
  readonly standing = false;
  /** When it is hung up on, once it has its outcome. */
  due: number = Number.POSITIVE_INFINITY;
  place = -1;
  #stream: EventStreamReader | undefined;
  #call: WireCall | undefined;
  /** The request has its outcome. */
  #settled = false;
  /** There is nothing more to read of what the POST brought. */
  #read = false;

  constructor(channel: CallChannel, posted: PostedRequest) {
    this.#channel = channel;
    this.#posted = posted;
  }

  get id(): Id {
    return this.#posted.id;
  }

  get what(): string {
    return this.#posted.method;
  }

  get wanted(): boolean {
    return !this.#settled && !this.#channel.over;
  }

  get wants(): 'answer' | 'nothing' {
    return this.#channel.twoEndpoints ? 'nothing' : 'answer';
  }

  post(): void {
    this.#call = exchangeHttp(this.#channel.sender, this.#channel.posting(this.#posted), this);
  }

  /** Answered, failed or called off. Servers end the stream of an answer themselves; those that do not are hung up on. */
  settled(): void {
    this.#settled = true;
    if (this.#read && this.#stream === undefined) return;
    if (this.#channel.over) this.expire();
    else {
      const { settings, graces } = this.#channel.sender;
      this.due = settings.clock.now() + GRACE_MS;
      graces.arm(this);
    }
  }

  succeeded(header: (name: string) => string | undefined): void {
    if (this.#posted.method === 'initialize') this.#channel.remember(header('mcp-session-id'));
  }

  json(text: string): void {
    this.#read = true;
    this.#channel.receive(text);
    if (!this.#settled)
      this.#fail(
        new McpError('MCP_BAD_RESULT', { method: this.#posted.method, why: 'it does not answer the request' }),
      );
  }

  opened(events: SseParser): void {
    this.#stream = new EventStreamReader(this.#channel, this);
    this.#stream.opened(events);
  }

  event(event: SseEvent): void {
    this.#stream?.event(event);
  }

  ended(): void {
    this.#finished();
    this.#stream?.ended();
  }

  failed(error: McpError): void {
    this.#finished();
    if (this.#stream === undefined) this.#fail(error);
    else this.#stream.failed(error);
  }

  accepted(): void {
    if (this.#channel.twoEndpoints) {
      this.#read = true;
      return;
    }
    const why = 'it accepted the request and gave no answer';
    const { url } = this.#channel.sender.settings;
    this.#fail(new McpError('MCP_HTTP_UNEXPECTED', { url: displayUrl(url), method: this.#posted.method, why }));
  }

  refused(refusal: Refusal): void {
    this.#finished();
    const { id, method } = this.#posted;
    const { twoEndpoints, hasSession } = this.#channel;
    if (refusal.status === 404 && hasSession) this.#channel.lost(method, id);
    else if (!twoEndpoints && this.#isWrongTransport(refusal)) void this.#fallBack(refusal);
    else this.#refuse(refusal);
  }

  async #fallBack(refusal: Refusal): Promise<void> {
    try {
      if (!(await this.#channel.fallBack())) this.#refuse(refusal);
      else if (!this.#settled) {
        this.#read = false;
        this.post();
      }
    } catch (error) {
      this.#fail(error instanceof McpError ? error : this.#unread(error));
    }
  }

  #isWrongTransport({ status, text }: Refusal): boolean {
    const code = failureIn(text)?.error.code;
    return this.#posted.suggestsSse?.(status) === true && (code === undefined || !statelessCodes.has(code));
  }

  /** An error of JSON-RPC is an answer, unless the server is in trouble and means no request in particular. */
  #refuse(refusal: Refusal): void {
    const { id, method } = this.#posted;
    const failure = answerIn(refusal, id);
    if (failure === undefined) this.#fail(toRefusalError(refusal, this.#channel.sender.settings.url, method));
    else this.#channel.answer({ ...failure, id });
  }

  #unread(cause: unknown): McpError {
    return new McpError('MCP_BAD_RESULT', { method: this.#posted.method, why: String(cause) }, { cause });
  }

  gone(error: McpError): void {
    this.#fail(error);
  }

  expire(): void {
    this.#call?.hangUp();
    this.#stream?.stop();
  }

  #fail(error: McpError): void {
    this.#read = true;
    this.#channel.fail(this.#posted.id, error);
  }

  #finished(): void {
    this.#read = true;
    this.#channel.sender.graces.disarm(this);
  }
}
