/** What the page and the program that serves it say to each other. */

/** What the page is to do. */
export interface Plan {
  /** An endpoint that knows the page's origin, with HTTP+SSE beside it. */
  readonly open: string;
  readonly sse: string;
  /** Endpoints that do not. */
  readonly closed: readonly string[];
  readonly revisions: readonly string[];
}

/** What the page wants done on the server's side. */
export type Act = 'news' | 'go' | 'look' | 'done';

/** What the server has seen so far. */
export interface Seen {
  readonly ran: number;
  readonly aborted: number;
}

/** How one check went. */
export interface Verdict {
  readonly what: string;
  /** Absent when it holds. */
  readonly why?: string;
}
