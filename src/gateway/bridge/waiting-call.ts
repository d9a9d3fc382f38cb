/**
 * Carries a call between a session upstream, which sends questions as requests, and a caller that gets them in `input_required`
 * results. The upstream's request stays open between the caller's requests; each of those ends with questions or with the outcome.
 * Every state change is synchronous, so events never interleave.
 */
import { randomBytes } from 'node:crypto';
import type { Progress, RawRequestOptions } from '../../client/index.ts';
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { LogMessage } from '../../model/logging.ts';
import type { Revision } from '../../revisions/contract.ts';
import type { AttachedRequest, CallReports, CarriedResult, PartReference, UpstreamQuestions } from '../contract.ts';
import { lostCallError } from './bridge-context.ts';
import { answerWithoutCaller } from './carry-answer.ts';
import { type CarriedQuestion, carryQuestion, type QuestionRoute } from './carry-question.ts';
import { WaitingQuestions } from './waiting-questions.ts';

export type WaitingEnd = 'done' | 'failed' | 'cancelled' | 'expired';

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

/** What a call needs of the registry of waiting calls: limits, timers, and memory for outcomes. */
export interface WaitingCallOwner {
  readonly limits: Readonly<Record<'batchMs' | 'graceMs' | 'retainMs' | 'maxRounds', number>>;
  after(ms: number, run: () => void): () => void;
  /** Registers a call that asks for the first time. False if too many calls wait. */
  admit(call: WaitingCall): boolean;
  finish(call: WaitingCall, end: WaitingEnd): void;
  /** Accounts for a retained outcome; false if it exceeds the memory limits. */
  retain(call: WaitingCall, bytes: number): boolean;
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
interface AnsweredRound {
  readonly round: number;
  /** Canonical JSON: the same state with the same answers is a duplicate of the retry. */
  readonly answers: string;
  result?: Promise<CarriedResult>;
}

const ID_BYTES = 16;

export class WaitingCall {
  readonly id: string = randomBytes(ID_BYTES).toString('base64url');
  readonly settings: WaitingCallSettings;
  /** Answers are encoded in this revision. */
  readonly #upstream: Revision;
  readonly #calls: WaitingCallOwner;
  readonly #abort: AbortController = new AbortController();
  readonly #questions: WaitingQuestions = new WaitingQuestions();
  readonly #waiters: Set<Waiter> = new Set();
  /** The route to the latest request of the caller, open or not. */
  #route: QuestionRoute | undefined;
  #round = 0;
  #answered: AnsweredRound | undefined;
  #outcome: Promise<CarriedResult> | undefined;
  #end: WaitingEnd | undefined;
  /** The last progress while no request was open. */
  #progress: Progress | undefined;
  #scheduledAsk: (() => void) | undefined;
  #expiry: (() => void) | undefined;
  /** Resolves when the upstream's request has settled. */
  ended: Promise<void> = Promise.resolve();
  isWaiting = false;
  /** The size of the outcome that is retained for a retry. */
  retainedBytes = 0;

  constructor(settings: WaitingCallSettings, upstream: Revision, calls: WaitingCallOwner) {
    this.settings = settings;
    this.#upstream = upstream;
    this.#calls = calls;
  }

  /** Sends the call. Resolves with its first questions or its outcome. */
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

