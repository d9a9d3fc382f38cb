// The entry point "mooring/node": 20 names. Written by `npm run api`.
// AuthRejection AuthRequest Authenticator EndedSessions EventLog HttpListener HttpOptions LoggedEvent NodeHandler NodeHandlerOptions PutOptions SealedSessionSpec ServeHttpOptions SessionMessage SessionPeers SessionStore StoredSession VersionedSession nodeHandler serveHttp

interface AuthInfo {
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
interface Caller {
    readonly info?: Implementation | undefined;
    readonly capabilities: ClientCapabilities;
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
export interface EndedSessions {
    add(name: string, lifeMs: number): void | Promise<void>;
    has(name: string): boolean | Promise<boolean>;
}
interface ErrorBody {
    readonly code: number;
    readonly message: string;
    readonly data?: unknown;
}
export interface EventLog {
    append(stream: string, event: LoggedEvent): void | Promise<void>;
    read(stream: string, after: number): readonly LoggedEvent[] | undefined | Promise<readonly LoggedEvent[] | undefined>;
    claim?(stream: string, requests: readonly Id[]): Promise<void>;
    orphaned?(stream: string): Promise<readonly Id[] | undefined>;
}
export interface HttpListener {
    readonly url: string;
    close(drainMs?: number): Promise<void>;
}
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
    ask(request: RpcRequest, signal?: AbortSignal): Promise<RpcResponse>;
    readonly auth?: AuthInfo | undefined;
    readonly revision?: string | undefined;
    readonly checked?: RpcRequest | undefined;
    readonly caller?: Caller | undefined;
    readonly of?: Id | undefined;
    readonly release?: ((retryMs?: number) => void) | undefined;
}
interface ListenHttpOptions {
    readonly port: number;
    readonly host?: string | undefined;
    readonly headersTimeoutMs?: number | undefined;
    readonly requestTimeoutMs?: number | undefined;
    readonly maxConnectionsPerAddress?: number | undefined;
    readonly clock?: Clock | undefined;
}
export interface LoggedEvent {
    readonly seq: number;
    readonly data: string;
    readonly last?: boolean;
}
type LoggingLevel = (typeof loggingLevels)[number];
type Message = RpcRequest | RpcNotification | RpcResponse;
interface MirroredHeader {
    readonly name: string;
    readonly path: readonly string[];
}
export interface NodeHandler {
    (request: IncomingMessage, response: ServerResponse, next?: () => void): void;
    close(drainMs?: number): Promise<void>;
}
export interface NodeHandlerOptions extends HttpOptions {
    readonly path?: string | undefined;
    readonly sse?: string | undefined;
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
export interface PutOptions {
    readonly expected: string | undefined;
    readonly ttlMs: number;
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
export interface ServeHttpOptions extends NodeHandlerOptions, ListenHttpOptions {
    readonly host?: string | undefined;
    readonly clock?: Clock | undefined;
    readonly dangerouslyAllowUnauthenticated?: boolean | undefined;
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
export interface SessionMessage {
    readonly session: string;
    readonly principal: string;
    readonly message: RpcNotification | RpcResponse;
}
export interface SessionPeers {
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
type StoreOperation = 'get' | 'put' | 'touch' | 'delete' | 'append' | 'read';
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
declare const loggingLevels: readonly ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
export declare function nodeHandler(server: Servable, options?: NodeHandlerOptions): NodeHandler;
export declare function serveHttp(server: Servable, options: ServeHttpOptions): Promise<HttpListener>;
