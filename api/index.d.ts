// The door "mooring": 83 names. Written by `npm run api`.
// Annotations Answer AudioContent AuthInfo AuthRejection AuthRequest Authenticator CacheHints Caller Change ChangeBus ClientCapabilities Clock Completer Content Context CreateMessageParams CreateMessageResult EmbeddedResource ErrorCode ErrorKind ErrorReport EventLog Exchange GetPromptResult HttpHandler HttpOptions HttpStream Icon ImageContent Implementation JsonObject Layer Link LoggedEvent LoggingLevel McpError Part PlainToolSpec PromptMessage PromptPart PromptSpec PutOptions RateLimit ReadResourceResult Reply ResourceContents ResourceLink ResourcePart ResourceSpec Root RpcError SamplingMessage Schema Server ServerCapabilities ServerSpec SessionStore SharedChanges StateLog StepInfo StoredSession TextContent ToolAnnotations ToolEffects ToolError ToolPart ToolSpec TypedDefiners VersionedSession Visit VisitAnswer createServer httpHandler linkWith memoryChangeBus prompt rateLimit reply resource tool use withEnv

// errors.d.ts
export type Blanks<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Blanks<Rest> : never;
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
    readonly MCP_AUTH_BLOCKED: {
        readonly kind: 'auth';
        readonly text: '{step} may not go to {url}: {why}';
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
    readonly MCP_DENIED: {
        readonly kind: 'usage';
        readonly text: '{what} was denied: {why} (rule: {rule}; act {id})';
    };
    readonly MCP_DUPLICATE_KEY: {
        readonly kind: 'bug';
        readonly text: '{what} uses the key "{key}" for two different questions; give each its own key';
    };
    readonly MCP_DUPLICATE_PART: {
        readonly kind: 'usage';
        readonly text: 'Two {kind}s are called "{name}"; names are unique within a server';
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
        readonly text: '{url} redirects {method} to {to}: {why}. Check where that leads, and connect to it directly';
    };
    readonly MCP_HTTP_REFUSED: {
        readonly kind: 'http';
        readonly text: '{url} refused {method} with status {status}{body}; check that this is the address of an MCP endpoint';
    };
    readonly MCP_HTTP_UNEXPECTED: {
        readonly kind: 'http';
        readonly text: '{url} did not answer {method} as an MCP endpoint does: {why}; check the address';
    };
    readonly MCP_LIST_TOO_LONG: {
        readonly kind: 'protocol';
        readonly text: '{method} went past {limit} {unit}; raise {setting} if that is meant';
    };
    readonly MCP_MODEL_FAILED: {
        readonly kind: 'http';
        readonly text: 'The model at {url} gave no answer: {why}';
    };
    readonly MCP_NOT_OFFERED: {
        readonly kind: 'usage';
        readonly text: 'The server does not offer {what} (no "{capability}" among its capabilities)';
    };
    readonly MCP_NO_COMMON_REVISION: {
        readonly kind: 'protocol';
        readonly text: 'No protocol revision in common: we speak {ours}, the server {theirs}';
    };
    readonly MCP_NO_SUCH_QUESTION: {
        readonly kind: 'protocol';
        readonly text: 'The client cannot be asked for {what}: revision {revision} has no such question';
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
    readonly MCP_SESSION_LOST: {
        readonly kind: 'offline';
        readonly text: '{url} no longer knows this session: {method} got status 404';
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
    readonly MCP_UNAUTHORIZED: {
        readonly kind: 'auth';
        readonly text: '{url} refused {method} for lack of authorization (status {status}, {challenge}){body}; {advice}';
    };
    readonly MCP_UNKNOWN_RESULT_TYPE: {
        readonly kind: 'protocol';
        readonly text: 'The answer to {method} has the unknown resultType "{type}"';
    };
    readonly MCP_UNREACHABLE: {
        readonly kind: 'offline';
        readonly text: '{url} cannot be reached: {why}';
    };
};

// jsonrpc/message.d.ts
export interface ErrorBody {
    readonly code: number;
    readonly message: string;
    readonly data?: unknown;
}
export type Id = string | number;
export interface JsonObject {
    readonly [key: string]: unknown;
}
export type Message = RpcRequest | RpcNotification | RpcResponse;
export interface RpcFailure {
    readonly jsonrpc: '2.0';
    readonly id?: Id | null;
    readonly error: ErrorBody;
}
export interface RpcNotification {
    readonly jsonrpc: '2.0';
    readonly method: string;
    readonly params?: JsonObject | undefined;
}
export interface RpcRequest {
    readonly jsonrpc: '2.0';
    readonly id: Id;
    readonly method: string;
    readonly params?: JsonObject | undefined;
}
export type RpcResponse = RpcSuccess | RpcFailure;
export interface RpcSuccess {
    readonly jsonrpc: '2.0';
    readonly id: Id;
    readonly result: JsonObject;
}

// model/auth.d.ts
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

// model/change.d.ts
export type Change = {
    readonly kind: 'tools' | 'prompts' | 'resources';
} | {
    readonly kind: 'resource';
    readonly uri: string;
};
export interface ChangeFilter {
    readonly toolsListChanged?: boolean;
    readonly promptsListChanged?: boolean;
    readonly resourcesListChanged?: boolean;
    readonly resourceSubscriptions?: readonly string[];
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

// model/icon.d.ts
export interface Icon {
    readonly src: string;
    readonly mimeType?: string;
    readonly sizes?: readonly string[];
    readonly theme?: 'light' | 'dark';
}

// model/logging.d.ts
export type LoggingLevel = (typeof loggingLevels)[number];
export declare const loggingLevels: readonly ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

// model/mirrored-headers.d.ts
export interface MirroredHeader {
    readonly name: string;
    readonly path: readonly string[];
}

// model/prompt.d.ts
export interface GetPromptResult {
    readonly description?: string;
    readonly messages: readonly PromptMessage[];
    readonly _meta?: Meta;
}
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
export interface ReadResourceResult extends CacheHints {
    readonly contents: readonly ResourceContents[];
    readonly _meta?: Meta;
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

// model/template-expression.d.ts
type Scalar = string | number | boolean;
type TemplateValue = Scalar | readonly Scalar[] | Readonly<Record<string, Scalar>> | null | undefined;
export type TemplateValues = Readonly<Record<string, TemplateValue>>;

// model/template-match.d.ts
export type MatchedVariables = Record<string, string | readonly string[]>;

// model/tool.d.ts
export interface CallToolResult {
    readonly content: readonly Content[];
    readonly structuredContent?: unknown;
    readonly isError?: boolean;
    readonly _meta?: Meta;
}
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

// model/uri-template.d.ts
type Collect<T extends string, Seen> = T extends `${string}{${infer Body}}${infer Rest}` ? Collect<Rest, Seen | VariableNames<Body extends `${infer First}${infer Others}` ? (First extends Operator ? Others : Body) : never>> : Seen;
type Name<V extends string> = V extends `${infer N}*` ? N : V extends `${infer N}:${string}` ? N : V;
type Operator = '+' | '#' | '.' | '/' | ';' | '?' | '&';
export type TemplateVariables<T extends string> = string extends T ? string : Collect<T, never>;
export declare class UriTemplate {
    #private;
    readonly source: string;
    readonly variables: readonly string[];
    constructor(source: string);
    expand(values: TemplateValues): string;
    match(uri: string): Readonly<MatchedVariables> | undefined;
}
type VariableNames<List extends string> = List extends `${infer First},${infer Rest}` ? Name<First> | VariableNames<Rest> : Name<List>;

// peer/clock.d.ts
export interface Clock {
    now(): number;
    wall(): number;
    after(ms: number, run: () => void, options?: {
        readonly idle: true;
    }): () => void;
}

// peer/exchange.d.ts
export type Exchange = (message: Message, link: Link) => Promise<RpcResponse | undefined>;
export type Layer = (next: Exchange) => Exchange;
export declare abstract class Link {
    get signal(): AbortSignal;
    onAbort?(listener: (reason: unknown) => void): void;
    notify(notification: RpcNotification): void;
    ask(request: RpcRequest): Promise<RpcResponse>;
    readonly auth?: AuthInfo | undefined;
    readonly release?: ((retryMs?: number) => void) | undefined;
}
export interface Servable {
    prepare?(): Promise<void> | undefined;
    open(outlet: ServerPush, session: PeerSession): ServedConversation;
    readonly revisions?: readonly string[];
    mirrored?(request: RpcRequest): readonly MirroredHeader[];
    scopes?(request: RpcRequest): readonly string[];
}
export interface ServedConversation {
    exchange(message: Message, link: Link): Promise<RpcResponse | undefined>;
    close(): void;
}
export interface ServerPush {
    notify(notification: RpcNotification): void;
    ask(request: RpcRequest): Promise<RpcResponse>;
    end(): void;
    renew?(): void;
}
export declare function linkWith(link: Link, replaced: Partial<Link>): Link;

// peer/session.d.ts
export interface PeerSession {
    revision?: string;
    caller?: Caller;
    ready?: boolean;
    batches?: boolean;
    mustNotRespond?: boolean;
    logLevel?: LoggingLevel;
    subscriptions?: string[];
}

// peer/warnings.d.ts
interface Dated {
    readonly id: string;
    readonly deprecated?: ReadonlySet<Feature>;
}
export type Feature = 'logging' | 'roots' | 'sampling';
export declare class Warnings {
    #private;
    constructor(onWarning: ((warning: string) => void) | undefined);
    readonly warn: (warning: string) => void;
    once(warning: string): void;
    deprecated(feature: Feature, revision: Dated): void;
    guard(what: string, run: () => void): void;
}

// revisions/asks/seal.d.ts
export interface Sealer {
    seal(text: string, bound: string): Promise<string>;
    open(sealed: string, bound: string): Promise<string>;
}
export interface StateLog {
    spend(id: string, lifeMs: number): boolean | Promise<boolean>;
}

// revisions/contract.d.ts
export interface AskContext {
    readonly request: RpcRequest;
    readonly link: Link;
    readonly caller: Caller;
    readonly ready: boolean;
    readonly revision: Revision;
    readonly sealer: Sealer;
    readonly clock: Clock;
    readonly maxRounds: number;
}
export interface Asks {
    begin(context: AskContext): Promise<ClientRequests>;
    resumes(request: RpcRequest): boolean;
    wanted(result: JsonObject): InputRequests | undefined;
}
export interface ChangeSource {
    subscribe(listener: (news: Change) => void, closed: () => void): () => void;
}
export interface ClientRequests {
    ask(key: string, question: Question): Promise<JsonObject>;
    visited(key: string): void;
    once<T>(key: string, step: OnceStep<T>): Promise<T>;
    outcome(what: string, thrown?: unknown): Promise<JsonObject | undefined> | undefined;
}
export interface FeedContext {
    readonly session: PeerSession;
    readonly link: Link;
    readonly news: ChangeSource;
    readonly capabilities: ServerCapabilities;
}
export interface Feeds {
    answer(request: RpcRequest, context: FeedContext): JsonObject | Promise<JsonObject> | undefined;
    push(news: Change, session: PeerSession): RpcNotification | undefined;
    watch(filter: ChangeFilter, context: WatchContext): Promise<void>;
}
export interface InputRequests {
    readonly requests: ReadonlyMap<string, Question>;
    readonly state?: string;
}
export interface Introduction {
    readonly info: Implementation;
    readonly capabilities: JsonObject;
    readonly logLevel?: LoggingLevel | undefined;
}
export interface Lifecycle {
    readonly handshake: boolean;
    answer(request: RpcRequest, server: ServerSide, context: LifecycleContext): JsonObject | undefined;
    caller(request: RpcRequest, session: PeerSession): Caller;
    logLevel(request: RpcRequest, session: PeerSession): LoggingLevel | undefined;
    stamp(result: JsonObject, server: Implementation): JsonObject;
    introduce(params: JsonObject | undefined, me: Introduction): JsonObject | undefined;
}
export interface LifecycleContext {
    readonly session: PeerSession;
    end(): void;
    renew(): void;
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
export type OnceStep<T> = (info: StepInfo) => T | Promise<T>;
export interface Question {
    readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
    readonly params: JsonObject;
}
export interface Revision {
    readonly id: string;
    readonly methods: MethodTable;
    readonly hasSessions: boolean;
    readonly hasServerRequests: boolean;
    readonly lifecycle: Lifecycle;
    readonly asks: Asks;
    readonly feeds: Feeds;
    readonly http: HttpRules;
    readonly words: Vocabulary;
    readonly batches: boolean;
    readonly badArguments: 'error' | 'result';
    readonly resultTypes?: ReadonlySet<string>;
    readonly deprecated?: ReadonlySet<'logging' | 'roots' | 'sampling'>;
    code(error: RpcError): number;
    visitsFirst(error: RpcError): readonly JsonObject[];
}
export type ServerGroup = 'tools' | 'resources' | 'prompts' | 'completions' | 'logging';
export interface ServerSide {
    readonly info: Implementation;
    readonly instructions?: string | undefined;
    readonly revisions: readonly Revision[];
    readonly strictVersions?: boolean | undefined;
    capabilities(): ServerCapabilities;
}
export interface StepInfo {
    readonly idempotencyKey: string;
}
export interface WatchContext {
    readonly signal: AbortSignal;
    request(method: string, params: JsonObject, options: WatchRequest): Promise<JsonObject>;
    granted(filter: ChangeFilter): void;
    deliver(news: Change): void;
    readonly server: ServerFacts;
}
export interface WatchRequest {
    readonly signal: AbortSignal;
    notify?(notification: RpcNotification): void;
    readonly standing?: boolean;
}

// revisions/http/rules.d.ts
export interface HttpRules {
    readonly sessions: boolean;
    readonly versionHeader: boolean;
    readonly mirrors: boolean;
    readonly resumable: boolean;
    readonly polling: boolean;
    suggestsSse(status: number): boolean;
    status(code: number): number;
}

// revisions/words.d.ts
export type Members = Readonly<Record<VocabularyObject, readonly string[]>>;
export interface Vocabulary {
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
export type VocabularyObject = 'Annotations' | 'BlobContents' | 'CallToolResult' | 'ClientCapabilities' | 'CompleteParams' | 'CreateMessageParams' | 'CreateMessageResult' | 'DiscoverResult' | 'GetPromptResult' | 'Implementation' | 'ListResult' | 'Progress' | 'Prompt' | 'PromptArgument' | 'ReadResult' | 'Resource' | 'ResourceTemplate' | 'Root' | 'RootsCapability' | 'SamplingCapability' | 'SamplingMessage' | 'ServerCapabilities' | 'TextContents' | 'Tool' | 'ToolAnnotations' | 'audio' | 'image' | 'resource' | 'resource_link' | 'text' | 'tool_result' | 'tool_use';

// schema/issues.d.ts
export type Checked<T = unknown> = {
    readonly ok: true;
    readonly value: T;
} | {
    readonly ok: false;
    readonly issues: readonly Issue[];
};
export interface Checker {
    readonly jsonSchema: JsonObject;
    prepare?(): Promise<void>;
    check(value: unknown): Checked | Promise<Checked>;
}
export interface Issue {
    readonly path: string;
    readonly message: string;
}

// schema/standard.d.ts
export type InferInput<S> = S extends StandardTypes ? NonNullable<S['~standard']['types']>['input'] : S extends undefined ? Record<never, never> : JsonObject;
export type InferOutput<S> = S extends StandardTypes ? NonNullable<S['~standard']['types']>['output'] : S extends undefined ? Record<never, never> : JsonObject;
export interface JsonObject {
    readonly [key: string]: unknown;
}
export type JsonSchema = JsonObject;
export type Schema = StandardSchema | JsonSchema;
interface StandardConverter {
    input(options: {
        readonly target: string;
    }): Record<string, unknown>;
    output(options: {
        readonly target: string;
    }): Record<string, unknown>;
}
export interface StandardIssue {
    readonly message: string;
    readonly path?: readonly (PropertyKey | {
        readonly key: PropertyKey;
    })[] | undefined;
}
export type StandardResult<O> = {
    readonly value: O;
    readonly issues?: undefined;
} | {
    readonly issues: readonly StandardIssue[];
};
export interface StandardSchema<I = unknown, O = I> {
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
export type Whole<S> = S extends {
    readonly '~standard': unknown;
} | undefined ? unknown : true extends {
    [K in keyof S]: S[K] extends {
        readonly '~standard': unknown;
    } ? true : false;
}[keyof S] ? 'This is an object of schemas. Wrap it, as in z.object({ … })' : unknown;

// server/answer.d.ts
export interface Inside {
    readonly settings: ServerSettings;
    readonly catalogue: PartCatalogue;
    readonly side: ServerSide;
}

// server/catalogue.d.ts
export interface ListEntry {
    readonly place: number;
    readonly item: JsonObject;
    readonly scopes: readonly string[];
}
export declare class PartCatalogue {
    #private;
    readonly tools: Map<string, ToolPart>;
    readonly resources: Map<string, ResourcePart>;
    readonly templates: Map<string, ResourcePart>;
    readonly prompts: Map<string, PromptPart>;
    scoped: boolean;
    constructor(extensions?: JsonObject);
    add(part: Part): 'tools' | 'resources' | 'prompts';
    remove(name: string): readonly ('tools' | 'resources' | 'prompts')[];
    prepare(): Promise<void> | undefined;
    locate(uri: string): {
        readonly part: ResourcePart;
        readonly variables: object;
    } | undefined;
    list(kind: PartKindName, words: Vocabulary): readonly ListEntry[];
    answer(kind: PartKindName, revision: Revision, make: () => JsonObject): JsonObject;
    mirrored(name: unknown): readonly MirroredHeader[];
    capabilities(): ServerCapabilities;
}
export type PartKindName = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';

// server/change-bus.d.ts
export declare class ChangeBridge {
    #private;
    constructor(bus: ChangeBus, failed: (thrown: unknown) => void);
    publish(news: readonly Change[]): Promise<void>;
    subscribe(hear: (news: Change) => void): () => void;
}
export interface ChangeBus {
    publish(shared: SharedChanges): void | Promise<void>;
    subscribe(listener: (shared: SharedChanges) => void): () => void;
}
export interface SharedChanges {
    readonly from: string;
    readonly changes: readonly Change[];
}
export declare function memoryChangeBus(): ChangeBus;

// server/change-hub.d.ts
export declare class ChangeHub {
    #private;
    streams: number;
    constructor(bridge?: ChangeBridge);
    join(listener: ChangeListener): void;
    leave(listener: ChangeListener): void;
    tell(news: Change): void;
    close(): void;
}
export interface ChangeListener {
    hear(news: Change): void;
    readonly closed?: () => void;
}

// server/context.d.ts
export type Answer<T> = {
    readonly action: 'accept';
    readonly accepted: true;
    readonly value: T;
} | {
    readonly action: 'decline' | 'cancel';
    readonly accepted: false;
    readonly value?: undefined;
};
export interface Context<Env = unknown> {
    readonly signal: AbortSignal;
    readonly env: Env;
    readonly auth: AuthInfo | undefined;
    readonly principal: string;
    readonly caller: Caller;
    readonly http: HttpStream | undefined;
    log(level: LoggingLevel, message: string, data?: object): void;
    progress(done: number, total?: number, message?: string): void;
    ask(key: string, message: string, visit: Visit): Promise<VisitAnswer>;
    ask<S extends Schema>(key: string, message: string, schema: S & Whole<S>): Promise<Answer<InferOutput<S>>>;
    confirm(key: string, message: string): Promise<boolean>;
    once<T>(key: string, step: (info: StepInfo) => T | Promise<T>): Promise<T>;
    read(uri: string): Promise<ReadResourceResult>;
    sample(key: string, params: CreateMessageParams): Promise<CreateMessageResult>;
    roots(key?: string): Promise<readonly Root[]>;
}
export interface HttpStream {
    release(retryMs?: number): void;
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

// server/definition.d.ts
export interface AnyPart {
    readonly icons?: readonly Icon[];
    readonly meta?: Meta;
    readonly scopes?: readonly string[];
}

// server/part.d.ts
type Bodies<T extends string> = T extends `${string}{${infer Body}}${infer Rest}` ? Body | Bodies<Rest> : never;
type Both<U> = (U extends unknown ? (one: U) => void : never) extends (both: infer I) => void ? I : never;
export type Completer = (value: string, others: Readonly<Record<string, string>>) => readonly string[] | Promise<readonly string[]>;
export type EnvCaller = Pick<Context, 'auth' | 'caller'>;
type EnvOf<P> = P extends {
    readonly '~types'?: {
        readonly env: infer E;
    };
} ? (unknown extends E ? never : E) : never;
type InPath<B extends string> = B extends `${'?' | '&' | ';'}${string}` ? never : B extends `${'+' | '#' | '.' | '/'}${infer V}` ? QueryNames<V> : QueryNames<B>;
type InQuery<B extends string> = B extends `${'?' | '&' | ';'}${infer V}` ? QueryNames<V> : never;
type List<V extends string> = V extends `${infer Name}*` ? Name : never;
export type NeedsEnv<P extends readonly Part[]> = [EnvOf<P[number]>] extends [never] ? {
    readonly env?: undefined;
} : {
    readonly env: Both<EnvOf<P[number]>> | ((caller: EnvCaller) => Both<EnvOf<P[number]>>);
};
export type Part = ToolPart | ResourcePart | PromptPart;
export interface PartsCatalogue<P extends readonly Part[]> extends Catalogue {
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
export interface PromptPart<Name extends string = string, Args = unknown, Env = unknown> {
    readonly kind: 'prompt';
    readonly definition: Prompt;
    readonly scopes: readonly string[];
    readonly args: Checker | undefined;
    readonly complete: ReadonlyMap<string, Completer>;
    render(args: unknown, context: Context<never>): unknown;
    readonly '~types'?: {
        readonly name: Name;
        readonly args: Args;
        readonly env: Env;
    };
}
type QueryNames<V extends string> = V extends `${infer One},${infer Rest}` ? One | QueryNames<Rest> : V;
export interface ResourcePart<Uri extends string = string, Env = unknown> {
    readonly kind: 'resource';
    readonly uri: string;
    readonly definition: Resource | ResourceTemplate;
    readonly template: UriTemplate | undefined;
    readonly scopes: readonly string[];
    readonly mimeType: string | undefined;
    readonly cache: CacheHints;
    readonly complete: ReadonlyMap<string, Completer>;
    read(variables: unknown, context: Context<never>): unknown;
    readonly '~types'?: {
        readonly uri: Uri;
        readonly env: Env;
    };
}
type Single<V extends string> = V extends `${string}*` ? never : V extends `${infer Name}:${string}` ? Name : V;
type Spelled<Uri extends string> = Uri extends `${infer Head}{${string}}${infer Rest}` ? `${Head}${string}${Spelled<Rest>}` : Uri;
export interface ToolPart<Name extends string = string, In = unknown, Out = unknown, Env = unknown> {
    readonly kind: 'tool';
    readonly definition: Tool;
    readonly scopes: readonly string[];
    readonly input: Checker | undefined;
    readonly output: Checker | undefined;
    text(data: unknown): string | undefined;
    run(input: unknown, context: Context<never>): unknown;
    readonly '~types'?: {
        readonly name: Name;
        readonly input: In;
        readonly output: Out;
        readonly env: Env;
    };
}
type TypesOf<P> = P extends {
    readonly '~types'?: infer T;
} ? NonNullable<T> : never;
export type Variables<Uri extends string> = string extends Uri ? Readonly<Record<string, string | readonly string[] | undefined>> : VariablesIn<Bodies<Uri>>;
type VariablesIn<B extends string> = {
    readonly [K in Single<InPath<B>>]: string;
} & {
    readonly [K in List<InPath<B>>]: readonly string[];
} & {
    readonly [K in Single<InQuery<B>>]?: string;
} & {
    readonly [K in List<InQuery<B>>]?: readonly string[];
};

// server/prompt.d.ts
type CannotBeText<T> = unknown extends T ? false : [Extract<T, string>] extends [never] ? true : false;
export interface PromptSpec<Name extends string, A extends Schema | undefined, Env> extends AnyPart {
    readonly name: Name;
    readonly title?: string;
    readonly description?: string;
    readonly args?: A & Whole<A> & Textual<A>;
    readonly complete?: {
        readonly [K in keyof InferInput<A>]?: Completer;
    };
    render(args: InferOutput<A>, context: Context<Env>): Rendered | Promise<Rendered>;
}
export type Rendered = string | readonly PromptMessage[] | GetPromptResult;
type Textual<A> = true extends {
    [K in keyof InferInput<A>]-?: CannotBeText<InferInput<A>[K]>;
}[keyof InferInput<A>] ? 'Arguments of prompts arrive as text. Use z.coerce.number() and the like' : unknown;
export declare function prompt<const Name extends string, A extends Schema | undefined = undefined, Env = unknown>(spec: PromptSpec<Name, A, Env>): PromptPart<Name, InferInput<A>, Env>;

// server/rate-limit.d.ts
export interface RateLimit {
    readonly calls: number;
    readonly perMs: number;
    readonly clock?: Clock;
}
export declare function rateLimit({ calls, perMs, clock }: RateLimit): Layer;

// server/reply.d.ts
export declare class Reply<D> {
    readonly data: D;
    readonly content: readonly Content[];
    readonly meta: JsonObject | undefined;
    constructor(data: D, view: ReplyView);
}
export type ReplyView = ({
    readonly text: string;
} | {
    readonly content: readonly Content[];
}) & {
    readonly meta?: JsonObject;
};
export declare const reply: <D>(data: D, view: ReplyView) => Reply<D>;

// server/resource.d.ts
export type ReadValue = string | Uint8Array | ReadResourceResult | Readonly<Record<string, unknown>> | readonly ResourceContents[] | undefined;
export interface ResourceSpec<Uri extends string, Env> extends AnyPart {
    readonly uri: Uri;
    readonly name?: string;
    readonly title?: string;
    readonly description?: string;
    readonly mimeType?: string;
    readonly size?: number;
    readonly annotations?: Annotations;
    readonly cache?: CacheHints;
    readonly complete?: {
        readonly [K in TemplateVariables<Uri>]?: Completer;
    };
    read(variables: Variables<Uri>, context: Context<Env>): ReadValue | Promise<ReadValue>;
}
export declare function resource<const Uri extends string, Env = unknown>(spec: ResourceSpec<Uri, Env>): ResourcePart<Uri, Env>;

// server/server.d.ts
export declare class Server<P extends readonly Part[] = readonly Part[]> implements Servable, Typed<PartsCatalogue<P>> {
    #private;
    readonly '~types'?: PartsCatalogue<P>;
    constructor(inside: ServerCore, layers: readonly Layer[]);
    get name(): string;
    get version(): string;
    get revisions(): readonly string[];
    mirrored({ method, params }: RpcRequest): readonly MirroredHeader[];
    scopes(request: RpcRequest): readonly string[];
    prepare(): Promise<void> | undefined;
    add(part: Part): void;
    remove(name: string): boolean;
    updated(uri: string): void;
    close(): void;
    open(outlet: ServerPush, session: PeerSession): ServedConversation;
    behind(...layers: readonly Layer[]): Server<P>;
}
interface ServerCore extends Inside {
    readonly news: ChangeHub;
}
export declare function createServer<const P extends readonly Part[]>(spec: ServerSpec & {
    readonly parts: P;
} & NeedsEnv<P>): Server<P>;
export declare const use: <P extends readonly Part[]>(server: Server<P>, ...layers: readonly Layer[]) => Server<P>;

// server/settings.d.ts
export interface ErrorReport {
    readonly id: string;
    readonly what: string;
}
export interface ServerSettings {
    readonly info: Implementation;
    readonly instructions: string | undefined;
    readonly revisions: readonly Revision[];
    readonly strictVersions: boolean;
    readonly pageSize: number;
    readonly hints: Required<CacheHints>;
    readonly hideUnauthorized: boolean;
    readonly sealer: Sealer;
    readonly maxRounds: number;
    readonly maxListeners: number;
    readonly clock: Clock;
    readonly env: unknown;
    report(error: unknown, what: string): string;
    readonly warnings: Warnings;
}
export interface ServerSpec {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
    readonly description?: string;
    readonly websiteUrl?: string;
    readonly icons?: readonly Icon[];
    readonly instructions?: string;
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

// server/tool.d.ts
interface Described<Name extends string, I extends Schema | undefined> extends AnyPart {
    readonly name: Name;
    readonly title?: string;
    readonly description?: string;
    readonly input?: I & Whole<I>;
    readonly effects?: ToolEffects;
    readonly idempotent?: boolean;
    readonly openWorld?: boolean;
    readonly execution?: ToolExecution;
}
type OutputInput<O> = O extends {
    readonly '~standard': unknown;
} ? InferInput<O> : unknown;
export interface PlainToolSpec<Name extends string, I extends Schema | undefined, Env> extends Described<Name, I> {
    readonly output?: undefined;
    run(input: InferOutput<I>, context: Context<Env>): Returned | Promise<Returned>;
}
export type Returned = string | CallToolResult | Content | readonly Content[] | Readonly<Record<string, unknown>> | Reply<unknown> | undefined;
export type Told<O> = O extends {
    readonly '~standard': unknown;
} ? InferOutput<O> : unknown;
export type ToolEffects = 'read' | 'write' | 'destructive';
type ToolReturn<O extends Schema> = OutputInput<O> | Reply<OutputInput<O>>;
export interface ToolSpec<Name extends string, I extends Schema | undefined, O extends Schema, Env> extends Described<Name, I> {
    readonly output: O & Whole<O>;
    text?(data: Told<O>): string;
    run(input: InferOutput<I>, context: Context<Env>): ToolReturn<O> | Promise<ToolReturn<O>>;
}
export declare function tool<const Name extends string, I extends Schema | undefined = undefined, Env = unknown>(spec: PlainToolSpec<Name, I, Env>): ToolPart<Name, InferInput<I>, undefined, Env>;
export declare function tool<const Name extends string, O extends Schema, I extends Schema | undefined = undefined, Env = unknown>(spec: ToolSpec<Name, I, O, Env>): ToolPart<Name, InferInput<I>, Told<O>, Env>;

// server/with-env.d.ts
export interface TypedDefiners<Env> {
    tool<const Name extends string, I extends Schema | undefined = undefined>(spec: PlainToolSpec<Name, I, Env>): ToolPart<Name, InferInput<I>, undefined, Env>;
    tool<const Name extends string, O extends Schema, I extends Schema | undefined = undefined>(spec: ToolSpec<Name, I, O, Env>): ToolPart<Name, InferInput<I>, Told<O>, Env>;
    resource<const Uri extends string>(spec: ResourceSpec<Uri, Env>): ResourcePart<Uri, Env>;
    prompt<const Name extends string, A extends Schema | undefined = undefined>(spec: PromptSpec<Name, A, Env>): PromptPart<Name, InferInput<A>, Env>;
}
export declare const withEnv: <Env>() => TypedDefiners<Env>;

// transport/http/event-log.d.ts
export interface EventLog {
    append(stream: string, event: LoggedEvent): void | Promise<void>;
    read(stream: string, after: number): readonly LoggedEvent[] | undefined | Promise<readonly LoggedEvent[] | undefined>;
}
export interface LoggedEvent {
    readonly seq: number;
    readonly data: string;
    readonly last?: boolean;
}

// transport/http/handler.d.ts
export type HttpHandler = (request: Request) => Promise<Response>;
export declare function httpHandler(server: Servable, options?: HttpOptions): HttpHandler;

// transport/http/http-settings.d.ts
export interface HttpOptions {
    readonly allowedHosts?: readonly string[] | undefined;
    readonly allowedOrigins?: readonly string[] | undefined;
    readonly auth?: Authenticator | undefined;
    readonly sessionStore?: SessionStore | undefined;
    readonly eventLog?: EventLog | undefined;
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

// transport/http/session-store.d.ts
export interface PutOptions {
    readonly expected: string | undefined;
    readonly ttlMs: number;
}
export interface SessionStore {
    get(id: string): VersionedSession | undefined | Promise<VersionedSession | undefined>;
    put(id: string, stored: StoredSession, options: PutOptions): string | undefined | Promise<string | undefined>;
    touch(id: string, usedAt: number, ttlMs: number): void | Promise<void>;
    delete(id: string): void | Promise<void>;
}
export interface StoredSession {
    readonly session: PeerSession;
    readonly principal: string;
    readonly createdAt: number;
    readonly usedAt: number;
    readonly shared?: boolean;
}
export interface VersionedSession extends StoredSession {
    readonly version: string;
}
