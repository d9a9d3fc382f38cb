/** What calls that wait for answers are bound by: one call by its facts, all calls of a node by its limits. */
import type { PartReference, UpstreamQuestions } from '../contract.ts';

/** What does not change during a call. */
export interface WaitingCallFacts {
  readonly part: PartReference;
  readonly principal: string;
  /** What the states of the call are bound to. */
  readonly bound: string;
  readonly questions: UpstreamQuestions;
  /** For the answer to a question. */
  readonly waitMs: number;
  readonly maxWaitingCalls: number;
}

/** How long calls wait for answers, and how many can. */
export interface WaitingLimits {
  /** Questions within it go out together. */
  readonly gatherMs: number;
  /** From the end of the time for an answer until the upstream's request is cancelled. */
  readonly graceMs: number;
  /** How long a result is kept: for a retry that is sent twice, and for one that was lost on its way. */
  readonly keepMs: number;
  /** How long the id of a call that is over is remembered. */
  readonly rememberMs: number;
  readonly maxCalls: number;
  /** For one verified caller. */
  readonly maxCallsPerCaller: number;
  readonly maxRounds: number;
  /** Of one outcome that is kept, and of all of them. */
  readonly maxOutcomeBytes: number;
  readonly maxKeptBytes: number;
}
