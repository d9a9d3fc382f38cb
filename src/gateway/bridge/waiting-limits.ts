/** Limits of waiting calls: per call, and for all calls of a node. */
import type { PartReference, UpstreamQuestions } from '../contract.ts';

/** The fixed settings of one waiting call. */
export interface WaitingCallSettings {
  readonly part: PartReference;
  readonly principal: string;
  /** `stateBinding` of the request that started the call. */
  readonly bound: string;
  readonly questions: UpstreamQuestions;
  /** How long the caller has to answer. */
  readonly waitMs: number;
  readonly maxWaitingCalls: number;
}

export interface WaitingLimits {
  /** Questions that arrive within this time are sent together. */
  readonly batchMs: number;
  /** From the expiry until the upstream's request is aborted. */
  readonly graceMs: number;
  /** How long an outcome is retained, for a duplicate retry or one whose response was lost. */
  readonly retainMs: number;
  /** How long the id of an ended call is remembered. */
  readonly rememberMs: number;
  readonly maxCalls: number;
  /** Per verified caller. */
  readonly maxCallsPerCaller: number;
  readonly maxRounds: number;
  /** The size of one retained outcome, and of all of them. */
  readonly maxOutcomeBytes: number;
  readonly maxRetainedBytes: number;
}
