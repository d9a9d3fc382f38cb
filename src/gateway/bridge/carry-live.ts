/** Carries a call of a caller in a session: sends each question of the upstream over the caller's open request. */
import type { RawQuestion, RawQuestionHandler } from '../../client/index.ts';
import { RpcError } from '../../errors.ts';
import { isFailure, type JsonObject, notification, request } from '../../jsonrpc/message.ts';
import { ELICITATION_COMPLETE } from '../../model/names.ts';
import type { Clock } from '../../peer/clock.ts';
import type { Link } from '../../peer/exchange.ts';
import { onAbort, sleep, untilAborted } from '../../peer/wait.ts';
import type { CarriedResult, RoutedRequest } from '../contract.ts';
import { type CarryContext, failRouted, reportsTo, watchCancelled } from './bridge-context.ts';
import { actionOf, answerWithoutCaller, carryAnswer, fitsForm, isAccepted } from './carry-answer.ts';
import { questionViolation } from './carry-by-relay.ts';
import { type CarriedQuestion, carryQuestion } from './carry-question.ts';

/** Backoff before "accept" is repeated to an upstream that asks again while the user is still on a page. The last delay repeats. */
const VISIT_DELAYS_MS: readonly number[] = [2_000, 3_000, 5_000, 8_000, 15_000];
/** Attempts per form, if the answer does not match it. */
const MAX_ATTEMPTS = 2;

export async function carryLive(routed: RoutedRequest, context: CarryContext): Promise<CarriedResult> {
  const { method, params, link } = routed;
  const { client, release } = context;
  const questions = new LiveCallerQuestions(routed, context);
  const { capabilities } = context.route;
  const ask: RawQuestionHandler = (question, { signal: over }) => questions.ask(question, over);
  const { logLevel, onLog, onProgress } = reportsTo(routed, context);
  const isCancelled = watchCancelled(link);
  try {
    const result = await client.request(method, params, { capabilities, ask, link, logLevel, onLog, onProgress });
    questions.completeVisits();
    return { result, from: client.revision };
  } catch (error) {
    return questions.failed(error);
  } finally {
    questions.close();
    release(!isCancelled());
  }
}

/** A page that the user agreed to visit. */
interface AgreedVisit {
  /** The `elicitationId` that the caller knows, if its revision has them. */
  readonly id: unknown;
  readonly since: number;
  times: number;
}

class LiveCallerQuestions {
  readonly #routed: RoutedRequest;
  readonly #context: CarryContext;
  /** By URL. */
  readonly #agreed: Map<string, AgreedVisit> = new Map();
  readonly #expected: Set<string> = new Set();
  /** Why the call failed, for upstreams whose questions cannot be rejected with an error. */
  #rejected: RpcError | undefined;
  #unanswered: string | undefined;

  constructor(routed: RoutedRequest, context: CarryContext) {
    this.#routed = routed;
    this.#context = context;
  }

