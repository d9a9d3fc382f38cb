/** Types of the handlers that answer a server's questions. They are the same in every revision. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { ServerFacts } from '../model/caller.ts';
import type { ElicitResult, FormSchema, FormValue } from '../model/elicitation.ts';
import type { CreateMessageParams, CreateMessageResult, Root } from '../model/sampling.ts';

type MaybePromise<T> = T | Promise<T>;

/** The server that asks, and a signal that cancels the question. */
export interface QuestionContext {
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** Self-reported: show it, do not trust it. */
  readonly server: ServerFacts;
  /** The id of the task that the question belongs to, if any. Also self-reported. */
  readonly task?: string | undefined;
}

/** A form that a server wants filled in. */
export interface FormRequest {
  readonly message: string;
  readonly requestedSchema: FormSchema;
  /** The server's default for each field. The client fills them in where an accepted answer omits the field. */
  readonly defaults: Readonly<Record<string, FormValue>>;
}

/** A reason to warn the user before they visit a URL. */
export type UrlWarning = 'credentials' | 'insecure' | 'punycode';
/** A page that a server wants the user to visit. */
export interface UrlRequest {
  readonly message: string;
  /** The full URL, as the server sent it. The client never opens it. Open it only after the user has agreed. */
  readonly url: string;
  readonly host: string;
  readonly warnings: readonly UrlWarning[];
  /** Resolves when the server reports that the visit is complete. Many servers never do, so let the user continue without it. */
  readonly completed: Promise<void>;
}

/** Generic, so that the compiler's error lists the valid actions when a handler returns another one. */
type FormAnswer<Action extends ElicitResult['action']> = MaybePromise<ElicitResult & { readonly action: Action }>;
/** Shows a form to the user, and returns their answer. */
export type FormHandler = (request: FormRequest, context: QuestionContext) => MaybePromise<ElicitResult>;
/** Shows a URL to the user, and returns whether they agree to visit it. */
export type UrlHandler = (request: UrlRequest, context: QuestionContext) => MaybePromise<Pick<ElicitResult, 'action'>>;
/**
 * Called when a request failed because the user must visit these pages first. Return `true` to repeat the request, after the user has
 * agreed and each visit is complete, as the server or the user reports. Without this handler, the request fails.
 */
export type UrlRequiredHandler = (requests: readonly UrlRequest[], context: QuestionContext) => MaybePromise<boolean>;
/** Handlers per mode of elicitation: `form` shows a form, `url` and `required` a page to visit. */
export interface ElicitHandlers {
  readonly form?: FormHandler;
  readonly url?: UrlHandler;
  readonly required?: UrlRequiredHandler;
}

/** Samples a model. Return `declined` if the user declines; throw a `ToolError` to send its message to the server. */
export type SampleHandler = (
  request: CreateMessageParams,
  context: QuestionContext,
) => MaybePromise<CreateMessageResult | 'declined'>;
/** A model that servers can sample, and the features it supports. */
export interface SampleHandlers {
  readonly create: SampleHandler;
  /** Requests can include tools. */
  readonly tools?: true;
  /** Requests can include `includeContext`. */
  readonly context?: true;
}

/** A question as the server sent it, encoded for the negotiated revision. */
export interface RawQuestion {
  /** `elicitation/create`, `sampling/createMessage` or `roots/list`. */
  readonly method: string;
  readonly params: JsonObject;
}
/** Answers a question. The result is sent to the server unchanged. Throw an `RpcError` to respond with an error. */
export type RawQuestionHandler = (question: RawQuestion, context: QuestionContext) => MaybePromise<JsonObject>;

/** The folders, or a function that is called for each request for them. */
export type RootsSource = readonly Root[] | ((context: QuestionContext) => MaybePromise<readonly Root[]>);

/** Handlers that answer a server's questions. The client declares a capability only if its handler is present. */
export interface Handlers {
  /** Asks the user (elicitation): one function for forms, or an object with a function per mode. */
  readonly elicit?:
    | ((request: FormRequest, context: QuestionContext) => FormAnswer<'accept' | 'decline' | 'cancel'>)
    | ElicitHandlers;
  /**
   * Asks a model on behalf of the server (sampling).
   * @deprecated by the newest revision (SEP-2577); the earliest removal is the first revision that comes out a year or
   * more after it. Let servers talk to a model provider themselves.
   */
  readonly sample?: SampleHandler | SampleHandlers;
  /**
   * The folders that the user opened.
   * @deprecated by the newest revision (SEP-2577); the earliest removal is the first revision that comes out a year or
   * more after it. Pass folders as tool arguments, as resources, or in the server's configuration.
   */
  readonly roots?: RootsSource;
}
