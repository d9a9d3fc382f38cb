// The entry point "mooring": 108 names. Written by `npm run api`.
// Annotations Answer AudioContent AuthInfo AuthRejection AuthRequest Authenticator CacheHints Caller Change ChangeBus ClientCapabilities Clock Completer Content Context CreateMessageParams CreateMessageResult EmbeddedResource EndedSessions ErrorCode ErrorKind ErrorReport EventLog Exchange GetPromptResult HttpHandler HttpOptions HttpStream Icon Id ImageContent Implementation JsonObject Layer Link ListedResource LoggedEvent LoggingLevel McpError Message OnceOptions Part PromptMessage PromptPart PromptSpec PutOptions RateLimit ReadResourceResult Reply ResourceContents ResourceLink ResourceListContext ResourcePart ResourceSpec Root RpcError RpcNotification RpcRequest RpcResponse SamplingMessage Schema SealedSessionSpec Server ServerCapabilities ServerSpec ServerTaskOptions SessionStore SharedChanges SkillSet StateLog StepInfo StepRecord StoredSession StoredTask TaskHolder TaskLimits TaskOutcome TaskSpec TaskStatus TaskStore TaskWorker TextContent ToolAnnotations ToolEffects ToolError ToolPart ToolSpec TypedDefiners VersionedSession Visit VisitAnswer createServer failure httpHandler isRequest linkWith memoryChangeBus principalOf prompt rateLimit reply resource success systemClock tool use withEnv

