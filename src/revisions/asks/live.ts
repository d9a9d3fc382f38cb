/** Asks the questions of a handler by sending requests to the client, while the handler waits. */
import { McpError, RpcError, ToolError } from '../../errors.ts';
import { INVALID_REQUEST, isFailure, type JsonObject, notification, request } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { ELICITATION_COMPLETE, INITIALIZED } from '../../model/names.ts';
import type { AskContext, ClientRequests, OnceStep, Question } from '../contract.ts';
import { decodeAnswer, encodeQuestion } from '../encode-questions.ts';
import { answerFault, cannotAskError, missingCapability, runStep } from './question.ts';

export class LiveQuestions implements ClientRequests {
  readonly #context: AskContext;
  readonly #callId: string = crypto.randomUUID();
  /** The steps of `once`, by key. */
  readonly #steps: Map<string, Promise<unknown>> = new Map();
  readonly #asked: Map<string, { readonly text: string; readonly answer: Promise<JsonObject> }> = new Map();

  /** The `elicitationId` of each visit, by its key. */
  readonly #visits: Map<string, unknown> = new Map();
  #hasEnded = false;

  constructor(context: AskContext) {
    this.#context = context;
  }

  /** Asks each key only once, as in revisions that replay handlers. Rejects a different question under the same key. */
  ask(key: string, question: Question): Promise<JsonObject> {
    const text = canonicalJson(question);
    const before = this.#asked.get(key);
    if (before === undefined) {
      const answer = this.#ignoreLateRejection(this.#send(key, question));
      this.#asked.set(key, { text, answer });
      return answer;
    }
    if (before.text === text) return before.answer;
    return Promise.reject(new McpError('MCP_DUPLICATE_KEY', { what: this.#context.request.method, key }));
  }

  /** Drops rejections after the handler has ended: nothing awaits them, and an unhandled rejection would end the process. */
  #ignoreLateRejection<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(resolve, (reason) => {
        if (!this.#hasEnded) reject(reason);
      });
    });
  }

  async #send(key: string, question: Question): Promise<JsonObject> {
    const { caller, link, revision, ready } = this.#context;
    const { method } = question;
    if (!revision.methods.questions.has(method)) {
      throw new McpError('MCP_NO_SUCH_QUESTION', { what: method, revision: revision.id });
    }
    const missing = missingCapability(question, caller.capabilities, revision.vocabulary);
    if (missing !== undefined) throw cannotAskError(question, missing);
    if (!ready)
      throw new RpcError(INVALID_REQUEST, `${INITIALIZED} must come before a request that leads to ${method}`);
    const params = encodeQuestion(revision.vocabulary, question);
    this.#visits.set(key, params['elicitationId']);
    const isBare = Object.keys(params).length === 0;
    // The channel replaces the id 0.
    const response = await link.ask(request(0, method, isBare ? undefined : params));
    // A ToolError, so that the handler can catch it: an error of the client is not an error of the call.
    if (isFailure(response)) throw new ToolError(`The client rejected ${method}: ${response.error.message}`);
    const fault = answerFault(method, response.result);
    if (fault !== undefined) throw new ToolError(`The client's answer to ${method} ${fault}`);
    return decodeAnswer(revision.vocabulary, question, response.result);
  }

  completeVisit(key: string): void {
    const elicitationId = this.#visits.get(key);
    this.#visits.delete(key);
    if (elicitationId !== undefined) this.#context.link.notify(notification(ELICITATION_COMPLETE, { elicitationId }));
  }

  once<T>(key: string, step: OnceStep<T>): Promise<T> {
    const before = this.#steps.get(key);
    if (before !== undefined) return before as Promise<T>; // the same key is the same step
    const { link } = this.#context;
    const now = runStep(step, { idempotencyKey: `${this.#callId}:${key}`, fence: 1, signal: link.signal });
    this.#steps.set(key, now);
    return now;
  }

  outcome(): undefined {
    this.#hasEnded = true;
  }
}
