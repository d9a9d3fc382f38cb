/**
 * What differs between dated revisions. Other rooms read this object; no date appears outside of this folder.
 * Fields are facts and strategies: there is no "is it this one?".
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
  /** What a client may send, and what a server may ask. */
  readonly methods: MethodTable;
  /** The two sides agree once, in a handshake, and remember it; otherwise every request introduces itself. */
  readonly hasSessions: boolean;
  /** A server sends requests of its own to the client; otherwise it asks inside its results. */
  readonly hasServerRequests: boolean;
  readonly lifecycle: Lifecycle;
  readonly asks: Asks;
  readonly feeds: Feeds;
  readonly http: HttpRules;
  /** Which members and blocks exist; `encode.ts` reads it. */
  readonly vocabulary: Vocabulary;
  /** Several messages may come as one array. */
  readonly batches: boolean;
  /** How wrong tool arguments are reported: as a JSON-RPC error, or as a result that a model can read. */
  readonly badArguments: 'error' | 'result';
  /** What `resultType` may say; absent where results have no such member. */
  readonly resultTypes?: ReadonlySet<string>;
  /** How tasks are spelled; absent where there are none. */
  readonly tasks?: TaskRules;
  /** Features of a client that still work in this revision, and will go. */
  readonly deprecated?: ReadonlySet<'logging' | 'roots' | 'sampling'>;
  /** The number this revision uses for an error. */
  code(error: RpcError): number;
  /** Client: the pages to visit before a request that failed like this can be repeated. As a rule there are none. */
  visitsFirst(error: RpcError): readonly JsonObject[];
}

export interface TaskRules {
  readonly name: TaskForm['name'];
  readonly methods: readonly string[];
  /** What a server with tasks declares that would declare `base` without them. */
  declare(base: ServerCapabilities): ServerCapabilities;
  /** Only programs that use tasks load the rest. */
  load(): Promise<TaskForm>;
}

/** What a revision says about HTTP, as facts for the transport. */
export interface HttpRules {
  /** A conversation has an id in a header, is opened by a POST and ended by DELETE; GET opens a standing stream. */
  readonly sessions: boolean;
  /** Requests after the handshake name their revision in the header MCP-Protocol-Version. */
  readonly versionHeader: boolean;
  /** A request that names no revision in that header, and belongs to no session, is in this one. */
  readonly isAssumed: boolean;
  /** Method, name and marked arguments are repeated in headers, and must agree with the body. */
  readonly mirrors: boolean;
  /** Events have ids; a stream that broke off can be taken up again. */
  readonly resumable: boolean;
  /** A stream begins with an empty event that has an id, and may be closed early by a server that wants to be polled. */
  readonly polling: boolean;
  /** Client: whether to try HTTP+SSE when a server rejects the first request with this status. */
  suggestsSse(status: number): boolean;
  /** The status of an answer that is an error, when no stream was opened for it. */
  status(code: number): number;
}

export type ServerGroup = 'tools' | 'resources' | 'prompts' | 'completions' | 'logging';

export interface Method {
  /** The capability a server must have declared for it. */
  readonly needs?: ServerGroup;
  readonly params: Shape<unknown>;
  /** Safe to send again when it is unknown whether it arrived. */
  readonly repeatable?: boolean;
  /** Its result says how long it may be kept. */
  readonly cacheable?: boolean;
}
export interface MethodTable {
  readonly requests: ReadonlyMap<string, Method>;
  /** What a server may ask of a client, as a request or inside a result. */
  readonly questions: ReadonlySet<string>;
  readonly notifications: ReadonlySet<string>;
}

/** What a lifecycle needs to know of the server it speaks for. */
export interface ServerSide {
  readonly info: Implementation;
  readonly instructions?: string | undefined;
  readonly revisions: readonly Revision[];
  /** Reject a handshake for a revision that the server does not support, instead of offering another. */
  readonly strictVersions?: boolean | undefined;
  capabilities(revision: Revision): ServerCapabilities;
}

