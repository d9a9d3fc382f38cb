/** Answers the server's questions with the client's handlers, whether they arrive as requests or inside a result. */
import { McpError, messageOf, RpcError, ToolError } from '../errors.ts';
import { defined, INVALID_PARAMS, isObject, type JsonObject, METHOD_NOT_FOUND } from '../jsonrpc/message.ts';
import type { ClientCapabilities } from '../model/caller.ts';
import { cannotAskError } from '../revisions/asks/question.ts';
import type { Revision } from '../revisions/contract.ts';
import { encodeClientCapabilities } from '../revisions/encode.ts';
import { encodeAnswer } from '../revisions/encode-questions.ts';
import { encodeFormAnswer, encodeUrlAnswer, readFormRequest, readUrlRequest } from './elicitation.ts';
import type {
  ElicitHandlers,
  Handlers,
  QuestionContext,
  RawQuestionHandler,
  RootsSource,
  SampleHandlers,
} from './handlers.ts';
import type { ClientSettings } from './options.ts';
import { PendingVisits } from './pending-visits.ts';
import { checkRoots } from './roots.ts';
import { encodeSampleAnswer, readSampleRequest } from './sampling.ts';

/** The error code of the specification's examples for a sampling request that the user declined. */
const REJECTED = -1;

export interface AskedQuestion {
  readonly method: string;
  readonly params: JsonObject;
  readonly revision: Revision;
  readonly context: QuestionContext;
  /** The request's own handler, which answers instead of the client's handlers. */
  readonly ask?: RawQuestionHandler | undefined;
  /** The request's own capabilities. By default, those of the client's handlers. */
  readonly capabilities?: ClientCapabilities | undefined;
}

export class QuestionHandlers {
  readonly #settings: ClientSettings;
  readonly #elicit: ElicitHandlers;
  readonly #sample: SampleHandlers | undefined;
  readonly #roots: RootsSource | undefined;
  readonly #visits: PendingVisits = new PendingVisits();
  readonly #onVisitCompleted: ((id: string) => void) | undefined;

  constructor(settings: ClientSettings, onVisitCompleted?: (id: string) => void) {
    const { elicit, sample, roots }: Handlers = settings.handlers;
    this.#settings = settings;
    this.#onVisitCompleted = onVisitCompleted;
    this.#elicit = typeof elicit === 'function' ? { form: elicit } : (elicit ?? {});
    this.#sample = typeof sample === 'function' ? { create: sample } : sample;
    this.#roots = typeof roots === 'function' || roots === undefined ? roots : checkRoots(roots);
  }

  /** The client capabilities that follow from the handlers, encoded for the revision. */
  capabilities(revision: Revision): JsonObject {
    const { vocabulary } = revision;
    const { tools, context } = this.#sample ?? {};
    const form = this.#elicit.form && {};
    const url = vocabulary.visits === 'nothing' ? undefined : this.#elicit.url && {};
    const { extensions } = this.#settings;
    const capabilities = defined<JsonObject>({
      elicitation: (form ?? url) && defined<JsonObject>({ form, url }),
      sampling: this.#sample && defined<JsonObject>({ tools: flag(tools), context: flag(context) }),
      roots: this.#roots && { listChanged: true },
      extensions: Object.keys(extensions).length === 0 ? undefined : extensions,
    });
    return encodeClientCapabilities(vocabulary, capabilities);
  }

  /** Answers a question, encoded for the revision. Throws an `RpcError` if the client did not declare that it can be asked. */
  async answer(question: AskedQuestion): Promise<JsonObject> {
    const { method, params, revision, context, ask, capabilities } = question;
    if (!revision.methods.questions.has(method)) throw methodNotFound(method);
    if (ask !== undefined) return ask({ method, params }, context);
    const declared: JsonObject = capabilities ?? this.capabilities(revision);
    if (declared[capabilityOf(method)] === undefined) throw methodNotFound(method);
    if (method === 'elicitation/create') return this.#answerElicitation(question, declared['elicitation']);
    if (method === 'roots/list') return encodeAnswer(revision.vocabulary, method, await this.#answerRoots(question));
    return encodeAnswer(revision.vocabulary, method, await this.#answerSampling(question, declared['sampling']));
  }

  /** Called when the server reports that the user has completed the visit of a page. */
  completeVisit(id: unknown): void {
    this.#visits.complete(id);
    if (typeof id === 'string') this.#onVisitCompleted?.(id);
  }

  /** Asks the user to visit the pages that a failed request requires. Returns whether to repeat the request. */
  async visitPages(pages: readonly JsonObject[], revision: Revision, context: QuestionContext): Promise<boolean> {
    const { required } = this.#elicit;
    const declared = this.capabilities(revision)['elicitation'];
    if (required === undefined || !isObject(declared) || declared['url'] === undefined) return false;
    return required(
      pages.map((page) => readUrlRequest(page, this.#visits.expect(page['elicitationId']))),
      context,
    );
  }

  async #answerElicitation({ params, context }: AskedQuestion, declared: unknown): Promise<JsonObject> {
    const { form, url } = this.#elicit;
    const { mode = 'form', elicitationId } = params;
    if (mode === 'form' && form !== undefined) {
      const request = readFormRequest(params);
      return encodeFormAnswer(request, await form(request, context));
    }
    if (mode === 'url' && url !== undefined && isObject(declared) && declared['url'] !== undefined)
      return encodeUrlAnswer(await url(readUrlRequest(params, this.#visits.expect(elicitationId)), context));
    throw new RpcError(INVALID_PARAMS, `This client did not declare elicitation mode ${JSON.stringify(mode)}`);
  }

  async #answerSampling({ params, context, revision }: AskedQuestion, declared: unknown): Promise<JsonObject> {
    if (this.#sample === undefined) throw methodNotFound('sampling/createMessage');
    this.#settings.warnings.deprecated('sampling', revision);
    const request = readSampleRequest(params, isObject(declared) && declared['tools'] !== undefined);
    try {
      const answer = await this.#sample.create(request, context);
      if (answer !== 'declined') return encodeSampleAnswer(request, answer);
    } catch (error) {
      if (error instanceof ToolError) throw new RpcError(REJECTED, error.message);
      throw error;
    }
    throw new RpcError(REJECTED, 'User rejected sampling request');
  }

  async #answerRoots({ revision, context }: AskedQuestion): Promise<JsonObject> {
    if (this.#roots === undefined) throw methodNotFound('roots/list');
    this.#settings.warnings.deprecated('roots', revision);
    return { roots: typeof this.#roots === 'function' ? checkRoots(await this.#roots(context)) : this.#roots };
  }
}

/** Encodes a supported feature as an empty object, as capabilities do. */
const flag = (isSupported: true | undefined): JsonObject | undefined => (isSupported === true ? {} : undefined);

/** The capability that a question requires: the first segment of its method. */
const capabilityOf = (method: string): string => method.split('/')[0] ?? method;

const methodNotFound = (method: string): RpcError =>
  new RpcError(METHOD_NOT_FOUND, `Method not found: this client does not answer ${method}`);

/** The error for the caller of a request whose question could not be answered. */
export function unansweredError(method: string, question: string, error: unknown): McpError {
  if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) {
    return cannotAskError({ method: question }, { [capabilityOf(question)]: {} }, { cause: error });
  }
  const reason = messageOf(error);
  return new McpError('MCP_CANCELLED', { method, why: `${question} was not answered: ${reason}` }, { cause: error });
}
