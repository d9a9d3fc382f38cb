// The door "mooring/client": 68 names. Written by `npm run api`.
// CacheOptions CallOptions CallResult Client ClientCapabilities Clock Command CompleteOptions Completion CompletionReference ConnectOptions ConnectionState Content CreateMessageParams CreateMessageResult Dialer ElicitHandlers ElicitResult ErrorCode ErrorKind Extension FormHandler FormRequest FormSchema FormValue Handlers Implementation JsonObject KeepOptions Limits Listing LogMessage LoggingLevel McpError News NewsFilter Progress Prompt PromptMessage PromptResult QuestionContext ReadResult RequestOptions Resource ResourceContents ResourceTemplate ResponseCache Root RootsSource RpcError SampleHandler SampleHandlers SamplingMessage SendOptions Servable ServerCapabilities ServerDescription ServerFacts Target Timeouts Tool ToolError UrlHandler UrlRequest UrlWarning Watch WatchFilter connect

// client/answers.d.ts
export declare class Answers {
    #private;
    constructor(settings: Settings);
    capabilities(revision: Revision): JsonObject;
    answer(question: AskedQuestion): Promise<JsonObject>;
}
export interface AskedQuestion {
    readonly method: string;
    readonly params: JsonObject;
    readonly revision: Revision;
    readonly context: QuestionContext;
    readonly visits: Visits;
}

// client/cache.d.ts
interface Answer {
    readonly method: string;
    readonly params: object;
    readonly value: unknown;
    readonly hints: Required<CacheHints>;
    readonly now: number;
}
export interface CacheOptions {
    readonly maxEntries?: number;
}
export interface CacheView {
    get(method: string, params: object, now: number): unknown;
    put(answer: Answer): void;
    forget(concerns: (entry: Pick<Entry, 'method' | 'uri'>) => boolean): void;
}
interface Entry {
    readonly value: unknown;
    readonly until: number;
    readonly room: unknown;
    readonly method: string;
    readonly uri: unknown;
}
export declare class ResponseCache {
    #private;
    constructor(options?: CacheOptions);
    open(origin?: string): CacheView;
}

// client/calls.d.ts
export declare class Calls {
    #private;
    readonly outputs: Outputs;
    constructor({ requests, cache, settings }: CallsContext);
    call(name: string, args: unknown, options: SendOptions): Promise<CallResult<unknown>>;
    read(uri: string, options: KeepOptions): Promise<ReadResult>;
    get(name: string, args: unknown, options: SendOptions): Promise<PromptResult>;
    complete(params: CompleteParams, options: CompleteOptions, words: Words): Promise<Completion>;
    list<K extends Kind>(name: K, options: KeepOptions): Listing<Listed[K]>;
}
export interface CallsContext {
    readonly requests: Requests;
    readonly cache: CacheView;
    readonly settings: Settings;
}
type Words = Parameters<typeof pick>[0] | undefined;

