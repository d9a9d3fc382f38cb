// The entry point "mooring/transport": 31 names. Written by `npm run api`.
// Clock Command Connection CredentialsInUse Duplex DuplexOptions Exchange Id JsonObject Layer LineFault Lines LinesOptions Link Message PeerSession RpcFailure RpcNotification RpcRequest RpcResponse RpcSuccess Servable ServedConversation ServerPush Transport childTransport faultOf linkWith memoryTransport parse systemClock

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
interface ChildProgram {
    readonly command: string;
    readonly args?: readonly string[] | undefined;
    readonly env?: Readonly<Record<string, string>> | undefined;
    readonly cwd?: string | undefined;
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
export interface Clock {
    now(): number;
    wall(): number;
    after(ms: number, run: () => void, options?: {
        readonly idle: true;
    }): () => void;
}
export interface Command extends ChildProgram {
    readonly clock?: Clock | undefined;
    readonly maxLineBytes?: number | undefined;
    readonly maxUnreadBytes?: number | undefined;
    readonly maxInFlight?: number | undefined;
    readonly onStderr?: ((text: string) => void) | undefined;
    readonly onStray?: ((what: string, sample: string, isMalformed?: true) => void) | undefined;
}
export interface Connection {
    readonly exchange: Exchange;
    close(): Promise<void>;
    readonly closed: Promise<Error | undefined>;
    readonly replies?: boolean;
    readonly silence?: (() => Error | undefined) | undefined;
    readonly credentials?: CredentialsInUse | undefined;
    readonly standing?: StandingStream | undefined;
}
export interface CredentialsInUse {
    readonly last: number;
    now(operation: string, signal: AbortSignal): Promise<number>;
}
export declare class Duplex {
    #private;
    constructor(options: DuplexOptions);
    readonly exchange: Exchange;
    receive(value: unknown, from?: LinkFacts): void;
    drained(): Promise<void>;
    fail(id: Id, reason: Error): void;
    end(reason: Error): void;
    renew(): void;
    send(message: RpcNotification | RpcResponse): void;
    ask(request: RpcRequest, call?: Link): Promise<RpcResponse>;
    push(end: () => void, id?: string): ServerPush;
}
export interface DuplexOptions {
    readonly send: (message: Message | readonly Message[]) => void;
    readonly sendRequest?: ((request: RpcRequest) => RequestCarrier) | undefined;
    readonly inbound: Exchange;
    readonly session: PeerSession;
    readonly maxInFlight?: number | undefined;
    readonly ignoreNoise?: boolean;
    readonly onStray?: ((what: string, message: unknown, isMalformed?: true) => void) | undefined;
}
interface ErrorBody {
    readonly code: number;
    readonly message: string;
    readonly data?: unknown;
}
export type Exchange = (message: Message, link: Link) => Promise<RpcResponse | undefined>;
type Icon = {
    readonly src: string;
    readonly mimeType?: string;
    readonly sizes?: readonly string[];
    readonly theme?: 'light' | 'dark';
};
export type Id = string | number;
type Implementation = {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
    readonly description?: string;
    readonly websiteUrl?: string;
    readonly icons?: readonly Icon[];
};
export interface JsonObject {
    readonly [key: string]: unknown;
}
export interface Layer {
    (next: Exchange, closed?: Promise<Error | undefined>): Exchange;
    readonly inbound?: Layer;
}
export type LineFault = 'too long' | 'not UTF-8';
export declare class Lines {
    #private;
    constructor(options: LinesOptions);
    push(bytes: Uint8Array): void;
    end(): void;
}
export interface LinesOptions {
    readonly onLine: (line: string) => void;
    readonly onDropped: (fault: LineFault, head: string) => void;
    readonly maxBytes?: number | undefined;
    readonly lossy?: boolean;
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
type LinkFacts = Pick<Link, 'auth' | 'revision' | 'checked' | 'caller' | 'of'>;
type LoggingLevel = (typeof loggingLevels)[number];
export type Message = RpcRequest | RpcNotification | RpcResponse;
interface MirroredHeader {
    readonly name: string;
    readonly path: readonly string[];
}
export interface PeerSession {
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
interface RequestCarrier {
    settled(): void;
}
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
export interface Servable {
    prepare?(): Promise<void> | undefined;
    open(push: ServerPush, session: PeerSession): ServedConversation;
    readonly revisions?: readonly string[];
    mirrored?(request: RpcRequest, auth?: AuthInfo): readonly MirroredHeader[];
    nameParam?(method: string): string | undefined;
    scopes?(request: RpcRequest): readonly string[];
}
export interface ServedConversation {
    exchange(message: Message, link: Link): Promise<RpcResponse | undefined>;
    close(): void;
}
export interface ServerPush {
    readonly id?: string;
    readonly auth?: AuthInfo | undefined;
    notify(notification: RpcNotification): void;
    ask(request: RpcRequest): Promise<RpcResponse>;
    end(): void;
    renew?(): void;
}
interface StandingStream {
    follow(listener: StandingStreamListener): () => void;
}
interface StandingStreamListener {
    opened(isWhole: boolean): void;
    ended(reason: Error): void;
}
export type Transport = (inbound: Exchange, session: PeerSession) => Promise<Connection>;
export declare function childTransport(command: Command): Transport;
export declare function faultOf(value: unknown): string | undefined;
export declare function linkWith(link: Link, replaced: Partial<Link>): Link;
declare const loggingLevels: readonly ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
export declare function memoryTransport(server: Servable): Transport;
export declare function parse(text: string): unknown;
export declare const systemClock: Clock;
