/**
 * A call to an upstream that asks while it runs, for a caller that is asked by results. The upstream's request stays open; each
 * request of the caller ends with the questions, or with what became of the call. Every event is dealt with in one turn.
 */
import { randomBytes } from 'node:crypto';
import type { Progress, RawRequestOptions } from '../../client/index.ts';
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { LogMessage } from '../../model/logging.ts';
import type { Revision } from '../../revisions/contract.ts';
import type { AttachedRequest, CallReports, CarriedResult } from '../contract.ts';
import { lostCallError } from './bridge-context.ts';
import { unanswered } from './carry-answer.ts';
import { type CarriedQuestion, carryQuestion, type QuestionRoute } from './carry-question.ts';
import type { WaitingCallFacts, WaitingLimits } from './waiting-limits.ts';
import { WaitingQuestions } from './waiting-questions.ts';

/** How a call that waited has ended. */
export type WaitingEnd = 'done' | 'failed' | 'cancelled' | 'expired';

/** All calls of the node that wait: counts them, and keeps what is needed of them. */
export interface WaitingCallOwner {
  readonly limits: WaitingLimits;
  after(ms: number, run: () => void): () => void;
  /** A call asks for the first time. False where too many wait. */
  admit(call: WaitingCall): boolean;
  finish(call: WaitingCall, end: WaitingEnd): void;
  /** Whether there is room to keep an outcome of this size. */
  keep(call: WaitingCall, bytes: number): boolean;
  sealState(call: WaitingCall, round: number): string;
  countAnswer(method: CarriedQuestion['method'], answer: JsonObject): void;
}

/** Sends the upstream's request, once. */
export type SendWaitingCall = (
  options: Required<Pick<RawRequestOptions, 'ask' | 'signal' | 'capabilities'>> & CallReports,
) => Promise<CarriedResult>;

interface Waiter {
  readonly request: AttachedRequest;
  resolve(result: CarriedResult | Promise<CarriedResult>): void;
}
interface SpentRound {
  readonly round: number;
  /** The same state with the same answers is the same retry. */
  readonly answers: string;
  result?: Promise<CarriedResult>;
}

const ID_BYTES = 16;

export class WaitingCall {
  readonly id: string = randomBytes(ID_BYTES).toString('base64url');
  readonly facts: WaitingCallFacts;
  /** The upstream's; it answers in its words. */
  readonly #upstream: Revision;
  readonly #calls: WaitingCallOwner;
  readonly #abort: AbortController = new AbortController();
  readonly #questions: WaitingQuestions = new WaitingQuestions();
  readonly #waiters: Set<Waiter> = new Set();
  /** To the request that came last, open or not. */
  #route: QuestionRoute | undefined;
  #round = 0;
  #spent: SpentRound | undefined;
  #outcome: Promise<CarriedResult> | undefined;
  #end: WaitingEnd | undefined;
  /** What was reported while no request was open. */
  #progress: Progress | undefined;
  #gathering: (() => void) | undefined;
  #expiry: (() => void) | undefined;
  /** Settles when the upstream's request has. */
  ended: Promise<void> = Promise.resolve();
  isWaiting = false;
  /** Of the outcome that is kept for a retry. */
  keptBytes = 0;

  constructor(facts: WaitingCallFacts, upstream: Revision, calls: WaitingCallOwner) {
    this.facts = facts;
    this.#upstream = upstream;
    this.#calls = calls;
  }

