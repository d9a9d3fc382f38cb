/** Completes requests whose results ask for input: answers the questions, and sends the request again with the answers. */
import { McpError, RpcError } from '../errors.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import { joinSignals, untilAborted } from '../peer/wait.ts';
import type { InputRequests } from '../revisions/contract.ts';
import { checkQuestions, checkResultType, malformedResult } from '../revisions/decode.ts';
import type { QuestionContext } from './handlers.ts';
import type { LiveConnection } from './live-connection.ts';
import { cancelledError, type RawRequestOptions } from './outgoing-call.ts';
import { type QuestionHandlers, unansweredError } from './question-handlers.ts';
import { interactiveMethods, type Requests, type SendContext, type SendingOptions } from './requests.ts';

/** A result that needs no more input, and the connection it arrived on. */
export interface CompletedRequest {
  readonly result: JsonObject;
  readonly live: LiveConnection;
  /** The request was repeated with answers of the user, so its result must not be cached. */
  readonly retried: boolean;
}

export class Rounds {
  readonly #requests: Requests;
  readonly #questions: QuestionHandlers;

  constructor(requests: Requests, questions: QuestionHandlers) {
    this.#requests = requests;
    this.#questions = questions;
  }

  /** Returns the unchecked result. Without `options.ask`, this can be one that asks for input. */
  async request(method: string, params: JsonObject | undefined, options: RawRequestOptions): Promise<JsonObject> {
    if (options.ask !== undefined) return (await this.completeRounds(method, params, options, true)).result;
    const [result] = await this.#requests.send(method, params, options, true);
    return result;
  }

  /** Repeats the request until its result needs no more input, and checks the result's type. */
  async complete(method: string, params: JsonObject | undefined, options: SendingOptions): Promise<CompletedRequest> {
    const completed = await this.completeRounds(method, params, options);
    const { result, live } = completed;
    checkResultType(live.revision, method, result, this.#requests.settings.resultTypes);
    return completed;
  }

  /** Like `complete`, without the check of the type: for callers that accept additional types, such as tasks. */
  async completeRounds(
    method: string,
    params: JsonObject | undefined,
    options: SendingOptions,
    isRaw = false,
  ): Promise<CompletedRequest> {
    const { maxRounds: rounds } = this.#requests.settings.limits;
    let input: JsonObject | undefined;
    for (let round = 0; ; round++) {
      const asked = input === undefined ? params : { ...params, ...input };
      let sent: readonly [JsonObject, LiveConnection];
      try {
        sent = await this.#requests.send(method, asked, options, isRaw);
      } catch (error) {
        if (round >= rounds || !(await this.#visitPagesFor(error, method, options))) throw error;
        continue;
      }
      const [result, live] = sent;
      const wanted = live.revision.asks.inputRequests(result);
      if (wanted === undefined) return { result, live, retried: round > 0 };
      if (!interactiveMethods.has(method)) throw malformedResult(method, `its results cannot ask for input`);
      if (round >= rounds) throw new McpError('MCP_TOO_MANY_ROUNDS', { method, rounds, setting: 'limits.maxRounds' });
      checkQuestions(method, wanted);
      input = await this.#answerQuestions(method, wanted, { live, options });
    }
  }

  /** Asks the user to visit the pages that the error requires. True if the request can be repeated; the server did not process it. */
  async #visitPagesFor(error: unknown, method: string, options: SendingOptions): Promise<boolean> {
    const { live, closing } = this.#requests.connection;
    if (!(error instanceof RpcError) || live === undefined || options.ask !== undefined) return false;
    const pages = live.revision.requiredVisits(error);
    if (pages.length === 0) return false;
    const given = signalOf(options);
    const signal = joinSignals(closing, given);
    const context = { signal, server: live.server };
    try {
      return await untilAborted(this.#questions.visitPages(pages, live.revision, context), signal);
    } catch (thrown) {
      if (given?.aborted === true) throw cancelledError(method, given);
      throw thrown instanceof RpcError ? error : thrown;
    }
  }

  /** Returns the params to add to the retry: answers by the keys of the questions, and the server's state unchanged. */
  async #answerQuestions(
    method: string,
    { requests, state }: InputRequests,
    { live, options }: SendContext,
  ): Promise<JsonObject> {
    const { ask, capabilities } = options;
    const signal = signalOf(options);
    const failed = new AbortController();
    const until = joinSignals(failed.signal, this.#requests.connection.closing, signal);
    const context: QuestionContext = { signal: until, server: live.server };
    const all = [...requests].map(async ([key, question]): Promise<[string, JsonObject]> => {
      const asked = { ...question, revision: live.revision, context, ask, capabilities };
      const answer = await this.#questions.answer(asked).catch((error: unknown) => {
        throw unansweredError(method, question.method, error);
      });
      return [key, answer];
    });
    try {
      const inputResponses = Object.fromEntries(await untilAborted(Promise.all(all), until));
      return {
        ...(requests.size === 0 ? {} : { inputResponses }),
        ...(state === undefined ? {} : { requestState: state }),
      };
    } catch (error) {
      failed.abort(error);
      throw signal?.aborted === true ? cancelledError(method, signal) : error;
    }
  }
}

const signalOf = ({ signal, link }: SendingOptions): AbortSignal | undefined => signal ?? link?.signal;
