// The entry point "mooring/testing": 24 names. Written by `npm run api`.
// AskedOfUser BackendCheck FakeAnswer FakeSample FakeUser OpenBackend OpenTaskStore PassTime PlayOptions TaskStoreCheck TextPattern Transcript TranscriptLine TranscriptMismatch VirtualClock cassette everyBackend everyRevision fakeUser parseTranscript playClient playServer taskStoreChecks virtualClock

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
export type AskedOfUser = {
    readonly kind: 'form';
    readonly message: string;
    readonly request: FormRequest;
} | {
    readonly kind: 'url';
    readonly message: string;
    readonly request: UrlRequest;
} | {
    readonly kind: 'sample';
    readonly message: string;
    readonly request: CreateMessageParams;
};
interface AttemptResult<D = unknown> extends CallResult<D | undefined> {
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
interface Backend {
    readonly keyed: KeyedValues;
    readonly once: OnceKeys;
    readonly count: RateCounts;
    readonly log: SharedLogs;
    readonly channel: Channels;
}
export interface BackendCheck {
    readonly name: string;
    run(): Promise<void>;
}
type Block = {
    readonly annotations?: Annotations;
    readonly _meta?: Meta;
};
interface CachedRequestOptions extends RequestOptions {
    readonly fresh?: boolean;
}
interface CallResult<D> {
    readonly data: D;
    readonly text: string;
    readonly content: readonly Content[];
    readonly meta: Meta;
}
interface CallToolOptions extends RequestOptions {
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
interface Catalogue {
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
type Change = {
    readonly kind: 'tools' | 'prompts' | 'resources';
} | {
    readonly kind: 'resource';
    readonly uri: string;
};
type ChangeFilter = {
    readonly toolsListChanged?: boolean;
    readonly promptsListChanged?: boolean;
    readonly resourcesListChanged?: boolean;
    readonly resourceSubscriptions?: readonly string[];
};
interface Channels {
    publish(channel: string, data: string): Promise<void>;
    subscribe(channel: string, onData: (data: string) => void, onMissed: () => void): () => void;
}
interface Client<S = unknown> extends AsyncDisposable {
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
interface ClientCapabilities {
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
interface ClientLimits {
    readonly maxPages: number;
    readonly maxItems: number;
    readonly maxRounds: number;
}
interface ClientTask<D = unknown> {
    readonly tool: string;
    readonly ticket: TaskTicket | undefined;
    states(options?: WaitOptions): AsyncIterable<ClientTaskState>;
    result(options?: WaitOptions): Promise<CallResult<D>>;
    attempt(options?: WaitOptions): Promise<AttemptResult<D>>;
    cancel(): Promise<void>;
}
interface ClientTaskState {
    readonly status: TaskStatus;
    readonly message?: string;
    readonly progress?: Pick<Progress, 'progress' | 'total'>;
}
interface Clock {
    now(): number;
    wall(): number;
    after(ms: number, run: () => void, options?: {
        readonly idle: true;
    }): () => void;
}
interface CompleteOptions extends RequestOptions {
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
type Completion = {
    readonly values: readonly string[];
    readonly total?: number;
    readonly hasMore?: boolean;
};
type CompletionReference = {
    readonly type: 'ref/prompt';
    readonly name: string;
} | {
    readonly type: 'ref/resource';
    readonly uri: string;
};
interface ConnectOptions extends Handlers, Partial<Timeouts> {
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
type ConnectionState = 'connecting' | 'ready' | 'lost' | 'closed';
type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;
type CreateMessageParams = {
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
type CreateMessageResult = SamplingMessage & {
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
interface ElicitHandlers {
    readonly form?: FormHandler;
    readonly url?: UrlHandler;
    readonly required?: UrlRequiredHandler;
}
type ElicitResult = {
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
type Exchange = (message: Message, link: Link) => Promise<RpcResponse | undefined>;
interface Extension {
    readonly settings?: JsonObject;
    readonly resultTypes?: readonly string[];
}
export type FakeAnswer = Readonly<Record<string, FormValue>> | FormValue;
export type FakeSample = string | ((request: CreateMessageParams) => string | CreateMessageResult);
export interface FakeUser {
    readonly elicit: Required<Pick<ElicitHandlers, 'form' | 'url'>>;
    readonly sample: SampleHandlers;
    readonly asked: readonly AskedOfUser[];
    answer(pattern: TextPattern, value?: FakeAnswer): FakeUser;
    decline(pattern: TextPattern): FakeUser;
    cancel(pattern: TextPattern): FakeUser;
    samples(sample: FakeSample): FakeUser;
}
type FormAnswer<Action extends ElicitResult['action']> = MaybePromise<ElicitResult & {
    readonly action: Action;
}>;
type FormHandler = (request: FormRequest, context: QuestionContext) => MaybePromise<ElicitResult>;
interface FormRequest {
    readonly message: string;
    readonly requestedSchema: FormSchema;
    readonly defaults: Readonly<Record<string, FormValue>>;
}
type FormSchema = {
    readonly $schema?: string;
    readonly type: 'object';
    readonly properties: Readonly<Record<string, JsonObject>>;
    readonly required?: readonly string[];
};
type FormValue = string | number | boolean | readonly string[];
interface Handlers {
    readonly elicit?: ((request: FormRequest, context: QuestionContext) => FormAnswer<'accept' | 'decline' | 'cancel'>) | ElicitHandlers;
    readonly sample?: SampleHandler | SampleHandlers;
    readonly roots?: RootsSource;
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
type Implementation = {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
    readonly description?: string;
    readonly websiteUrl?: string;
    readonly icons?: readonly Icon[];
};
interface JsonObject {
    readonly [key: string]: unknown;
}
interface KeyedEntry {
    readonly value: string;
    readonly version: string;
    readonly mark?: string | undefined;
}
interface KeyedPutOptions {
    readonly ttlMs: number;
    readonly expected?: string | undefined;
}
interface KeyedValues {
    get(key: string, known?: KeyedEntry): Promise<KeyedEntry | undefined>;
    put(key: string, value: string, options: KeyedPutOptions): Promise<string | undefined>;
    touch(key: string, ttlMs: number, mark?: string): Promise<boolean>;
    delete(key: string, expected?: string): Promise<boolean>;
}
interface Layer {
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
interface Listing<T> extends AsyncIterable<T> {
    pages(): AsyncIterable<readonly T[]>;
    all(): Promise<readonly T[]>;
}
interface LogEntry {
    readonly seq: number;
    readonly data: string;
}
interface LogLimits {
    readonly ttlMs: number;
    readonly keep: number;
}
type LogMessage = {
    readonly level: LoggingLevel;
    readonly logger?: string;
    readonly data: unknown;
};
type LoggingLevel = (typeof loggingLevels)[number];
type MaybePromise<T> = T | Promise<T>;
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
interface OnceKeys {
    spend(key: string, ttlMs: number): Promise<boolean>;
}
export type OpenBackend = (name: string) => Backend | Promise<Backend>;
export type OpenTaskStore = (name: string) => TaskStore | Promise<TaskStore>;
export type PassTime = (ms: number) => Promise<void>;
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
export interface PlayOptions extends TranscriptPeerOptions {
    readonly update?: boolean;
}
interface Progress {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
}
type Prompt = Described & {
    readonly arguments?: readonly PromptArgument[];
};
type PromptArgument = {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly required?: boolean;
};
type PromptMessage = {
    readonly role: 'user' | 'assistant';
    readonly content: Content;
};
interface PromptResult {
    readonly messages: readonly PromptMessage[];
    readonly description: string | undefined;
    readonly meta: Meta;
}
type PromptsOf<S> = CatalogueOf<S>['prompts'];
interface QuestionContext {
    readonly signal: AbortSignal;
    readonly server: ServerFacts;
    readonly task?: string | undefined;
}
interface RateCounts {
    take(key: string, rate: SharedRate): Promise<RateResult>;
}
type RateResult = {
    readonly ok: true;
} | {
    readonly ok: false;
    readonly retryMs: number;
};
interface RawQuestion {
    readonly method: string;
    readonly params: JsonObject;
}
type RawQuestionHandler = (question: RawQuestion, context: QuestionContext) => MaybePromise<JsonObject>;
interface RawRequestOptions extends RequestOptions {
    readonly capabilities?: ClientCapabilities | undefined;
    readonly ask?: RawQuestionHandler | undefined;
    readonly logLevel?: LoggingLevel | undefined;
    readonly onLog?: ((message: LogMessage) => void) | undefined;
}
interface ReadResult {
    readonly contents: readonly ResourceContents[];
    readonly text: string;
    readonly meta: Meta;
}
interface RequestOptions {
    readonly signal?: AbortSignal | undefined;
    readonly timeoutMs?: number | undefined;
    readonly maxTimeoutMs?: number | undefined;
    readonly onProgress?: ((progress: Progress) => void) | undefined;
    readonly meta?: JsonObject | undefined;
}
type Resource = Described & {
    readonly uri: string;
    readonly mimeType?: string;
    readonly size?: number;
    readonly annotations?: Annotations;
};
type ResourceContents = {
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
type ResourceTemplate = Omit<Resource, 'uri' | 'size'> & {
    readonly uriTemplate: string;
};
type ResourcesOf<S> = CatalogueOf<S>['resources'];
interface ResponseCache {
    readonly kind: 'response-cache';
}
type Role = 'user' | 'assistant';
type Root = {
    readonly uri: string;
    readonly name?: string;
    readonly _meta?: Meta;
};
type RootsSource = readonly Root[] | ((context: QuestionContext) => MaybePromise<readonly Root[]>);
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
type SampleHandler = (request: CreateMessageParams, context: QuestionContext) => MaybePromise<CreateMessageResult | 'declined'>;
interface SampleHandlers {
    readonly create: SampleHandler;
    readonly tools?: true;
    readonly context?: true;
}
type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;
type SamplingMessage = {
    readonly role: Role;
    readonly content: SamplingContent | readonly SamplingContent[];
    readonly _meta?: Meta;
};
interface Servable {
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
interface ServerCapabilities {
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
interface ServerDescription {
    readonly info: Implementation | undefined;
    readonly capabilities: ServerCapabilities;
    readonly instructions: string | undefined;
    readonly revision: string;
}
interface ServerFacts {
    readonly info?: Implementation | undefined;
    readonly capabilities: ServerCapabilities;
    readonly instructions?: string | undefined;
}
interface ServerPush {
    readonly id?: string;
    readonly auth?: AuthInfo | undefined;
    notify(notification: RpcNotification): void;
    ask(request: RpcRequest): Promise<RpcResponse>;
    end(): void;
    renew?(): void;
}
interface SharedLogs {
    append(log: string, entry: LogEntry, limits: LogLimits): Promise<'ok' | 'exists'>;
    read(log: string, after: number): Promise<readonly LogEntry[] | 'gone'>;
}
interface SharedRate {
    readonly limit: number;
    readonly perMs: number;
    readonly burst?: number | undefined;
}
interface StandingStream {
    follow(listener: StandingStreamListener): () => void;
}
interface StandingStreamListener {
    opened(isWhole: boolean): void;
    ended(reason: Error): void;
}
type StepRecord = {
    readonly value?: unknown;
} | {
    readonly error: {
        readonly name: string;
        readonly message: string;
        readonly isToolError: boolean;
    };
};
interface StoredTask {
    readonly id: string;
    readonly version: number;
    readonly owner: string;
    readonly form: 'augmented' | 'handle';
    readonly tool: string;
    readonly arguments: JsonObject;
    readonly caller: Caller;
    readonly auth?: AuthInfo | undefined;
    readonly code: string;
    readonly resume: boolean;
    readonly isSeen: boolean;
    readonly status: TaskStatus;
    readonly message?: string | undefined;
    readonly progress?: {
        readonly done: number;
        readonly total?: number;
    } | undefined;
    readonly createdAt: number;
    readonly updatedAt: number;
    readonly ttlMs: number | null;
    readonly pollMs: number;
    readonly endsAt: number;
    readonly dueAt: number;
    readonly asked: readonly (readonly [
        key: string,
        {
            readonly wire: string;
            readonly digest: string;
            readonly code: string;
        }
    ])[];
    readonly questions: readonly (readonly [wire: string, {
        readonly method: string;
        readonly params: JsonObject;
    }])[];
    readonly answers: readonly (readonly [wire: string, JsonObject])[];
    readonly begun: readonly string[];
    readonly steps: readonly (readonly [key: string, StepRecord])[];
    readonly outcome?: TaskOutcome | undefined;
    readonly lease?: {
        readonly by: string;
        readonly until: number;
    } | undefined;
    readonly runs: number;
    readonly interruptions: number;
}
interface TaskHolder {
    readonly by: string;
    readonly run: number;
}
interface TaskLimits {
    readonly maxTasks: number;
    readonly maxTasksPerCaller?: number;
    readonly maxBytes?: number;
}
type TaskOutcome = {
    readonly result: JsonObject;
} | {
    readonly error: {
        readonly code: number;
        readonly message: string;
        readonly data?: unknown;
    };
} | {
    readonly cancelled: true;
};
type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
interface TaskStore {
    create(task: StoredTask, limits?: TaskLimits): Promise<boolean | keyof TaskLimits>;
    get(id: string): Promise<StoredTask | undefined>;
    put(task: StoredTask, expected: number, maxBytes?: number): Promise<boolean | keyof TaskLimits>;
    renew(id: string, holder: TaskHolder, until: number): Promise<boolean>;
    list(owner: string, after: string | undefined, limit: number): Promise<readonly StoredTask[]>;
    due(now: number, limit: number): Promise<readonly StoredTask[]>;
    count(owner?: string): Promise<number>;
    delete(id: string): Promise<void>;
    watch?(listener: (id: string) => void): () => void;
    close?(): Promise<void> | void;
}
export interface TaskStoreCheck {
    readonly name: string;
    run(): Promise<void>;
}
interface TaskTicket {
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
export type TextPattern = string | RegExp;
interface Timeouts {
    readonly timeoutMs: number;
    readonly maxTimeoutMs: number;
    readonly connectTimeoutMs: number;
    readonly probeTimeoutMs: number;
    readonly closeTimeoutMs: number;
}
type Tool = Described & {
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
export type Transcript = readonly TranscriptLine[];
export interface TranscriptLine {
    readonly number: number;
    readonly side: '>' | '<' | '#';
    readonly content: unknown;
}
export declare class TranscriptMismatch extends Error {
    readonly name = "TranscriptMismatch";
    readonly expected: unknown;
    readonly actual: unknown;
    constructor(what: string, { expected, actual }: {
        readonly expected?: unknown;
        readonly actual?: unknown;
    });
}
interface TranscriptPeerOptions {
    readonly timeoutMs?: number;
    readonly clock?: Clock;
}
type Transport = (inbound: Exchange, session: PeerSession) => Promise<Connection>;
interface Typed<T extends Catalogue> {
    readonly '~types'?: T;
}
type UrlHandler = (request: UrlRequest, context: QuestionContext) => MaybePromise<Pick<ElicitResult, 'action'>>;
interface UrlRequest {
    readonly message: string;
    readonly url: string;
    readonly host: string;
    readonly warnings: readonly UrlWarning[];
    readonly completed: Promise<void>;
}
type UrlRequiredHandler = (requests: readonly UrlRequest[], context: QuestionContext) => MaybePromise<boolean>;
type UrlWarning = 'credentials' | 'insecure' | 'punycode';
export interface VirtualClock extends Clock {
    advance(ms: number): Promise<void>;
}
interface WaitOptions {
    readonly signal?: AbortSignal | undefined;
    readonly timeoutMs?: number | undefined;
    readonly maxTimeoutMs?: number | undefined;
}
interface Watch extends AsyncIterable<Change>, AsyncDisposable {
    readonly granted: Promise<ChangeFilter>;
    nextChange(): Promise<Change | undefined>;
}
interface WatchFilter {
    readonly tools?: boolean;
    readonly prompts?: boolean;
    readonly resources?: boolean | readonly string[];
}
export declare function cassette(text: string): Servable;
export declare function everyBackend(open: OpenBackend, pass?: PassTime): readonly BackendCheck[];
export declare function everyRevision<S extends Servable>(server: S, body: (client: Client<S>, revision: string) => void | Promise<void>, options?: ConnectOptions): Promise<void>;
export declare const fakeUser: () => FakeUser;
declare const loggingLevels: readonly ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
export declare function parseTranscript(text: string): Transcript;
export declare function playClient(transcript: Transcript, drive: (transport: Transport) => Promise<void>, options?: PlayOptions): Promise<string>;
export declare function playServer(transcript: Transcript, server: Servable, options?: PlayOptions): Promise<string>;
export declare function taskStoreChecks(open: OpenTaskStore): readonly TaskStoreCheck[];
export declare function virtualClock(): VirtualClock;
