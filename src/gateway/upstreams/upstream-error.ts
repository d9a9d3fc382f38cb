/** An upstream that could not do its part, in the words that a caller gets. */

/** What became of the request: the upstream never saw it, or it is not known whether it took effect. */
export type UpstreamOutcome = 'not-sent' | 'unknown';

/** With `isolate: session`. */
export const SESSION_LOST =
  'lost its session, and what it kept for this caller is gone: the next call begins another one';

/** A reload removed it. */
export const NO_LONGER_SERVED = 'is no longer served';

export interface UpstreamErrorOptions extends ErrorOptions {
  readonly retryAfterMs?: number;
}

export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly label: string;
  readonly outcome: UpstreamOutcome;

  /** When the same request can succeed, where that is known. */
  readonly retryAfterMs: number | undefined;

  constructor(label: string, outcome: UpstreamOutcome, why: string, options: UpstreamErrorOptions = {}) {
    super(`The server ${label} ${why}`, options);
    this.retryAfterMs = options.retryAfterMs;
    this.label = label;
    this.outcome = outcome;
  }
}
