/** What happened on the way to a token, told step by step to whoever wants to know. */
export interface TraceStep {
  /** What was asked or decided, in a few words: `authorization server metadata`, `issuer`, `scopes`. */
  readonly step: string;
  /** Whom, where somebody was asked: a URL without its query. */
  readonly of?: string;
  readonly outcome: 'asked' | 'accepted' | 'refused' | 'chosen';
  /** What came, and why it was taken or not. Holds no secret. */
  readonly why: string;
}

export type Trace = (step: TraceStep) => void;
