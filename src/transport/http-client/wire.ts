/** Sending one HTTP request and hearing its answer piece by piece: the little that this room needs of an HTTP library. */
export interface WireRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Told of one answer: the head, the pieces of the body, the end; or that it failed. Nothing comes after the end or a failure. */
export interface WireReceiver {
  head(status: number, header: (name: string) => string | undefined): void;
  /** A piece of the body, decompressed. */
  data(chunk: Uint8Array): void;
  end(): void;
  /** `sent` is false when the request certainly never left. */
  fail(error: unknown, sent: boolean): void;
}

/** One request under way. */
export interface WireCall {
  /** The receiver is told nothing more. */
  hangUp(): void;
}

export interface Wire {
  send(request: WireRequest, receiver: WireReceiver): WireCall;
  /** Ends every connection at once. */
  close(): void;
}
