/** The server's questions, answered by the client's handlers: the same whether they come as requests or inside a result. */
import { McpError, messageOf, RpcError, ToolError } from '../errors.ts';
import { defined, INVALID_PARAMS, isObject, type JsonObject, METHOD_NOT_FOUND } from '../jsonrpc/message.ts';
import type { ClientCapabilities } from '../model/caller.ts';
import { ROOTS_CHANGED } from '../model/names.ts';
import type { Revision } from '../revisions/contract.ts';
import { encodeClientCapabilities } from '../revisions/encode.ts';
import { encodeAnswer } from '../revisions/encode-questions.ts';
import { formAnswer, formRequest, urlAnswer, urlRequest } from './elicitation.ts';
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
import { checkedRoots } from './roots.ts';
import { sampleAnswer, sampleRequest } from './sampling.ts';

/** What the specification's examples answer when the user says no. */
const REJECTED = -1;

export interface AskedQuestion {
  readonly method: string;
  readonly params: JsonObject;
  readonly revision: Revision;
  readonly context: QuestionContext;
  /** Of the request that the question is about: answers it in place of the client's handlers. */
  readonly ask?: RawQuestionHandler | undefined;
  /** Of the request that the question is about: what it can be asked; as a rule, what the client's handlers can do. */
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
    this.#roots = typeof roots === 'function' || roots === undefined ? roots : checkedRoots(roots);
  }

  /** What this client can be asked, in a revision's words. */
  capabilities(revision: Revision): JsonObject {
    const { vocabulary, methods } = revision;
    const { tools, context } = this.#sample ?? {};
    const form = this.#elicit.form && {};
    const url = vocabulary.visits === 'nothing' ? undefined : this.#elicit.url && {};
    const { extensions } = this.#settings;
    const capabilities = defined<JsonObject>({
      elicitation: (form ?? url) && defined<JsonObject>({ form, url }),
      sampling: this.#sample && defined<JsonObject>({ tools: flag(tools), context: flag(context) }),
      roots: this.#roots && (methods.notifications.has(ROOTS_CHANGED) ? { listChanged: true } : {}),
      extensions: Object.keys(extensions).length === 0 ? undefined : extensions,
    });
    return encodeClientCapabilities(vocabulary, capabilities);
  }

  /** The answer in the revision's words. Throws an `RpcError` where the question cannot or may not be answered. */
  async answer(question: AskedQuestion): Promise<JsonObject> {
    const { method, params, revision, context, ask, capabilities } = question;
    if (!revision.methods.questions.has(method)) throw methodNotFound(method);
    if (ask !== undefined) return ask({ method, params }, context);
    const declared: JsonObject = capabilities ?? this.capabilities(revision);
    if (declared[capabilityOf(method)] === undefined) throw methodNotFound(method);
    if (method === 'elicitation/create') return this.#elicited(question, declared['elicitation']);
    if (method === 'roots/list') return encodeAnswer(revision.vocabulary, method, await this.#listRoots(question));
    return encodeAnswer(revision.vocabulary, method, await this.#sampled(question, declared['sampling']));
  }

  /** The server reports that the user is done with a page. */
  visitCompleted(id: unknown): void {
    this.#visits.complete(id);
    if (typeof id === 'string') this.#onVisitCompleted?.(id);
  }

  /** Asks the user to visit these pages, which a request failed without. True when the request can be repeated. */
  async visitPages(pages: readonly JsonObject[], revision: Revision, context: QuestionContext): Promise<boolean> {
    const { required } = this.#elicit;
    const declared = this.capabilities(revision)['elicitation'];
    if (required === undefined || !isObject(declared) || declared['url'] === undefined) return false;
    return required(
      pages.map((page) => urlRequest(page, this.#visits.expect(page['elicitationId']))),
      context,
    );
  }

  async #elicited({ params, context }: AskedQuestion, declared: unknown): Promise<JsonObject> {
    const { form, url } = this.#elicit;
    const { mode = 'form', elicitationId } = params;
    if (mode === 'form' && form !== undefined) {
      const request = formRequest(params);
      return formAnswer(request, await form(request, context));
    }
    if (mode === 'url' && url !== undefined && isObject(declared) && declared['url'] !== undefined)
      return urlAnswer(await url(urlRequest(params, this.#visits.expect(elicitationId)), context));
    throw new RpcError(INVALID_PARAMS, `This client did not declare elicitation mode ${JSON.stringify(mode)}`);
  }

  async #sampled({ params, context, revision }: AskedQuestion, declared: unknown): Promise<JsonObject> {
    if (this.#sample === undefined) throw methodNotFound('sampling/createMessage');
    this.#settings.warnings.deprecated('sampling', revision);
    const request = sampleRequest(params, isObject(declared) && declared['tools'] !== undefined);
    try {
      const answer = await this.#sample.create(request, context);
      if (answer !== 'declined') return sampleAnswer(request, answer);
    } catch (error) {
      if (error instanceof ToolError) throw new RpcError(REJECTED, error.message);
      throw error;
    }
    throw new RpcError(REJECTED, 'User rejected sampling request');
  }

  async #listRoots({ revision, context }: AskedQuestion): Promise<JsonObject> {
    if (this.#roots === undefined) throw methodNotFound('roots/list');
    this.#settings.warnings.deprecated('roots', revision);
    return { roots: typeof this.#roots === 'function' ? checkedRoots(await this.#roots(context)) : this.#roots };
  }
}

/** How a capability says that something is supported. */
const flag = (isSupported: true | undefined): JsonObject | undefined => (isSupported === true ? {} : undefined);

/** The capability that a question needs: the first part of its method. */
const capabilityOf = (method: string): string => method.split('/')[0] ?? method;

const methodNotFound = (method: string): RpcError =>
  new RpcError(METHOD_NOT_FOUND, `Method not found: this client does not answer ${method}`);

/** Why a request that asked for input stops here, for the caller of that request. */
export function unansweredError(method: string, question: string, error: unknown): McpError {
  if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) {
    return new McpError('MCP_CANNOT_ASK', { what: question, capability: capabilityOf(question) }, { cause: error });
  }
  const reason = messageOf(error);
  return new McpError('MCP_CANCELLED', { method, why: `${question} was not answered: ${reason}` }, { cause: error });
}
