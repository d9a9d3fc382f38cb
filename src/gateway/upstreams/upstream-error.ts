/** An upstream that could not do its part, in the words that a caller gets. */

/** What became of the request: the upstream never saw it, or it is not known whether it took effect. */
export type UpstreamOutcome = 'not-sent' | 'unknown';

export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly label: string;
  readonly outcome: UpstreamOutcome;

  constructor(label: string, outcome: UpstreamOutcome, why: string, options?: ErrorOptions) {
    super(`The server ${label} ${why}`, options);
    this.label = label;
    this.outcome = outcome;
  }
}
