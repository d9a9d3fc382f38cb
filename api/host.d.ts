// The entry point "mooring/host": 186 names. Written by `npm run api`.
// Act ActEffects ActKind ActMatch AgentDone AgentEvent AgentRun AnchorInterval Approval ApprovalStore AppsOptions ArgumentPattern AttemptResult Audit AuditAnchor AuditKey AuditRecord AuditVerdict BudgetLimits BudgetWindow CatalogueInstructions CatalogueItem CataloguePrompt CatalogueResource CatalogueTemplate CatalogueTool CatalogueView CheckedIcon Checkpoint ClientAuth Clock CommandSource ConfigChange ConfigInput ConfigOrigin ConfigReport ConfigSecret ConfigTemplate ConfigText ConnectViewOptions ConnectedServer Consent ConsentAnswer ConsentFunction ConsentQuestion CountedActs Decision DefinitionStatus DisplayMode DownloadedFile ElicitResult ErrorCode ErrorKind ExportedTools FlowOptions FollowedConfig FormQuestion FormSchema FormValue HealthOptions Host HostEnvironment HostOptions HostServers HostTask HostTicket IconImage IconOptions IconPlace Inbox InboxOptions InboxQuestion InboxStore InputSource ItemKind JsonObject ListedSkill ListingProblem LookupContext ManagedServer McpError MemoryAudit Model ModelBlock ModelMessage ModelOptions ModelReply ModelRequest ModelTool ModelTraits NdjsonAudit NdjsonAuditOptions Oddity PolicyChange PolicyHistory PromptResult ProviderOptions QuestionHandler ReadAuditOptions ReadResult Rehearsal RememberedApprovals RequestOptions ResourceInterest ResultPage Results RpcError Rule RuleCount RunInput RunLimit RunOptions SamplingLimits Sandbox SandboxGrant SandboxedCommand ScriptLine ScriptedModel ScriptedReply SecretSource ServerChange ServerRequestOptions ServerSource ServerState Session SessionCompleteOptions SessionOptions SessionPrompt SessionSkill ShownCall ShownRoots SkillCache SkillCacheKey SkillInUse StartedTask TerminalOptions TextFinding TicketStore Timeouts ToolError ToolFormat ToolResult ToolsOptions Undecidable UrlSource UrlVisit Verdict VerifyOptions View ViewBridge ViewContext ViewEnd ViewPermission ViewPort ViewSettings ViewSize ViewState anthropic bestIcon bubblewrap checkedIcon createHost decidePolicy exportTools fileApprovals fileInbox fileTickets fromConfig inboxConsent inspect labelFor listsServers memoryApprovals memoryAudit ndjsonAudit openai readAudit readConfig rehearse rules scriptedModel terminalConsent terminalQuestions verifyAudit warningsIn writeConfig

