/** The calls of this node that wait for answers: how many there can be, what is kept of them, and which of them are over. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import { withTimeout } from '../../peer/wait.ts';
import type { Question } from '../../revisions/contract.ts';
import type { BridgeContext } from './bridge-context.ts';
import { saidIn } from './carry-answer.ts';
import type { WaitingCall, WaitingCallOwner, WaitingEnd } from './waiting-call.ts';
import type { WaitingCallFacts, WaitingLimits } from './waiting-limits.ts';

/** Ids of calls that are over; the oldest are forgotten first. */
const MAX_REMEMBERED = 100_000;

const defaults: WaitingLimits = {
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

export interface WaitingCallsSettings extends Pick<BridgeContext, 'clock' | 'states' | 'metrics'> {
  readonly node: string;
  readonly limits?: Partial<WaitingLimits> | undefined;
}

export class WaitingCalls implements WaitingCallOwner {
  readonly limits: WaitingLimits;
  readonly #settings: WaitingCallsSettings;
  /** By id: those that wait, and those that are kept for a retry. */
  readonly #calls: Map<string, WaitingCall> = new Map();
  readonly #waiting: Set<WaitingCall> = new Set();
  /** By id: until when it is remembered; negative where the time for an answer was over. There can be many. */
  readonly #over: Map<string, number> = new Map();
  #keptBytes = 0;
  #onEmpty: () => void = () => undefined;

  constructor(settings: WaitingCallsSettings) {
    this.#settings = settings;
    this.limits = { ...defaults, ...settings.limits };
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** A node that lives and does not know a call has finished it: −32602. */
  find(id: string): WaitingCall {
    const call = this.#calls.get(id);
    if (call !== undefined) return call;
    const why = (this.#over.get(id) ?? 0) < 0 ? 'the time for an answer has expired' : 'the call is over';
    throw new RpcError(INVALID_PARAMS, `requestState cannot be continued: ${why}`);
  }

  /** Policy denies it now. Calls that are over are left alone. */
  abandon(id: string): void {
    this.#calls.get(id)?.cancel();
  }

  /** A call asks for the first time. False where too many wait: nothing that waits already is dropped for it. */
  admit(call: WaitingCall): boolean {
    const { principal, part, maxWaitingCalls } = call.facts;
    const count = (matches: (other: WaitingCallFacts) => boolean): number =>
      [...this.#waiting].filter(({ facts }) => matches(facts)).length;
    const isFull =
      this.#waiting.size >= this.limits.maxCalls ||
      count((other) => other.part.label === part.label) >= maxWaitingCalls ||
      // Without authorization all callers are one, and the other limits hold.
      (principal !== '' && count((other) => other.principal === principal) >= this.limits.maxCallsPerCaller);
    if (isFull) return false;
    this.#waiting.add(call);
    this.#calls.set(call.id, call);
    return true;
  }

  /** A call no longer waits. What a retry got is kept for a while, because the same retry can come again. */
  finish(call: WaitingCall, end: WaitingEnd): void {
    this.#waiting.delete(call);
    if (this.#waiting.size === 0) this.#onEmpty();
    this.#settings.metrics?.count('waiting_calls_total', { end });
    if (end === 'done' || end === 'failed') this.after(this.limits.keepMs, () => this.#forget(call, false));
    else this.#forget(call, end === 'expired');
  }

  /** Whether there is room to keep an outcome of this size. */
  keep(call: WaitingCall, bytes: number): boolean {
    if (!this.#calls.has(call.id)) return true;
    if (bytes > this.limits.maxOutcomeBytes || this.#keptBytes + bytes > this.limits.maxKeptBytes) return false;
    call.keptBytes = bytes;
    this.#keptBytes += bytes;
    return true;
  }

  sealState({ id, facts }: WaitingCall, round: number): string {
    const { states, node } = this.#settings;
    return states.seal({ stage: 'wait', part: facts.part, node, call: id, round }, facts.bound);
  }

  countAnswer(method: Question['method'], answer: JsonObject): void {
    const labels = { kind: method, pair: 'waiting', answer: saidIn(answer) };
    this.#settings.metrics?.count('questions_total', labels);
  }

  after(ms: number, run: () => void): () => void {
    return this.#settings.clock.after(ms, run, { idle: true });
  }

  /** Leaves them so long for their answers, ends the rest as if their time was over, and waits for their upstream calls. */
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
    this.#keptBytes -= call.keptBytes;
    call.keptBytes = 0;
    const now = this.#settings.clock.now();
    for (const [old, until] of this.#over) {
      if (Math.abs(until) > now && this.#over.size < MAX_REMEMBERED) break;
      this.#over.delete(old);
    }
    const until = Math.ceil(now + this.limits.rememberMs);
    this.#over.set(id, expired ? -until : until);
  }
}
