// The door "mooring/stdio": 2 names. Written by `npm run api`.
// StdioOptions serveStdio

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
    readonly revision?: string | undefined;
    readonly checked?: RpcRequest | undefined;
    readonly caller?: Caller | undefined;
    readonly of?: Id | undefined;
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

// transport/pipe-conversation.d.ts
export interface ConversationOptions {
    readonly clock?: Clock | undefined;
    readonly maxLineBytes?: number | undefined;
    readonly maxQueueBytes?: number | undefined;
    readonly maxInFlight?: number | undefined;
    readonly drainMs?: number | undefined;
    readonly onStray?: ((what: string, message: unknown) => void) | undefined;
}

// transport/stdio.d.ts
export interface StdioOptions extends ConversationOptions {
    readonly input?: Readable | undefined;
    readonly output?: Writable | undefined;
}
export declare function serveStdio(server: Servable, options?: StdioOptions): Promise<void>;
