/**
 * The response to one POST: plain JSON, unless another message precedes it, or it takes so long that a proxy would close the
 * connection; then a stream.
 */
import { McpError } from '../../errors.ts';
import { failure, type Id, type Message, type RpcRequest, type RpcResponse } from '../../jsonrpc/message.ts';
import { write, writeBody } from '../../jsonrpc/write.ts';
import type { CallLink, LinkChannel } from '../../peer/call-link.ts';
import type { Link } from '../../peer/exchange.ts';
import type { IdleListener, KeepAlive } from '../../peer/keep-alive.ts';
import type { EventStream, StreamConnection } from './event-stream.ts';
import type { Accepts } from './media.ts';
import { laterHeaders } from './retry-later.ts';

/** The parts of a POST that its response needs. */
export interface IncomingPost extends StreamConnection {
  readonly accepts: Accepts;
}

/** The endpoint or session that a POST belongs to. */
export interface PostOwner {
  /** Opens a stream for a response that takes long. Absent if the response determines status and headers. */
  readonly keepAlive: KeepAlive | undefined;
  /** Delay before a released client reconnects; undefined if streams cannot be released. */
  readonly retryMs?: number | undefined;
  /** Creates the stream, on first use. */
  stream(post: PostResponse): EventStream;
  /** Sends a request on behalf of a call, on the stream of its POST. */
  ask(request: RpcRequest, call: Link, post: PostResponse): Promise<RpcResponse>;
}

export class PostResponse implements LinkChannel, IdleListener {
  due: number | undefined;
  earlier: IdleListener | undefined;
  later: IdleListener | undefined;
  /** The ids of the requests in this POST, if a client can resume its stream at another process. */
  answers: Id | readonly Id[] | undefined;
  /** The call of this POST, if a disconnect cancels it. */
  call: CallLink | undefined;
  readonly #post: IncomingPost;
  readonly #owner: PostOwner;
  readonly #keepAlive: KeepAlive | undefined;
  #stream: EventStream | undefined;
  /** The responses to a batch, which are sent as one array. */
  readonly #batch: RpcResponse[] | undefined;
  #open: number;

  constructor(post: IncomingPost, owner: PostOwner, batch?: number) {
    this.#post = post;
    this.#owner = owner;
    this.#batch = batch === undefined ? undefined : [];
    this.#open = batch ?? 1;
    this.#keepAlive = post.accepts.events && this.#open > 0 ? owner.keepAlive : undefined;
    this.#keepAlive?.add(this);
  }

  get retryMs(): number | undefined {
    return this.#post.accepts.events ? this.#owner.retryMs : undefined;
  }

  ask(request: RpcRequest, call: Link): Promise<RpcResponse> {
    if (this.#post.accepts.events) return this.#owner.ask(request, call, this);
    return Promise.reject(new McpError('MCP_CLOSED', { why: 'the client does not accept a stream' }));
  }

  watch(): void {
    if (this.call !== undefined) this.#post.reply.onGone(() => this.hangUp());
  }

  /** Cancels the call, because the client has closed the connection. */
  hangUp(): void {
    const { call } = this;
    call?.cancel(new McpError('MCP_CANCELLED', { method: call.method, why: 'the client hung up' }));
  }

  onCancelled(): void {
    if (this.call === undefined) this.respond(undefined, 200);
    else this.#keepAlive?.remove(this);
  }

  /** Sends a message before the response. */
  send(message: Message): void {
    if (this.#post.accepts.events) this.#streaming().send(toJson(message, write));
  }

  /** Sends the response to a request; undefined if the request was cancelled. */
  respond(response: RpcResponse | undefined, status: number): void {
    const last = --this.#open === 0;
    if (last) this.#keepAlive?.remove(this);
    if (this.#stream !== undefined) {
      if (response !== undefined) this.#stream.send(toJson(response, write), last);
      else if (last) this.#stream.end();
    } else if (this.#batch !== undefined) {
      if (response !== undefined) this.#batch.push(response);
      if (last) this.#respondBatch(this.#batch);
    } else if (response === undefined) this.#respondEmpty();
    else if (this.#post.accepts.json || status !== 200) {
      const { reply, headers } = this.#post;
      reply.sendJson(
        status,
        toJson(response, writeBody),
        status === 200 ? headers : { ...headers, ...laterHeaders(response) },
      );
    } else this.#streaming().send(toJson(response, write), true);
  }

  onIdle(): void {
    this.#streaming().onIdle();
  }

  /** Closes the connection but not the stream: the client reconnects for the response. */
  release(retryMs: number): void {
    if (this.#post.accepts.events) this.#streaming().release(retryMs);
  }

  #respondBatch(responses: readonly RpcResponse[]): void {
    const { reply, accepts, headers } = this.#post;
    if (responses.length === 0) this.#respondEmpty();
    else if (accepts.json) {
      reply.sendJson(200, `[${responses.map((one) => toJson(one, write)).join(',')}]`, headers);
    } else this.#streaming().end();
  }

  /** Sends a stream without events if possible, because every client understands that as an empty response. */
  #respondEmpty(): void {
    const { reply, accepts, headers } = this.#post;
    if (accepts.events) reply.stream(headers).end();
    else reply.send(202, headers);
  }

  #streaming(): EventStream {
    if (this.#stream !== undefined) return this.#stream;
    this.#keepAlive?.remove(this);
    this.#stream = this.#owner.stream(this);
    this.#stream.open(this.#post);
    for (const response of this.#batch?.splice(0) ?? []) this.#stream.send(toJson(response, write));
    return this.#stream;
  }
}

/** Serializes a message, or an internal error if that fails. */
function toJson<T>(message: Message, writeWith: (message: Message) => T): T | string {
  try {
    return writeWith(message);
  } catch (thrown) {
    return JSON.stringify(failure('id' in message ? (message.id ?? undefined) : undefined, thrown));
  }
}
