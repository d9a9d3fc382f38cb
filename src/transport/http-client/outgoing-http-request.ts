/** A request as this room sends it, and how its response is handed over. */
import type { McpError } from '../../errors.ts';
import type { ErrorResponse } from './http-errors.ts';
import type { SseEvent, SseParser } from './sse-parser.ts';
import type { ResponseHeader, WireRequest } from './wire.ts';

export interface OutgoingHttpRequest extends Omit<WireRequest, 'url'> {
  /** Without it, the URL of the connection. */
  readonly url?: URL | undefined;
  /** What it is called in errors: the method of JSON-RPC, where there is one. */
  readonly operation: string;
  /** JSON or a stream; only a stream; or only that the server accepts the request. */
  readonly expects: 'answer' | 'stream' | 'nothing';
  /** Safe to send again when the server is busy. */
  readonly repeatable?: boolean;
  /** The revision that an `initialize` offers; other requests name theirs in a header. */
  readonly offers?: string | undefined;
}

/** Gets the response in pieces. Only those that expect JSON or a stream need `json`, `event` and `ended`. */
export interface ResponseHandler {
  /** The status is a success. */
  succeeded?(header: ResponseHeader): void;
  json?(text: string): void;
  opened?(events: SseParser): void;
  event?(event: SseEvent): void;
  /** The end of a stream. */
  ended?(): void;
  /** A success without content. */
  accepted(): void;
  rejected(response: ErrorResponse): void;
  /** The response could not be read to its end. */
  failed(error: McpError): void;
}
