// The entry point "mooring/gateway": 18 names. Written by `npm run api`.
// CircuitSpec Gateway GatewaySpec NameSpec UpstreamCredentials UpstreamIsolation UpstreamLimits UpstreamOptions UpstreamQuestions UpstreamSpec UpstreamState UpstreamTarget UpstreamTimeouts UpstreamTrust ViewMember ViewSelection ViewSpec createGateway

interface AuthInfo {
    readonly issuer?: string;
    readonly subject?: string;
    readonly clientId?: string;
    readonly scopes: readonly string[];
    readonly expiresAt?: number;
    readonly claims?: JsonObject;
}
interface Caller {
    readonly info?: Implementation | undefined;
    readonly capabilities: ClientCapabilities;
}
interface ChallengedRequest extends OutgoingRequest {
    readonly status: number;
    header(name: string): string | undefined;
    readonly sent: HeaderFields;
    readonly revision: string | undefined;
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
    readonly onStray?: ((what: string, sample: string) => void) | undefined;
}
interface Connection {
    readonly exchange: Exchange;
    close(): Promise<void>;
    readonly closed: Promise<Error | undefined>;
    readonly replies?: boolean;
    readonly credentials?: CredentialsInUse | undefined;
}
interface CredentialsInUse {
    readonly last: number;
    now(operation: string, signal: AbortSignal): Promise<number>;
}
interface ErrorBody {
    readonly code: number;
    readonly message: string;
    readonly data?: unknown;
}
type Exchange = (message: Message, link: Link) => Promise<RpcResponse | undefined>;
export interface Gateway extends Servable, AsyncDisposable {
    view(name: string): Servable;
    readonly upstreams: ReadonlyMap<string, UpstreamState>;
    close(): Promise<void>;
}
export interface GatewaySpec {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
    readonly instructions?: string;
    readonly upstreams: Readonly<Record<string, UpstreamSpec>>;
    readonly views?: Readonly<Record<string, ViewSpec>>;
    readonly names?: NameSpec;
    readonly revisions?: readonly string[];
    readonly stateKeys?: readonly Uint8Array[];
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
declare abstract class Link {
    get signal(): AbortSignal;
    onAbort?(listener: (reason: unknown) => void): void;
    notify(notification: RpcNotification): void;
    ask(request: RpcRequest): Promise<RpcResponse>;
    readonly auth?: AuthInfo | undefined;
    readonly revision?: string | undefined;
    readonly checked?: RpcRequest | undefined;
    readonly caller?: Caller | undefined;
    readonly of?: Id | undefined;
    readonly release?: ((retryMs?: number) => void) | undefined;
}
type LoggingLevel = (typeof loggingLevels)[number];
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
interface Servable {
    prepare?(): Promise<void> | undefined;
    open(outlet: ServerPush, session: PeerSession): ServedConversation;
    readonly revisions?: readonly string[];
    mirrored?(request: RpcRequest): readonly MirroredHeader[];
    nameParam?(method: string): string | undefined;
    scopes?(request: RpcRequest): readonly string[];
}
interface ServedConversation {
    exchange(message: Message, link: Link): Promise<RpcResponse | undefined>;
    close(): void;
}
interface ServerPush {
    readonly id?: string;
    notify(notification: RpcNotification): void;
    ask(request: RpcRequest): Promise<RpcResponse>;
    end(): void;
    renew?(): void;
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
export declare function createGateway(spec: GatewaySpec): Gateway;
declare const loggingLevels: readonly ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
