// The entry point "mooring/otel": 3 names. Written by `npm run api`.
// Telemetry TelemetryOptions telemetry

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
interface ErrorBody {
    readonly code: number;
    readonly message: string;
    readonly data?: unknown;
}
type Exchange = (message: Message, link: Link) => Promise<RpcResponse | undefined>;
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
type Message = RpcRequest | RpcNotification | RpcResponse;
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
export interface Telemetry {
    readonly server: Layer;
    readonly client: Layer;
}
export interface TelemetryOptions {
    readonly tracer?: Tracer;
    readonly meter?: Meter;
    readonly clock?: Clock;
}
export declare function telemetry(options?: TelemetryOptions): Telemetry;
