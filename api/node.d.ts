// The door "mooring/node": 16 names. Written by `npm run api`.
// AuthRejection AuthRequest Authenticator EventLog HttpListener HttpOptions LoggedEvent NodeHandler NodeHandlerOptions PutOptions ServeHttpOptions SessionStore StoredSession VersionedSession nodeHandler serveHttp

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

// peer/clock.d.ts
export interface Clock {
    now(): number;
    wall(): number;
    after(ms: number, run: () => void, options?: {
        readonly idle: true;
    }): () => void;
}

// peer/exchange.d.ts
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

// transport/node.d.ts
export interface HttpListener {
    readonly url: string;
    close(drainMs?: number): Promise<void>;
}
export interface NodeHandler {
    (request: IncomingMessage, response: ServerResponse, next?: () => void): void;
    close(drainMs?: number): Promise<void>;
}
export interface NodeHandlerOptions extends HttpOptions {
    readonly path?: string | undefined;
    readonly sse?: string | undefined;
}
export interface ServeHttpOptions extends NodeHandlerOptions {
    readonly port: number;
    readonly host?: string | undefined;
    readonly headersTimeoutMs?: number | undefined;
    readonly requestTimeoutMs?: number | undefined;
    readonly maxConnectionsPerAddress?: number | undefined;
    readonly dangerouslyAllowUnauthenticated?: boolean | undefined;
}
export declare function nodeHandler(server: Servable, options?: NodeHandlerOptions): NodeHandler;
export declare function serveHttp(server: Servable, options: ServeHttpOptions): Promise<HttpListener>;