// client/client.d.ts
export declare class Client<S = unknown> implements AsyncDisposable {
    #private;
    constructor(wiring: Wiring);
    call<N extends keyof ToolsOf<S> & string>(name: N, ...[args, options]: Arguments<ToolsOf<S>[N]['input'], CallOptions>): Promise<CallResult<ToolsOf<S>[N]['output']>>;
    list<K extends Kind>(kind: K, options?: KeepOptions): Listing<Listed[K]>;
    read(uri: ResourcesOf<S>, options?: KeepOptions): Promise<ReadResult>;
    get<N extends keyof PromptsOf<S> & string>(name: N, ...[args, options]: Arguments<PromptsOf<S>[N]['args'], SendOptions>): Promise<PromptResult>;
    complete(ref: CompletionReference, argument: CompleteParams['argument'], options?: CompleteOptions): Promise<Completion>;
    watch(filter: WatchFilter, options?: {
        readonly signal?: AbortSignal;
    }): Watch;
    request(method: string, params?: JsonObject, options?: SendOptions): Promise<JsonObject>;
    get server(): ServerDescription;
    get state(): ConnectionState;
    onState(listener: (state: ConnectionState) => void): () => void;
    ping(options?: SendOptions): Promise<void>;
    setLogLevel(level: LoggingLevel | 'warn'): Promise<void>;
    rootsChanged(): Promise<void>;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

// client/connection.d.ts
export declare class Connection {
    #private;
    constructor(dialer: Dialer, settings: Settings, hooks: ConnectionHooks);
    get state(): ConnectionState;
    get live(): Live | undefined;
    get known(): Verdict | undefined;
    nextId(): Id;
    connect(signal: AbortSignal | undefined): Promise<void>;
    use(): Promise<Live>;
    answered(): void;
    distrust(live: Live): void;
    get over(): AbortSignal;
    close(): Promise<void>;
}
export interface ConnectionHooks {
    introduce(revision: Revision): Introduction;
    inbound(peer: Peer): Exchange;
    opened(live: Live): void;
    stateChanged(state: ConnectionState): void;
}
export type ConnectionState = 'connecting' | 'ready' | 'lost' | 'closed';
export interface Live {
    readonly line: Line;
    readonly revision: Revision;
    readonly server: ServerFacts;
    readonly inbound: Exchange;
    me: Introduction;
}
export interface Peer {
    readonly session: Session;
    live?: Live;
}
export declare const closed: () => McpError;

// client/handlers.d.ts
type Awaitable<T> = T | Promise<T>;
export interface ElicitHandlers {
    readonly form?: FormHandler;
    readonly url?: UrlHandler;
}
export type FormHandler = (request: FormRequest, context: QuestionContext) => Awaitable<ElicitResult>;
export interface FormRequest {
    readonly message: string;
    readonly requestedSchema: FormSchema;
    readonly defaults: Readonly<Record<string, FormValue>>;
}
export interface Handlers {
    readonly elicit?: FormHandler | ElicitHandlers;
    readonly sample?: SampleHandler | SampleHandlers;
    readonly roots?: RootsSource;
}
export interface QuestionContext {
    readonly signal: AbortSignal;
    readonly server: ServerFacts;
}
export type RootsSource = readonly Root[] | (() => Awaitable<readonly Root[]>);
export type SampleHandler = (request: CreateMessageParams, context: QuestionContext) => Awaitable<CreateMessageResult | 'declined'>;
export interface SampleHandlers {
    readonly create: SampleHandler;
    readonly tools?: true;
    readonly context?: true;
}
export type UrlHandler = (request: UrlRequest, context: QuestionContext) => Awaitable<Pick<ElicitResult, 'action'>>;
export interface UrlRequest {
    readonly message: string;
    readonly url: string;
    readonly host: string;
    readonly warnings: readonly UrlWarning[];
    readonly completed: Promise<void>;
}
export type UrlWarning = 'credentials' | 'insecure' | 'punycode';

// client/listing.d.ts
export interface ListSource<T> {
    readonly kind: ListKind<T>;
    readonly limits: Limits;
    page(cursor: string | undefined): Promise<Page<T>>;
    forget(): void;
    warn(warning: string): void;
}
export declare class Listing<T> implements AsyncIterable<T> {
    #private;
    constructor(source: ListSource<T>);
    pages(): AsyncGenerator<readonly T[], void, undefined>;
    [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
    all(): Promise<readonly T[]>;
}

// client/options.d.ts
export interface ConnectOptions extends Handlers {
    readonly name?: string;
    readonly version?: string;
    readonly revisions?: readonly string[];
    readonly onLog?: (message: LogMessage) => void;
    readonly logLevel?: LoggingLevel | 'warn';
    readonly onWarning?: (warning: string) => void;
    readonly timeouts?: Partial<Timeouts>;
    readonly limits?: Partial<Limits>;
    readonly cache?: ResponseCache;
    readonly extensions?: Readonly<Record<string, Extension>>;
    readonly clock?: Clock;
    readonly random?: () => number;
    readonly signal?: AbortSignal | undefined;
}
export interface Extension {
    readonly settings?: JsonObject;
    readonly resultTypes?: readonly string[];
}
export interface Limits {
    readonly pages: number;
    readonly items: number;
    readonly rounds: number;
}
export interface Settings {
    readonly info: Implementation;
    readonly allowed: readonly Revision[];
    readonly handlers: Handlers;
    readonly extensions: Readonly<Record<string, JsonObject>>;
    readonly resultTypes: ReadonlySet<unknown>;
    readonly timeouts: Timeouts;
    readonly limits: Limits;
    readonly cache: ResponseCache;
    readonly clock: Clock;
    readonly random: () => number;
    readonly warnings: Warnings;
    readonly onLog: ((message: LogMessage) => void) | undefined;
}
export interface Timeouts {
    readonly connectMs: number;
    readonly probeMs: number;
    readonly callMs: number;
    readonly maxCallMs: number;
    readonly closeMs: number;
}

// client/outgoing.d.ts
export declare class Outgoing implements Link {
    #private;
    constructor(traffic: Traffic, method: string, options: OutgoingOptions);
    get signal(): AbortSignal;
    onAbort(listener: (reason: unknown) => void): void;
    abort(reason: unknown): void;
    race<T>(promise: Promise<T>): Promise<T>;
    get aborted(): boolean;
    send({ line, inbound }: Way, request: Request): Promise<Response>;
    done(): void;
    notify(message: Notification): void;
    ask(request: Request): Promise<Response>;
}
export interface OutgoingOptions extends RequestOptions {
    readonly standing?: boolean;
    readonly notify?: ((notification: Notification) => void) | undefined;
}
export interface Progress {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
}
export interface RequestOptions {
    readonly signal?: AbortSignal | undefined;
    readonly timeoutMs?: number | undefined;
    readonly maxTimeoutMs?: number | undefined;
    readonly onProgress?: ((progress: Progress) => void) | undefined;
}
export interface Traffic {
    readonly clock: Clock;
    readonly deadlines: Deadlines;
    readonly callMs: number;
    readonly maxCallMs: number;
    readonly open: Set<Outgoing>;
    questions: number;
    guard(what: string, run: () => void): void;
}
interface Way {
    readonly line: Line;
    readonly inbound: Exchange;
}

// client/output.d.ts
export declare class Outputs {
    #private;
    constructor(context: OutputsContext);
    forget(): void;
    check(name: string, data: unknown): Promise<void>;
}
export interface OutputsContext {
    tools(): Promise<readonly Tool[]>;
    warn(warning: string): void;
}

// client/requests.d.ts
export interface Completed {
    readonly result: JsonObject;
    readonly live: Live;
    readonly retried: boolean;
}
export declare class Requests {
    #private;
    constructor(context: RequestsContext);
    send(method: string, params?: JsonObject, options?: Sending): Promise<readonly [JsonObject, Live]>;
    complete(method: string, params: JsonObject | undefined, options: SendOptions): Promise<Completed>;
}
export interface RequestsContext {
    readonly connection: Connection;
    readonly settings: Settings;
    readonly traffic: Traffic;
    readonly answers: Answers;
    readonly visits: Visits;
}
export interface SendOptions extends RequestOptions {
    readonly meta?: JsonObject | undefined;
}
export interface Sending extends SendOptions, OutgoingOptions {
    readonly on?: Live;
}

// client/types.d.ts
export interface AnyCatalogue extends Catalogue {
    readonly tools: Readonly<Record<string, {
        readonly input: JsonObject;
        readonly output: unknown;
    }>>;
    readonly prompts: Readonly<Record<string, {
        readonly args: Readonly<Record<string, string>>;
    }>>;
    readonly resources: string;
}
export type Arguments<I, O> = Record<never, never> extends I ? [args?: I | undefined, options?: O] : [args: I, options?: O];
export type CallOptions = SendOptions;
export interface CallResult<D> {
    readonly data: D;
    readonly text: string;
    readonly content: readonly Content[];
    readonly meta: Meta;
}
export type CatalogueOf<S> = S extends Typed<infer T> ? (Catalogue extends T ? AnyCatalogue : T) : AnyCatalogue;
export interface CompleteOptions extends SendOptions {
    readonly context?: Readonly<Record<string, string>>;
}
export interface KeepOptions extends SendOptions {
    readonly fresh?: boolean;
}
export interface PromptResult {
    readonly messages: readonly PromptMessage[];
    readonly description: string | undefined;
    readonly meta: Meta;
}
export type PromptsOf<S> = CatalogueOf<S>['prompts'];
export interface ReadResult {
    readonly contents: readonly ResourceContents[];
    readonly text: string;
    readonly meta: Meta;
}
export type ResourcesOf<S> = CatalogueOf<S>['resources'];
export interface ServerDescription {
    readonly info: Implementation | undefined;
    readonly capabilities: ServerCapabilities;
    readonly instructions: string | undefined;
    readonly revision: string;
}
export type ToolsOf<S> = CatalogueOf<S>['tools'];
export interface WatchFilter {
    readonly tools?: boolean;
    readonly prompts?: boolean;
    readonly resources?: boolean | readonly string[];
}

// client/visits.d.ts
export declare class Visits {
    #private;
    expect(id: unknown): Promise<void>;
    over(id: unknown): void;
}

// client/warnings.d.ts
type Feature = 'logging' | 'roots' | 'sampling';
export declare class Warnings {
    #private;
    constructor(onWarning: ((warning: string) => void) | undefined);
    readonly warn: (warning: string) => void;
    once(warning: string): void;
    deprecated(feature: Feature, revision: Revision): void;
    guard(what: string, run: () => void): void;
}

// client/watch.d.ts
export interface Watch extends AsyncIterable<News> {
    readonly granted: Promise<NewsFilter>;
}

// client/watches.d.ts
export declare class Watches {
    #private;
    constructor(context: WatchesContext);
    publish(news: News): void;
    start(filter: NewsFilter, signal: AbortSignal | undefined): Watch;
    close(): void;
}
export interface WatchesContext {
    readonly connection: Connection;
    readonly requests: Requests;
    heard(news: News): void;
}

// client/wiring.d.ts
export declare class Wiring {
    #private;
    readonly connection: Connection;
    readonly requests: Requests;
    readonly calls: Calls;
    readonly watches: Watches;
    readonly listeners: Set<(state: ConnectionState) => void>;
    constructor(dialer: Dialer, options: ConnectOptions, origin: string | undefined);
    setLogLevel(wanted: LoggingLevel | 'warn'): Promise<void>;
    close(): Promise<void>;
}

// connect/connect.d.ts
export declare function connect<S extends Servable>(target: S, options?: ConnectOptions): Promise<Client<S>>;
export declare function connect<S = unknown>(target: Target, options?: ConnectOptions): Promise<Client<S>>;

// connect/target.d.ts
export type Target = Command | Servable | Dialer;

// errors.d.ts
type Blanks<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Blanks<Rest> : never;
export type ErrorCode = keyof typeof errors;
export type ErrorDetails<C extends ErrorCode> = Readonly<Record<Blanks<(typeof errors)[C]['text']>, string | number>>;
export type ErrorKind = 'usage' | 'auth' | 'offline' | 'http' | 'exit' | 'protocol' | 'bug';
export declare class McpError<C extends ErrorCode = ErrorCode> extends Error {
    readonly name = "McpError";
    readonly code: C;
    readonly kind: ErrorKind;
    readonly details: ErrorDetails<C>;
    constructor(code: C, details: ErrorDetails<C>, options?: ErrorOptions);
}
export declare class RpcError extends Error {
    readonly name = "RpcError";
    readonly code: number;
    readonly data: unknown;
    readonly reason: RpcReason | undefined;
    constructor(code: number, message: string, data?: unknown, reason?: RpcReason);
}
export type RpcReason = 'resource-not-found';
export declare class ToolError extends Error {
    readonly name = "ToolError";
    readonly content: readonly unknown[];
    constructor(message: string, options?: ErrorOptions & {
        content?: readonly unknown[];
    });
}
export declare const errors: {
    readonly MCP_BAD_DEFINITION: {
        readonly kind: 'usage';
        readonly text: '{what}: {why}';
    };
    readonly MCP_BAD_LINE: {
        readonly kind: 'protocol';
        readonly text: '{peer} wrote a line that is no message: {line}';
    };
    readonly MCP_BAD_RESULT: {
        readonly kind: 'protocol';
        readonly text: 'The answer to {method} is malformed: {why}';
    };
    readonly MCP_CANCELLED: {
        readonly kind: 'usage';
        readonly text: '{method} was cancelled: {why}';
    };
    readonly MCP_CANNOT_ASK: {
        readonly kind: 'protocol';
        readonly text: 'The client cannot be asked for {what}: it did not declare {capability}';
    };
    readonly MCP_CLOSED: {
        readonly kind: 'offline';
        readonly text: 'The connection is closed: {why}';
    };
    readonly MCP_CURSOR_LOOP: {
        readonly kind: 'protocol';
        readonly text: '{method} sent the cursor {cursor} twice; the list would never end';
    };
    readonly MCP_DUPLICATE_KEY: {
        readonly kind: 'bug';
        readonly text: '{what} uses the key "{key}" for two different questions; give each its own key';
    };
    readonly MCP_DUPLICATE_PART: {
        readonly kind: 'usage';
        readonly text: 'Two {kind}s are called "{name}"; names are unique within a server';
    };
    readonly MCP_LIST_TOO_LONG: {
        readonly kind: 'protocol';
        readonly text: '{method} went past {limit} {unit}; raise {setting} if that is meant';
    };
    readonly MCP_NOT_OFFERED: {
        readonly kind: 'usage';
        readonly text: 'The server does not offer {what} (no "{capability}" among its capabilities)';
    };
    readonly MCP_NO_COMMON_REVISION: {
        readonly kind: 'protocol';
        readonly text: 'No protocol revision in common: we speak {ours}, the server {theirs}';
    };
    readonly MCP_OUTCOME_UNKNOWN: {
        readonly kind: 'offline';
        readonly text: 'The connection was lost during {method}: whether it took effect is unknown';
    };
    readonly MCP_OUTPUT_MISMATCH: {
        readonly kind: 'protocol';
        readonly text: 'The result of tool "{tool}" does not match its output schema: {why}';
    };
    readonly MCP_SCHEMA_TOO_COSTLY: {
        readonly kind: 'protocol';
        readonly text: 'The schema of {what} is refused: {why}';
    };
    readonly MCP_SCHEMA_UNSUPPORTED: {
        readonly kind: 'usage';
        readonly text: 'The schema of {what} cannot be used: {why}';
    };
    readonly MCP_SERVER_EXITED: {
        readonly kind: 'exit';
        readonly text: 'The server process {command} ended ({how}){stderr}';
    };
    readonly MCP_SPAWN_FAILED: {
        readonly kind: 'exit';
        readonly text: 'The server process {command} could not be started: {why}';
    };
    readonly MCP_SUSPENSION_SWALLOWED: {
        readonly kind: 'bug';
        readonly text: '{what} caught the signal that suspends it while "{key}" is being asked, and went on; rethrow errors that are not yours';
    };
    readonly MCP_TIMEOUT: {
        readonly kind: 'offline';
        readonly text: '{method} took longer than {ms} ms ({setting})';
    };
    readonly MCP_TOO_LARGE: {
        readonly kind: 'protocol';
        readonly text: '{what} is larger than {limit} bytes ({setting})';
    };
    readonly MCP_TOO_MANY_ROUNDS: {
        readonly kind: 'protocol';
        readonly text: '{method} asked for input {rounds} times in a row ({setting})';
    };
    readonly MCP_UNKNOWN_RESULT_TYPE: {
        readonly kind: 'protocol';
        readonly text: 'The answer to {method} has the unknown resultType "{type}"';
    };
};

// jsonrpc/message.d.ts
export interface ErrorBody {
    readonly code: number;
    readonly message: string;
    readonly data?: unknown;
}
export interface Failure {
    readonly jsonrpc: '2.0';
    readonly id?: Id | null;
    readonly error: ErrorBody;
}
export type Id = string | number;
export interface JsonObject {
    readonly [key: string]: unknown;
}
export type Message = Request | Notification | Response;
export interface Notification {
    readonly jsonrpc: '2.0';
    readonly method: string;
    readonly params?: JsonObject | undefined;
}
export interface Request {
    readonly jsonrpc: '2.0';
    readonly id: Id;
    readonly method: string;
    readonly params?: JsonObject | undefined;
}
export type Response = Success | Failure;
export interface Success {
    readonly jsonrpc: '2.0';
    readonly id: Id;
    readonly result: JsonObject;
}

// model/caller.d.ts
export interface AuthInfo {
    readonly issuer?: string;
    readonly subject?: string;
    readonly clientId?: string;
    readonly scopes: readonly string[];
    readonly expiresAt?: number;
    readonly claims?: JsonObject;
}
export interface Caller {
    readonly info?: Implementation | undefined;
    readonly capabilities: ClientCapabilities;
}
export interface ClientCapabilities {
    readonly experimental?: JsonObject;
    readonly extensions?: Readonly<Record<string, JsonObject>>;
    readonly roots?: {
        readonly listChanged?: boolean;
    };
    readonly sampling?: {
        readonly context?: JsonObject;
        readonly tools?: JsonObject;
    };
    readonly elicitation?: {
        readonly form?: JsonObject;
        readonly url?: JsonObject;
    };
    readonly [more: string]: unknown;
}
export interface Implementation {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
    readonly description?: string;
    readonly websiteUrl?: string;
    readonly icons?: readonly Icon[];
}
export interface ServerCapabilities {
    readonly experimental?: JsonObject;
    readonly extensions?: Readonly<Record<string, JsonObject>>;
    readonly logging?: JsonObject;
    readonly completions?: JsonObject;
    readonly prompts?: {
        readonly listChanged?: boolean;
    };
    readonly resources?: {
        readonly subscribe?: boolean;
        readonly listChanged?: boolean;
    };
    readonly tools?: {
        readonly listChanged?: boolean;
    };
    readonly [more: string]: unknown;
}
export interface ServerFacts {
    readonly info?: Implementation | undefined;
    readonly capabilities: ServerCapabilities;
    readonly instructions?: string | undefined;
}

// model/catalogue.d.ts
export interface Catalogue {
    readonly tools: Readonly<Record<string, {
        readonly input: unknown;
        readonly output: unknown;
    }>>;
    readonly prompts: Readonly<Record<string, {
        readonly args: unknown;
    }>>;
    readonly resources: string;
}
export interface Typed<T extends Catalogue> {
    readonly '~types'?: T;
}

// model/content.d.ts
export interface Annotations {
    readonly audience?: readonly Role[];
    readonly priority?: number;
    readonly lastModified?: string;
}
export interface AudioContent extends Block {
    readonly type: 'audio';
    readonly data: string;
    readonly mimeType: string;
}
export interface BlobResourceContents {
    readonly uri: string;
    readonly mimeType?: string;
    readonly blob: string;
    readonly _meta?: Meta;
}
interface Block {
    readonly annotations?: Annotations;
    readonly _meta?: Meta;
}
export type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;
export interface EmbeddedResource extends Block {
    readonly type: 'resource';
    readonly resource: ResourceContents;
}
export interface ImageContent extends Block {
    readonly type: 'image';
    readonly data: string;
    readonly mimeType: string;
}
export type Meta = JsonObject;
export type ResourceContents = TextResourceContents | BlobResourceContents;
export interface ResourceLink extends Block {
    readonly type: 'resource_link';
    readonly uri: string;
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly mimeType?: string;
    readonly size?: number;
    readonly icons?: readonly Icon[];
}
export type Role = 'user' | 'assistant';
export interface TextContent extends Block {
    readonly type: 'text';
    readonly text: string;
}
export interface TextResourceContents {
    readonly uri: string;
    readonly mimeType?: string;
    readonly text: string;
    readonly _meta?: Meta;
}

// model/elicitation.d.ts
export interface ElicitResult {
    readonly action: 'accept' | 'decline' | 'cancel';
    readonly content?: Readonly<Record<string, FormValue>>;
}
export interface FormSchema {
    readonly $schema?: string;
    readonly type: 'object';
    readonly properties: Readonly<Record<string, JsonObject>>;
    readonly required?: readonly string[];
}
export type FormValue = string | number | boolean | readonly string[];

// model/icon.d.ts
export interface Icon {
    readonly src: string;
    readonly mimeType?: string;
    readonly sizes?: readonly string[];
    readonly theme?: 'light' | 'dark';
}

// model/logging.d.ts
export interface LogMessage {
    readonly level: LoggingLevel;
    readonly logger?: string;
    readonly data: unknown;
}
export type LoggingLevel = (typeof loggingLevels)[number];
export declare const loggingLevels: readonly ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

// model/news.d.ts
export type News = {
    readonly kind: 'tools' | 'prompts' | 'resources';
} | {
    readonly kind: 'resource';
    readonly uri: string;
};
export interface NewsFilter {
    readonly toolsListChanged?: boolean;
    readonly promptsListChanged?: boolean;
    readonly resourcesListChanged?: boolean;
    readonly resourceSubscriptions?: readonly string[];
}

// model/prompt.d.ts
export interface CompleteParams {
    readonly ref: CompletionReference;
    readonly argument: {
        readonly name: string;
        readonly value: string;
    };
    readonly context?: {
        readonly arguments?: Readonly<Record<string, string>>;
    };
}
export interface Completion {
    readonly values: readonly string[];
    readonly total?: number;
    readonly hasMore?: boolean;
}
export type CompletionReference = {
    readonly type: 'ref/prompt';
    readonly name: string;
} | {
    readonly type: 'ref/resource';
    readonly uri: string;
};
export interface Prompt {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly arguments?: readonly PromptArgument[];
    readonly icons?: readonly Icon[];
    readonly _meta?: Meta;
}
export interface PromptArgument {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly required?: boolean;
}
export interface PromptMessage {
    readonly role: Role;
    readonly content: Content;
}

// model/resource.d.ts
export interface CacheHints {
    readonly ttlMs?: number;
    readonly cacheScope?: 'public' | 'private';
}
export interface Resource {
    readonly uri: string;
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly mimeType?: string;
    readonly size?: number;
    readonly annotations?: Annotations;
    readonly icons?: readonly Icon[];
    readonly _meta?: Meta;
}
export interface ResourceTemplate {
    readonly uriTemplate: string;
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly mimeType?: string;
    readonly annotations?: Annotations;
    readonly icons?: readonly Icon[];
    readonly _meta?: Meta;
}

// model/sampling.d.ts
export interface CreateMessageParams {
    readonly messages: readonly SamplingMessage[];
    readonly maxTokens: number;
    readonly modelPreferences?: ModelPreferences;
    readonly systemPrompt?: string;
    readonly includeContext?: 'none' | 'thisServer' | 'allServers';
    readonly temperature?: number;
    readonly stopSequences?: readonly string[];
    readonly metadata?: JsonObject;
    readonly tools?: readonly Tool[];
    readonly toolChoice?: {
        readonly mode?: 'auto' | 'required' | 'none';
    };
}
export interface CreateMessageResult extends SamplingMessage {
    readonly model: string;
    readonly stopReason?: string;
}
export interface ModelPreferences {
    readonly hints?: readonly {
        readonly name?: string;
    }[];
    readonly costPriority?: number;
    readonly speedPriority?: number;
    readonly intelligencePriority?: number;
}
export interface Root {
    readonly uri: string;
    readonly name?: string;
    readonly _meta?: Meta;
}
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;
export interface SamplingMessage {
    readonly role: Role;
    readonly content: SamplingContent | readonly SamplingContent[];
    readonly _meta?: Meta;
}
export interface ToolResultContent {
    readonly type: 'tool_result';
    readonly toolUseId: string;
    readonly content: readonly Content[];
    readonly structuredContent?: unknown;
    readonly isError?: boolean;
    readonly _meta?: Meta;
}
export interface ToolUseContent {
    readonly type: 'tool_use';
    readonly id: string;
    readonly name: string;
    readonly input: JsonObject;
    readonly _meta?: Meta;
}

// model/shape.d.ts
export interface Shape<T> {
    (value: unknown, at: string): string | undefined;
    readonly type?: T;
}
export declare const string: Shape<string>;

// model/tool.d.ts
export interface Tool {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly inputSchema: JsonObject;
    readonly outputSchema?: JsonObject;
    readonly annotations?: ToolAnnotations;
    readonly execution?: ToolExecution;
    readonly icons?: readonly Icon[];
    readonly _meta?: Meta;
}
export interface ToolAnnotations {
    readonly title?: string;
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
}
export interface ToolExecution {
    readonly taskSupport?: 'forbidden' | 'optional' | 'required';
}

// peer/clock.d.ts
export interface Clock {
    now(): number;
    wall(): number;
    after(ms: number, run: () => void): () => void;
}

// peer/deadlines.d.ts
export declare class Deadline {
    due: number;
    readonly expire: () => void;
    constructor(due: number, expire: () => void);
}
export declare class Deadlines {
    #private;
    constructor(clock: Clock);
    arm(ms: number, expire: () => void): Deadline;
    extend(deadline: Deadline, ms: number): void;
    disarm(deadline: Deadline): void;
    close(): void;
}

// peer/exchange.d.ts
export type Dialer = (inbound: Exchange, session: Session) => Promise<Line>;
export type Exchange = (message: Message, link: Link) => Promise<Response | undefined>;
export interface Line {
    readonly exchange: Exchange;
    close(): Promise<void>;
    readonly closed: Promise<Error | undefined>;
}
export interface Link {
    readonly signal: AbortSignal;
    onAbort?(listener: (reason: unknown) => void): void;
    notify(notification: Notification): void;
    ask(request: Request): Promise<Response>;
    readonly auth?: AuthInfo | undefined;
}
export interface Outlet {
    notify(notification: Notification): void;
    ask(request: Request): Promise<Response>;
    end(): void;
}
export interface Servable {
    open(outlet: Outlet, session: Session): {
        readonly exchange: Exchange;
        close(): void;
    };
}

// peer/session.d.ts
export interface Session {
    revision?: string;
    caller?: Caller;
    ready?: boolean;
    batches?: boolean;
    logLevel?: LoggingLevel;
    subscriptions?: string[];
}

// revisions/asks/seal.d.ts
export interface Sealer {
    seal(text: string, bound: string): Promise<string>;
    open(sealed: string, bound: string): Promise<string>;
}

// revisions/contract.d.ts
export interface AskContext {
    readonly request: Request;
    readonly link: Link;
    readonly caller: Caller;
    readonly ready: boolean;
    readonly revision: Revision;
    readonly sealer: Sealer;
    readonly clock: Clock;
    readonly maxRounds: number;
}
export interface Asking {
    ask(key: string, question: Question): Promise<JsonObject>;
    once<T>(key: string, run: () => T | Promise<T>): Promise<T>;
    outcome(what: string, thrown?: unknown): Promise<JsonObject | undefined>;
}
export interface Asks {
    begin(context: AskContext): Asking | Promise<Asking>;
    resumes(request: Request): boolean;
    wanted(result: JsonObject): Wanted | undefined;
}
export interface FeedContext {
    readonly session: Session;
    readonly link: Link;
    readonly news: NewsSource;
    readonly capabilities: ServerCapabilities;
}
export interface Feeds {
    answer(request: Request, context: FeedContext): JsonObject | Promise<JsonObject> | undefined;
    push(news: News, session: Session): Notification | undefined;
    watch(filter: NewsFilter, context: WatchContext): Promise<void>;
}
export interface Introduction {
    readonly info: Implementation;
    readonly capabilities: JsonObject;
    readonly logLevel?: LoggingLevel | undefined;
}
export interface Lifecycle {
    readonly handshake: boolean;
    answer(request: Request, server: ServerSide, context: LifecycleContext): JsonObject | undefined;
    caller(request: Request, session: Session): Caller;
    logLevel(request: Request, session: Session): LoggingLevel | undefined;
    stamp(result: JsonObject, server: Implementation): JsonObject;
    introduce(params: JsonObject | undefined, me: Introduction): JsonObject | undefined;
}
export interface LifecycleContext {
    readonly session: Session;
    end(): void;
}
export interface Method {
    readonly needs?: ServerGroup;
    readonly params: Shape<unknown>;
    readonly repeatable?: boolean;
    readonly cacheable?: boolean;
}
export interface MethodTable {
    readonly requests: ReadonlyMap<string, Method>;
    readonly questions: ReadonlySet<string>;
    readonly notifications: ReadonlySet<string>;
}
export interface NewsSource {
    subscribe(listener: (news: News) => void, closed: () => void): () => void;
}
export interface Question {
    readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
    readonly params: JsonObject;
}
export interface Revision {
    readonly id: string;
    readonly methods: MethodTable;
    readonly lifecycle: Lifecycle;
    readonly asks: Asks;
    readonly feeds: Feeds;
    readonly words: Words;
    readonly batches: boolean;
    readonly badArguments: 'error' | 'result';
    readonly resultTypes?: ReadonlySet<string>;
    readonly deprecated?: ReadonlySet<'logging' | 'roots' | 'sampling'>;
    code(error: RpcError): number;
}
export type ServerGroup = 'tools' | 'resources' | 'prompts' | 'completions' | 'logging';
export interface ServerSide {
    readonly info: Implementation;
    readonly instructions?: string | undefined;
    readonly revisions: readonly Revision[];
    readonly strictVersions?: boolean | undefined;
    capabilities(): ServerCapabilities;
}
export interface Wanted {
    readonly requests: ReadonlyMap<string, Question>;
    readonly state?: string;
}
export interface WatchContext {
    readonly signal: AbortSignal;
    request(method: string, params: JsonObject, options: WatchRequest): Promise<JsonObject>;
    granted(filter: NewsFilter): void;
    deliver(news: News): void;
    readonly server: ServerFacts;
}
export interface WatchRequest {
    readonly signal: AbortSignal;
    notify?(notification: Notification): void;
    readonly standing?: boolean;
}

// revisions/decode-lists.d.ts
export type Kind = keyof Listed;
export interface ListKind<T> {
    readonly method: string;
    readonly member: string;
    keyOf(item: T): string;
    read(value: JsonObject): T | undefined;
}
export interface Listed {
    readonly tools: Tool;
    readonly resources: Resource;
    readonly templates: ResourceTemplate;
    readonly prompts: Prompt;
}
export interface Page<T> {
    readonly items: readonly T[];
    readonly nextCursor: string | undefined;
}

// revisions/encode.d.ts
export declare function pick(words: Words, name: Named, value: JsonObject): JsonObject;

// revisions/negotiate.d.ts
export interface Verdict {
    readonly revision: Revision;
    readonly server: ServerFacts;
}

// revisions/words.d.ts
export type Members = Readonly<Record<Named, readonly string[]>>;
export type Named = 'Annotations' | 'BlobContents' | 'CallToolResult' | 'ClientCapabilities' | 'CompleteParams' | 'CreateMessageParams' | 'CreateMessageResult' | 'DiscoverResult' | 'GetPromptResult' | 'Implementation' | 'ListResult' | 'Progress' | 'Prompt' | 'PromptArgument' | 'ReadResult' | 'Resource' | 'ResourceTemplate' | 'Root' | 'RootsCapability' | 'SamplingCapability' | 'SamplingMessage' | 'ServerCapabilities' | 'TextContents' | 'Tool' | 'ToolAnnotations' | 'audio' | 'image' | 'resource' | 'resource_link' | 'text' | 'tool_result' | 'tool_use';
export interface Words {
    readonly members: Members;
    readonly blocks: ReadonlySet<string>;
    readonly samplingBlocks: ReadonlySet<string>;
    readonly samplingLists: boolean;
    readonly structuredContent: 'nothing' | 'object' | 'anything';
    readonly forms: 'nothing' | 'plain' | 'rich';
    readonly visits: 'nothing' | 'named' | 'plain';
    readonly titleInAnnotations: boolean;
    readonly dialects: boolean;
}

// transport/child.d.ts
export interface Command extends Program {
    readonly clock?: Clock | undefined;
    readonly maxLineBytes?: number | undefined;
    readonly maxUnreadBytes?: number | undefined;
    readonly maxInFlight?: number | undefined;
    readonly onStderr?: ((text: string) => void) | undefined;
    readonly onStray?: ((what: string, sample: string) => void) | undefined;
}

// transport/start-command.d.ts
export interface Program {
    readonly command: string;
    readonly args?: readonly string[] | undefined;
    readonly env?: Readonly<Record<string, string>> | undefined;
    readonly cwd?: string | undefined;
}
