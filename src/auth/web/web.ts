/** The web as the OAuth chain sees it: small requests, small answers, every one of them guarded. */
export interface WebRequest {
  /** What it is for, in a few words, as the trace prints it: `protected resource metadata`, `token`. */
  readonly step: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `application/x-www-form-urlencoded`, or as JSON. */
  readonly body?: URLSearchParams | { readonly json: unknown };
}

export interface WebResponse {
  readonly status: number;
  /** A field by its name in lower case. */
  header(name: string): string | undefined;
  /** The body, if it is JSON; undefined otherwise. */
  readonly json: unknown;
}

/** Rejects with an `McpError` when the request may not be made, cannot be made, or its answer breaks a limit. */
export type Web = (request: WebRequest) => Promise<WebResponse>;
