/**
 * The way out of one POST: JSON while nothing but answers is said, a stream from the first other message on; or when the
 * answer takes so long that those in between would give up.
 */
import { failure, type Message, type RpcResponse } from '../../jsonrpc/message.ts';
import { write } from '../../jsonrpc/write.ts';
import type { EventStream } from './event-stream.ts';
import type { IdleListener, KeepAlive } from './keep-alive.ts';
import type { Accepts } from './media.ts';
import type { HeaderList, HttpReply } from './view.ts';

/** What came, as far as its answer is concerned. */
export interface IncomingPost {
  readonly reply: HttpReply;
  readonly accepts: Accepts;
  /** Sent with whatever the answer is, besides what all responses have. */
  readonly headers?: HeaderList | undefined;
}

export interface StreamMaker {
  /** Opens the stream when nothing has been said for long; absent where the answer decides what is sent with it. */
  readonly keepAlive: KeepAlive | undefined;
  /** Makes the stream, when it is needed. */
  stream(): EventStream;
}

export const streamHeaders: HeaderList = {
  'Content-Type': 'text/event-stream',
  // Neither kept nor compressed on the way: either would hold events back.
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

export class PostResponse implements IdleListener {
  due: number | undefined;
  earlier: IdleListener | undefined;
  later: IdleListener | undefined;
  readonly #posted: IncomingPost;
  readonly #maker: StreamMaker;
  readonly #keepAlive: KeepAlive | undefined;
  #stream: EventStream | undefined;
  /** Where several answers go into one array; a lone message has one answer and no array. */
  readonly #answered: RpcResponse[] | undefined;
  #open: number;

  constructor(posted: IncomingPost, maker: StreamMaker, batch?: number) {
    this.#posted = posted;
    this.#maker = maker;
    this.#answered = batch === undefined ? undefined : [];
    this.#open = batch ?? 1;
    this.#keepAlive = posted.accepts.events && this.#open > 0 ? maker.keepAlive : undefined;
    this.#keepAlive?.add(this);
  }

  /** Whether there is a way to say something before the answer. */
  get canStream(): boolean {
    return this.#posted.accepts.events;
  }

  /** Something that comes before an answer. */
  send(message: Message): void {
    if (this.canStream) this.#streaming().send(written(message));
  }

  /** One answer; undefined when a request was called off, so that nothing more is said about it. */
  respond(response: RpcResponse | undefined, status: number): void {
    const last = --this.#open === 0;
    if (last) this.#keepAlive?.remove(this);
    if (this.#stream !== undefined) {
      if (response !== undefined) this.#stream.send(written(response), last);
      else if (last) this.#stream.end();
    } else if (this.#answered !== undefined) {
      if (response !== undefined) this.#answered.push(response);
      if (last) this.#together(this.#answered);
    } else if (response === undefined) this.#nothing();
    else if (this.#posted.accepts.json || status !== 200) {
      this.#posted.reply.sendJson(status, written(response), this.#posted.headers);
    } else this.#streaming().send(written(response), true);
  }

  onIdle(): void {
    this.#streaming().onIdle();
  }

  /** Ends the connection and leaves the stream, so that the client comes back for the answer. */
  release(retryMs: number): void {
    if (this.canStream) this.#streaming().release(retryMs);
  }

  #together(answered: readonly RpcResponse[]): void {
    const { reply, accepts, headers } = this.#posted;
    if (answered.length === 0) this.#nothing();
    else if (accepts.json) {
      reply.sendJson(200, `[${answered.map(written).join(',')}]`, headers);
    } else this.#streaming().end();
  }

  /** A stream without events says nothing, and is an answer that every client understands. */
  #nothing(): void {
    const { reply, headers } = this.#posted;
    if (this.canStream) reply.stream(200, { ...headers, ...streamHeaders }).end();
    else reply.send(202, headers);
  }

  #streaming(): EventStream {
    if (this.#stream !== undefined) return this.#stream;
    const { reply, headers } = this.#posted;
    this.#keepAlive?.remove(this);
    this.#stream = this.#maker.stream();
    this.#stream.open(reply.stream(200, { ...headers, ...streamHeaders }), reply);
    for (const response of this.#answered?.splice(0) ?? []) this.#stream.send(written(response));
    return this.#stream;
  }
}

/** A message as JSON; one that has no JSON is told as an error of ours. */
function written(message: Message): string {
  try {
    return write(message);
  } catch (thrown) {
    return JSON.stringify(failure('id' in message ? (message.id ?? undefined) : undefined, thrown));
  }
}
