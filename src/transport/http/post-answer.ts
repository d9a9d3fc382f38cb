/**
 * The way out of one POST: JSON while nothing but answers is said, a stream from the first other message on; or when the
 * answer takes so long that those in between would give up.
 */
import { failure, type Message, type Response } from '../../jsonrpc/message.ts';
import type { EventStream } from './event-stream.ts';
import type { Accepts } from './media.ts';
import type { Beating, Place, Pulse } from './pulse.ts';
import { type HeaderList, JSON_TYPE, type Reply } from './view.ts';

export interface PostAnswerOptions {
  readonly accepts: Accepts;
  /** Sent with whatever the answer is. */
  readonly headers?: HeaderList | undefined;
  /** How many answers go into one array; a lone message has one answer and no array. */
  readonly batch?: number | undefined;
  /** Opens the stream when nothing has been said for long; absent where the answer decides what is sent with it. */
  readonly pulse?: Pulse | undefined;
  /** Makes the stream, when it is needed. */
  stream(): EventStream;
}

export const streamHeaders: HeaderList = {
  'Content-Type': 'text/event-stream',
  // Neither kept nor compressed on the way: either would hold events back.
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};
const jsonHeaders: HeaderList = { 'Content-Type': JSON_TYPE };

export class PostAnswer implements Beating {
  readonly #reply: Reply;
  readonly #options: PostAnswerOptions;
  #stream: EventStream | undefined;
  #answered: Response[] = [];
  #open: number;
  #place: Place | undefined;

  constructor(reply: Reply, options: PostAnswerOptions) {
    this.#reply = reply;
    this.#options = options;
    this.#open = options.batch ?? 1;
    if (options.accepts.events && this.#open > 0) this.#place = options.pulse?.add(this);
  }

  /** Whether there is a way to say something before the answer. */
  get streams(): boolean {
    return this.#options.accepts.events;
  }

  /** Something that comes before an answer. */
  say(message: Message): void {
    if (this.streams) this.#streaming().send(written(message));
  }

  /** One answer; undefined when a request was called off, so that nothing more is said about it. */
  answer(response: Response | undefined, status: number): void {
    const last = --this.#open === 0;
    if (last) this.#leave();
    if (this.#stream !== undefined) {
      if (response !== undefined) this.#stream.send(written(response), last);
      else if (last) this.#stream.end();
    } else if (this.#options.batch === undefined) this.#alone(response, status);
    else {
      if (response !== undefined) this.#answered.push(response);
      if (last) this.#together();
    }
  }

  beat(): void {
    this.#streaming().beat();
  }

  /** Ends the connection and leaves the stream, so that the client comes back for the answer. */
  release(retryMs: number): void {
    if (this.streams) this.#streaming().release(retryMs);
  }

  #alone(response: Response | undefined, status: number): void {
    const { accepts, headers } = this.#options;
    if (response === undefined) this.#nothing();
    else if (accepts.json || status !== 200) {
      const all = headers === undefined ? jsonHeaders : { ...headers, ...jsonHeaders };
      this.#reply.send(status, all, written(response));
    } else this.#streaming().send(written(response), true);
  }

  #together(): void {
    const { accepts, headers } = this.#options;
    if (this.#answered.length === 0) this.#nothing();
    else if (accepts.json) {
      this.#reply.send(200, { ...headers, ...jsonHeaders }, `[${this.#answered.map(written).join(',')}]`);
    } else this.#streaming().end();
  }

  /** A stream without events says nothing, and is an answer that every client understands. */
  #nothing(): void {
    const { headers } = this.#options;
    if (this.streams) this.#reply.stream(200, { ...headers, ...streamHeaders }).end();
    else this.#reply.send(202, headers ?? {});
  }

  #leave(): void {
    if (this.#place !== undefined) this.#options.pulse?.leave(this.#place);
  }

  #streaming(): EventStream {
    if (this.#stream !== undefined) return this.#stream;
    const { headers, stream } = this.#options;
    this.#leave();
    this.#stream = stream();
    this.#stream.open(this.#reply.stream(200, { ...headers, ...streamHeaders }), this.#reply);
    for (const response of this.#answered.splice(0)) this.#stream.send(written(response));
    return this.#stream;
  }
}

/** A message as JSON; one that has no JSON is told as an error of ours. */
function written(message: Message): string {
  try {
    return JSON.stringify(message);
  } catch (thrown) {
    return JSON.stringify(failure('id' in message ? (message.id ?? undefined) : undefined, thrown));
  }
}
