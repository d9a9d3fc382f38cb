/** What a server can ask of a client, and the functions that answer. They are the same in every revision. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { ServerFacts } from '../model/caller.ts';
import type { ElicitResult, FormSchema, FormValue } from '../model/elicitation.ts';
import type { CreateMessageParams, CreateMessageResult, Root } from '../model/sampling.ts';

type MaybePromise<T> = T | Promise<T>;

/** The server that asks, and whether it still waits. */
export interface QuestionContext {
  /** Aborts when the answer is no longer wanted. */
  readonly signal: AbortSignal;
  /** Self-reported: show it, do not trust it. */
  readonly server: ServerFacts;
  /** The id of the task that asks, where one does. Self-reported as well. */
  readonly task?: string | undefined;
}

/** A form that a server wants filled in. */
export interface FormRequest {
  readonly message: string;
  readonly requestedSchema: FormSchema;
  /** What the server suggests for each field. Fields that an accepted answer leaves out get these. */
  readonly defaults: Readonly<Record<string, FormValue>>;
}

/** What deserves a warning about a URL before the user visits it. */
export type UrlWarning = 'credentials' | 'insecure' | 'punycode';
/** A page that a server wants the user to visit. */
export interface UrlRequest {
  readonly message: string;
  /** In full, as the server sent it. Open it only after the user has agreed; the client never does. */
  readonly url: string;
  readonly host: string;
  readonly warnings: readonly UrlWarning[];
  /** Resolves if the server reports that the visit is over. Many never do: offer a way on without it. */
  readonly completed: Promise<void>;
}

/** With a parameter, since the compiler shows its values when something else is returned. */
type FormAnswer<Action extends ElicitResult['action']> = MaybePromise<ElicitResult & { readonly action: Action }>;
/** Shows a form to the user, and returns what they say. */
export type FormHandler = (request: FormRequest, context: QuestionContext) => MaybePromise<ElicitResult>;
/** Shows a URL to the user, and returns whether they agree to visit it. */
export type UrlHandler = (request: UrlRequest, context: QuestionContext) => MaybePromise<Pick<ElicitResult, 'action'>>;
/**
 * A request failed because the user must visit these pages first. Resolves with whether to repeat it: once they agreed, and each visit
 * is over as far as the server or the user says. Without it, the request has failed.
 */
export type UrlRequiredHandler = (requests: readonly UrlRequest[], context: QuestionContext) => MaybePromise<boolean>;
/** How the user is asked: with a form, or with a page to visit. */
export interface ElicitHandlers {
  readonly form?: FormHandler;
  readonly url?: UrlHandler;
  readonly required?: UrlRequiredHandler;
}

/** Returns `declined` where the user does not want it, or throws a `ToolError`, whose text the server can read. */
export type SampleHandler = (
  request: CreateMessageParams,
  context: QuestionContext,
) => MaybePromise<CreateMessageResult | 'declined'>;
/** A model for servers, and what it supports. */
export interface SampleHandlers {
  readonly create: SampleHandler;
  /** The model may be given tools. */
  readonly tools?: true;
  /** `includeContext` is understood. */
  readonly context?: true;
}

/** A question as the server sent it, in the words of the revision that is spoken. */
export interface RawQuestion {
  /** `elicitation/create`, `sampling/createMessage` or `roots/list`. */
  readonly method: string;
  readonly params: JsonObject;
}
/** Answers a question; the result goes to the server as it is. Throw an `RpcError` to answer with an error. */
export type RawQuestionHandler = (question: RawQuestion, context: QuestionContext) => MaybePromise<JsonObject>;

/** The folders, or a function that finds them when they are asked for. */
export type RootsSource = readonly Root[] | ((context: QuestionContext) => MaybePromise<readonly Root[]>);

/** How a client answers a server's questions. What is left out cannot be asked. */
export interface Handlers {
  /** Asks the user: one function for forms, or one for forms and one for pages to visit. */
  readonly elicit?:
    | ((request: FormRequest, context: QuestionContext) => FormAnswer<'accept' | 'decline' | 'cancel'>)
    | ElicitHandlers;
  /**
   * Asks a model on behalf of the server.
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