/** How the two sides come to know each other: once per session, or on every request. */
export interface Lifecycle {
  /** Answers the revision's own lifecycle requests; undefined for all others. */
  answer(request: RpcRequest, server: ServerSide, context: LifecycleContext): JsonObject | undefined;
  /** Who is calling. Throws where the request does not say what it must. */
  caller(request: RpcRequest, session: PeerSession): Caller;
  /** The least severe log message wanted for this request; undefined for silence. */
  logLevel(request: RpcRequest, session: PeerSession): LoggingLevel | undefined;
  /** Adds what every result carries. */
  stamp(result: JsonObject, server: Implementation): JsonObject;
  /** Client: adds what every request carries. */
  introduce(params: JsonObject | undefined, me: Introduction): JsonObject | undefined;
}
export interface LifecycleContext {
  readonly session: PeerSession;
  /** The client asked for the end of the conversation. */
  end(): void;
  /** The client opens again where there is a session: ends that one. Throws where the channel has one session for life. */
  renew(): void;
}
/** What a client says of itself with each request. */
export interface Introduction {
  readonly info: Implementation;
  readonly capabilities: JsonObject;
  readonly logLevel?: LoggingLevel | undefined;
}

/** Something a handler wants to know from the client. */
export interface Question {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  /** In the newest revision's words. */
  readonly params: JsonObject;
}

/** How a handler's questions reach the client, and how the answers get back to it. */
export interface Asks {
  /** Starts asking on behalf of one request. Throws where the request brings state that cannot be trusted. */
  begin(context: AskContext): Promise<ClientRequests>;
  /** Whether the request brings answers or state, so that `begin` cannot wait for the first question. */
  resumes(request: RpcRequest): boolean;
  /** Client: what a result asks for before the request can be completed; undefined when it is complete. */
  inputRequests(result: JsonObject): InputRequests | undefined;
}
export interface AskContext {
  readonly request: RpcRequest;
  readonly link: Link;
  readonly caller: Caller;
  /** The client is done with the handshake, where there is one. */
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
  /** The client's answer in the newest revision's words. The key names the question within its request. */
  ask(key: string, question: Question): Promise<JsonObject>;
  /** Tells the client that a visit it agreed to is over, where the revision has a word for that. */
  completeVisit(key: string): void;
  /** Runs a step unless its result is known from an earlier run of the same call. */
  once<T>(key: string, step: OnceStep<T>, options?: OnceOptions): Promise<T>;
  /** What to send instead of the handler's own outcome, if it stopped to ask. Throws if it swallowed the stop. */
  outcome(what: string, thrown?: unknown): Promise<JsonObject | undefined> | undefined;
}
/** What a step of a handler receives. */
export interface StepInfo {
  /** The same however often the step runs in one call, and different in every other call: for the service that does the work. */
  readonly idempotencyKey: string;
  /** Grows with every run of the call: a service can reject a smaller number than it has seen. */
  readonly fence: number;
  readonly signal: AbortSignal;
}
/** How often a step may run. */
export interface OnceOptions {
  /**
   * False: in a task, the step is never run a second time. If the process dies in the middle of it, `once` throws, because whether
   * the step took effect is not known.
   */
  readonly again?: boolean;
}
export type OnceStep<T> = (info: StepInfo) => T | Promise<T>;
export interface InputRequests {
  readonly requests: ReadonlyMap<string, Question>;
  readonly state?: string;
}

/** How notifications of changes reach a client that wants them. */
export interface Feeds {
  /** Server: answers the revision's own subscription requests; undefined for all others. */
  answer(request: RpcRequest, context: FeedContext): JsonObject | Promise<JsonObject> | undefined;
  /** Server: the notification to push to a session for a change; undefined if the session does not want it. */
  push(change: Change, session: PeerSession): RpcNotification | undefined;
  /** Client: subscribes until the link aborts. Resolves when the server ended it. */
  watch(filter: ChangeFilter, context: WatchContext): Promise<void>;
}
export interface FeedContext {
  readonly session: PeerSession;
  readonly link: Link;
  readonly changes: ChangeSource;
  readonly capabilities: ServerCapabilities;
}
export interface ChangeSource {
  /** Calls back for every change until the returned function is called; `closed` when there will be no more. */
  subscribe(listener: (change: Change) => void, closed: () => void): () => void;
}
export interface WatchContext {
  readonly signal: AbortSignal;
  /** Sends a request as the client does; `notify` gets what belongs to it. */
  request(method: string, params: JsonObject, options: WatchRequest): Promise<JsonObject>;
  /** The part of the filter that the server honours; where `isWhole` is false, changes can have been missed. */
  granted(filter: ChangeFilter, isWhole?: boolean): void;
  deliver(change: Change): void;
  readonly standing: StandingStream | undefined;
  readonly server: ServerFacts;
}
export interface WatchRequest {
  readonly signal: AbortSignal;
  notify?(notification: RpcNotification): void;
  /** Stays open for as long as it is wanted. */
  readonly standing?: boolean;
}
