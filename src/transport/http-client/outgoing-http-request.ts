/** The requests that `Sender` sends, and the interface that handles their responses. */
import type { McpError } from '../../errors.ts';
import type { ErrorResponse } from './http-errors.ts';
import type { SseEvent, SseParser } from './sse-parser.ts';
import type { ResponseHeader, WireRequest } from './wire.ts';

export interface OutgoingHttpRequest extends Omit<WireRequest, 'url'> {
  /** Default: the URL of the connection. */
  readonly url?: URL | undefined;
  /** The name of the request in errors: its JSON-RPC method if it has one. */
  readonly operation: string;
  /** `answer`: JSON or a stream. `stream`: only a stream. `nothing`: only a status. */
  readonly expects: 'answer' | 'stream' | 'nothing';
  /** Whether the request can be sent again if the server is busy. */
  readonly repeatable?: boolean;
  /** The revision that an `initialize` offers; other requests name theirs in a header. */
  readonly offers?: string | undefined;
}

/** Handles a response in chunks. `json`, `event` and `ended` are needed only if JSON or a stream is expected. */
export interface ResponseHandler {
  /** Called when the status is a success. */
  succeeded?(header: ResponseHeader): void;
  json?(text: string): void;
  opened?(events: SseParser): void;
  event?(event: SseEvent): void;
  /** Called when a stream has ended. */
  ended?(): void;
  /** Called for a success without content. */
  accepted(): void;
  rejected(response: ErrorResponse): void;
  /** Called when there is no response, or it could not be read to its end. */
  failed(error: McpError): void;
}
