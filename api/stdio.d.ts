// The entry point "mooring/stdio": 2 names. Written by `npm run api`.
// StdioOptions serveStdio

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
interface ConversationOptions {
    readonly clock?: Clock | undefined;
    readonly maxLineBytes?: number | undefined;
    readonly maxQueueBytes?: number | undefined;
    readonly maxInFlight?: number | undefined;
    readonly drainMs?: number | undefined;
    readonly onStray?: ((what: string, message: unknown) => void) | undefined;
}
interface ErrorBody {
    readonly code: number;
    readonly message: string;
    readonly data?: unknown;
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
type LoggingLevel = (typeof loggingLevels)[number];
type Message = RpcRequest | RpcNotification | RpcResponse;
interface MirroredHeader {
    readonly name: string;
    readonly path: readonly string[];
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
export interface StdioOptions extends ConversationOptions {
    readonly input?: Readable | undefined;
    readonly output?: Writable | undefined;
}
declare const loggingLevels: readonly ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
export declare function serveStdio(server: Servable, options?: StdioOptions): Promise<void>;