export type Annotations = {
    readonly audience?: readonly Role[];
    readonly priority?: number;
    readonly lastModified?: string;
};
export type Answer<T> = {
    readonly action: 'accept';
    readonly accepted: true;
    readonly value: T;
} | {
    readonly action: 'decline' | 'cancel';
    readonly accepted: false;
    readonly value?: undefined;
};
type AnswerTo<S> = S extends {
    readonly '~standard': unknown;
} ? Answer<InferOutput<S>> : S extends Visit ? VisitAnswer : Answer<InferOutput<S>>;
export type AudioContent = Media & {
    readonly type: 'audio';
};
export interface AuthInfo {
    readonly issuer?: string;
    readonly subject?: string;
    readonly clientId?: string;
    readonly scopes: readonly string[];
    readonly expiresAt?: number;
    readonly claims?: JsonObject;
}
export interface AuthRejection {
    readonly status: 400 | 401 | 403;
    readonly wwwAuthenticate: string;
    readonly headers?: Readonly<Record<string, string>>;
}
export interface AuthRequest {
    readonly method: string;
    readonly path: string;
    readonly query?: string | undefined;
    header(name: string): string | undefined;
}
export interface Authenticator {
    (request: AuthRequest): AuthInfo | AuthRejection | Promise<AuthInfo | AuthRejection>;
    readonly documents?: ReadonlyMap<string, JsonObject>;
    readonly insufficient?: (needed: readonly string[], auth: AuthInfo) => AuthRejection;
}
type Blanks<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Blanks<Rest> : never;
type Block = {
    readonly annotations?: Annotations;
    readonly _meta?: Meta;
};
type Bodies<T extends string> = T extends `${string}{${infer Body}}${infer Rest}` ? Body | Bodies<Rest> : never;
type Both<U> = (U extends unknown ? (one: U) => void : never) extends (both: infer I) => void ? I : never;
export type CacheHints = {
    readonly ttlMs?: number;
    readonly cacheScope?: 'public' | 'private';
};
type CallToolResult = {
    readonly content: readonly Content[];
    readonly structuredContent?: unknown;
    readonly isError?: boolean;
    readonly _meta?: Meta;
};
export interface Caller {
    readonly info?: Implementation | undefined;
    readonly capabilities: ClientCapabilities;
}
type CannotBeText<T> = unknown extends T ? false : [Extract<T, string>] extends [never] ? true : false;
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
export type Change = {
    readonly kind: 'tools' | 'prompts' | 'resources';
} | {
    readonly kind: 'resource';
    readonly uri: string;
};
export interface ChangeBus {
    publish(shared: SharedChanges): void | Promise<void>;
    subscribe(listener: (shared: SharedChanges) => void): () => void;
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
export interface Clock {
    now(): number;
    wall(): number;
    after(ms: number, run: () => void, options?: {
        readonly idle: true;
    }): () => void;
}
export type Completer<Env = unknown> = (value: string, others: Readonly<Record<string, string>>, context: ResourceListContext<Env>) => readonly string[] | Promise<readonly string[]>;
export type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;
export interface Context<Env = unknown> {
    readonly signal: AbortSignal;
    readonly env: Env;
    readonly auth: AuthInfo | undefined;
    readonly principal: string;
    readonly caller: Caller;
    readonly http: HttpStream | undefined;
    log(level: LoggingLevel, message: string, data?: object): void;
    progress(done: number, total?: number, message?: string): void;
    ask<S extends Schema | Visit>(key: string, message: string, wanted: S & SingleSchema<S> & FlatForm<S>): Promise<AnswerTo<S>>;
    confirm(key: string, message: string): Promise<boolean>;
    once<T>(key: string, step: (info: StepInfo) => T | Promise<T>, options?: OnceOptions): Promise<T>;
    readonly task: {
        readonly id: string;
    } | undefined;
    detach(): Promise<void>;
    read(uri: string): Promise<ReadResourceResult>;
    sample(key: string, params: CreateMessageParams): Promise<CreateMessageResult>;
    roots(key?: string): Promise<readonly Root[]>;
}
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
type Described = {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly icons?: readonly Icon[];
    readonly _meta?: Meta;
};
export type EmbeddedResource = Block & {
    readonly type: 'resource';
    readonly resource: ResourceContents;
};
export interface EndedSessions {
    add(name: string, lifeMs: number): void | Promise<void>;
    has(name: string): boolean | Promise<boolean>;
}
type EnvCaller = Pick<Context, 'auth' | 'caller'>;
type EnvOf<P> = P extends {
    readonly '~types'?: {
        readonly env: infer E;
    };
} ? (unknown extends E ? never : E) : never;
type EnvOfParts<P extends readonly Part[]> = [EnvOf<P[number]>] extends [never] ? unknown : NeedsEnv<Both<EnvOf<P[number]>>>;
interface ErrorBody {
    readonly code: number;
    readonly message: string;
    readonly data?: unknown;
}
export type ErrorCode = keyof typeof errors;
type ErrorDetails<C extends ErrorCode> = Readonly<Record<Blanks<(typeof errors)[C]['text']>, string | number>>;
export type ErrorKind = 'usage' | 'auth' | 'offline' | 'http' | 'exit' | 'protocol' | 'bug';
export interface ErrorReport {
    readonly id: string;
    readonly what: string;
}
export interface EventLog {
    append(stream: string, event: LoggedEvent): void | Promise<void>;
    read(stream: string, after: number): readonly LoggedEvent[] | undefined | Promise<readonly LoggedEvent[] | undefined>;
    claim?(stream: string, requests: readonly Id[]): Promise<void>;
    orphaned?(stream: string): Promise<readonly Id[] | undefined>;
}
export type Exchange = (message: Message, link: Link) => Promise<RpcResponse | undefined>;
type FlatForm<S> = true extends {
    [K in keyof InferInput<S>]-?: IsNested<InferInput<S>[K]>;
}[keyof InferInput<S>] ? 'Forms are flat. Ask for text, numbers, yes or no, or a choice of texts' : unknown;
type FormValue = string | number | boolean | readonly string[];
export type GetPromptResult = {
    readonly description?: string;
    readonly messages: readonly PromptMessage[];
    readonly _meta?: Meta;
};
export type HttpHandler = (request: Request) => Promise<Response>;
export interface HttpOptions {
    readonly allowedHosts?: readonly string[] | undefined;
    readonly allowedOrigins?: readonly string[] | undefined;
    readonly auth?: Authenticator | undefined;
    readonly sessions?: SessionStore | SealedSessionSpec | 'none' | undefined;
    readonly eventLog?: EventLog | undefined;
    readonly onStoreError?: ((error: unknown, operation: StoreOperation) => void) | undefined;
    readonly peers?: SessionPeers | undefined;
    readonly clock?: Clock | undefined;
    readonly maxBodyBytes?: number | undefined;
    readonly maxQueueBytes?: number | undefined;
    readonly maxSessions?: number | undefined;
    readonly maxSessionsPerCaller?: number | undefined;
    readonly maxListenersPerCaller?: number | undefined;
    readonly sessionIdleMs?: number | undefined;
    readonly sessionLifeMs?: number | undefined;
    readonly maxCallsPerSession?: number | undefined;
    readonly maxCalls?: number | undefined;
    readonly keepAliveMs?: number | undefined;
    readonly retryMs?: number | undefined;
}
export interface HttpStream {
    release(retryMs?: number): void;
}
export type Icon = {
    readonly src: string;
    readonly mimeType?: string;
    readonly sizes?: readonly string[];
    readonly theme?: 'light' | 'dark';
};
export type Id = string | number;
export type ImageContent = Media & {
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
type InPath<B extends string> = B extends `${'?' | '&' | ';'}${string}` ? never : B extends `${'+' | '#' | '.' | '/'}${infer V}` ? VariableNames<V> : VariableNames<B>;
type InQuery<B extends string> = B extends `${'?' | '&' | ';'}${infer V}` ? VariableNames<V> : never;
type InferInput<S> = InferSide<S, 'input'>;
type InferOutput<S> = InferSide<S, 'output'>;
type InferSide<S, Side extends 'input' | 'output'> = S extends StandardTypes ? NonNullable<S['~standard']['types']>[Side] : S extends undefined ? NoInput : JsonObject;
type IsNested<T> = unknown extends T ? false : [T] extends [FormValue | null | undefined] ? false : true;
export interface JsonObject {
    readonly [key: string]: unknown;
}
type JsonSchema = JsonObject;
export interface Layer {
    (next: Exchange, closed?: Promise<Error | undefined>): Exchange;
    readonly inbound?: Layer;
}
export declare abstract class Link {
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
type List<V extends string> = V extends `${infer Name}*` ? Name : never;
export type ListedResource = Pick<ResourceSpec<string, unknown>, 'uri' | 'name' | 'title' | 'description' | 'icons' | 'meta' | 'mimeType' | 'size' | 'annotations'>;
export interface LoggedEvent {
    readonly seq: number;
    readonly data: string;
    readonly last?: boolean;
}
export type LoggingLevel = (typeof loggingLevels)[number];
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
type MediaBytes = Omit<ImageContent | AudioContent, 'data'> & {
    readonly data: Uint8Array;
};
export type Message = RpcRequest | RpcNotification | RpcResponse;
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
interface NeedsEnv<Env> {
    readonly env: Env | ((caller: EnvCaller) => Env);
}
type NoInput = {
    readonly [K in never]: never;
};
type NoOutput = 'text, content, an object or nothing; declare "output" to return anything else';
type NoVariables = {
    readonly [K in never]: never;
};
type ObjectSchema<S> = S extends StandardTypes ? NonNullable<S['~standard']['types']>['input'] extends string | number | boolean | null | undefined | readonly unknown[] ? 'Arguments have names. Wrap it, as in z.object({ … })' : unknown : unknown;
export interface OnceOptions {
    readonly again?: boolean;
}
type OutputData<O> = [O] extends [undefined] ? undefined : O extends {
    readonly '~standard': unknown;
} ? InferOutput<O> : unknown;
type OutputInput<O> = O extends {
    readonly '~standard': unknown;
} ? InferInput<O> : unknown;
export type Part = ToolPart | ResourcePart | PromptPart;
interface PartSpec {
    readonly title?: string;
    readonly description?: string;
    readonly icons?: readonly Icon[];
    readonly meta?: Meta;
    readonly scopes?: readonly string[];
}
interface PartsCatalogue<P extends readonly Part[]> extends Catalogue {
    readonly tools: {
        readonly [T in TypesOf<Extract<P[number], ToolPart>> as T['name']]: {
            readonly input: T['input'];
            readonly output: T['output'];
        };
    };
    readonly prompts: {
        readonly [T in TypesOf<Extract<P[number], PromptPart>> as T['name']]: {
            readonly args: T['args'];
        };
    };
    readonly resources: Spelled<TypesOf<Extract<P[number], ResourcePart>>['uri']>;
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
type PlainValue = string | CallToolResult | Content | readonly (Content | MediaBytes)[] | ReturnedObject | Reply<unknown>;
export type PromptMessage = {
    readonly role: 'user' | 'assistant';
    readonly content: Content;
};
export interface PromptPart<Name extends string = string, Args = unknown, Env = unknown> {
    readonly kind: 'prompt';
    readonly name: Name;
    readonly '~types'?: {
        readonly name: Name;
        readonly args: Args;
        readonly env: Env;
    };
}
export interface PromptSpec<Name extends string, A extends Schema | undefined, Env> extends PartSpec {
    readonly name: Name;
    readonly args?: A & SingleSchema<A> & Textual<A>;
    readonly complete?: {
        readonly [K in keyof InferInput<A>]?: Completer<Env>;
    };
    render(args: InferOutput<A>, context: Context<Env>): RenderedPrompt | Promise<RenderedPrompt>;
}
export interface PutOptions {
    readonly expected: string | undefined;
    readonly ttlMs: number;
}
export interface RateLimit {
    readonly calls: number;
    readonly perMs: number;
    readonly clock?: Clock;
}
export type ReadResourceResult = CacheHints & {
    readonly contents: readonly ResourceContents[];
    readonly _meta?: Meta;
};
type ReadValue = string | Uint8Array | ReadResourceResult | ReturnedObject | readonly ResourceContents[] | null | undefined;
type RenderedPrompt = string | readonly PromptMessage[] | GetPromptResult;
export interface Reply<D> {
    readonly data: D;
    readonly content: readonly Content[];
    readonly meta: JsonObject | undefined;
}
type ReplyView = ({
    readonly text: string;
} | {
    readonly content: readonly Content[];
}) & {
    readonly meta?: JsonObject;
};
type Resource = Described & {
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
export type ResourceLink = Resource & {
    readonly type: 'resource_link';
};
export type ResourceListContext<Env = unknown> = Pick<Context<Env>, 'auth' | 'caller' | 'env' | 'principal' | 'signal'>;
export interface ResourcePart<Uri extends string = string, Env = unknown> {
    readonly kind: 'resource';
    readonly uri: Uri;
    readonly '~types'?: {
        readonly uri: Uri;
        readonly env: Env;
    };
}
export interface ResourceSpec<Uri extends string, Env> extends PartSpec {
    readonly uri: Uri;
    readonly name?: string;
    readonly mimeType?: string;
    readonly size?: number;
    readonly annotations?: Annotations;
    readonly cache?: CacheHints;
    readonly complete?: {
        readonly [K in keyof Variables<Uri>]?: Completer<Env>;
    };
    list?(context: ResourceListContext<Env>): readonly ListedResource[] | Promise<readonly ListedResource[]>;
    read(variables: Variables<Uri>, context: Context<Env>): ReadValue | Promise<ReadValue>;
}
type Returned<D> = ReturnedValue<D> | Promise<ReturnedValue<D>>;
type ReturnedObject = Readonly<Record<string, unknown>> | (object & {
    readonly [Symbol.iterator]?: never;
    readonly call?: never;
    readonly then?: never;
});
type ReturnedValue<D> = (PlainValue & (D extends NoOutput ? unknown : never)) | (D extends NoOutput ? void : D | Reply<D>);
type Role = 'user' | 'assistant';
export type Root = {
    readonly uri: string;
    readonly name?: string;
    readonly _meta?: Meta;
};
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
export interface RpcNotification {
    readonly jsonrpc: '2.0';
    readonly method: string;
    readonly params?: JsonObject | undefined;
}
type RpcReason = 'resource-not-found';
export interface RpcRequest {
    readonly jsonrpc: '2.0';
    readonly id: Id;
    readonly method: string;
    readonly params?: JsonObject | undefined;
}
export type RpcResponse = RpcSuccess | RpcFailure;
interface RpcSuccess {
    readonly jsonrpc: '2.0';
    readonly id: Id;
    readonly result: JsonObject;
}
type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;
export type SamplingMessage = {
    readonly role: Role;
    readonly content: SamplingContent | readonly SamplingContent[];
    readonly _meta?: Meta;
};
export type Schema = StandardSchema | JsonSchema;
export interface SealedSessionSpec {
    readonly sealed: readonly Uint8Array<ArrayBuffer>[];
    readonly ended?: EndedSessions | undefined;
    readonly questions?: 'same-process' | undefined;
}
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
export interface Server<P extends readonly Part[] = readonly Part[]> extends Required<Servable>, Typed<PartsCatalogue<P>> {
    readonly name: string;
    readonly version: string;
    readonly revisions: readonly string[];
    prepare(): Promise<void> | undefined;
    add(part: Part): void;
    remove(name: string): boolean;
    updated(uri: string): void;
    readonly tasks: TaskWorker | undefined;
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
interface ServerPush {
    readonly id?: string;
    readonly auth?: AuthInfo | undefined;
    notify(notification: RpcNotification): void;
    ask(request: RpcRequest): Promise<RpcResponse>;
    end(): void;
    renew?(): void;
}
export interface ServerSpec {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
    readonly description?: string;
    readonly websiteUrl?: string;
    readonly icons?: readonly Icon[];
    readonly instructions?: string;
    readonly skills?: SkillSet;
    readonly tasks?: true | ServerTaskOptions;
    readonly extensions?: Readonly<Record<string, JsonObject>>;
    readonly revisions?: readonly string[];
    readonly strictVersions?: boolean;
    readonly pageSize?: number;
    readonly cache?: CacheHints;
    readonly hideUnauthorized?: boolean;
    readonly stateKeys?: readonly Uint8Array<ArrayBuffer>[];
    readonly singleUse?: true | StateLog;
    readonly changes?: ChangeBus;
    readonly maxRounds?: number;
    readonly maxListeners?: number;
    readonly onError?: (error: unknown, about: ErrorReport) => void;
    readonly onWarning?: (warning: string) => void;
    readonly clock?: Clock;
}
export interface ServerTaskOptions {
    readonly store?: TaskStore;
    readonly code?: string;
    readonly maxRunning?: number;
    readonly maxTasksPerCaller?: number;
    readonly maxTasks?: number;
    readonly maxBytes?: number;
    readonly maxTtlMs?: number;
    readonly outliveAuth?: boolean;
    readonly leaseMs?: number;
}
interface ServerWithParts<P extends readonly Part[]> extends ServerSpec {
    readonly parts: P;
}
interface SessionMessage {
    readonly session: string;
    readonly principal: string;
    readonly message: RpcNotification | RpcResponse;
}
interface SessionPeers {
    readonly node: string;
    forward(message: SessionMessage): void;
    receive(take: (message: SessionMessage) => void): () => void;
}
export interface SessionStore {
    readonly hasExpiry?: boolean | undefined;
    get(id: string, known?: VersionedSession): VersionedSession | undefined | Promise<VersionedSession | undefined>;
    put(id: string, stored: StoredSession, options: PutOptions): string | undefined | Promise<string | undefined>;
    touch(id: string, usedAt: number, ttlMs: number): void | Promise<void>;
    delete(id: string): void | Promise<void>;
}
export interface SharedChanges {
    readonly from: string;
    readonly changes: readonly Change[];
}
type Single<V extends string> = V extends `${string}*` ? never : V extends `${infer Name}:${string}` ? Name : V;
type SingleSchema<S> = S extends {
    readonly '~standard': unknown;
} | undefined ? unknown : true extends {
    [K in keyof S]: S[K] extends {
        readonly '~standard': unknown;
    } ? true : false;
}[keyof S] ? 'This is an object of schemas. Wrap it, as in z.object({ … })' : unknown;
export interface SkillSet {
    readonly kind: 'skills';
    readonly names: readonly string[];
}
type Spelled<Uri extends string> = Uri extends `${infer Head}{${string}}${infer Rest}` ? `${Head}${string}${Spelled<Rest>}` : Uri;
interface StandardConverter {
    input(options: {
        readonly target: string;
    }): Record<string, unknown>;
    output(options: {
        readonly target: string;
    }): Record<string, unknown>;
}
interface StandardIssue {
    readonly message: string;
    readonly path?: readonly (PropertyKey | {
        readonly key: PropertyKey;
    })[] | undefined;
}
type StandardResult<O> = {
    readonly value: O;
    readonly issues?: undefined;
} | {
    readonly issues: readonly StandardIssue[];
};
interface StandardSchema<I = unknown, O = I> {
    readonly '~standard': {
        readonly version: 1;
        readonly vendor: string;
        readonly types?: {
            readonly input: I;
            readonly output: O;
        } | undefined;
        validate(value: unknown): StandardResult<O> | Promise<StandardResult<O>>;
        readonly jsonSchema?: StandardConverter | undefined;
    };
}
interface StandardTypes {
    readonly '~standard': {
        readonly types?: {
            readonly input: unknown;
            readonly output: unknown;
        } | undefined;
    };
}
export interface StateLog {
    spend(id: string, lifeMs: number): boolean | Promise<boolean>;
}
export interface StepInfo {
    readonly idempotencyKey: string;
    readonly fence: number;
    readonly signal: AbortSignal;
}
export type StepRecord = {
    readonly value?: unknown;
} | {
    readonly error: {
        readonly name: string;
        readonly message: string;
        readonly isToolError: boolean;
    };
};
type StoreOperation = 'get' | 'put' | 'touch' | 'delete' | 'append' | 'read';
export interface StoredSession {
    readonly session: PeerSession;
    readonly principal: string;
    readonly createdAt: number;
    readonly usedAt: number;
    readonly shared?: boolean;
}
export interface StoredTask {
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
export interface TaskHolder {
    readonly by: string;
    readonly run: number;
}
export interface TaskLimits {
    readonly maxTasks: number;
    readonly maxTasksPerCaller?: number;
    readonly maxBytes?: number;
}
export type TaskOutcome = {
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
export interface TaskSpec {
    readonly required?: boolean;
    readonly begins?: 'at once' | 'on detach' | {
        readonly afterMs: number;
    };
    readonly runMs?: number;
    readonly askMs?: number;
    readonly keepMs?: number;
    readonly pollMs?: number;
    readonly resume?: boolean;
}
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
export interface TaskStore {
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
export interface TaskWorker {
    work(options: {
        readonly signal: AbortSignal;
    }): Promise<void>;
}
export type TextContent = Block & {
    readonly type: 'text';
    readonly text: string;
};
type Textual<A> = true extends {
    [K in keyof InferInput<A>]-?: CannotBeText<InferInput<A>[K]>;
}[keyof InferInput<A>] ? 'Arguments of prompts arrive as text. Use z.coerce.number() and the like' : unknown;
type Tool = Described & {
    readonly inputSchema: JsonObject;
    readonly outputSchema?: JsonObject;
    readonly annotations?: ToolAnnotations;
    readonly execution?: ToolExecution;
};
export type ToolAnnotations = {
    readonly title?: string;
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
};
export type ToolEffects = 'read' | 'write' | 'destructive';
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
export interface ToolPart<Name extends string = string, In = unknown, Out = unknown, Env = unknown> {
    readonly kind: 'tool';
    readonly name: Name;
    readonly '~types'?: {
        readonly name: Name;
        readonly input: In;
        readonly output: Out;
        readonly env: Env;
    };
}
type ToolResultContent = CallToolResult & {
    readonly type: 'tool_result';
    readonly toolUseId: string;
};
export interface ToolSpec<Name extends string, I extends Schema | undefined, O extends Schema | undefined, Env> extends PartSpec {
    readonly name: Name;
    readonly input?: I & SingleSchema<I> & ObjectSchema<I>;
    readonly effects?: 'read' | 'write' | 'destructive';
    readonly idempotent?: boolean;
    readonly openWorld?: boolean;
    readonly execution?: ToolExecution;
    readonly task?: true | 'required' | TaskSpec;
    readonly output?: O & SingleSchema<O>;
    text?(data: OutputData<O>): string;
    run(input: InferOutput<I>, context: Context<Env>): Returned<[O] extends [undefined] ? NoOutput : OutputInput<O>>;
}
type ToolUseContent = {
    readonly type: 'tool_use';
    readonly id: string;
    readonly name: string;
    readonly input: JsonObject;
    readonly _meta?: Meta;
};
interface Typed<T extends Catalogue> {
    readonly '~types'?: T;
}
export interface TypedDefiners<Env> {
    tool<const Name extends string, I extends Schema | undefined = undefined, O extends Schema | undefined = undefined>(spec: ToolSpec<Name, I, O, Env>): ToolPart<Name, InferInput<I>, OutputData<O>, Env>;
    resource<const Uri extends string>(spec: ResourceSpec<Uri, Env>): ResourcePart<Uri, Env>;
    prompt<const Name extends string, A extends Schema | undefined = undefined>(spec: PromptSpec<Name, A, Env>): PromptPart<Name, InferInput<A>, Env>;
}
type TypesOf<P> = P extends {
    readonly '~types'?: infer T;
} ? NonNullable<T> : never;
type VariableNames<V extends string> = V extends `${infer One},${infer Rest}` ? One | VariableNames<Rest> : V;
type VariableTypes<B extends string> = {
    [K in Single<InPath<B>>]: string;
} & {
    [K in List<InPath<B>>]: readonly string[];
} & {
    [K in Single<InQuery<B>>]?: string;
} & {
    [K in List<InQuery<B>>]?: readonly string[];
};
type Variables<Uri extends string> = string extends Uri ? Readonly<Record<string, string | readonly string[] | undefined>> : VariablesIn<Bodies<Uri>>;
type VariablesIn<B extends string> = [B] extends [never] ? NoVariables : VariableTypes<B> extends infer V ? {
    readonly [K in keyof V]: V[K];
} : never;
export interface VersionedSession extends StoredSession {
    readonly version: string;
}
export interface Visit {
    readonly url: string;
}
export type VisitAnswer = {
    readonly action: 'accept';
    readonly accepted: true;
    readonly value?: undefined;
    completed(): void;
} | Exclude<Answer<undefined>, {
    readonly accepted: true;
}>;
export declare function createServer<const P extends readonly Part[]>(spec: EnvOfParts<P> & ServerWithParts<P>): Server<P>;
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
export declare function failure(id: Id | undefined, thrown: unknown): RpcFailure;
export declare function httpHandler(server: Servable, options?: HttpOptions): HttpHandler;
export declare const isRequest: (m: Message) => m is RpcRequest;
export declare function linkWith(link: Link, replaced: Partial<Link>): Link;
declare const loggingLevels: readonly ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
export declare function memoryChangeBus(): ChangeBus;
export declare const principalOf: (auth: AuthInfo | undefined) => string;
export declare function prompt<const Name extends string, A extends Schema | undefined = undefined, Env = unknown>(spec: PromptSpec<Name, A, Env>): PromptPart<Name, InferInput<A>, Env>;
export declare function rateLimit(limit: RateLimit): Layer;
export declare const reply: <D>(data: D, view: ReplyView) => Reply<D>;
export declare function resource<const Uri extends string, Env = unknown>(spec: ResourceSpec<Uri, Env>): ResourcePart<Uri, Env>;
export declare const success: (id: Id, result: JsonObject) => RpcSuccess;
export declare const systemClock: Clock;
export declare function tool<const Name extends string, I extends Schema | undefined = undefined, O extends Schema | undefined = undefined, Env = unknown>(spec: ToolSpec<Name, I, O, Env>): ToolPart<Name, InferInput<I>, OutputData<O>, Env>;
export declare function use<P extends readonly Part[]>(server: Server<P>, ...layers: readonly Layer[]): Server<P>;
export declare function use(server: Required<Servable>, ...layers: readonly Layer[]): Required<Servable>;
export declare const withEnv: <Env>() => TypedDefiners<Env>;