  /** Resumes with the answers to a round. Throws −32602 for malformed answers, or for other answers to a round that was answered before. */
  resume(round: number, answers: JsonObject, request: AttachedRequest): Promise<CarriedResult> {
    const digest = canonicalJson(answers);
    if (this.#answered?.round === round && this.#answered.answers === digest)
      return this.#joinRetry(this.#answered, request);
    if (round !== this.#round || this.#answered?.round === round)
      throw new RpcError(INVALID_PARAMS, 'requestState was used before');
    this.#questions.check(answers);
    this.#answered = { round, answers: digest };
    this.#stopExpiry();
    const result = this.#attach(request);
    if (this.#outcome === undefined) this.#answer(answers, request.revision);
    else this.#deliverOutcome(this.#outcome);
    return result;
  }

  /** Ends the call and aborts the upstream's request. */
  cancel(): void {
    if (this.#end !== undefined) return;
    this.#finish('cancelled');
    this.#abort.abort(new Error('The caller cancelled'));
  }

  /**
   * The caller took too long: rejects the open questions, so that the upstream can end the call itself, and aborts it after a grace
   * period.
   */
  expire(): void {
    if (this.#end !== undefined) return;
    this.#finish('expired');
    this.#rejectQuestions('The user did not answer in time');
    if (this.#outcome !== undefined) return;
    const abort = (): void => this.#abort.abort(new Error('The user did not answer in time'));
    this.#expiry = this.#calls.after(this.#calls.limits.graceMs, abort);
  }

  /** A duplicate of the last retry gets the same result, or waits together with the first. */
  #joinRetry(answered: AnsweredRound, request: AttachedRequest): Promise<CarriedResult> {
    if (answered.result !== undefined) return answered.result;
    const result = this.#attach(request);
    this.#stopExpiry();
    if (this.#outcome !== undefined) this.#deliverOutcome(this.#outcome);
    else if (this.#questions.size > 0) this.#scheduleAsk();
    return result;
  }

  #attach(request: AttachedRequest): Promise<CarriedResult> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { request, resolve };
      this.#waiters.add(waiter);
      this.#route = this.#routeTo(request);
      request.whenGone((hungUp) => {
        if (!this.#waiters.delete(waiter)) return;
        reject(new RpcError(INTERNAL_ERROR, 'The caller disconnected'));
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
    const why = this.#end === undefined ? 'Too many questions are open' : 'The call has ended';
    const method = raw.method as CarriedQuestion['method']; // the client rejects other methods
    if (this.#end !== undefined || this.#questions.isFull) return answerWithoutCaller({ method }, why);
    // Rejects a question that the caller cannot be asked before it is stored.
    if (this.#route !== undefined) carryQuestion(raw, this.#route);
    if (!this.#startWaiting()) return answerWithoutCaller({ method }, 'Too many calls wait for answers');
    const answer = this.#questions.add(raw, signal);
    if (this.#waiters.size > 0) this.#scheduleAsk();
    else this.#startExpiry();
    return answer;
  };

  #startWaiting(): boolean {
    if (!this.isWaiting) this.isWaiting = this.#calls.admit(this);
    return this.isWaiting;
  }

  /** Debounces questions into one result. If the outcome arrives within the delay, it is delivered instead. */
  #scheduleAsk(): void {
    this.#scheduledAsk ??= this.#calls.after(this.#calls.limits.batchMs, () => {
      this.#scheduledAsk = undefined;
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

  /** Questions without an answer are asked again under the same keys; unknown keys are ignored. */
  #answer(answers: JsonObject, from: Revision): void {
    this.#questions.answer(answers, { from, to: this.#upstream }, (method, answer) =>
      this.#calls.countAnswer(method, answer),
    );
    if (this.#questions.size > 0) this.#scheduleAsk();
  }

  #settle(outcome: Promise<CarriedResult>, end: 'done' | 'failed'): void {
    this.#rejectQuestions('The call has ended');
    if (this.#end !== undefined) {
      this.#stopExpiry();
      return;
    }
    this.#outcome = outcome;
    const isAwaited = this.#waiters.size > 0;
    if (isAwaited) this.#deliver(outcome);
    if (!this.isWaiting) return;
    if (isAwaited) this.#finish(end);
    else if (this.#expiry === undefined) this.#startExpiry(this.#calls.limits.retainMs);
    if (this.#answered !== undefined || !isAwaited) this.#retain(outcome);
  }

  /** A result that is too large to retain is replaced by an "outcome unknown" error: a retry must not believe that nothing happened. */
  #retain(outcome: Promise<CarriedResult>): void {
    void outcome.then(
      (result) => {
        const bytes = JSON.stringify('asks' in result ? result.asks : result.result).length;
        if (this.#calls.retain(this, bytes)) return;
        this.#outcome = Promise.reject(lostCallError(this.settings.part.label, 'its result was too large to be kept'));
        this.#outcome.catch(() => undefined);
        if (this.#answered?.result === outcome) this.#answered.result = this.#outcome;
      },
      () => undefined,
    );
  }

  #deliverOutcome(outcome: Promise<CarriedResult>): void {
    this.#deliver(outcome);
    this.#finish('done');
  }

  #deliver(result: Promise<CarriedResult>): void {
    // Every waiter sent the answers to the last round, so its duplicates get this result too.
    if (this.#answered !== undefined) this.#answered.result = result;
    this.#progress = undefined;
    for (const waiter of this.#waiters) waiter.resolve(result);
    this.#waiters.clear();
  }

  #rejectQuestions(why: string): void {
    this.#scheduledAsk?.();
    this.#scheduledAsk = undefined;
    this.#questions.reject(why);
  }

  #finish(end: WaitingEnd): void {
    this.#end = end;
    this.#stopExpiry();
    if (this.isWaiting) this.#calls.finish(this, end);
  }

  #startExpiry(ms: number = this.settings.waitMs): void {
    this.#expiry ??= this.#calls.after(ms, () => this.expire());
  }

  #stopExpiry(): void {
    this.#expiry?.();
    this.#expiry = undefined;
  }

  #routeTo({ capabilities, revision }: AttachedRequest): QuestionRoute {
    return { label: this.settings.part.label, settings: this.settings.questions, capabilities, revision };
  }
}
