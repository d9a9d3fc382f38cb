/**
 * The type of a protocol revision: properties and strategies for everything that differs between revisions. Other rooms read these
 * properties instead of comparing dates.
 */
import type { RpcError } from '../errors.ts';
import type { JsonObject, RpcNotification, RpcRequest } from '../jsonrpc/message.ts';
import type { Caller, Implementation, ServerCapabilities, ServerFacts } from '../model/caller.ts';
import type { Change, ChangeFilter } from '../model/change.ts';
import type { LoggingLevel } from '../model/logging.ts';
import type { Shape } from '../model/shape.ts';
import type { Clock } from '../peer/clock.ts';
import type { Link, StandingStream } from '../peer/exchange.ts';
import type { PeerSession } from '../peer/session.ts';
import type { Warnings } from '../peer/warnings.ts';
import type { Sealer } from './asks/seal.ts';
import type { TaskForm } from './tasks/form.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface Revision {
  readonly id: string;
  readonly methods: MethodTable;
  /**
   * True: client and server introduce themselves once, in a handshake. Over HTTP, a session has an id in a header; a POST opens it,
   * DELETE ends it, GET opens a standing stream. False: every request introduces its sender.
   */
  readonly hasSessions: boolean;
  /** True: the server asks by sending requests to the client. False: it asks inside its results. */
  readonly hasServerRequests: boolean;
  readonly lifecycle: Lifecycle;
  readonly asks: Asks;
  readonly feeds: Feeds;
  readonly http: HttpRules;
  /** Members and content blocks of the revision, for the encoders. */
  readonly vocabulary: Vocabulary;
  /** JSON-RPC batches: one array can hold several messages. */
  readonly batches: boolean;
  /** How wrong tool arguments are reported: as a JSON-RPC error, or as a result that a model can read. */
  readonly badArguments: 'error' | 'result';
  /** Valid values of `resultType`; undefined if results have no such member. */
  readonly resultTypes?: ReadonlySet<string>;
  /** Undefined if the revision has no tasks. */
  readonly tasks?: TaskRules;
  /** Client features that this revision deprecates. */
  readonly deprecated?: ReadonlySet<'logging' | 'roots' | 'sampling'>;
  /** The error code that this revision uses for an error. */
  code(error: RpcError): number;
  /** Client: the pages that the user must visit before the failed request can be repeated. Empty for other errors. */
  requiredVisits(error: RpcError): readonly JsonObject[];
}

export interface TaskRules {
  readonly name: TaskForm['name'];
  readonly methods: readonly string[];
  /** Adds the declaration of tasks to a server's capabilities. */
  declare(base: ServerCapabilities): ServerCapabilities;
  /** Loads the encoding of tasks; lazy, because most programs do not use tasks. */
  load(): Promise<TaskForm>;
}

/** Properties of a revision that the HTTP transports read. */
export interface HttpRules {
  /** Requests after the handshake name their revision in the header MCP-Protocol-Version. */
  readonly versionHeader: boolean;
  /** This is the revision of requests without that header and without a session. */
  readonly isAssumed: boolean;
  /** Headers repeat the method, the name and marked arguments, and must match the body. */
  readonly mirrors: boolean;
  /** Events have ids, and a client can resume a broken stream. */
  readonly resumable: boolean;
  /** Streams start with an empty event that has an id. The server can close a stream early, so that the client polls. */
  readonly polling: boolean;
  /** Client: whether to fall back to HTTP+SSE if the server rejects the first request with this status. */
  suggestsSse(status: number): boolean;
  /** The HTTP status of an error response, unless a stream was opened before. */
  status(code: number): number;
}

export type ServerGroup = 'tools' | 'resources' | 'prompts' | 'completions' | 'logging';

export interface Method {
  /** The server capability that the method requires. */
  readonly needs?: ServerGroup;
  readonly params: Shape<unknown>;
  /** Idempotent: safe to retry if it is unknown whether the request arrived. */
  readonly repeatable?: boolean;
  /** Results have cache hints (`ttlMs`). */
  readonly cacheable?: boolean;
}
export interface MethodTable {
  readonly requests: ReadonlyMap<string, Method>;
  /** Methods with which a server asks a client, as a request or inside a result. */
  readonly questions: ReadonlySet<string>;
  readonly notifications: ReadonlySet<string>;
}

/** The server's properties that a lifecycle needs for its responses. */
export interface ServerSide {
  readonly info: Implementation;
  readonly instructions?: string | undefined;
  readonly revisions: readonly Revision[];
  /** Reject a handshake for a revision that the server does not support, instead of offering another. */
  readonly strictVersions?: boolean | undefined;
  capabilities(revision: Revision): ServerCapabilities;
}

