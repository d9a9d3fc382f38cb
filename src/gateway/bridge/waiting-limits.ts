/** How long calls wait for answers, and how many can. */
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR } from '../../jsonrpc/message.ts';

/** How long and how many. */
export interface WaitingLimits {
  /** Questions within it go out together. */
  readonly gatherMs: number;
  /** From the end of the time for an answer until the upstream's request is cancelled. */
  readonly graceMs: number;
  /** How long what a retry got is kept for the same retry, and an outcome for a retry whose way was lost. */
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

export const waitingDefaults: WaitingLimits = {
  gatherMs: 15,
  graceMs: 2_000,
  keepMs: 60_000,
  rememberMs: 600_000,
  maxCalls: 1_000,
  maxCallsPerCaller: 8,
  maxRounds: 20,
  maxOutcomeBytes: 1024 * 1024,
  maxKeptBytes: 64 * 1024 * 1024,
};

/** It is not known what became of a call. */
export const lostCallError = (label: string, why: string): RpcError =>
  new RpcError(INTERNAL_ERROR, `The outcome of the call to "${label}" is unknown: ${why}`, {
    outcome: 'unknown',
    label,
  });
