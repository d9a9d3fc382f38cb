/** Permission to send what one act says: once, again where it got lost, and again for each round of questions that the server has. */
import { isFailure, isObject, type JsonObject, type RpcRequest, type RpcResponse } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { requiredVisitsIn, URL_ELICITATION_REQUIRED } from '../../model/elicitation.ts';
import { UNSUPPORTED_VERSION } from '../../model/names.ts';
import type { Act } from '../act/act.ts';
import { matchRequest, matchTaskRequest } from './act-messages.ts';

/** A request on a connection that broke is sent once more, as the client does. */
const MAX_SENDS = 2;

/** Uses up the permission for an answer to a question, or for a visit to a page; false where there is none. */
export interface AnswerPermissions {
  useAnswer(question: JsonObject, answer: unknown): boolean;
  useVisits(urls: readonly unknown[]): boolean;
}

export class Lease {
  readonly act: Act;
  /** A request is being answered, so that no second one passes. */
  #isSending = false;
  #hasSent = false;
  #sendsLeft = MAX_SENDS;
  /** What the last result wants to know, and the state that goes back with it. */
  #asked: ReadonlyMap<string, JsonObject> = new Map();
  #requestState: unknown;
  /** Pages that the user must have agreed to visit before the request is sent again. */
  #visits: readonly unknown[] = [];
  /** What was sent in this round, and may be sent once more. */
  #input: string | undefined;
  /** The task that the act has become: questions about it belong to the act. */
  #taskId: unknown;

  get taskId(): unknown {
    return this.#taskId;
  }

  get hasSent(): boolean {
    return this.#hasSent;
  }

  /** Nothing more passes with it. */
  get isUsedUp(): boolean {
    return !this.#isSending && this.#sendsLeft === 0 && this.#taskId === undefined;
  }

  constructor(act: Act) {
    this.act = act;
    // Coming back for a task is an act that names it.
    if (act.kind === 'extension' && act.name === 'tasks/get') this.#learnTask(act.arguments['taskId']);
  }

  /** Takes the response of a request that this lease lets pass; undefined where it does not let it pass. */
  take(request: RpcRequest, answers: AnswerPermissions): ((response: RpcResponse | undefined) => void) | undefined {
    const update = matchTaskRequest(this.act, this.#taskId, request);
    if (update !== undefined)
      return this.#mayBring(update, answers) ? (response) => this.#noteQuestions(response) : undefined;
    if (this.#isSending || this.#sendsLeft === 0) return undefined;
    const input = matchRequest(this.act, request);
    if (input === undefined || input['requestState'] !== this.#requestState) return undefined;
    if (!answers.useVisits(this.#visits)) return undefined;
    this.#visits = [];
    if (!this.#mayBring(input, answers)) return undefined;
    this.#isSending = true;
    this.#hasSent = true;
    this.#sendsLeft--;
    return (response) => this.#settle(response);
  }

  /** Whether all that goes along answers what was asked, with permission for each answer. */
  #mayBring(input: JsonObject, answers: AnswerPermissions): boolean {
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
    // It got lost, or the server did not look at what it says.
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
