/** HTTP as the endpoints see it: a request and a reply. `node-view.ts` with `node-reply.ts`, and `fetch.ts`, make their own. */
import type { MessageBody } from '../../jsonrpc/write.ts';

export type HeaderList = Readonly<Record<string, string>>;

export interface HttpView {
  readonly method: string;
  /** Without the query. Can be a getter that parses the URL. */
  readonly path: string;
  /** What follows the path, without the `?`. */
  readonly query?: string | undefined;
  /** The remote address of the connection; undefined where the runtime does not say it. */
  readonly address?: string | undefined;
  /** A field by its name in lower case. A field that came more than once is joined with commas, and so fits nothing. */
  header(name: string): string | undefined;
  /** The body, if a middleware has read and parsed it. */
  readonly parsed?: unknown;
  /** The body as text. Throws an `HttpRejection` as soon as it is known to be too large or not to be text. */
  text(limit: number): Promise<string>;
}

export interface HttpReply {
  /** Sent with every response: the CORS headers. */
  commonHeaders: HeaderList | undefined;
  send(status: number, headers?: HeaderList): void;
  /** The whole response, with its type and length. */
  sendJson(status: number, body: MessageBody, headers?: HeaderList): void;
  /** A stream of events, with status 200. */
  stream(headers?: HeaderList): EventSink;
  /** Calls back when the client disconnects before the response has ended; at once if it has already. */
  onGone(listener: () => void): void;
}

export interface EventSink {
  /** Sends text. What is written in one turn goes out together. */
  write(text: string): void;
  /** Bytes of earlier turns that wait for the reader. */
  readonly queued: number;
  /** After the last event. */
  end(): void;
  /** At once, without what is not read yet. */
  abort(): void;
}

export const JSON_TYPE = 'application/json';

export const STREAM_HEADERS: HeaderList = {
  'Content-Type': 'text/event-stream',
  // Neither kept nor compressed on the way: either would hold events back.
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};
