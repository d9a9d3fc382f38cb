/** The open questions of a waiting call: as the upstream sent them, and as the caller last saw them. */
import type { RawQuestion } from '../../client/index.ts';
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import { onAbort } from '../../peer/wait.ts';
import { answerFault } from '../../revisions/asks/question.ts';
import { type AnswerRoute, answerWithoutCaller, carryAnswer } from './carry-answer.ts';
import { type CarriedQuestion, carryQuestion, type QuestionRoute } from './carry-question.ts';

const MAX_OPEN_QUESTIONS = 32;

interface UpstreamQuestion {
  readonly raw: RawQuestion;
  /** As the caller last saw it. */
  shown?: CarriedQuestion;
  resolve(answer: JsonObject): void;
  reject(error: unknown): void;
}

export class WaitingQuestions {
  readonly #open: Map<string, UpstreamQuestion> = new Map();
  #lastKey = 0;

  get size(): number {
    return this.#open.size;
  }
  get isFull(): boolean {
    return this.#open.size >= MAX_OPEN_QUESTIONS;
  }

  /** Resolves with the answer. `signal` aborts if the upstream cancels its question. */
  add(raw: RawQuestion, signal: AbortSignal): Promise<JsonObject> {
    const key = `q${++this.#lastKey}`;
    return new Promise((resolve, reject) => {
      this.#open.set(key, { raw, resolve, reject });
      onAbort(signal, () => {
        this.#open.delete(key);
        reject(new RpcError(INTERNAL_ERROR, 'The question was cancelled'));
      });
    });
  }

  /** Encodes the questions for the caller's current request, and rejects those that the request did not declare. */
  show(route: QuestionRoute): Readonly<Record<string, JsonObject>> {
    const requests: Record<string, JsonObject> = {};
    for (const [key, open] of this.#open) {
      try {
        open.shown = carryQuestion(open.raw, route);
        requests[key] = { method: open.shown.method, params: open.shown.encoded };
      } catch (error) {
        this.#open.delete(key);
        if (open.raw.method === 'elicitation/create') open.resolve({ action: 'cancel' });
        else open.reject(error);
      }
    }
    return requests;
  }

  /** Throws −32602 for a malformed answer. */
  check(answers: JsonObject): void {
    for (const [key, { shown }] of this.#open) {
      if (shown === undefined || !Object.hasOwn(answers, key)) continue;
      const fault = answerFault(shown.method, answers[key]);
      if (fault !== undefined) throw new RpcError(INVALID_PARAMS, `"params.inputResponses.${key}" ${fault}`);
    }
  }

  answer(
    answers: JsonObject,
    route: AnswerRoute,
    onAnswer: (method: CarriedQuestion['method'], answer: JsonObject) => void,
  ): void {
    for (const [key, { shown, resolve }] of this.#open) {
      if (shown === undefined || !Object.hasOwn(answers, key)) continue;
      const answer = carryAnswer(shown, answers[key], route);
      if (answer === undefined) continue;
      this.#open.delete(key);
      onAnswer(shown.method, answer);
      resolve(answer);
    }
  }

  /** Settles all open questions without the caller. */
  reject(why: string): void {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const { raw, resolve, reject } of open) {
      try {
        resolve(answerWithoutCaller({ method: raw.method as CarriedQuestion['method'] }, why)); // the client rejects other methods
      } catch (error) {
        reject(error);
      }
    }
  }
}
