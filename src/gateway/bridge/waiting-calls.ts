/** The registry of this node's waiting calls: enforces limits, retains outcomes for retries, and remembers which calls have ended. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import { withTimeout } from '../../peer/wait.ts';
import type { Question } from '../../revisions/contract.ts';
import type { BridgeContext } from './bridge-context.ts';
import { actionOf } from './carry-answer.ts';
import type { WaitingCall, WaitingCallOwner, WaitingCallSettings, WaitingEnd } from './waiting-call.ts';

/** Ids of ended calls; beyond this, the oldest are evicted. */
const MAX_REMEMBERED = 100_000;

const defaults = {
  /** Questions that arrive within this time are sent together. */
  batchMs: 15,
  /** From the expiry until the upstream's request is aborted. */
  graceMs: 2_000,
  /** How long an outcome is retained, for a duplicate retry or one whose response was lost. */
  retainMs: 60_000,
  /** How long the id of an ended call is remembered. */
  rememberMs: 600_000,
  maxCalls: 1_000,
  /** Per verified caller. */
  maxCallsPerCaller: 8,
  maxRounds: 20,
  /** The size of one retained outcome, and of all of them. */
  maxOutcomeBytes: 1_048_576,
  maxRetainedBytes: 67_108_864,
};

/** Limits per call, and for all calls of a node. */
export type WaitingLimits = Readonly<typeof defaults>;

export interface WaitingCallsSettings extends Pick<BridgeContext, 'clock' | 'states' | 'metrics'> {
  readonly node: string;
  readonly limits?: Partial<WaitingLimits> | undefined;
}

export class WaitingCalls implements WaitingCallOwner {
  readonly limits: WaitingLimits;
  readonly #settings: WaitingCallsSettings;
  /** By id: waiting calls, and ended ones whose outcome is retained for a retry. */
  readonly #calls: Map<string, WaitingCall> = new Map();
  readonly #waiting: Set<WaitingCall> = new Set();
  /** When to forget each ended call, by id. A negative time marks an expired call; a plain number keeps 100,000 entries small. */
  readonly #over: Map<string, number> = new Map();
  #retainedBytes = 0;
  #onEmpty: () => void = () => undefined;

  constructor(settings: WaitingCallsSettings) {
    this.#settings = settings;
    this.limits = { ...defaults, ...settings.limits };
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Throws −32602 for an unknown call: this node issued the state, so the call has ended. */
  find(id: string): WaitingCall {
    const call = this.#calls.get(id);
    if (call !== undefined) return call;
    const why = (this.#over.get(id) ?? 0) < 0 ? 'the time for an answer has expired' : 'the call has ended';
    throw new RpcError(INVALID_PARAMS, `requestState cannot be continued: ${why}`);
  }

  /** Cancels a call that the policy denies by now. Ended calls are ignored. */
  abandon(id: string): void {
    this.#calls.get(id)?.cancel();
  }

  /** Registers a call that asks for the first time. False if too many wait; calls that already wait are never evicted. */
  admit(call: WaitingCall): boolean {
    const { principal, part, maxWaitingCalls } = call.settings;
    const count = (matches: (other: WaitingCallSettings) => boolean): number =>
      [...this.#waiting].filter(({ settings }) => matches(settings)).length;
    const isFull =
      this.#waiting.size >= this.limits.maxCalls ||
      count((other) => other.part.label === part.label) >= maxWaitingCalls ||
      // Without authorization, all callers share the empty principal, so only the other limits apply.
      (principal !== '' && count((other) => other.principal === principal) >= this.limits.maxCallsPerCaller);
    if (isFull) return false;
    this.#waiting.add(call);
    this.#calls.set(call.id, call);
    return true;
  }

  /** Ends the wait. The outcome of a finished call is retained for a while, because its retry can be sent twice. */
  finish(call: WaitingCall, end: WaitingEnd): void {
    this.#waiting.delete(call);
    if (this.#waiting.size === 0) this.#onEmpty();
    this.#settings.metrics?.count('waiting_calls_total', { end });
    if (end === 'done' || end === 'failed') this.after(this.limits.retainMs, () => this.#forget(call, false));
    else this.#forget(call, end === 'expired');
  }

  /** Accounts for a retained outcome; false if it exceeds the limits. */
  retain(call: WaitingCall, bytes: number): boolean {
    if (!this.#calls.has(call.id)) return true;
    if (bytes > this.limits.maxOutcomeBytes || this.#retainedBytes + bytes > this.limits.maxRetainedBytes) return false;
    call.retainedBytes = bytes;
    this.#retainedBytes += bytes;
    return true;
  }

  sealState({ id, settings }: WaitingCall, round: number): string {
    const { states, node } = this.#settings;
    return states.seal({ stage: 'wait', part: settings.part, node, call: id, round }, settings.bound);
  }

  countAnswer(method: Question['method'], answer: JsonObject): void {
    const labels = { kind: method, pair: 'waiting', answer: actionOf(answer) };
    this.#settings.metrics?.count('questions_total', labels);
  }

  after(ms: number, run: () => void): () => void {
    return this.#settings.clock.after(ms, run, { idle: true });
  }

  /** Gives calls `ms` to get their answers, expires the rest, and waits for their upstream requests. */
  async drain(ms: number): Promise<void> {
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
      if (this.#waiting.size === 0) resolve();
    });
    await withTimeout(ms, this.#settings.clock, empty);
    await this.#endAll((call) => call.expire());
  }

  close(): Promise<void> {
    return this.#endAll((call) => call.cancel());
  }

  async #endAll(end: (call: WaitingCall) => void): Promise<void> {
    const all = [...this.#waiting];
    for (const call of all) end(call);
    await Promise.all(all.map((call) => call.ended));
  }

  #forget(call: WaitingCall, expired: boolean): void {
    const { id } = call;
    this.#calls.delete(id);
    this.#retainedBytes -= call.retainedBytes;
    call.retainedBytes = 0;
    const now = this.#settings.clock.now();
    for (const [old, until] of this.#over) {
      if (Math.abs(until) > now && this.#over.size < MAX_REMEMBERED) break;
      this.#over.delete(old);
    }
    const until = Math.ceil(now + this.limits.rememberMs);
    this.#over.set(id, expired ? -until : until);
  }
}
