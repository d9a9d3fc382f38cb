/** The little that this room needs of an HTTP library: sending one request, and getting its response piece by piece. */

export interface WireRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export type ResponseHeader = (name: string) => string | undefined;

/** Gets one response: the head, the pieces of the body, the end; or a failure. Nothing comes after the end or a failure. */
export interface WireReceiver {
  head(status: number, header: ResponseHeader): void;
  /** A piece of the body, decompressed. */
  data(chunk: Uint8Array): void;
  end(): void;
  /** `sent` is false when the request certainly never left. */
  fail(error: unknown, sent: boolean): void;
}

export interface WireCall {
  /** Ends it; the receiver gets nothing more. */
  abort(): void;
}

export interface Wire {
  send(request: WireRequest, receiver: WireReceiver): WireCall;
  /** Ends every connection at once. */
  close(): void;
}
