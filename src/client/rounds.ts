/** Requests that ask for input: the questions of a result are answered, and the request is sent again with the answers. */
import { McpError, RpcError } from '../errors.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import { joinSignals, untilAborted } from '../peer/wait.ts';
import type { InputRequests } from '../revisions/contract.ts';
import { checkQuestions, checkResultType, malformedResult } from '../revisions/decode.ts';
import type { LiveConnection } from './connection.ts';
import type { QuestionContext } from './handlers.ts';
import { cancelledError, type RawRequestOptions } from './outgoing-call.ts';
import { type QuestionHandlers, unansweredError } from './question-handlers.ts';
import { interactiveMethods, type Requests, type SendContext, type SendingOptions } from './requests.ts';

/** A result that needs no more input, and the connection it came on. */
export interface CompletedRequest {
  readonly result: JsonObject;
  readonly live: LiveConnection;
  /** The request brought answers of the user along, so its result must not be cached. */
  readonly retried: boolean;
}

export class Rounds {
  readonly #requests: Requests;
  readonly #questions: QuestionHandlers;

  constructor(requests: Requests, questions: QuestionHandlers) {
    this.#requests = requests;
    this.#questions = questions;
  }

  /** The result as it came, also where it asks for input and the request brings no answers. */
  async request(method: string, params: JsonObject | undefined, options: RawRequestOptions): Promise<JsonObject> {
    if (options.ask !== undefined) return (await this.completeRounds(method, params, options, true)).result;
    const [result] = await this.#requests.send(method, params, options, true);
    return result;
  }

  /** The result that needs no more input, after as many rounds of questions as it takes. */
  async complete(method: string, params: JsonObject | undefined, options: SendingOptions): Promise<CompletedRequest> {
    const completed = await this.completeRounds(method, params, options);
    const { result, live } = completed;
    checkResultType(live.revision, method, result, this.#requests.settings.resultTypes);
    return completed;
  }

  /** As `complete`, for callers that know more types of results, and check them. */
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
      if (!interactiveMethods.has(method)) throw malformedResult(method, `its results may not ask for input`);
      if (round >= rounds) throw new McpError('MCP_TOO_MANY_ROUNDS', { method, rounds, setting: 'limits.maxRounds' });
      checkQuestions(method, wanted);
      input = await this.#answerQuestions(method, wanted, { live, options });
    }
  }

  /** Whether the user has visited the pages that the request failed for. The server has not begun with it, and nothing is done twice. */
  async #visitPagesFor(error: unknown, method: string, options: SendingOptions): Promise<boolean> {
    const { live, closing } = this.#requests.connection;
    if (!(error instanceof RpcError) || live === undefined || options.ask !== undefined) return false;
    const pages = live.revision.visitsFirst(error);
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

  /** What the retry brings along: answers under the keys of the questions, and the state as it came, if any came. */
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
