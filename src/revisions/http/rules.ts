/** What a revision says about HTTP, as facts for the transport. */
export interface HttpRules {
  /** A conversation has an id in a header, is opened by a POST and ended by DELETE; GET opens a standing stream. */
  readonly sessions: boolean;
  /** Requests after the handshake name their revision in the header MCP-Protocol-Version. */
  readonly versionHeader: boolean;
  /** Method, name and marked arguments are repeated in headers, and must agree with the body. */
  readonly mirrors: boolean;
  /** Events have ids; a stream that broke off can be taken up again. */
  readonly resumable: boolean;
  /** A stream begins with an empty event that has an id, and may be closed early by a server that wants to be polled. */
  readonly polling: boolean;
  /** Client: whether to try HTTP+SSE when a server rejects the first request with this status. */
  suggestsSse(status: number): boolean;
  /** The status of an answer that is an error, when no stream was opened for it. */
  status(code: number): number;
}
