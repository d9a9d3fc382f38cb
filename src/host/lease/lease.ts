/** Permits sending the request of one act: once, again if it was lost, and again for each round of questions from the server. */
import { isFailure, isObject, type JsonObject, type RpcRequest, type RpcResponse } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { requiredVisitsIn, URL_ELICITATION_REQUIRED } from '../../model/elicitation.ts';
import { UNSUPPORTED_VERSION } from '../../model/names.ts';
import type { Act } from '../act/act.ts';
import { matchRequest, matchTaskRequest } from './act-messages.ts';

/** The client sends a request again, once, if the connection breaks. */
const MAX_SENDS = 2;

/** Uses up the permission for an answer, or for visits to pages. Returns false without permission. */
export interface AnswerPermissions {
  useAnswer(question: JsonObject, answer: unknown): boolean;
  useVisits(urls: readonly unknown[]): boolean;
}

export class Lease {
  readonly act: Act;
  /** Set while a request is open, so that no second one passes. */
  #isSending = false;
  #hasSent = false;
  #sendsLeft = MAX_SENDS;
  /** The questions of the last result, and the state that the retry must return. */
  #asked: ReadonlyMap<string, JsonObject> = new Map();
  #requestState: unknown;
  /** URLs of pages that the user must agree to visit before the retry. */
  #visits: readonly unknown[] = [];
  /** The answers of this round, which can be sent again without using up further permissions. */
  #input: string | undefined;
  /** The task that the act has become. Requests about it need no other lease. */
  #taskId: unknown;

  get taskId(): unknown {
    return this.#taskId;
  }

  get hasSent(): boolean {
    return this.#hasSent;
  }

  /** Whether the lease permits no further request. */
  get isUsedUp(): boolean {
    return !this.#isSending && this.#sendsLeft === 0 && this.#taskId === undefined;
  }

  constructor(act: Act) {
    this.act = act;
    // Resuming a task is an act that names the task.
    if (act.kind === 'extension' && act.name === 'tasks/get') this.#learnTask(act.arguments['taskId']);
  }

  /** Admits a request if this lease permits it, and returns a callback for the response; otherwise undefined. */
  admit(request: RpcRequest, answers: AnswerPermissions): ((response: RpcResponse | undefined) => void) | undefined {
    const update = matchTaskRequest(this.act, this.#taskId, request);
    if (update !== undefined)
      return this.#permitsInput(update, answers) ? (response) => this.#noteQuestions(response) : undefined;
    if (this.#isSending || this.#sendsLeft === 0) return undefined;
    const input = matchRequest(this.act, request);
    if (input === undefined || input['requestState'] !== this.#requestState) return undefined;
    if (!answers.useVisits(this.#visits)) return undefined;
    this.#visits = [];
    if (!this.#permitsInput(input, answers)) return undefined;
    this.#isSending = true;
    this.#hasSent = true;
    this.#sendsLeft--;
    return (response) => this.#settle(response);
  }

  /** Whether every answer in the input belongs to a question that was asked, and has permission. */
  #permitsInput(input: JsonObject, answers: AnswerPermissions): boolean {
    const text = canonicalJson(input);
    if (this.#input === text) return true;
    const { inputResponses = {} } = input;
    if (!isObject(inputResponses)) return false;
    const given = Object.entries(inputResponses).map(([key, answer]) => ({ question: this.#asked.get(key), answer }));
    const isAllowed = given.every(
      ({ question, answer }) => question !== undefined && answers.useAnswer(question, answer),
    );
    if (isAllowed) this.#input = text;
    return isAllowed;
  }

  #settle(response: RpcResponse | undefined): void {
    this.#isSending = false;
    // Lost, or rejected for its revision before its content was processed: the request can be sent again.
    if (response === undefined || (isFailure(response) && response.error.code === UNSUPPORTED_VERSION)) return;
    const pages =
      isFailure(response) && response.error.code === URL_ELICITATION_REQUIRED
        ? requiredVisitsIn(response.error.data)
        : [];
    const asks = !isFailure(response) && response.result['resultType'] === 'input_required';
    this.#visits = pages.map(({ url }) => url);
    this.#sendsLeft = asks || pages.length > 0 ? MAX_SENDS : 0;
    if (asks) this.#requestState = response.result['requestState'];
    this.#noteQuestions(response);
  }

  #learnTask(taskId: unknown): void {
    if (typeof taskId === 'string') this.#taskId ??= taskId;
  }

  #noteQuestions(response: RpcResponse | undefined): void {
    if (response === undefined) return;
    this.#input = undefined;
    if (isFailure(response)) return;
    const { resultType, task, taskId, inputRequests } = response.result;
    this.#learnTask(resultType === 'task' ? taskId : isObject(task) ? task['taskId'] : undefined);
    if (!isObject(inputRequests)) return;
    const asked = Object.entries(inputRequests);
    this.#asked = new Map(asked.map(([key, one]) => [key, isObject(one) ? one : {}]));
  }
}
