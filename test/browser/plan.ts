/** The messages between the page and the program that serves it. */

/** The instructions for the page. */
export interface Plan {
  /** An endpoint that allows the page's origin, and the one for HTTP+SSE. */
  readonly open: string;
  readonly sse: string;
  /** Endpoints that do not allow it. */
  readonly closed: readonly string[];
  readonly revisions: readonly string[];
}

/** Requests of the page to the server's side. */
export type Act = 'news' | 'go' | 'look' | 'done';

/** What the server has recorded so far. */
export interface Seen {
  readonly ran: number;
  readonly aborted: number;
}

/** The result of one check. */
export interface Verdict {
  readonly what: string;
  /** The reason of a failure. */
  readonly why?: string;
}