export interface Act {
    readonly kind: ActKind;
    readonly server: string;
    readonly fingerprint?: string | undefined;
    readonly name: string;
    readonly arguments: JsonObject;
    readonly meta?: JsonObject | undefined;
    readonly principal: string;
    readonly by?: 'app' | undefined;
    readonly view?: string | undefined;
    readonly session?: string | undefined;
    readonly effects: ActEffects;
    readonly claimed: ActEffects;
    readonly assumed?: true | undefined;
    readonly openWorld: boolean;
    readonly definition?: string | undefined;
    readonly status?: DefinitionStatus | undefined;
    readonly carries: readonly string[];
    readonly under?: readonly SkillInUse[] | undefined;
    readonly tokens?: number | undefined;
}
export type ActEffects = 'read' | 'write' | 'destructive' | 'unknown';
export type ActKind = 'spawn' | 'connect' | 'tool' | 'resource' | 'prompt' | 'completion' | 'extension' | 'sampling' | 'elicitation' | 'roots' | 'visit' | 'message' | 'context' | 'download' | 'skill';
export interface ActMatch {
    readonly server?: OneOrMore<string>;
    readonly kind?: OneOrMore<ActKind>;
    readonly name?: OneOrMore<string | RegExp>;
    readonly effects?: OneOrMore<'read' | 'write' | 'destructive' | 'unknown'>;
    readonly arguments?: Readonly<Record<string, OneOrMore<ArgumentPattern>>>;
    readonly principal?: OneOrMore<string>;
    readonly session?: OneOrMore<string>;
    readonly status?: OneOrMore<DefinitionStatus>;
    readonly by?: OneOrMore<'app'>;
    readonly under?: OneOrMore<string>;
    readonly where?: (act: Act) => boolean;
}
export type AgentDone = Extract<AgentEvent, {
    readonly type: 'done';
}>;
export type AgentEvent =
{
    readonly type: 'text';
    readonly text: string;
}
 | {
    readonly type: 'approval';
    readonly id: string;
    readonly name: string;
    readonly arguments: JsonObject;
}
 | {
    readonly type: 'tool-start';
    readonly id: string;
    readonly name: string;
    readonly arguments: JsonObject;
}
 | {
    readonly type: 'progress';
    readonly id: string;
    readonly name: string;
    readonly progress: number;
    readonly total?: number | undefined;
    readonly message?: string | undefined;
}
 | {
    readonly type: 'tool-result';
    readonly id: string;
    readonly name: string;
    readonly text: string;
    readonly isError: boolean;
    readonly act?: string;
}
 | {
    readonly type: 'denied';
    readonly id: string;
    readonly name: string;
    readonly why: string;
    readonly rule: string;
    readonly act: string;
}
 | {
    readonly type: 'usage';
    readonly inputTokens: number;
    readonly outputTokens: number;
}
 | {
    readonly type: 'done';
    readonly text: string;
    readonly stopReason: string;
    readonly limit?: RunLimit;
}
 | {
    readonly type: 'error';
    readonly error: Error;
};
export interface AgentRun extends AsyncGenerator<AgentEvent, void>, PromiseLike<AgentDone> {
}
export interface AnchorInterval {
    readonly records?: number | undefined;
    readonly seconds?: number | undefined;
}
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
export interface Approval {
    readonly id: string;
    readonly server: string;
    readonly fingerprint?: string | undefined;
    readonly kind: ActKind;
    readonly name: string;
    readonly view?: string | undefined;
    readonly principal: string;
    readonly rule: string;
    readonly definition?: string | undefined;
    readonly arguments?: string | undefined;
    readonly under?: string | undefined;
    readonly session?: string | undefined;
    readonly until?: number | undefined;
    readonly at: number;
}
export interface ApprovalStore {
    list(): Promise<readonly Approval[]>;
    add(approval: Approval): Promise<void>;
    remove(id: string): Promise<boolean>;
    key?(): Promise<Uint8Array>;
}
export interface AppsOptions {
    readonly draft?: boolean;
}
export type ArgumentPattern = string | number | boolean | null | RegExp | ((value: unknown) => boolean);
type Arguments<I, O> = Record<never, never> extends I ? [args?: I | undefined, options?: O] : [args: I, options?: O];
export interface AttemptResult<D = unknown> extends CallResult<D | undefined> {
    readonly isError: boolean;
}
type AudioContent = Media & {
    readonly type: 'audio';
};
export interface Audit {
    write(record: AuditRecord): Promise<void>;
    read?(id: string): Promise<readonly AuditRecord[]>;
    close?(): Promise<void>;
}
export type AuditAnchor = (head: Checkpoint) => void | Promise<void>;
export type AuditKey = string | Uint8Array;
export interface AuditRecord {
    readonly id: string;
    readonly at: number;
    readonly phase: 'decided' | 'working' | 'done' | 'failed';
    readonly act: Act;
    readonly decision: Decision;
    readonly allowed: boolean;
    readonly binding: string;
    readonly consent?: {
        readonly allow: boolean;
        readonly edited: boolean;
        readonly reason?: string;
    } | undefined;
    readonly approval?: string | undefined;
    readonly counts?: readonly RuleCount[] | undefined;
    readonly watched?: readonly string[] | undefined;
    readonly task?: string | undefined;
    readonly outcome?: string | undefined;
}
export type AuditVerdict = {
    readonly ok: true;
    readonly at: Checkpoint;
} | {
    readonly ok: false;
    readonly line: number;
    readonly why: string;
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
export interface BudgetLimits {
    readonly calls?: number;
    readonly tokens?: number;
    readonly per: 'session' | 'hour' | 'day' | {
        readonly ms: number;
    };
}
export type BudgetWindow = 'session' | {
    readonly ms: number;
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
export interface CatalogueInstructions extends ItemStatus {
    readonly server: string;
    readonly text: string;
}
export interface CatalogueItem<K extends ItemKind = ItemKind> {
    readonly kind: K;
    readonly server: string;
    readonly key: string;
    readonly name: string;
    readonly title: string;
    readonly definition: Definitions[K];
}
type CatalogueOf<S> = S extends Typed<infer T> ? (Catalogue extends T ? AnyCatalogue : T) : AnyCatalogue;
export type CataloguePrompt = ViewItem<Prompt> & ItemStatus;
export interface CatalogueResource extends ViewItem<Resource> {
    readonly tokens?: number;
}
export type CatalogueTemplate = ViewItem<ResourceTemplate> & ItemStatus;
export interface CatalogueTool {
    readonly name: string;
    readonly server: string;
    readonly title: string;
    readonly description: string;
    readonly inputSchema: JsonObject;
    readonly definition: Tool;
    readonly hash: string;
    readonly status: DefinitionStatus;
    readonly warnings: readonly string[];
}
export interface CatalogueView {
    tools(options?: ToolsOptions): Promise<readonly CatalogueTool[]>;
    prompts(): Promise<readonly CataloguePrompt[]>;
    resources(interest?: ResourceInterest): Promise<readonly CatalogueResource[]>;
    templates(): Promise<readonly CatalogueTemplate[]>;
    search(query: string, kinds?: readonly ItemKind[]): Promise<readonly CatalogueItem[]>;
    instructions(): readonly CatalogueInstructions[];
    problems(): readonly ListingProblem[];
}
interface ChallengedRequest extends OutgoingRequest {
    readonly status: number;
    header(name: string): string | undefined;
    readonly sent: HeaderFields;
    readonly revision: string | undefined;
}
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
export type CheckedIcon = {
    readonly image: IconImage;
} | {
    readonly refused: string;
};
export interface Checkpoint {
    readonly n: number;
    readonly hash: string;
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
export interface ClientAuth {
    (endpoint: URL): HttpAuth;
    readonly extensions?: readonly string[];
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
export interface Clock {
    now(): number;
    wall(): number;
    after(ms: number, run: () => void, options?: {
        readonly idle: true;
    }): () => void;
}
export interface CommandSource {
    readonly command: ConfigText;
    readonly args?: readonly ConfigText[] | undefined;
    readonly env?: Readonly<Record<string, ConfigText>> | undefined;
    readonly envFile?: ConfigText | undefined;
    readonly cwd?: ConfigText | undefined;
    readonly shownAs?: readonly string[] | undefined;
    readonly from?: ConfigOrigin | undefined;
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
export interface ConfigChange {
    readonly command?: ConfigText | null;
    readonly args?: readonly ConfigText[] | null;
    readonly env?: Readonly<Record<string, ConfigText>> | null;
    readonly envFile?: ConfigText | null;
    readonly cwd?: ConfigText | null;
    readonly url?: ConfigText | null;
    readonly headers?: Readonly<Record<string, ConfigText>> | null;
    readonly disabled?: boolean;
}
export interface ConfigInput {
    readonly id: string;
    readonly description: string | undefined;
    readonly password: boolean;
    readonly default: string | undefined;
    readonly options: readonly string[] | undefined;
}
export interface ConfigOrigin {
    readonly file: string;
    readonly line: number;
    readonly name: string;
    readonly workspaceFolder: string;
    readonly inputs: readonly ConfigInput[];
}
export interface ConfigReport {
    readonly servers: Readonly<Record<string, CommandSource | UrlSource>>;
    readonly left: readonly Pick<ConfigOrigin, 'file' | 'line' | 'name'>[];
    readonly repeated: readonly (Pick<ConfigOrigin, 'file' | 'line'> & {
        readonly label: string;
    })[];
    readonly notes: readonly string[];
    readonly faults: readonly McpError<'MCP_BAD_CONFIG'>[];
}
export interface ConfigSecret {
    readonly secret: string;
}
export interface ConfigTemplate {
    readonly template: string;
}
export type ConfigText = string | ConfigSecret | ConfigTemplate;
export interface ConnectViewOptions extends Pick<ViewHandlers, 'displayMode' | 'resized' | 'log'> {
    readonly call?: ShownCall;
    readonly context?: ViewContext;
    readonly onMessage?: (text: string) => void | Promise<void>;
    readonly onDownload?: (file: DownloadedFile) => void | Promise<void>;
}
export type ConnectedServer = Pick<Client, 'server' | 'list' | 'watch'>;
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
export interface Consent {
    readonly later?: true;
    ask(question: ConsentQuestion, signal: AbortSignal): Promise<ConsentAnswer>;
    key?(): Promise<Uint8Array>;
}
export interface ConsentAnswer {
    readonly allow: boolean;
    readonly binding?: string | undefined;
    readonly remember?: {
        readonly for: 'these arguments' | 'any arguments';
        readonly until: 'session' | number;
    } | undefined;
    readonly arguments?: JsonObject | undefined;
    readonly reason?: string | undefined;
}
export type ConsentFunction = (question: ConsentQuestion, signal: AbortSignal) => ConsentAnswer | Promise<ConsentAnswer>;
export interface ConsentQuestion {
    readonly id: string;
    readonly act: Act;
    readonly binding: string;
    readonly rule: string;
    readonly why: string;
    readonly warnings: readonly string[];
    readonly editable: boolean;
    readonly canRemember: boolean;
}
type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;
export interface CountedActs {
    readonly of: (act: Act) => boolean;
    readonly within: BudgetWindow;
}
interface CredentialsInUse {
    readonly last: number;
    now(operation: string, signal: AbortSignal): Promise<number>;
}
export interface Decision {
    readonly verdict: Verdict;
    readonly rule: string;
    readonly why: string;
    readonly once?: true | undefined;
}
export type DefinitionStatus = 'approved' | 'new' | 'changed' | 'suspicious';
interface Definitions {
    readonly tool: Tool;
    readonly resource: Resource;
    readonly template: ResourceTemplate;
    readonly prompt: Prompt;
}
type Described = {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly icons?: readonly Icon[];
    readonly _meta?: Meta;
};
export type DisplayMode = 'inline' | 'fullscreen' | 'pip';
export interface DownloadedFile {
    readonly name: string;
    readonly mimeType: string | undefined;
    readonly bytes: Uint8Array;
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
export interface ExportedTools {
    readonly tools: readonly JsonObject[];
    nameOf(exported: string): string | undefined;
}
type FetchFunction = (url: URL, init: RequestInit) => Promise<Response>;
export interface FlowOptions {
    readonly verdict?: 'deny' | 'ask';
    readonly after?: 'read';
}
export interface FollowedConfig extends AsyncDisposable {
    reload(): Promise<void>;
    close(): Promise<void>;
}
export interface FormQuestion {
    readonly server: string;
    readonly during?: Pick<Act, 'kind' | 'name'> | undefined;
    readonly message: string;
    readonly requestedSchema: FormSchema;
    readonly values: Readonly<Record<string, FormValue>>;
    readonly warnings: readonly string[];
    readonly fault: string | undefined;
}
export type FormSchema = {
    readonly $schema?: string;
    readonly type: 'object';
    readonly properties: Readonly<Record<string, JsonObject>>;
    readonly required?: readonly string[];
};
export type FormValue = string | number | boolean | readonly string[];
type HeaderFields = Readonly<Record<string, string>> | undefined;
export interface HealthOptions {
    readonly everyMs?: number;
    readonly timeoutMs?: number;
    readonly failures?: number;
}
export interface Host extends AsyncDisposable {
    readonly servers: HostServers;
    readonly approvals: RememberedApprovals;
    session(options?: SessionOptions): Session;
    accept(kind: 'tool' | 'prompt' | 'template' | 'instructions', name: string, hash: string): Promise<void>;
    roots(label: string): ShownRoots;
    tasks(principal?: string): Promise<readonly HostTicket[]>;
    resume(ticket: HostTicket): Promise<StartedTask>;
    explain(act: string): Promise<readonly AuditRecord[]>;
    close(): Promise<void>;
}
export interface HostEnvironment {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly userHome?: string;
    readonly cwd?: string;
}
export interface HostOptions extends ServerRequestOptions {
    readonly consent?: Consent | ConsentFunction | undefined;
    readonly approvals?: ApprovalStore | undefined;
    readonly servers: Readonly<Record<string, ServerSource>>;
    readonly policy?: readonly Rule[];
    readonly audit?: Audit;
    readonly tasks?: boolean;
    readonly tickets?: TicketStore;
    readonly lockfile?: string | {
        readonly path: string;
        readonly frozen?: boolean;
    };
    readonly apps?: true | AppsOptions;
    readonly skills?: boolean | {
        readonly cache?: SkillCache;
    };
    readonly secrets?: SecretSource;
    readonly inputs?: InputSource;
    readonly auth?: ClientAuth;
    readonly sandbox?: Sandbox;
    readonly health?: HealthOptions | false;
    readonly idleMs?: number;
    readonly timeouts?: Partial<Timeouts>;
    readonly revisions?: readonly string[];
    readonly environment?: HostEnvironment;
    readonly name?: string;
    readonly version?: string;
    readonly onWarning?: (warning: string) => void;
    readonly layers?: readonly Layer[];
    readonly clock?: Clock;
    readonly random?: () => number;
}
export interface HostServers extends ReadonlyMap<string, ManagedServer> {
    add(label: string, source: ServerSource): ManagedServer;
    remove(label: string): Promise<void>;
    restart(label: string): Promise<void>;
    disable(label: string): Promise<void>;
    enable(label: string): void;
    follow(...files: readonly string[]): Promise<FollowedConfig>;
    onChange(listener: (change: ServerChange) => void): () => void;
}
export interface HostTask {
    readonly ticket: HostTicket | undefined;
    states(options?: {
        readonly signal?: AbortSignal | undefined;
    }): AsyncIterable<ClientTaskState>;
    result(options?: {
        readonly signal?: AbortSignal | undefined;
    }): Promise<ToolResult>;
    cancel(): Promise<void>;
}
export interface HostTicket {
    readonly id: string;
    readonly server: string;
    readonly name: string;
    readonly principal: string;
    readonly act: string;
    readonly ticket: TaskTicket;
}
interface HttpAuth {
    headers(request: OutgoingRequest): HeaderFields | Promise<HeaderFields>;
    onChallenge(challenged: ChallengedRequest): boolean | Promise<boolean>;
    onResponse?(request: OutgoingRequest, header: (name: string) => string | undefined): void;
}
interface HttpRequest {
    readonly method: 'GET' | 'POST';
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | undefined;
    readonly signal: AbortSignal;
    readonly check: (address: string) => void;
}
interface HttpResponse {
    readonly status: number;
    header(name: string): string | undefined;
    readonly body: AsyncIterable<Uint8Array>;
}
type HttpSender = (request: HttpRequest) => Promise<HttpResponse>;
type Icon = {
    readonly src: string;
    readonly mimeType?: string;
    readonly sizes?: readonly string[];
    readonly theme?: 'light' | 'dark';
};
type IconFetch = Parameters<typeof fetchSender>[0];
export interface IconImage {
    readonly type: ImageType | 'image/svg+xml';
    readonly bytes: Uint8Array;
}
export interface IconOptions {
    readonly from?: URL | string | undefined;
    readonly trusted?: readonly string[];
    readonly svg?: boolean;
    readonly signal?: AbortSignal | undefined;
    readonly clock?: Clock;
    readonly fetch?: IconFetch;
}
export interface IconPlace {
    readonly size: number;
    readonly theme?: 'light' | 'dark' | undefined;
}
type Id = string | number;
type ImageContent = Media & {
    readonly type: 'image';
};
type ImageType = 'image/png' | 'image/jpeg' | 'image/webp';
type Implementation = {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
    readonly description?: string;
    readonly websiteUrl?: string;
    readonly icons?: readonly Icon[];
};
export interface Inbox extends Consent {
    pending(): Promise<readonly InboxQuestion[]>;
    answer(id: string, answer: Omit<ConsentAnswer, 'binding'>): Promise<boolean>;
}
export interface InboxOptions {
    readonly expiresMs?: number;
    readonly lookMs?: number;
    readonly clock?: Clock;
}
export interface InboxQuestion extends Pick<ConsentQuestion, 'act' | 'binding' | 'why' | 'warnings' | 'editable'> {
    readonly id: string;
    readonly askedAt: number;
    readonly expiresAt: number;
}
export interface InboxStore {
    put(question: InboxQuestion): Promise<void>;
    questions(): Promise<readonly (InboxQuestion & {
        readonly answered: boolean;
    })[]>;
    answer(id: string, answer: ConsentAnswer): Promise<boolean>;
    take(id: string): Promise<ConsentAnswer | undefined>;
    remove(id: string): Promise<void>;
    key?(): Promise<Uint8Array>;
}
export type InputSource = (input: ConfigInput, asking: LookupContext) => string | Promise<string>;
export type ItemKind = keyof Definitions;
interface ItemStatus {
    readonly hash: string;
    readonly status: DefinitionStatus;
    readonly warnings: readonly string[];
}
export interface JsonObject {
    readonly [key: string]: unknown;
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
export interface ListedSkill {
    readonly server: string;
    readonly uri: string;
    readonly name: string;
    readonly description: string;
    readonly status: DefinitionStatus;
    readonly warnings: readonly string[];
    readonly files: number | 'dynamic';
    readonly bytes?: number | undefined;
}
interface Listing<T> extends AsyncIterable<T> {
    pages(): AsyncIterable<readonly T[]>;
    all(): Promise<readonly T[]>;
}
export interface ListingProblem {
    readonly server: string;
    readonly why: string;
}
type LogMessage = {
    readonly level: LoggingLevel;
    readonly logger?: string;
    readonly data: unknown;
};
type LoggingLevel = (typeof loggingLevels)[number];
export interface LookupContext {
    readonly server: string;
}
export interface ManagedServer {
    readonly label: string;
    readonly address: string;
    readonly state: ServerState;
    readonly asking: boolean;
    readonly failure: Error | undefined;
    connect(signal?: AbortSignal): Promise<ConnectedServer>;
    keep(): () => void;
    onState(listener: (state: ServerState) => void): () => void;
    readonly log: readonly string[];
    onLog(listener: (line: string) => void): () => void;
    stop(): Promise<void>;
}
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
export interface MemoryAudit extends Audit {
    readonly records: readonly AuditRecord[];
}
type Message = RpcRequest | RpcNotification | RpcResponse;
type Meta = JsonObject;
interface MirroredHeader {
    readonly name: string;
    readonly path: readonly string[];
}
export interface Model {
    readonly models: readonly ModelTraits[];
    reply(request: ModelRequest, options?: ModelOptions): Promise<ModelReply>;
}
export type ModelBlock = {
    readonly type: 'text';
    readonly text: string;
} | {
    readonly type: 'image' | 'audio';
    readonly data: string;
    readonly mimeType: string;
} | {
    readonly type: 'tool_use';
    readonly id: string;
    readonly name: string;
    readonly input: JsonObject;
    readonly _meta?: JsonObject;
} | {
    readonly type: 'tool_result';
    readonly toolUseId: string;
    readonly content: readonly ModelBlock[];
    readonly isError?: boolean;
    readonly _meta?: JsonObject;
};
interface ModelContext {
    readonly content?: readonly Content[];
    readonly structuredContent?: JsonObject;
}
export interface ModelMessage {
    readonly role: 'user' | 'assistant';
    readonly content: readonly ModelBlock[];
}
export interface ModelOptions {
    readonly signal?: AbortSignal | undefined;
    readonly onText?: ((text: string) => void) | undefined;
}
export interface ModelReply {
    readonly model: string;
    readonly content: readonly ModelBlock[];
    readonly stopReason: 'endTurn' | 'stopSequence' | 'maxTokens' | 'toolUse' | (string & {});
    readonly usage?: {
        readonly inputTokens: number;
        readonly outputTokens: number;
    } | undefined;
}
export interface ModelRequest {
    readonly model: string;
    readonly system?: string | undefined;
    readonly messages: readonly ModelMessage[];
    readonly tools?: readonly ModelTool[] | undefined;
    readonly toolChoice?: 'auto' | 'required' | 'none' | undefined;
    readonly maxTokens: number;
    readonly temperature?: number | undefined;
    readonly stopSequences?: readonly string[] | undefined;
}
export interface ModelTool {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: JsonObject;
}
export interface ModelTraits {
    readonly name: string;
    readonly cost?: number;
    readonly speed?: number;
    readonly intelligence?: number;
}
export interface NdjsonAudit extends Audit {
    read(id: string): Promise<readonly AuditRecord[]>;
    checkpoint(): Promise<Checkpoint>;
    close(): Promise<void>;
}
export interface NdjsonAuditOptions {
    readonly key?: AuditKey | undefined;
    readonly anchor?: AuditAnchor | undefined;
    readonly anchorEvery?: AnchorInterval | undefined;
    readonly onWarning?: ((warning: string) => void) | undefined;
    readonly clock?: Clock | undefined;
}
export type Oddity = 'hidden' | 'control' | 'mixed' | 'markup' | 'override' | 'concealment' | 'exfiltration' | 'path' | 'order' | 'secret' | 'url' | 'blob' | 'foreign' | 'long';
type OneOrMore<T> = T | readonly T[];
interface OtherServers {
    readonly labels: ReadonlySet<string>;
    readonly tools: ReadonlySet<string>;
}
interface OutgoingRequest {
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
export interface PolicyChange {
    readonly from: Verdict;
    readonly to: Verdict;
    readonly rule: string;
    readonly count: number;
    readonly example: AuditRecord;
}
export interface PolicyHistory {
    count(counted: CountedActs): number;
    tokens(counted: CountedActs): number;
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
export interface PromptResult {
    readonly messages: readonly PromptMessage[];
    readonly description: string | undefined;
    readonly meta: Meta;
}
type PromptsOf<S> = CatalogueOf<S>['prompts'];
export interface ProviderOptions {
    readonly apiKey: string;
    readonly baseUrl?: string;
    readonly model: string | ModelTraits | readonly (string | ModelTraits)[];
    readonly clock?: Clock;
    readonly random?: () => number;
}
interface QuestionContext {
    readonly signal: AbortSignal;
    readonly server: ServerFacts;
    readonly task?: string | undefined;
}
export interface QuestionHandler {
    form(question: FormQuestion, signal: AbortSignal): Promise<ElicitResult>;
    open?(url: string, signal: AbortSignal): Promise<void>;
    visiting?(visit: UrlVisit, signal: AbortSignal): Promise<'done' | 'again' | 'cancel'>;
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
export interface ReadAuditOptions {
    readonly key?: AuditKey | undefined;
}
export interface ReadResult {
    readonly contents: readonly ResourceContents[];
    readonly text: string;
    readonly meta: Meta;
}
export interface Rehearsal {
    readonly decisions: number;
    readonly unchanged: number;
    readonly changes: readonly PolicyChange[];
    readonly undecidable: readonly Undecidable[];
}
export interface RememberedApprovals {
    list(): Promise<readonly Approval[]>;
    revoke(id: string): Promise<boolean>;
}
export interface RequestOptions {
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
export interface ResourceInterest {
    readonly audience?: Role;
}
type ResourceLink = Resource & {
    readonly type: 'resource_link';
};
type ResourceTemplate = Omit<Resource, 'uri' | 'size'> & {
    readonly uriTemplate: string;
};
type ResourcesOf<S> = CatalogueOf<S>['resources'];
export interface ResultPage {
    readonly text: string;
    readonly offset: number;
    readonly total: number;
    readonly next?: number;
}
export interface Results {
    read(uri: string, options?: {
        offset?: number;
        limit?: number;
    }): ResultPage;
    sourceOf(uri: string): string | undefined;
    list(): readonly Resource[];
}
type Role = 'user' | 'assistant';
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
export interface Rule {
    readonly text: string;
    decide(act: Act, history: PolicyHistory): Omit<Decision, 'rule'> | undefined;
    readonly trusts?: readonly string[];
    readonly counts?: CountedActs;
    readonly servers?: readonly string[];
    readonly watches?: readonly string[];
}
export interface RuleCount {
    readonly rule: string;
    readonly calls: number;
    readonly tokens: number;
}
interface Rules {
    allow(match: ActMatch): Rule;
    ask(match: ActMatch): Rule;
    deny(match: ActMatch): Rule;
    budget(match: ActMatch, limits: BudgetLimits): Rule;
    noFlow(from: string | readonly string[], to: string | readonly string[], options?: FlowOptions): Rule;
    trustAnnotationsOf(...labels: readonly string[]): Rule;
}
export type RunInput = string | SessionPrompt | readonly ModelMessage[];
export type RunLimit = 'turns' | 'calls' | 'tokens' | 'time';
export interface RunOptions {
    readonly signal?: AbortSignal;
    readonly model?: string;
    readonly system?: string;
    readonly maxTurns?: number;
    readonly maxCalls?: number;
    readonly maxTokens?: number;
    readonly replyTokens?: number;
    readonly timeoutMs?: number;
}
export interface SamplingLimits {
    readonly perMinute?: number;
    readonly maxTokens?: number;
}
export type Sandbox = (command: SandboxedCommand, server: string) => {
    readonly command: string;
    readonly args: readonly string[];
} | undefined;
export interface SandboxGrant {
    readonly read?: readonly string[];
    readonly write?: readonly string[];
    readonly network?: boolean;
}
export interface SandboxedCommand {
    readonly command: string;
    readonly args: readonly string[];
    readonly cwd: string | undefined;
    readonly env: Readonly<Record<string, string | undefined>>;
}
export type ScriptLine = ScriptedReply | ((request: ModelRequest, options: ModelOptions) => ScriptedReply | Promise<ScriptedReply>);
export interface ScriptedModel extends Model {
    readonly requests: readonly ModelRequest[];
}
export type ScriptedReply = string | readonly ModelBlock[] | ModelReply;
export type SecretSource = (name: string, asking: LookupContext) => string | Promise<string>;
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
export interface ServerChange {
    readonly kind: 'added' | 'removed' | 'disabled' | 'enabled';
    readonly label: string;
    readonly server: ManagedServer;
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
export interface ServerRequestOptions {
    readonly model?: Model | undefined;
    readonly sampling?: SamplingLimits | undefined;
    readonly questions?: QuestionHandler | undefined;
    readonly roots?: Readonly<Record<string, readonly string[]>> | undefined;
}
export type ServerSource = string | URL | Servable | Transport | CommandSource | UrlSource;
export type ServerState = 'idle' | 'connecting' | 'ready' | 'restarting' | 'failed' | 'disabled' | 'stopped';
export interface Session extends AsyncDisposable {
    readonly id: string;
    readonly principal: string;
    readonly catalogue: CatalogueView;
    readonly results: Results;
    readonly messages: readonly ModelMessage[];
    tools(options?: ToolsOptions): Promise<readonly CatalogueTool[]>;
    call(name: string, args?: JsonObject, options?: RequestOptions): Promise<ToolResult>;
    start(name: string, args?: JsonObject, options?: RequestOptions): Promise<StartedTask>;
    read(server: string, uri: string, options?: RequestOptions): Promise<ReadResult>;
    prompt(name: string, args?: Readonly<Record<string, string>>, options?: RequestOptions): Promise<SessionPrompt>;
    complete(server: string, ref: CompletionReference, options: SessionCompleteOptions): Promise<Completion>;
    request(server: string, method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
    skills(options?: RequestOptions): Promise<readonly ListedSkill[]>;
    skill(server: string, uri: string, options?: RequestOptions): Promise<SessionSkill>;
    openView(tool: string, options?: RequestOptions): Promise<View>;
    run(input: RunInput, options?: RunOptions): AgentRun;
    close(): Promise<void>;
}
export interface SessionCompleteOptions extends RequestOptions {
    readonly argument: {
        readonly name: string;
        readonly value: string;
    };
    readonly context?: Readonly<Record<string, string>>;
}
export interface SessionOptions {
    readonly principal?: string;
    readonly toolTokens?: number;
}
export interface SessionPrompt extends PromptResult {
    readonly name: string;
}
export interface SessionSkill extends Pick<ListedSkill, 'server' | 'uri' | 'name' | 'description'> {
    readonly text: string;
    readonly fenced: string;
    readonly files: readonly string[];
    read(path: string, options?: RequestOptions): Promise<Uint8Array>;
    release(): void;
}
export interface ShownCall {
    readonly arguments: JsonObject;
    readonly result?: AttemptResult | Promise<AttemptResult>;
}
export interface ShownRoots {
    readonly paths: readonly string[];
    set(paths: readonly string[]): Promise<void>;
}
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
export interface SkillInUse {
    readonly server: string;
    readonly uri: string;
    readonly definition: string;
}
interface StandingStream {
    follow(listener: StandingStreamListener): () => void;
}
interface StandingStreamListener {
    opened(isWhole: boolean): void;
    ended(reason: Error): void;
}
export interface StartedTask {
    readonly act: string;
    readonly task: HostTask;
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
export interface TerminalOptions {
    readonly input?: Readable & {
        readonly isTTY?: boolean;
    };
    readonly output?: Writable & {
        readonly isTTY?: boolean;
    };
    readonly clock?: Clock;
    readonly onInterrupt?: () => void;
}
type TextContent = Block & {
    readonly type: 'text';
    readonly text: string;
};
export interface TextFinding {
    readonly oddity: Oddity;
    readonly strong: boolean;
    readonly match: string;
    readonly excerpt: string;
}
export interface TicketStore {
    list(): Promise<readonly HostTicket[]>;
    put(ticket: HostTicket): Promise<void>;
    remove(id: string): Promise<boolean>;
}
export interface Timeouts {
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
export type ToolFormat = 'anthropic' | 'openai' | 'openai-responses' | 'gemini' | 'json';
export interface ToolResult extends AttemptResult {
    readonly act: string;
}
type ToolsOf<S> = CatalogueOf<S>['tools'];
export interface ToolsOptions {
    readonly budgetTokens?: number;
    readonly query?: string;
    readonly keep?: readonly string[];
}
type Transport = (inbound: Exchange, session: PeerSession) => Promise<Connection>;
interface Typed<T extends Catalogue> {
    readonly '~types'?: T;
}
export interface Undecidable {
    readonly why: string;
    readonly count: number;
    readonly example: AuditRecord;
}
interface UrlOptions {
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly auth?: ClientAuth | undefined;
    readonly fetch?: WireFetch | undefined;
    readonly maxAnswerBytes?: number | undefined;
}
export interface UrlSource extends Omit<UrlOptions, 'headers'> {
    readonly url: ConfigText | URL;
    readonly headers?: Readonly<Record<string, ConfigText>> | undefined;
    readonly from?: ConfigOrigin | undefined;
}
export interface UrlVisit {
    readonly server: string;
    readonly url: string;
    readonly host: string;
    readonly completed: Promise<void>;
}
export type Verdict = 'allow' | 'ask' | 'deny';
export interface VerifyOptions extends ReadAuditOptions {
    readonly checkpoint?: Checkpoint | undefined;
}
export interface View {
    readonly server: string;
    readonly uri: string;
    readonly html: string;
    readonly settings: ViewSettings;
    readonly dropped: readonly string[];
    readonly status: DefinitionStatus;
    connect(port: ViewPort, options?: ConnectViewOptions): ViewBridge;
}
export interface ViewBridge {
    readonly state: ViewState;
    partialInput(args: JsonObject): void;
    input(args: JsonObject): void;
    result(result: CallToolResult): void;
    cancelled(reason?: string): void;
    contextChanged(changes: ViewContext): void;
    teardown(reason?: string): Promise<void>;
    readonly closed: Promise<ViewEnd>;
}
export interface ViewContext extends JsonObject {
    readonly toolInfo?: {
        readonly id?: string | number;
        readonly tool: object;
    };
    readonly theme?: 'light' | 'dark';
    readonly styles?: JsonObject;
    readonly displayMode?: DisplayMode;
    readonly availableDisplayModes?: readonly DisplayMode[];
    readonly containerDimensions?: Readonly<Record<string, number>>;
    readonly locale?: string;
    readonly timeZone?: string;
    readonly userAgent?: string;
    readonly platform?: 'web' | 'desktop' | 'mobile';
}
export type ViewEnd = 'teardown' | 'no handshake' | 'port failed';
interface ViewHandlers {
    callTool?(name: string, args: JsonObject, signal: AbortSignal): Promise<CallToolResult>;
    readResource?(uri: string, signal: AbortSignal): Promise<JsonObject>;
    openLink?(url: string, signal: AbortSignal): Promise<void>;
    message?(message: ViewMessage, signal: AbortSignal): Promise<void>;
    updateContext?(context: ModelContext, signal: AbortSignal): Promise<void>;
    displayMode?(mode: DisplayMode, signal: AbortSignal): Promise<DisplayMode>;
    resized?(size: ViewSize): void;
    log?(params: JsonObject): void;
    download?(contents: readonly (EmbeddedResource | ResourceLink)[], signal: AbortSignal): Promise<void>;
    sample?(params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
    leave?(): void;
}
interface ViewItem<D> {
    readonly name: string;
    readonly server: string;
    readonly title: string;
    readonly definition: D;
}
interface ViewMessage {
    readonly role: 'user';
    readonly content: readonly Content[];
}
export type ViewPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite';
export interface ViewPort {
    send(message: JsonObject): void;
    onMessage(listener: (message: unknown) => void): void;
    close(): void;
}
export interface ViewSettings {
    readonly connect: readonly string[];
    readonly load: readonly string[];
    readonly frames: readonly string[];
    readonly base: readonly string[];
    readonly permissions: readonly ViewPermission[];
    readonly domain?: string;
    readonly border?: boolean;
}
export interface ViewSize {
    readonly width?: number;
    readonly height?: number;
}
export type ViewState = 'made' | 'loading' | 'initialized' | 'live' | 'leaving' | 'gone';
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
type WireFetch = (url: URL, init: RequestInit) => Promise<Response>;
export declare function anthropic(options: ProviderOptions): Model;
export declare function bestIcon(icons: readonly Icon[], place: IconPlace): Icon | undefined;
export declare function bubblewrap(grants?: Readonly<Record<string, SandboxGrant | false>>): Sandbox;
export declare function checkedIcon(icon: Icon, options?: IconOptions): Promise<CheckedIcon>;
export declare function createHost(options: HostOptions): Host;
export declare function decidePolicy(policy: readonly Rule[], act: Act, history: PolicyHistory): Decision;
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
export declare function exportTools(tools: readonly CatalogueTool[], format: ToolFormat): ExportedTools;
declare function fetchSender(fetch: FetchFunction): HttpSender;
export declare function fileApprovals(folder: string): Required<ApprovalStore>;
export declare function fileInbox(folder: string): InboxStore;
export declare function fileTickets(folder: string): TicketStore;
export declare function fromConfig(...paths: readonly string[]): Promise<ConfigReport['servers']>;
export declare function inboxConsent(store: InboxStore, options?: InboxOptions): Inbox;
export declare const inspect: (text: string, others?: OtherServers) => readonly TextFinding[];
export declare function labelFor(name: string, taken: {
    has(label: string): boolean;
}): string;
export declare function listsServers(path: string): Promise<boolean>;
declare const loggingLevels: readonly ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
export declare function memoryApprovals(): ApprovalStore;
export declare function memoryAudit(): MemoryAudit;
export declare function ndjsonAudit(path: string, options?: NdjsonAuditOptions): NdjsonAudit;
export declare function openai(options: ProviderOptions): Model;
export declare function readAudit(path: string, { key }?: ReadAuditOptions): AsyncGenerator<AuditRecord>;
export declare function readConfig(...paths: readonly string[]): Promise<ConfigReport>;
export declare function rehearse(policy: readonly Rule[], records: Iterable<AuditRecord> | AsyncIterable<AuditRecord>): Promise<Rehearsal>;
export declare const rules: Rules;
export declare function scriptedModel(script: readonly ScriptLine[], models?: Model['models']): ScriptedModel;
export declare function terminalConsent(options?: TerminalOptions): Consent;
export declare function terminalQuestions(options?: TerminalOptions): QuestionHandler;
export declare function verifyAudit(path: string, options?: VerifyOptions): Promise<AuditVerdict>;
export declare function warningsIn(what: string, text: string, others?: OtherServers): readonly string[];
export declare function writeConfig(path: string, name: string, change: ConfigChange | 'remove'): Promise<void>;