/** How client and server introduce themselves: once per session, or with every request. */
export interface Lifecycle {
  /** Handles the revision's lifecycle requests, such as `initialize`; undefined for all others. */
  answer(request: RpcRequest, server: ServerSide, context: LifecycleContext): JsonObject | undefined;
  /** The client that sent the request. Throws if the request lacks its introduction. */
  caller(request: RpcRequest, session: PeerSession): Caller;
  /** The minimum severity of log messages for this request; undefined for none. */
  logLevel(request: RpcRequest, session: PeerSession): LoggingLevel | undefined;
  /** Adds the members that every result has. */
  stamp(result: JsonObject, server: Implementation): JsonObject;
  /** Client: adds the members that every request has. */
  introduce(params: JsonObject | undefined, me: Introduction): JsonObject | undefined;
}
export interface LifecycleContext {
  readonly session: PeerSession;
  /** Ends the conversation, on request of the client. */
  end(): void;
  /** Ends the current session, because the client initializes again. Throws if the channel allows only one session. */
  renew(): void;
}
/** The info, capabilities and log level that a client declares. */
export interface Introduction {
  readonly info: Implementation;
  readonly capabilities: JsonObject;
  readonly logLevel?: LoggingLevel | undefined;
}

/** A handler's question to the client. */
export interface Question {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  /** Encoded as in the newest revision. */
  readonly params: JsonObject;
}

/** How a handler's questions reach the client, and how the answers get back to it. */
export interface Asks {
  /** Prepares asking for one request. Throws if the request contains state that this server did not seal. */
  begin(context: AskContext): Promise<ClientRequests>;
  /** Whether the request contains answers or state, so that `begin` must run before the handler. */
  resumes(request: RpcRequest): boolean;
  /** Client: the questions in a result; undefined if the result is complete. */
  inputRequests(result: JsonObject): InputRequests | undefined;
}
export interface AskContext {
  readonly request: RpcRequest;
  readonly link: Link;
  readonly caller: Caller;
  /** The handshake is complete, or the revision has none. */
  readonly ready: boolean;
  readonly revision: Revision;
  readonly settings: {
    readonly sealer: Sealer;
    readonly clock: Clock;
    readonly maxRounds: number;
    readonly warnings: Warnings;
  };
}
export interface ClientRequests {
  /** Returns the client's answer, encoded as in the newest revision. The key identifies the question within its request. */
  ask(key: string, question: Question): Promise<JsonObject>;
  /** Notifies the client that a visit is complete, if the revision has a notification for it. */
  completeVisit(key: string): void;
  /** Runs a step, unless an earlier run of the same call stored its result. */
  once<T>(key: string, step: OnceStep<T>, options?: OnceOptions): Promise<T>;
  /** The interim result to send if the handler was suspended by a question. Throws if the handler caught the suspension. */
  outcome(what: string, thrown?: unknown): Promise<JsonObject | undefined> | undefined;
}
/** The argument of a step of `ctx.once`. */
export interface StepInfo {
  /** Idempotency key for external services: the same for every run of the step in one call, unique across calls. */
  readonly idempotencyKey: string;
  /** Fencing token: grows with every run of the call, so that a service can reject requests of an older run. */
  readonly fence: number;
  readonly signal: AbortSignal;
}
/** Options of `ctx.once`. */
export interface OnceOptions {
  /**
   * `false`: a task never runs the step a second time. If the process crashes during the step, `once` throws in the next run, because
   * it is unknown whether the step took effect. Default: true.
   */
  readonly again?: boolean;
}
export type OnceStep<T> = (info: StepInfo) => T | Promise<T>;
export interface InputRequests {
  readonly requests: ReadonlyMap<string, Question>;
  readonly state?: string;
}

/** How change notifications reach a client. */
export interface Feeds {
  /** Server: handles the revision's subscription requests; undefined for all others. */
  answer(request: RpcRequest, context: FeedContext): JsonObject | Promise<JsonObject> | undefined;
  /** Server: the notification to push to a session for a change; undefined if the session is not subscribed to it. */
  push(change: Change, session: PeerSession): RpcNotification | undefined;
  /** Client: subscribes until the signal aborts. Resolves when the server ends the subscription. */
  watch(filter: ChangeFilter, context: WatchContext): Promise<void>;
}
export interface FeedContext {
  readonly session: PeerSession;
  readonly link: Link;
  readonly changes: ChangeSource;
  readonly capabilities: ServerCapabilities;
}
export interface ChangeSource {
  /** Calls `listener` for every change until the returned function is called, and `closed` when the source closes. */
  subscribe(listener: (change: Change) => void, closed: () => void): () => void;
}
export interface WatchContext {
  readonly signal: AbortSignal;
  /** Sends a long-lived request without a timeout, until the signal aborts. `notify` gets the notifications about it. */
  listen(method: string, params: JsonObject, notify: (notification: RpcNotification) => void): Promise<unknown>;
  /** Subscribes to a resource within the session. The returned function ends the subscription, and never rejects. */
  subscribe(uri: string): Promise<() => Promise<void>>;
  /** Reports the part of the filter that the server accepted. If `isWhole` is false, changes may have been lost. */
  granted(filter: ChangeFilter, isWhole?: boolean): void;
  deliver(change: Change): void;
  readonly standing: StandingStream | undefined;
  readonly server: ServerFacts;
}
