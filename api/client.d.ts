// The entry point "mooring/client": 87 names. Written by `npm run api`.
// AttemptResult CacheOptions CachedRequestOptions CallResult CallToolOptions Catalogue ChallengedRequest Change ChangeFilter Client ClientAuth ClientCapabilities ClientLimits ClientTask ClientTaskState Clock Command CompleteOptions Completion CompletionReference ConnectOptions ConnectionState Content CreateMessageParams CreateMessageResult ElicitHandlers ElicitResult ErrorCode ErrorKind Extension FormHandler FormRequest FormSchema FormValue Handlers HeaderFields HttpAuth Implementation JsonObject Layer Listing LogMessage LoggingLevel McpError OutgoingRequest Progress Prompt PromptMessage PromptResult QuestionContext RawQuestion RawQuestionHandler RawRequestOptions ReadResult RequestOptions Resource ResourceContents ResourceTemplate ResponseCache Root RootsSource RpcError SampleHandler SampleHandlers SamplingMessage Servable ServerCapabilities ServerDescription ServerFacts Target TaskTicket Timeouts Tool ToolError Transport Typed UrlHandler UrlOptions UrlRequest UrlRequiredHandler UrlWarning WaitOptions Watch WatchFilter connect responseCache revisionIds

type Annotations = {
    readonly audience?: readonly Role[];
    readonly priority?: number;
    readonly lastModified?: string;
};
interface AnyCatalogue extends Catalogue {
    readonly tools: Readonly<Record<string, {
        readonly input: JsonObject;
        readonly output: unknown;
    }>>;
    readonly prompts: Readonly<Record<string, {
        readonly args: Readonly<Record<string, string>>;
    }>>;
    readonly resources: string;
}
type Arguments<I, O> = Record<never, never> extends I ? [args?: I | undefined, options?: O] : [args: I, options?: O];
export interface AttemptResult<D = unknown> extends CallResult<D | undefined> {
    readonly isError: boolean;
}
type AudioContent = Media & {
    readonly type: 'audio';
};
interface AuthInfo {
    readonly issuer?: string;
    readonly subject?: string;
    readonly clientId?: string;
    readonly scopes: readonly string[];
    readonly expiresAt?: number;
    readonly claims?: JsonObject;
}
type Blanks<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Blanks<Rest> : never;
type Block = {
    readonly annotations?: Annotations;
    readonly _meta?: Meta;
};
export interface CacheOptions {
    readonly maxEntries?: number;
}
export interface CachedRequestOptions extends RequestOptions {
    readonly fresh?: boolean;
}
export interface CallResult<D> {
    readonly data: D;
    readonly text: string;
    readonly content: readonly Content[];
    readonly meta: Meta;
}
export interface CallToolOptions extends RequestOptions {
    readonly onTask?: ((taskId: string) => void) | undefined;
}
type CallToolResult = {
    readonly content: readonly Content[];
    readonly structuredContent?: unknown;
    readonly isError?: boolean;
    readonly _meta?: Meta;
};
interface Caller {
    readonly info?: Implementation | undefined;
    readonly capabilities: ClientCapabilities;
}
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
type CatalogueOf<S> = S extends Typed<infer T> ? (Catalogue extends T ? AnyCatalogue : T) : AnyCatalogue;
export interface ChallengedRequest extends OutgoingRequest {
    readonly status: number;
    header(name: string): string | undefined;
    readonly sent: HeaderFields;
    readonly revision: string | undefined;
}
export type Change = {
    readonly kind: 'tools' | 'prompts' | 'resources';
} | {
    readonly kind: 'resource';
    readonly uri: string;
};
export type ChangeFilter = {
    readonly toolsListChanged?: boolean;
    readonly promptsListChanged?: boolean;
    readonly resourcesListChanged?: boolean;
    readonly resourceSubscriptions?: readonly string[];
};
interface ChildProgram {
    readonly command: string;
    readonly args?: readonly string[] | undefined;
    readonly env?: Readonly<Record<string, string>> | undefined;
    readonly cwd?: string | undefined;
}
export interface Client<S = unknown> extends AsyncDisposable {
    call<N extends keyof ToolsOf<S> & string>(name: N, ...[args, options]: Arguments<ToolsOf<S>[N]['input'], CallToolOptions>): Promise<CallResult<ToolsOf<S>[N]['output']>>;
    attempt<N extends keyof ToolsOf<S> & string>(name: N, ...[args, options]: Arguments<ToolsOf<S>[N]['input'], CallToolOptions>): Promise<AttemptResult<ToolsOf<S>[N]['output']>>;
    start<N extends keyof ToolsOf<S> & string>(name: N, ...[args, options]: Arguments<ToolsOf<S>[N]['input'], RequestOptions>): Promise<ClientTask<ToolsOf<S>[N]['output']>>;
    attach(ticket: TaskTicket): Promise<ClientTask>;
    list<K extends 'tools' | 'resources' | 'templates' | 'prompts'>(kind: K, options?: CachedRequestOptions): Listing<ListItems[K]>;
    read(uri: ResourcesOf<S>, options?: CachedRequestOptions): Promise<ReadResult>;
    getPrompt<N extends keyof PromptsOf<S> & string>(name: N, ...[args, options]: Arguments<PromptsOf<S>[N]['args'], RequestOptions>): Promise<PromptResult>;
    complete(ref: CompletionReference, argument: CompleteParams['argument'], options?: CompleteOptions): Promise<Completion>;
    watch(filter: WatchFilter, options?: {
        readonly signal?: AbortSignal;
    }): Watch;
    request(method: string, params?: JsonObject, options?: RawRequestOptions): Promise<JsonObject>;
    readonly server: ServerDescription;
    readonly state: ConnectionState;
    onState(listener: (state: ConnectionState) => void): () => void;
    ping(options?: RequestOptions): Promise<void>;
    setLogLevel(level: LoggingLevel | 'warn'): Promise<void>;
    rootsChanged(): Promise<void>;
    close(): Promise<void>;
}
export interface ClientAuth {
    (endpoint: URL): HttpAuth;
    readonly extensions?: readonly string[];
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
export interface ClientLimits {
    readonly maxPages: number;
    readonly maxItems: number;
    readonly maxRounds: number;
}
export interface ClientTask<D = unknown> {
    readonly tool: string;
    readonly ticket: TaskTicket | undefined;
    states(options?: WaitOptions): AsyncIterable<ClientTaskState>;
    result(options?: WaitOptions): Promise<CallResult<D>>;
    attempt(options?: WaitOptions): Promise<AttemptResult<D>>;
    cancel(): Promise<void>;
}
export interface ClientTaskState {
    readonly status: TaskStatus;
    readonly message?: string;
    readonly progress?: Pick<Progress, 'progress' | 'total'>;
}
export interface Clock {
    now(): number;
    wall(): number;
    after(ms: number, run: () => void, options?: {
        readonly idle: true;
    }): () => void;
}
export interface Command extends ChildProgram {
    readonly clock?: Clock | undefined;
    readonly maxLineBytes?: number | undefined;
    readonly maxUnreadBytes?: number | undefined;
    readonly maxInFlight?: number | undefined;
    readonly onStderr?: ((text: string) => void) | undefined;
    readonly onStray?: ((what: string, sample: string, isMalformed?: true) => void) | undefined;
}
export interface CompleteOptions extends RequestOptions {
    readonly context?: Readonly<Record<string, string>>;
}
type CompleteParams = {
    readonly ref: CompletionReference;
    readonly argument: {
        readonly name: string;
        readonly value: string;
    };
    readonly context?: {
        readonly arguments?: Readonly<Record<string, string>>;
    };
};
export type Completion = {
    readonly values: readonly string[];
    readonly total?: number;
    readonly hasMore?: boolean;
};
export type CompletionReference = {
    readonly type: 'ref/prompt';
    readonly name: string;
} | {
    readonly type: 'ref/resource';
    readonly uri: string;
};
export interface ConnectOptions extends Handlers, Partial<Timeouts> {
    readonly name?: string;
    readonly version?: string;
    readonly revisions?: readonly string[];
    readonly onLog?: (message: LogMessage) => void;
    readonly logLevel?: LoggingLevel | 'warn';
    readonly onWarning?: (warning: string) => void;
    readonly limits?: Partial<ClientLimits>;
    readonly cache?: ResponseCache;
    readonly tasks?: boolean;
    readonly extensions?: Readonly<Record<string, Extension>>;
    readonly layers?: readonly Layer[];
    readonly clock?: Clock;
    readonly random?: () => number;
    readonly signal?: AbortSignal | undefined;
}
interface Connection {
    readonly exchange: Exchange;
    close(): Promise<void>;
    readonly closed: Promise<Error | undefined>;
    readonly replies?: boolean;
    readonly silence?: (() => Error | undefined) | undefined;
    readonly credentials?: CredentialsInUse | undefined;
    readonly standing?: StandingStream | undefined;
}
export type ConnectionState = 'connecting' | 'ready' | 'lost' | 'closed';
export type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;
export type CreateMessageParams = {
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
};
export type CreateMessageResult = SamplingMessage & {
    readonly model: string;
    readonly stopReason?: string;
};
interface CredentialsInUse {
    readonly last: number;
    now(operation: string, signal: AbortSignal): Promise<number>;
}
type Described = {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly icons?: readonly Icon[];
    readonly _meta?: Meta;
};
export interface ElicitHandlers {
    readonly form?: FormHandler;
    readonly url?: UrlHandler;
    readonly required?: UrlRequiredHandler;
}
export type ElicitResult = {
    readonly action: 'accept' | 'decline' | 'cancel';
    readonly content?: Readonly<Record<string, FormValue>>;
};
type EmbeddedResource = Block & {
    readonly type: 'resource';
    readonly resource: ResourceContents;
};
interface ErrorBody {
    readonly code: number;
    readonly message: string;
    readonly data?: unknown;
}
export type ErrorCode = keyof typeof errors;
type ErrorDetails<C extends ErrorCode> = Readonly<Record<Blanks<(typeof errors)[C]['text']>, string | number>>;
export type ErrorKind = 'usage' | 'auth' | 'offline' | 'http' | 'exit' | 'protocol' | 'bug';
type Exchange = (message: Message, link: Link) => Promise<RpcResponse | undefined>;
export interface Extension {
    readonly settings?: JsonObject;
    readonly resultTypes?: readonly string[];
}
type FormAnswer<Action extends ElicitResult['action']> = MaybePromise<ElicitResult & {
    readonly action: Action;
}>;
export type FormHandler = (request: FormRequest, context: QuestionContext) => MaybePromise<ElicitResult>;
export interface FormRequest {
    readonly message: string;
    readonly requestedSchema: FormSchema;
    readonly defaults: Readonly<Record<string, FormValue>>;
}
export type FormSchema = {
    readonly $schema?: string;
    readonly type: 'object';
    readonly properties: Readonly<Record<string, JsonObject>>;
    readonly required?: readonly string[];
};
export type FormValue = string | number | boolean | readonly string[];
export interface Handlers {
    readonly elicit?: ((request: FormRequest, context: QuestionContext) => FormAnswer<'accept' | 'decline' | 'cancel'>) | ElicitHandlers;
    readonly sample?: SampleHandler | SampleHandlers;
    readonly roots?: RootsSource;
}
export type HeaderFields = Readonly<Record<string, string>> | undefined;
export interface HttpAuth {
    headers(request: OutgoingRequest): HeaderFields | Promise<HeaderFields>;
    onChallenge(challenged: ChallengedRequest): boolean | Promise<boolean>;
    onResponse?(request: OutgoingRequest, header: (name: string) => string | undefined): void;
}
type Icon = {
    readonly src: string;
    readonly mimeType?: string;
    readonly sizes?: readonly string[];
    readonly theme?: 'light' | 'dark';
};
type Id = string | number;
type ImageContent = Media & {
    readonly type: 'image';
};
export type Implementation = {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
    readonly description?: string;
    readonly websiteUrl?: string;
    readonly icons?: readonly Icon[];
};
export interface JsonObject {
    readonly [key: string]: unknown;
}
export interface Layer {
    (next: Exchange, closed?: Promise<Error | undefined>): Exchange;
    readonly inbound?: Layer;
}
declare abstract class Link {
    get signal(): AbortSignal;
    onAbort?(listener: (reason: unknown) => void): void;
    notify(notification: RpcNotification): void;
    ask(request: RpcRequest, signal?: AbortSignal): Promise<RpcResponse>;
    readonly auth?: AuthInfo | undefined;
    readonly revision?: string | undefined;
    readonly checked?: RpcRequest | undefined;
    readonly caller?: Caller | undefined;
    readonly of?: Id | undefined;
    readonly release?: ((retryMs?: number) => void) | undefined;
}
interface ListItems {
    readonly tools: Tool;
    readonly resources: Resource;
    readonly templates: ResourceTemplate;
    readonly prompts: Prompt;
}
export interface Listing<T> extends AsyncIterable<T> {
    pages(): AsyncIterable<readonly T[]>;
    all(): Promise<readonly T[]>;
}
export type LogMessage = {
    readonly level: LoggingLevel;
    readonly logger?: string;
    readonly data: unknown;
};
export type LoggingLevel = (typeof loggingLevels)[number];
type MaybePromise<T> = T | Promise<T>;
export declare class McpError<C extends ErrorCode = ErrorCode> extends Error {
    readonly name = "McpError";
    readonly code: C;
    readonly kind: ErrorKind;
    readonly details: ErrorDetails<C>;
    constructor(code: C, details: ErrorDetails<C>, options?: ErrorOptions);
}
type Media = Block & {
    readonly data: string;
    readonly mimeType: string;
};
type Message = RpcRequest | RpcNotification | RpcResponse;
type Meta = JsonObject;
interface MirroredHeader {
    readonly name: string;
    readonly path: readonly string[];
}
type ModelPreferences = {
    readonly hints?: readonly {
        readonly name?: string;
    }[];
    readonly costPriority?: number;
    readonly speedPriority?: number;
    readonly intelligencePriority?: number;
};
type OptionsFor<T> = [T] extends [string | URL] ? ConnectOptions & UrlOptions : ConnectOptions;
export interface OutgoingRequest {
    readonly method: string;
    readonly url: URL;
    readonly operation: string;
    readonly signal: AbortSignal;
}
interface PeerSession {
    revision?: string;
    caller?: Caller;
    offered?: readonly string[];
    requestsOnly?: true;
    ready?: boolean;
    batches?: boolean;
    mustNotRespond?: boolean;
    logLevel?: LoggingLevel;
    subscriptions?: string[];
}
export interface Progress {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
}
export type Prompt = Described & {
    readonly arguments?: readonly PromptArgument[];
};
type PromptArgument = {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly required?: boolean;
};
export type PromptMessage = {
    readonly role: 'user' | 'assistant';
    readonly content: Content;
};
export interface PromptResult {
    readonly messages: readonly PromptMessage[];
    readonly description: string | undefined;
    readonly meta: Meta;
}
type PromptsOf<S> = CatalogueOf<S>['prompts'];
export interface QuestionContext {
    readonly signal: AbortSignal;
    readonly server: ServerFacts;
    readonly task?: string | undefined;
}
export interface RawQuestion {
    readonly method: string;
    readonly params: JsonObject;
}
export type RawQuestionHandler = (question: RawQuestion, context: QuestionContext) => MaybePromise<JsonObject>;
export interface RawRequestOptions extends RequestOptions {
    readonly capabilities?: ClientCapabilities | undefined;
    readonly ask?: RawQuestionHandler | undefined;
    readonly logLevel?: LoggingLevel | undefined;
    readonly onLog?: ((message: LogMessage) => void) | undefined;
}
export interface ReadResult {
    readonly contents: readonly ResourceContents[];
    readonly text: string;
    readonly meta: Meta;
}
export interface RequestOptions {
    readonly signal?: AbortSignal | undefined;
    readonly timeoutMs?: number | undefined;
    readonly maxTimeoutMs?: number | undefined;
    readonly onProgress?: ((progress: Progress) => void) | undefined;
    readonly meta?: JsonObject | undefined;
}
export type Resource = Described & {
    readonly uri: string;
    readonly mimeType?: string;
    readonly size?: number;
    readonly annotations?: Annotations;
};
export type ResourceContents = {
    readonly uri: string;
    readonly mimeType?: string;
    readonly _meta?: Meta;
} & ({
    readonly text: string;
} | {
    readonly blob: string;
});
type ResourceLink = Resource & {
    readonly type: 'resource_link';
};
export type ResourceTemplate = Omit<Resource, 'uri' | 'size'> & {
    readonly uriTemplate: string;
};
type ResourcesOf<S> = CatalogueOf<S>['resources'];
export interface ResponseCache {
    readonly kind: 'response-cache';
}
type Role = 'user' | 'assistant';
export type Root = {
    readonly uri: string;
    readonly name?: string;
    readonly _meta?: Meta;
};
export type RootsSource = readonly Root[] | ((context: QuestionContext) => MaybePromise<readonly Root[]>);
export declare class RpcError extends Error {
    readonly name = "RpcError";
    readonly code: number;
    readonly data: unknown;
    readonly reason: RpcReason | undefined;
    constructor(code: number, message: string, data?: unknown, reason?: RpcReason);
}
interface RpcFailure {
    readonly jsonrpc: '2.0';
    readonly id?: Id | null;
    readonly error: ErrorBody;
}
interface RpcNotification {
    readonly jsonrpc: '2.0';
    readonly method: string;
    readonly params?: JsonObject | undefined;
}
type RpcReason = 'resource-not-found';
interface RpcRequest {
    readonly jsonrpc: '2.0';
    readonly id: Id;
    readonly method: string;
    readonly params?: JsonObject | undefined;
}
type RpcResponse = RpcSuccess | RpcFailure;
interface RpcSuccess {
    readonly jsonrpc: '2.0';
    readonly id: Id;
    readonly result: JsonObject;
}
export type SampleHandler = (request: CreateMessageParams, context: QuestionContext) => MaybePromise<CreateMessageResult | 'declined'>;
export interface SampleHandlers {
    readonly create: SampleHandler;
    readonly tools?: true;
    readonly context?: true;
}
type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;
export type SamplingMessage = {
    readonly role: Role;
    readonly content: SamplingContent | readonly SamplingContent[];
    readonly _meta?: Meta;
};
export interface Servable {
    prepare?(): Promise<void> | undefined;
    open(push: ServerPush, session: PeerSession): ServedConversation;
    readonly revisions?: readonly string[];
    mirrored?(request: RpcRequest, auth?: AuthInfo): readonly MirroredHeader[];
    nameParam?(method: string): string | undefined;
    scopes?(request: RpcRequest): readonly string[];
}
interface ServedConversation {
    exchange(message: Message, link: Link): Promise<RpcResponse | undefined>;
    close(): void;
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
export interface ServerDescription {
    readonly info: Implementation | undefined;
    readonly capabilities: ServerCapabilities;
    readonly instructions: string | undefined;
    readonly revision: string;
}
export interface ServerFacts {
    readonly info?: Implementation | undefined;
    readonly capabilities: ServerCapabilities;
    readonly instructions?: string | undefined;
}
type ServerOf<T, S> = T extends Servable ? (Servable extends T ? S : T) : S;
interface ServerPush {
    readonly id?: string;
    readonly auth?: AuthInfo | undefined;
    notify(notification: RpcNotification): void;
    ask(request: RpcRequest): Promise<RpcResponse>;
    end(): void;
    renew?(): void;
}
interface StandingStream {
    follow(listener: StandingStreamListener): () => void;
}
interface StandingStreamListener {
    opened(isWhole: boolean): void;
    ended(reason: Error): void;
}
export type Target = string | URL | Command | Servable | Transport;
type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
export interface TaskTicket {
    readonly v: 1;
    readonly server: string;
    readonly revision: string;
    readonly taskId: string;
    readonly tool: string;
    readonly createdAt: string;
    readonly ttlMs: number | null;
    readonly answered: readonly string[];
}
type TextContent = Block & {
    readonly type: 'text';
    readonly text: string;
};
export interface Timeouts {
    readonly timeoutMs: number;
    readonly maxTimeoutMs: number;
    readonly connectTimeoutMs: number;
    readonly probeTimeoutMs: number;
    readonly closeTimeoutMs: number;
}
export type Tool = Described & {
    readonly inputSchema: JsonObject;
    readonly outputSchema?: JsonObject;
    readonly annotations?: ToolAnnotations;
    readonly execution?: ToolExecution;
};
type ToolAnnotations = {
    readonly title?: string;
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
};
export declare class ToolError extends Error {
    readonly name = "ToolError";
    readonly content: readonly unknown[];
    constructor(message: string, options?: ErrorOptions & {
        content?: readonly unknown[];
    });
}
type ToolExecution = {
    readonly taskSupport?: 'forbidden' | 'optional' | 'required';
};
type ToolResultContent = CallToolResult & {
    readonly type: 'tool_result';
    readonly toolUseId: string;
};
type ToolUseContent = {
    readonly type: 'tool_use';
    readonly id: string;
    readonly name: string;
    readonly input: JsonObject;
    readonly _meta?: Meta;
};
type ToolsOf<S> = CatalogueOf<S>['tools'];
export type Transport = (inbound: Exchange, session: PeerSession) => Promise<Connection>;
export interface Typed<T extends Catalogue> {
    readonly '~types'?: T;
}
export type UrlHandler = (request: UrlRequest, context: QuestionContext) => MaybePromise<Pick<ElicitResult, 'action'>>;
export interface UrlOptions {
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly auth?: ClientAuth | undefined;
    readonly fetch?: WireFetch | undefined;
    readonly maxAnswerBytes?: number | undefined;
}
export interface UrlRequest {
    readonly message: string;
    readonly url: string;
    readonly host: string;
    readonly warnings: readonly UrlWarning[];
    readonly completed: Promise<void>;
}
export type UrlRequiredHandler = (requests: readonly UrlRequest[], context: QuestionContext) => MaybePromise<boolean>;
export type UrlWarning = 'credentials' | 'insecure' | 'punycode';
export interface WaitOptions {
    readonly signal?: AbortSignal | undefined;
    readonly timeoutMs?: number | undefined;
    readonly maxTimeoutMs?: number | undefined;
}
export interface Watch extends AsyncIterable<Change>, AsyncDisposable {
    readonly granted: Promise<ChangeFilter>;
    nextChange(): Promise<Change | undefined>;
}
export interface WatchFilter {
    readonly tools?: boolean;
    readonly prompts?: boolean;
    readonly resources?: boolean | readonly string[];
}
type WireFetch = (url: URL, init: RequestInit) => Promise<Response>;
export declare function connect<S = unknown, T extends string | URL | Servable = string | URL>(target: T | string | URL | Command | Servable | Transport, options?: OptionsFor<T>): Promise<Client<ServerOf<T, S>>>;
declare const errors: {
    readonly MCP_AUTH_BLOCKED: {
        readonly kind: 'auth';
        readonly text: '{step} was not sent to {url}: {why}';
    };
    readonly MCP_AUTH_FAILED: {
        readonly kind: 'auth';
        readonly text: 'Signing in for {url} failed at {step}: {why}';
    };
    readonly MCP_AUTH_STORE: {
        readonly kind: 'auth';
        readonly text: 'The credentials in {path} cannot be used: {why}';
    };
    readonly MCP_AUTH_VERIFIER: {
        readonly kind: 'auth';
        readonly text: 'Tokens of {issuer} cannot be verified: {why}';
    };
    readonly MCP_BAD_ARGUMENT: {
        readonly kind: 'usage';
        readonly text: '{argument}: {why}';
    };
    readonly MCP_BAD_CONFIG: {
        readonly kind: 'usage';
        readonly text: 'The configuration {file}, line {line}: {why}';
    };
    readonly MCP_BAD_DEFINITION: {
        readonly kind: 'usage';
        readonly text: '{what}: {why}';
    };
    readonly MCP_BAD_LINE: {
        readonly kind: 'protocol';
        readonly text: '{peer} wrote a line that is not a JSON-RPC message: {line}';
    };
    readonly MCP_BAD_RESULT: {
        readonly kind: 'protocol';
        readonly text: 'The result of {method} is malformed: {why}';
    };
    readonly MCP_CANCELLED: {
        readonly kind: 'usage';
        readonly text: '{method} was cancelled: {why}';
    };
    readonly MCP_CANNOT_ASK: {
        readonly kind: 'protocol';
        readonly text: 'The client does not support {what} ({capability}){fix}';
    };
    readonly MCP_CLOSED: {
        readonly kind: 'offline';
        readonly text: 'The connection is closed: {why}';
    };
    readonly MCP_CURSOR_LOOP: {
        readonly kind: 'protocol';
        readonly text: '{method} sent the cursor {cursor} twice, so the list never ends';
    };
    readonly MCP_DENIED: {
        readonly kind: 'usage';
        readonly text: '{what} was denied: {why} (rule: {rule}; act {id})';
    };
    readonly MCP_DUPLICATE_KEY: {
        readonly kind: 'bug';
        readonly text: '{what} uses the key "{key}" for two different questions. Give each its own key';
    };
    readonly MCP_DUPLICATE_PART: {
        readonly kind: 'usage';
        readonly text: 'Two {kind}s are called "{name}". Rename one';
    };
    readonly MCP_HOST_FILE: {
        readonly kind: 'usage';
        readonly text: '{path} cannot be used: {why}';
    };
    readonly MCP_HTTP_FAILED: {
        readonly kind: 'offline';
        readonly text: '{url} answered {method} with status {status}{body}; {advice}';
    };
    readonly MCP_HTTP_REDIRECT: {
        readonly kind: 'http';
        readonly text: '{url} redirects {method} to {to}: {why}. Connect to it directly';
    };
    readonly MCP_HTTP_REFUSED: {
        readonly kind: 'http';
        readonly text: '{url} rejected {method} with status {status}{body}. Check that the URL is an MCP endpoint{guess}';
    };
    readonly MCP_HTTP_UNEXPECTED: {
        readonly kind: 'http';
        readonly text: '{url} did not answer {method} as an MCP endpoint does: {why}. Check the URL';
    };
    readonly MCP_LIST_TOO_LONG: {
        readonly kind: 'protocol';
        readonly text: '{method} sent more than {limit} {unit}. Raise {setting}';
    };
    readonly MCP_MODEL_FAILED: {
        readonly kind: 'http';
        readonly text: 'The model at {url} failed: {why}';
    };
    readonly MCP_NOT_FOUND: {
        readonly kind: 'usage';
        readonly text: '{what} was not found: {why}';
    };
    readonly MCP_NOT_OFFERED: {
        readonly kind: 'usage';
        readonly text: 'The server does not offer {what} (capability "{capability}")';
    };
    readonly MCP_NO_COMMON_REVISION: {
        readonly kind: 'protocol';
        readonly text: 'No protocol revision in common: the client supports {ours}, the server {theirs}';
    };
    readonly MCP_NO_SUCH_QUESTION: {
        readonly kind: 'protocol';
        readonly text: 'The client does not support {what}: revision {revision} lacks it';
    };
    readonly MCP_OUTCOME_UNKNOWN: {
        readonly kind: 'offline';
        readonly text: 'The connection was lost during {method}. Check whether it took effect before you repeat it';
    };
    readonly MCP_OUTPUT_MISMATCH: {
        readonly kind: 'protocol';
        readonly text: 'The result of tool "{tool}" does not match its output schema: {why}';
    };
    readonly MCP_SCHEMA_TOO_COSTLY: {
        readonly kind: 'protocol';
        readonly text: 'The schema of {what} is rejected: {why}';
    };
    readonly MCP_SCHEMA_UNSUPPORTED: {
        readonly kind: 'usage';
        readonly text: 'The schema of {what} cannot be used: {why}';
    };
    readonly MCP_SERVER_EXITED: {
        readonly kind: 'exit';
        readonly text: 'The server process {command} ended ({how}){stderr}';
    };
    readonly MCP_SERVER_SILENT: {
        readonly kind: 'offline';
        readonly text: 'The server process {command} sent no message. Check that it is an MCP server{stderr}';
    };
    readonly MCP_SESSION_LOST: {
        readonly kind: 'offline';
        readonly text: '{url} no longer knows this session: {method} got status 404';
    };
    readonly MCP_SKILL_CHANGED: {
        readonly kind: 'protocol';
        readonly text: 'The skill {uri} of {server} has changed: {why}. Load the skill again';
    };
    readonly MCP_SKILL_REJECTED: {
        readonly kind: 'protocol';
        readonly text: 'The skill file {uri} is rejected: {why}. Load the skill again';
    };
    readonly MCP_SPAWN_FAILED: {
        readonly kind: 'exit';
        readonly text: 'The server process {command} could not be started: {why}';
    };
    readonly MCP_SUSPENSION_SWALLOWED: {
        readonly kind: 'bug';
        readonly text: '{what} continued without the answer to "{key}". Await the question, and rethrow errors that are not yours';
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
    readonly MCP_UNAUTHORIZED: {
        readonly kind: 'auth';
        readonly text: '{url} rejected {method} for lack of authorization (status {status}, {challenge}){body}; {advice}';
    };
    readonly MCP_UNKNOWN_RESULT_TYPE: {
        readonly kind: 'protocol';
        readonly text: 'The result of {method} has the unknown resultType "{type}"';
    };
    readonly MCP_UNREACHABLE: {
        readonly kind: 'offline';
        readonly text: '{url} cannot be reached: {why}';
    };
};
declare const loggingLevels: readonly ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
export declare const responseCache: (options?: CacheOptions) => ResponseCache;
export declare const revisionIds: readonly string[];
