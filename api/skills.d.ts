// The entry point "mooring/skills": 20 names. Written by `npm run api`.
// DynamicSkill DynamicSkillSpec LoadedSkill SkillCache SkillCacheKey SkillEntry SkillFile SkillFrontmatter SkillSet SkillSource SkillsSpec SkillsWatch WatchSkillsOptions dynamicSkill listSkills loadSkill skillCache skillDigest skills watchSkills

type Annotations = {
    readonly audience?: readonly Role[];
    readonly priority?: number;
    readonly lastModified?: string;
};
type Answer<T> = {
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
type Block = {
    readonly annotations?: Annotations;
    readonly _meta?: Meta;
};
type CacheHints = {
    readonly ttlMs?: number;
    readonly cacheScope?: 'public' | 'private';
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
type ConnectionState = 'connecting' | 'ready' | 'lost' | 'closed';
type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;
interface Context<Env = unknown> {
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
type Described = {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly icons?: readonly Icon[];
    readonly _meta?: Meta;
};
export interface DynamicSkill {
    readonly entry: SkillEntry;
    readonly segments: readonly string[];
    read(file: string, context: Context): Promise<ReadValue>;
}
export interface DynamicSkillSpec {
    readonly path: string;
    readonly description: string;
    readonly frontmatter?: JsonObject;
    read(file: string, context: Context): ReadValue | Promise<ReadValue>;
}
type EmbeddedResource = Block & {
    readonly type: 'resource';
    readonly resource: ResourceContents;
};
interface ErrorBody {
    readonly code: number;
    readonly message: string;
    readonly data?: unknown;
}
type FlatForm<S> = true extends {
    [K in keyof InferInput<S>]-?: IsNested<InferInput<S>[K]>;
}[keyof InferInput<S>] ? 'Forms are flat. Ask for text, numbers, yes or no, or a choice of texts' : unknown;
type FormValue = string | number | boolean | readonly string[];
interface HttpStream {
    release(retryMs?: number): void;
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
type InferInput<S> = InferSide<S, 'input'>;
type InferOutput<S> = InferSide<S, 'output'>;
type InferSide<S, Side extends 'input' | 'output'> = S extends StandardTypes ? NonNullable<S['~standard']['types']>[Side] : S extends undefined ? NoInput : JsonObject;
type IsNested<T> = unknown extends T ? false : [T] extends [FormValue | null | undefined] ? false : true;
interface JsonObject {
    readonly [key: string]: unknown;
}
type JsonSchema = JsonObject;
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
export interface LoadedSkill {
    readonly entry: SkillEntry;
    readonly text: string;
    read(path: string): Promise<Uint8Array>;
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
type NoInput = {
    readonly [K in never]: never;
};
interface OnceOptions {
    readonly again?: boolean;
}
type Part = ToolPart | ResourcePart | PromptPart;
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
interface PromptPart<Name extends string = string, Args = unknown, Env = unknown> {
    readonly kind: 'prompt';
    readonly name: Name;
    readonly '~types'?: {
        readonly name: Name;
        readonly args: Args;
        readonly env: Env;
    };
}
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
type ReadResourceResult = CacheHints & {
    readonly contents: readonly ResourceContents[];
    readonly _meta?: Meta;
};
interface ReadResult {
    readonly contents: readonly ResourceContents[];
    readonly text: string;
    readonly meta: Meta;
}
type ReadValue = string | Uint8Array | ReadResourceResult | ReturnedObject | readonly ResourceContents[] | null | undefined;
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
interface ResourcePart<Uri extends string = string, Env = unknown> {
    readonly kind: 'resource';
    readonly uri: Uri;
    readonly '~types'?: {
        readonly uri: Uri;
        readonly env: Env;
    };
}
type ResourceTemplate = Omit<Resource, 'uri' | 'size'> & {
    readonly uriTemplate: string;
};
type ResourcesOf<S> = CatalogueOf<S>['resources'];
type ReturnedObject = Readonly<Record<string, unknown>> | (object & {
    readonly [Symbol.iterator]?: never;
    readonly call?: never;
    readonly then?: never;
});
type Role = 'user' | 'assistant';
type Root = {
    readonly uri: string;
    readonly name?: string;
    readonly _meta?: Meta;
};
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
type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;
type SamplingMessage = {
    readonly role: Role;
    readonly content: SamplingContent | readonly SamplingContent[];
    readonly _meta?: Meta;
};
type Schema = StandardSchema | JsonSchema;
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
interface Server<P extends readonly Part[] = readonly Part[]> extends Required<Servable>, Typed<PartsCatalogue<P>> {
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
type SingleSchema<S> = S extends {
    readonly '~standard': unknown;
} | undefined ? unknown : true extends {
    [K in keyof S]: S[K] extends {
        readonly '~standard': unknown;
    } ? true : false;
}[keyof S] ? 'This is an object of schemas. Wrap it, as in z.object({ … })' : unknown;
export interface SkillCache {
    get(key: SkillCacheKey): Promise<Uint8Array<ArrayBuffer> | undefined>;
    set(key: SkillCacheKey, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
    remove(server: string): Promise<void>;
}
export interface SkillCacheKey {
    readonly server: string;
    readonly uri: string;
    readonly digest: string;
}
export interface SkillEntry {
    readonly uri: string;
    readonly frontmatter: SkillFrontmatter;
    readonly resources: readonly SkillFile[] | 'dynamic';
}
export interface SkillFile {
    readonly uri: string;
    readonly digest: string;
    readonly size: number;
}
export type SkillFrontmatter = JsonObject & {
    readonly name: string;
    readonly description: string;
};
export interface SkillSet {
    readonly kind: 'skills';
    readonly names: readonly string[];
}
export type SkillSource = Pick<Client, 'request'>;
export interface SkillsSpec {
    readonly folders?: Readonly<Record<string, string | URL>>;
    readonly dynamic?: readonly DynamicSkill[];
    readonly isListed?: (skill: SkillEntry) => boolean;
    readonly onWarning?: (warning: string) => void;
}
export interface SkillsWatch {
    reload(): Promise<void>;
    close(): void;
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
interface StepInfo {
    readonly idempotencyKey: string;
    readonly fence: number;
    readonly signal: AbortSignal;
}
type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
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
interface TaskWorker {
    work(options: {
        readonly signal: AbortSignal;
    }): Promise<void>;
}
type TextContent = Block & {
    readonly type: 'text';
    readonly text: string;
};
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
interface ToolPart<Name extends string = string, In = unknown, Out = unknown, Env = unknown> {
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
type ToolUseContent = {
    readonly type: 'tool_use';
    readonly id: string;
    readonly name: string;
    readonly input: JsonObject;
    readonly _meta?: Meta;
};
type ToolsOf<S> = CatalogueOf<S>['tools'];
interface Typed<T extends Catalogue> {
    readonly '~types'?: T;
}
type TypesOf<P> = P extends {
    readonly '~types'?: infer T;
} ? NonNullable<T> : never;
interface Visit {
    readonly url: string;
}
type VisitAnswer = {
    readonly action: 'accept';
    readonly accepted: true;
    readonly value?: undefined;
    completed(): void;
} | Exclude<Answer<undefined>, {
    readonly accepted: true;
}>;
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
export interface WatchSkillsOptions {
    readonly clock?: Clock;
}
export declare function dynamicSkill(spec: DynamicSkillSpec): DynamicSkill;
export declare function listSkills(client: SkillSource, onWarning?: (warning: string) => void, options?: RequestOptions): Promise<readonly SkillEntry[]>;
export declare function loadSkill(client: SkillSource, skill: SkillEntry | string, approve: (entry: SkillEntry, digest: string) => boolean | Promise<boolean>): Promise<LoadedSkill | undefined>;
declare const loggingLevels: readonly ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
export declare function skillCache(folder: string): SkillCache;
export declare const skillDigest: ({ uri, resources }: SkillEntry) => Promise<string>;
export declare function skills(source: string | URL | SkillsSpec): Promise<SkillSet>;
export declare function watchSkills(server: Pick<Server, 'add' | 'remove' | 'updated'>, skills: SkillSet, { clock }?: WatchSkillsOptions): SkillsWatch;
