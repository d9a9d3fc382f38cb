/** A request and a response, as the endpoints use them. `node-view.ts` and `node-reply.ts` implement them for Node, `fetch.ts` for `fetch` runtimes. */
import type { MessageBody } from '../../jsonrpc/write.ts';

export type HeaderList = Readonly<Record<string, string>>;

export interface HttpView {
  readonly method: string;
  /** The path without the query. Can be a getter that parses the URL. */
  readonly path: string;
  /** The query string without the `?`. */
  readonly query?: string | undefined;
  /** The remote address of the connection; undefined if the runtime does not expose it. */
  readonly address?: string | undefined;
  /** A header by its lower-case name. Duplicates are joined with commas, so that they equal no expected value. */
  header(name: string): string | undefined;
  /** The body, if a middleware has read and parsed it. */
  readonly parsed?: unknown;
  /** Reads the body as text. Rejects with an `HttpRejection` as soon as the body is known to be too large or not UTF-8. */
  text(limit: number): Promise<string>;
}

export interface HttpReply {
  /** The CORS headers, which are sent with every response. */
  commonHeaders: HeaderList | undefined;
  send(status: number, headers?: HeaderList): void;
  /** Sends a complete response, with type and length. */
  sendJson(status: number, body: MessageBody, headers?: HeaderList): void;
  /** Starts a stream of server-sent events, with status 200. */
  stream(headers?: HeaderList): EventSink;
  /** Calls the listener when the client disconnects before the response has ended, or at once if it already has. */
  onGone(listener: () => void): void;
}

export interface EventSink {
  /** Writes text. Text of one turn of the event loop is sent together. */
  write(text: string): void;
  /** Bytes of earlier turns that the client has not read. */
  readonly queued: number;
  /** Ends the stream after the text written so far. */
  end(): void;
  /** Closes the connection at once, and discards text that the client has not read. */
  abort(): void;
}

export const JSON_TYPE = 'application/json';

export const STREAM_HEADERS: HeaderList = {
  'Content-Type': 'text/event-stream',
  // Proxies must neither cache, compress nor buffer the stream: each would delay events.
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};