  /** Sends the call, and waits for its first questions or its end. */
  begin(send: SendWaitingCall, request: AttachedRequest): Promise<CarriedResult> {
    const first = this.#attach(request);
    const { logLevel, capabilities } = request;
    const { signal } = this.#abort;
    const options = { ask: this.#ask, signal, capabilities, logLevel, onLog: this.#log };
    const sent = send(request.onProgress === undefined ? options : { ...options, onProgress: this.#report });
    this.ended = sent.then(
      () => this.#settle(sent, 'done'),
      () => this.#settle(sent, 'failed'),
    );
    return first;
  }

  /** Goes on with the answers of a round. Throws −32602 where they do not fit, or the round was answered otherwise before. */
  resume(round: number, answers: JsonObject, request: AttachedRequest): Promise<CarriedResult> {
    const digest = canonicalJson(answers);
    if (this.#spent?.round === round && this.#spent.answers === digest) return this.#share(this.#spent, request);
    if (round !== this.#round || this.#spent?.round === round)
      throw new RpcError(INVALID_PARAMS, 'requestState was used before');
    this.#questions.check(answers);
    this.#spent = { round, answers: digest };
    this.#stopExpiry();
    const result = this.#attach(request);
    if (this.#outcome === undefined) this.#answer(answers, request.revision);
    else this.#deliverOutcome(this.#outcome);
    return result;
  }

  /** Ends the call, and the upstream's request with it. */
  cancel(): void {
    if (this.#end !== undefined) return;
    this.#finish('cancelled');
    this.#abort.abort(new Error('The caller cancelled'));
  }

  /** The time for an answer is over: the upstream can end the call in its own words, and is cancelled if it does not. */
  expire(): void {
    if (this.#end !== undefined) return;
    this.#finish('expired');
    this.#rejectQuestions('The user did not answer in time');
    if (this.#outcome !== undefined) return;
    const abort = (): void => this.#abort.abort(new Error('The user did not answer in time'));
    this.#expiry = this.#calls.after(this.#calls.limits.graceMs, abort);
  }

  /** The same retry came again: it gets what the first one got, or waits beside it. */
  #share(spent: SpentRound, request: AttachedRequest): Promise<CarriedResult> {
    if (spent.result !== undefined) return spent.result;
    const result = this.#attach(request);
    this.#stopExpiry();
    if (this.#outcome !== undefined) this.#deliverOutcome(this.#outcome);
    else if (this.#questions.size > 0) this.#gather();
    return result;
  }

  #attach(request: AttachedRequest): Promise<CarriedResult> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { request, resolve };
      this.#waiters.add(waiter);
      this.#route = this.#routeTo(request);
      request.whenGone((hungUp) => {
        if (!this.#waiters.delete(waiter)) return;
        reject(new RpcError(INTERNAL_ERROR, 'The caller hung up'));
        if (this.#waiters.size > 0) return;
        if (hungUp || !this.isWaiting) this.cancel();
        else if (this.#questions.size > 0) this.#startExpiry();
      });
      if (this.#progress !== undefined) request.onProgress?.(this.#progress);
    });
  }

  /** While no request is attached, log messages are dropped. */
  readonly #log = (message: LogMessage): void => {
    const [first] = this.#waiters;
    first?.request.onLog?.(message);
  };

  readonly #report = (progress: Progress): void => {
    const [first] = this.#waiters;
    if (first === undefined) this.#progress = progress;
    else first.request.onProgress?.(progress);
  };

  readonly #ask: NonNullable<RawRequestOptions['ask']> = (raw, { signal }) => {
    const why = this.#end === undefined ? 'Too many questions are open' : 'The call is over';
    const method = raw.method as CarriedQuestion['method']; // the client knows no others
    if (this.#end !== undefined || this.#questions.isFull) return unanswered({ method }, why);
    // What cannot be carried is not kept, whether or not a request is open.
    if (this.#route !== undefined) carryQuestion(raw, this.#route);
    if (!this.#startWaiting()) return unanswered({ method }, 'Too many calls wait for answers');
    const answer = this.#questions.add(raw, signal);
    if (this.#waiters.size > 0) this.#gather();
    else this.#startExpiry();
    return answer;
  };

  #startWaiting(): boolean {
    if (!this.isWaiting) this.isWaiting = this.#calls.admit(this);
    return this.isWaiting;
  }

  /** What is asked within a moment goes out together; a result that comes within it is the answer. */
  #gather(): void {
    this.#gathering ??= this.#calls.after(this.#calls.limits.gatherMs, () => {
      this.#gathering = undefined;
      this.#askCaller();
    });
  }

  #askCaller(): void {
    const [first] = this.#waiters;
    if (this.#round >= this.#calls.limits.maxRounds) this.#rejectQuestions('The call asked too often');
    if (this.#questions.size === 0) return;
    if (first === undefined) {
      this.#startExpiry();
      return;
    }
    const inputRequests = this.#questions.show(this.#routeTo(first.request));
    if (this.#questions.size === 0) return;
    this.#round++;
    const requestState = this.#calls.sealState(this, this.#round);
    this.#deliver(Promise.resolve({ asks: { resultType: 'input_required', inputRequests, requestState } }));
    this.#startExpiry();
  }

  /** Answers that are missing are asked for again, under their keys; others are ignored. */
  #answer(answers: JsonObject, from: Revision): void {
    this.#questions.answer(answers, { from, to: this.#upstream }, (method, answer) =>
      this.#calls.countAnswer(method, answer),
    );
    if (this.#questions.size > 0) this.#gather();
  }

  #settle(outcome: Promise<CarriedResult>, end: 'done' | 'failed'): void {
    this.#rejectQuestions('The call is over');
    if (this.#end !== undefined) {
      this.#stopExpiry();
      return;
    }
    this.#outcome = outcome;
    const isAwaited = this.#waiters.size > 0;
    if (isAwaited) this.#deliver(outcome);
    if (!this.isWaiting) return;
    if (isAwaited) this.#finish(end);
    else if (this.#expiry === undefined) this.#startExpiry(this.#calls.limits.keepMs);
    if (this.#spent !== undefined || !isAwaited) this.#keep(outcome);
  }

  /** An outcome that is too large to keep is lost to the retry, which must not be taken for a call that did nothing. */
  #keep(outcome: Promise<CarriedResult>): void {
    void outcome.then(
      (result) => {
        const bytes = JSON.stringify('asks' in result ? result.asks : result.result).length;
        if (this.#calls.keep(this, bytes)) return;
        this.#outcome = Promise.reject(lostCallError(this.facts.part.label, 'its result was too large to be kept'));
        this.#outcome.catch(() => undefined);
        if (this.#spent?.result === outcome) this.#spent.result = this.#outcome;
      },
      () => undefined,
    );
  }

  #deliverOutcome(outcome: Promise<CarriedResult>): void {
    this.#deliver(outcome);
    this.#finish('done');
  }

  #deliver(result: Promise<CarriedResult>): void {
    // Those that wait came with the answers of the last round.
    if (this.#spent !== undefined) this.#spent.result = result;
    this.#progress = undefined;
    for (const waiter of this.#waiters) waiter.resolve(result);
    this.#waiters.clear();
  }

  #rejectQuestions(why: string): void {
    this.#gathering?.();
    this.#gathering = undefined;
    this.#questions.reject(why);
  }

  #finish(end: WaitingEnd): void {
    this.#end = end;
    this.#stopExpiry();
    if (this.isWaiting) this.#calls.finish(this, end);
  }

  #startExpiry(ms: number = this.facts.waitMs): void {
    this.#expiry ??= this.#calls.after(ms, () => this.expire());
  }

  #stopExpiry(): void {
    this.#expiry?.();
    this.#expiry = undefined;
  }

  #routeTo({ capabilities, revision }: AttachedRequest): QuestionRoute {
    return { label: this.facts.part.label, settings: this.facts.questions, capabilities, revision };
  }
}