  /** `over` aborts if the upstream cancels its question. */
  async ask(raw: RawQuestion, over: AbortSignal): Promise<JsonObject> {
    let question: CarriedQuestion;
    try {
      question = carryQuestion(raw, this.#context.route);
    } catch (error) {
      this.#rejected = error instanceof RpcError ? error : undefined;
      throw error;
    }
    const answer = await (question.params['mode'] === 'url'
      ? this.#visit(question, raw, over)
      : this.#form(question, over));
    const said = answer === undefined ? 'none' : actionOf(answer);
    const [kind, pair] = [question.method, this.#context.client.revision.hasServerRequests ? 'live' : 'rounds'];
    this.#context.metrics?.count('questions_total', { kind, pair, answer: said });
    this.#routed.onAnswer?.(said);
    if (answer !== undefined) return answer;
    // If it was cancelled, for example because another question of its round failed, the call fails for that reason.
    if (!over.aborted) this.#unanswered = `${question.method} was not answered`;
    return answerWithoutCaller(question, 'The user did not answer');
  }

  /** The call succeeded, so every visit is complete. */
  completeVisits(): void {
    for (const { id } of this.#agreed.values()) this.#complete(id);
  }

  close(): void {
    for (const id of this.#expected) this.#forget(id);
  }

  /** `input_required` cannot be answered with an error, so the call fails here. */
  failed(error: unknown): CarriedResult {
    const { part } = this.#routed;
    if (this.#context.client.revision.hasServerRequests || error instanceof RpcError) throw error;
    if (this.#rejected !== undefined) throw questionViolation(this.#rejected, part.label, this.#context);
    if (this.#unanswered === undefined) throw error;
    return failRouted(this.#routed, `"${part.label}" cannot go on: ${this.#unanswered}`);
  }

  /** Undefined if the caller does not answer. */
  async #form(question: CarriedQuestion, over: AbortSignal): Promise<JsonObject | undefined> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#askCaller(question, over);
      // Only a form that was simplified for an old revision can come back with an answer that the original schema rejects.
      if (answer === undefined || !isAccepted(answer) || this.#routed.revision.vocabulary.forms !== 'plain')
        return answer;
      if (await fitsForm(question, answer)) return answer;
      if (attempt >= MAX_ATTEMPTS) return undefined;
    }
  }

  async #visit(question: CarriedQuestion, raw: RawQuestion, over: AbortSignal): Promise<JsonObject | undefined> {
    const url = String(question.params['url']);
    const id = question.encoded['elicitationId'];
    const theirs = raw.params['elicitationId'];
    const agreed = this.#agreed.get(url);
    const isReported = this.#context.client.revision.hasServerRequests;
    if (agreed !== undefined && !isReported) return this.#agreeAgain(agreed);
    // Before the user answers: the visit can end before the answer arrives.
    if (isReported) this.#expect(theirs, id);
    const answer = await this.#askCaller(question, over);
    if (!isAccepted(answer)) this.#forget(theirs);
    else if (!isReported) this.#agreed.set(url, { id, since: this.#context.clock.now(), times: 0 });
    return answer;
  }

  /** The user agreed, but has not finished: accepts again after a delay instead of showing the same page twice. */
  async #agreeAgain(agreed: AgreedVisit): Promise<JsonObject> {
    const { clock, settings } = this.#context;
    if (clock.now() - agreed.since >= settings.timeouts.questionMs) return { action: 'cancel' };
    const ms = VISIT_DELAYS_MS[agreed.times++] ?? VISIT_DELAYS_MS.at(-1) ?? 0;
    await sleep(clock, ms);
    return { action: 'accept' };
  }

  /** Upstreams in a session report the end of a visit themselves. */
  #expect(theirs: unknown, ours: unknown): void {
    if (typeof theirs !== 'string') return;
    this.#expected.add(theirs);
    this.#context.visits.expect(this.#routed.part.label, theirs, () => this.#complete(ours));
  }

  #forget(theirs: unknown): void {
    if (typeof theirs === 'string' && this.#expected.delete(theirs))
      this.#context.visits.forget(this.#routed.part.label, theirs);
  }

  #complete(elicitationId: unknown): void {
    if (elicitationId !== undefined) this.#routed.link.notify(notification(ELICITATION_COMPLETE, { elicitationId }));
  }

  async #askCaller({ method, encoded, params }: CarriedQuestion, over: AbortSignal): Promise<JsonObject | undefined> {
    const { link, revision } = this.#routed;
    const { clock, settings, client } = this.#context;
    const within = { clock, ms: settings.timeouts.questionMs, over };
    const answer = await askOverLink(link, { method, params: encoded }, within);
    return carryAnswer({ method, params }, answer, { from: revision, to: client.revision });
  }
}

/** The caller's result; undefined after an error, a timeout or `over`. The caller is told that a question has ended without it. */
export async function askOverLink(
  link: Link,
  { method, params }: { readonly method: string; readonly params: JsonObject },
  { clock, ms, over }: { readonly clock: Clock; readonly ms: number; readonly over?: AbortSignal },
): Promise<JsonObject | undefined> {
  const end = new AbortController();
  const stop = clock.after(ms, () => end.abort(new Error('The answer took too long')));
  const ignore = onAbort(over, () => end.abort(new Error('The server cancelled its question')));
  try {
    // The channel assigns the id.
    const question = request(0, method, Object.keys(params).length === 0 ? undefined : params);
    const response = await untilAborted(link.ask(question, end.signal), end.signal);
    return isFailure(response) ? undefined : response.result;
  } catch {
    // No answer, or the link is closed. If the caller cancelled, the signal of the call ends it.
    return undefined;
  } finally {
    stop();
    ignore();
  }
}
