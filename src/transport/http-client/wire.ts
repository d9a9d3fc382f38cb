/** The interface to an HTTP library: sends one request, and delivers its response in chunks. */

export interface WireRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export type ResponseHeader = (name: string) => string | undefined;

/** Receives one response: the head, chunks of the body, then the end. A failure can replace any of these, and is the last call. */
export interface WireReceiver {
  head(status: number, header: ResponseHeader): void;
  /** Receives a chunk of the body, decompressed. */
  data(chunk: Uint8Array): void;
  end(): void;
  /** `sent` is false if the request was certainly not sent. */
  fail(error: unknown, sent: boolean): void;
}

export interface WireCall {
  /** Aborts the request; the receiver is not called any more. */
  abort(): void;
}

export interface Wire {
  send(request: WireRequest, receiver: WireReceiver): WireCall;
  /** Closes every connection at once. */
  close(): void;
}
