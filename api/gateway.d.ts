// The entry point "mooring/gateway": 39 names. Written by `npm run api`.
// Audit AuditRecord CallLimit CallerTokens CircuitSpec ClaimPattern DenyOptions Gateway GatewayArgument GatewayAuditRecord GatewayAuditSettings GatewayBudget GatewayCounters GatewayMatch GatewayMetrics GatewayRates GatewayRule GatewaySpec LockSpec MakeCredentials NameSpec PeerSpec RateStore UpstreamCredentials UpstreamIsolation UpstreamLimits UpstreamOptions UpstreamQuestions UpstreamSpec UpstreamState UpstreamTarget UpstreamTimeouts UpstreamTrust ViewMember ViewSelection ViewSpec callerTokens createGateway gatewayRules

interface Act {
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
type ActEffects = 'read' | 'write' | 'destructive' | 'unknown';
type ActKind = 'spawn' | 'connect' | 'tool' | 'resource' | 'prompt' | 'completion' | 'extension' | 'sampling' | 'elicitation' | 'roots' | 'visit' | 'message' | 'context' | 'download' | 'skill';
interface ActMatch {
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
type ArgumentPattern = string | number | boolean | null | RegExp | ((value: unknown) => boolean);
export interface Audit {
    write(record: AuditRecord): Promise<void>;
    read?(id: string): Promise<readonly AuditRecord[]>;
    close?(): Promise<void>;
}
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
interface AuthInfo {
    readonly issuer?: string;
    readonly subject?: string;
    readonly clientId?: string;
    readonly scopes: readonly string[];
    readonly expiresAt?: number;
    readonly claims?: JsonObject;
}
interface AuthRejection {
    readonly status: 400 | 401 | 403;
    readonly wwwAuthenticate: string;
    readonly headers?: Readonly<Record<string, string>>;
}
interface AuthRequest {
    readonly method: string;
    readonly path: string;
    readonly query?: string | undefined;
    header(name: string): string | undefined;
}
interface Authenticator {
    (request: AuthRequest): AuthInfo | AuthRejection | Promise<AuthInfo | AuthRejection>;
    readonly documents?: ReadonlyMap<string, JsonObject>;
    readonly insufficient?: (needed: readonly string[], auth: AuthInfo) => AuthRejection;
}
interface Backend {
    readonly keyed: KeyedValues;
    readonly once: OnceKeys;
    readonly count: RateCounts;
    readonly log: SharedLogs;
    readonly channel: Channels;
}
export interface CallLimit {
    readonly calls: number;
    readonly perMs: number;
    readonly isShared?: boolean | undefined;
}
interface Caller {
    readonly info?: Implementation | undefined;
    readonly capabilities: ClientCapabilities;
}
interface CallerFacts extends Pick<AuthInfo, 'issuer' | 'subject' | 'clientId' | 'scopes' | 'claims'> {
    readonly view: string;
}
export interface CallerTokens {
    remember(authenticate: Authenticator): Authenticator;
    credentials(make: MakeCredentials): UpstreamCredentials;
}
interface ChallengedRequest extends OutgoingRequest {
    readonly status: number;
    header(name: string): string | undefined;
    readonly sent: HeaderFields;
    readonly revision: string | undefined;
}
interface Channels {
    publish(channel: string, data: string): Promise<void>;
    subscribe(channel: string, onData: (data: string) => void, onMissed: () => void): () => void;
}
interface ChildProgram {
    readonly command: string;
    readonly args?: readonly string[] | undefined;
    readonly env?: Readonly<Record<string, string>> | undefined;
    readonly cwd?: string | undefined;
}
export interface CircuitSpec {
    readonly failures?: number;
    readonly windowMs?: number;
    readonly openMs?: number;
}
type CircuitState = 'closed' | 'open' | 'trying';
export type ClaimPattern = string | number | boolean;
interface ClientAuth {
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
interface Clock {
    now(): number;
    wall(): number;
    after(ms: number, run: () => void, options?: {
        readonly idle: true;
    }): () => void;
}
interface Command extends ChildProgram {
    readonly clock?: Clock | undefined;
    readonly maxLineBytes?: number | undefined;
    readonly maxUnreadBytes?: number | undefined;
    readonly maxInFlight?: number | undefined;
    readonly onStderr?: ((text: string) => void) | undefined;
    readonly onStray?: ((what: string, sample: string, isMalformed?: true) => void) | undefined;
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
interface CredentialsInUse {
    readonly last: number;
    now(operation: string, signal: AbortSignal): Promise<number>;
}
interface Decision {
    readonly verdict: Verdict;
    readonly rule: string;
    readonly why: string;
    readonly once?: true | undefined;
}
type DefinitionStatus = 'approved' | 'new' | 'changed' | 'suspicious';
export interface DenyOptions {
    readonly visible?: boolean;
}
interface ErrorBody {
    readonly code: number;
    readonly message: string;
    readonly data?: unknown;
}
type Exchange = (message: Message, link: Link) => Promise<RpcResponse | undefined>;
export interface Gateway extends Required<Servable>, AsyncDisposable {
    view(name: string): Required<Servable>;
    readonly peers: SessionPeers | undefined;
    readonly upstreams: ReadonlyMap<string, UpstreamState>;
    reload(spec: GatewaySpec, drainMs?: number): void;
    close(drainMs?: number): Promise<void>;
}
export type GatewayArgument = string | number | boolean | null | RegExp;
export interface GatewayAuditRecord extends AuditRecord {
    readonly gateway: {
        readonly node: string;
        readonly view: string;
        readonly method: string;
        readonly exposed: string;
        readonly client?: string | undefined;
        readonly trace?: string | undefined;
        readonly answers?: Readonly<Record<string, string>> | undefined;
        readonly ms?: number | undefined;
    };
}
export interface GatewayAuditSettings {
    readonly to: Audit;
    readonly node?: string | undefined;
    readonly arguments?: boolean | undefined;
    readonly mask?: readonly string[] | undefined;
    readonly onFailure?: 'deny' | 'count' | undefined;
}
export interface GatewayBudget {
    readonly calls: number;
    readonly per: 'hour' | 'day' | {
        readonly ms: number;
    };
    readonly for?: 'principal' | 'all';
}
export interface GatewayCounters {
    readonly calls_total: {
        readonly upstream: string;
        readonly outcome: string;
    };
    readonly waiting_calls_total: {
        readonly end: string;
    };
    readonly questions_total: {
        readonly kind: string;
        readonly pair: string;
        readonly answer: string;
    };
    readonly conversations_opened_total: {
        readonly upstream: string;
        readonly isolate: string;
    };
    readonly policy_total: {
        readonly verdict: string;
        readonly rule: string;
    };
    readonly rate_limited_total: {
        readonly what: string;
    };
    readonly forwarded_total: {
        readonly kind: string;
        readonly end: string;
    };
    readonly store_failures_total: {
        readonly use: string;
    };
    readonly upstream_violations_total: {
        readonly upstream: string;
        readonly what: string;
    };
    readonly dropped_total: {
        readonly what: string;
    };
    readonly reload_total: {
        readonly end: string;
    };
}
export interface GatewayMatch extends Pick<ActMatch, 'server' | 'effects' | 'status'> {
    readonly view?: OneOrMore<string>;
    readonly kind?: OneOrMore<'tool' | 'prompt' | 'resource'>;
    readonly name?: OneOrMore<string | RegExp>;
    readonly arguments?: Readonly<Record<string, OneOrMore<GatewayArgument>>>;
    readonly principal?: OneOrMore<string>;
    readonly client?: OneOrMore<string>;
    readonly scopes?: OneOrMore<string>;
    readonly lacks?: OneOrMore<string>;
    readonly claims?: Readonly<Record<string, OneOrMore<ClaimPattern>>>;
}
export interface GatewayMetrics {
    count<N extends keyof GatewayCounters>(name: N, labels: GatewayCounters[N], by?: number): void;
    observe(name: 'call_seconds' | 'queue_wait_seconds', seconds: number, upstream: string): void;
}
export interface GatewayRates {
    readonly perPrincipal?: CallLimit | undefined;
    readonly lists?: CallLimit | undefined;
    readonly store?: RateStore | undefined;
}
export interface GatewayRule {
    readonly text: string;
    readonly verdict: 'allow' | 'ask' | 'deny' | 'budget' | 'trust';
    readonly match: GatewayMatch;
    readonly isVisible: boolean;
    readonly limit?: CallLimit | undefined;
    readonly trusts: readonly string[];
    applies(subject: RuleSubject): MatchCertainty;
}
interface GatewayRules {
    allow(match: GatewayMatch): GatewayRule;
    ask(match: GatewayMatch): GatewayRule;
    deny(match: GatewayMatch, options?: DenyOptions): GatewayRule;
    budget(match: GatewayMatch, budget: GatewayBudget): GatewayRule;
    trustAnnotationsOf(...labels: readonly string[]): GatewayRule;
}
export interface GatewaySpec {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
    readonly instructions?: string;
    readonly upstreams: Readonly<Record<string, UpstreamSpec>>;
    readonly views?: Readonly<Record<string, ViewSpec>>;
    readonly names?: NameSpec;
    readonly sandbox?: Sandbox;
    readonly revisions?: readonly string[];
    readonly stateKeys?: readonly Uint8Array[];
    readonly stateLog?: StateLog;
    readonly peer?: PeerSpec;
    readonly policy?: readonly GatewayRule[];
    readonly rates?: GatewayRates;
    readonly audit?: GatewayAuditSettings;
    readonly lock?: LockSpec;
    readonly metrics?: GatewayMetrics;
    readonly clock?: Clock;
    readonly onWarning?: (warning: string) => void;
}
type HeaderFields = Readonly<Record<string, string>> | undefined;
interface HttpAuth {
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
export interface LockSpec {
    readonly file: string;
    readonly new?: 'allow' | 'withhold';
}
interface LogEntry {
    readonly seq: number;
    readonly data: string;
}
interface LogLimits {
    readonly ttlMs: number;
    readonly keep: number;
}
type LoggingLevel = (typeof loggingLevels)[number];
export type MakeCredentials = (subjectToken: () => Promise<string>) => ClientAuth;
type MatchCertainty = 'yes' | 'no' | 'perhaps';
type Message = RpcRequest | RpcNotification | RpcResponse;
interface MirroredHeader {
    readonly name: string;
    readonly path: readonly string[];
}
export interface NameSpec {
    readonly style?: 'prefix' | 'bare';
    readonly uris?: 'wrap' | 'as-is';
    readonly rename?: Readonly<Record<string, Readonly<Record<string, string>>>>;
    readonly prefer?: Readonly<Record<string, string>>;
}
interface OnceKeys {
    spend(key: string, ttlMs: number): Promise<boolean>;
}
type OneOrMore<T> = T | readonly T[];
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
export interface PeerSpec {
    readonly listen: {
        readonly host?: string | undefined;
        readonly port: number;
    };
    readonly advertise?: string | undefined;
    readonly keys: readonly Uint8Array[];
    readonly store: Pick<Backend, 'keyed' | 'channel'>;
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
export interface RateStore {
    take(key: string, rate: {
        readonly limit: number;
        readonly perMs: number;
    }): Promise<{
        readonly ok: true;
    } | {
        readonly ok: false;
        readonly retryMs: number;
    }>;
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
interface RuleCount {
    readonly rule: string;
    readonly calls: number;
    readonly tokens: number;
}
interface RuleSubject {
    readonly act: Act;
    readonly caller: CallerFacts;
    readonly hasArguments: boolean;
    readonly hasName: boolean;
}
type Sandbox = (command: SandboxedCommand, server: string) => {
    readonly command: string;
    readonly args: readonly string[];
} | undefined;
interface SandboxedCommand {
    readonly command: string;
    readonly args: readonly string[];
    readonly cwd: string | undefined;
    readonly env: Readonly<Record<string, string | undefined>>;
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
interface ServerPush {
    readonly id?: string;
    readonly auth?: AuthInfo | undefined;
    notify(notification: RpcNotification): void;
    ask(request: RpcRequest): Promise<RpcResponse>;
    end(): void;
    renew?(): void;
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
interface SharedLogs {
    append(log: string, entry: LogEntry, limits: LogLimits): Promise<'ok' | 'exists'>;
    read(log: string, after: number): Promise<readonly LogEntry[] | 'gone'>;
}
interface SharedRate {
    readonly limit: number;
    readonly perMs: number;
    readonly burst?: number | undefined;
}
interface SkillInUse {
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
interface StateLog {
    spend(id: string, lifeMs: number): boolean | Promise<boolean>;
}
type Transport = (inbound: Exchange, session: PeerSession) => Promise<Connection>;
export interface UpstreamCredentials {
    keyFor(auth: AuthInfo | undefined): string;
    authFor(auth: AuthInfo | undefined): ClientAuth | undefined;
}
export type UpstreamIsolation = 'shared' | 'principal' | 'session' | 'call';
export interface UpstreamLimits {
    readonly clients?: number;
    readonly clientsPerPrincipal?: number;
    readonly calls?: number;
    readonly queue?: number;
    readonly queueMs?: number;
    readonly waitingCalls?: number;
}
export interface UpstreamOptions {
    readonly isolate?: UpstreamIsolation;
    readonly revisions?: readonly string[];
    readonly auth?: ClientAuth | UpstreamCredentials;
    readonly timeouts?: UpstreamTimeouts;
    readonly limits?: UpstreamLimits;
    readonly circuit?: CircuitSpec | false;
    readonly idleMs?: number;
    readonly questions?: UpstreamQuestions;
    readonly trust?: UpstreamTrust;
}
export interface UpstreamQuestions {
    readonly form?: boolean | undefined;
    readonly visit?: {
        readonly hosts: readonly string[];
    } | undefined;
    readonly sample?: boolean | undefined;
    readonly roots?: boolean | undefined;
    readonly prefix?: boolean | undefined;
}
export type UpstreamSpec = Servable | Transport | (UpstreamOptions & UpstreamTarget);
export interface UpstreamState {
    readonly label: string;
    readonly state: 'unknown' | 'connecting' | 'ready' | 'lost' | 'closed';
    readonly revision: string | undefined;
    readonly circuit: CircuitState;
    readonly conversations: number;
    readonly calls: {
        readonly open: number;
        readonly waiting: number;
    };
    readonly tools: number | undefined;
    readonly lastFailure: string | undefined;
}
export type UpstreamTarget = {
    readonly url: string | URL;
    readonly headers?: Readonly<Record<string, string>>;
} | Command | {
    readonly server: Servable;
} | {
    readonly transport: Transport;
};
export interface UpstreamTimeouts {
    readonly connectMs?: number;
    readonly callMs?: number;
    readonly maxCallMs?: number;
    readonly listMs?: number;
    readonly questionMs?: number;
}
export interface UpstreamTrust {
    readonly instructions?: boolean;
    readonly annotations?: boolean;
    readonly cache?: 'public' | 'private';
}
type Verdict = 'allow' | 'ask' | 'deny';
export type ViewMember = string | Readonly<Record<string, ViewSelection>>;
export interface ViewSelection {
    readonly tools?: readonly string[];
    readonly prompts?: readonly string[];
    readonly resources?: readonly string[];
}
export interface ViewSpec {
    readonly of: readonly ViewMember[];
    readonly instructions?: string;
    readonly apps?: readonly string[];
}
export declare function callerTokens(): CallerTokens;
export declare function createGateway(spec: GatewaySpec): Gateway;
export declare const gatewayRules: GatewayRules;
declare const loggingLevels: readonly ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
