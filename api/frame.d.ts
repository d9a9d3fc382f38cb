// The entry point "mooring/frame": 16 names. Written by `npm run api`.
// BridgeOptions DisplayMode ModelContext MountOptions SandboxedView ViewBridge ViewContext ViewEnd ViewHandlers ViewLoss ViewMessage ViewPort ViewSize ViewState mountView openBridge

type Annotations = {
    readonly audience?: readonly Role[];
    readonly priority?: number;
    readonly lastModified?: string;
};
type AudioContent = Media & {
    readonly type: 'audio';
};
type Block = {
    readonly annotations?: Annotations;
    readonly _meta?: Meta;
};
export interface BridgeOptions {
    readonly hostInfo: Implementation;
    readonly hostContext?: ViewContext;
    readonly sandbox?: JsonObject;
    readonly clock?: Clock;
    readonly draft?: boolean;
    readonly onWarning?: (warning: string) => void;
}
type CallToolResult = {
    readonly content: readonly Content[];
    readonly structuredContent?: unknown;
    readonly isError?: boolean;
    readonly _meta?: Meta;
};
interface Clock {
    now(): number;
    wall(): number;
    after(ms: number, run: () => void, options?: {
        readonly idle: true;
    }): () => void;
}
type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;
type Described = {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly icons?: readonly Icon[];
    readonly _meta?: Meta;
};
export type DisplayMode = 'inline' | 'fullscreen' | 'pip';
type EmbeddedResource = Block & {
    readonly type: 'resource';
    readonly resource: ResourceContents;
};
type Icon = {
    readonly src: string;
    readonly mimeType?: string;
    readonly sizes?: readonly string[];
    readonly theme?: 'light' | 'dark';
};
type ImageContent = Media & {
    readonly type: 'image';
};
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
type Media = Block & {
    readonly data: string;
    readonly mimeType: string;
};
type Meta = JsonObject;
export interface ModelContext {
    readonly content?: readonly Content[];
    readonly structuredContent?: JsonObject;
}
export interface MountOptions {
    readonly title?: string;
    readonly onLost?: (why: ViewLoss) => void;
    readonly clock?: Clock;
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
type ResourceLink = Resource & {
    readonly type: 'resource_link';
};
type Role = 'user' | 'assistant';
export interface SandboxedView {
    readonly proxyUrl: string;
    readonly viewUrl: string;
    readonly plainUrl: string;
    readonly allow: string;
    close(): void;
}
type TextContent = Block & {
    readonly type: 'text';
    readonly text: string;
};
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
export interface ViewHandlers {
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
export type ViewLoss = 'unreachable' | 'silent';
export interface ViewMessage {
    readonly role: 'user';
    readonly content: readonly Content[];
}
export interface ViewPort {
    send(message: JsonObject): void;
    onMessage(listener: (message: unknown) => void): void;
    close(): void;
}
export interface ViewSize {
    readonly width?: number;
    readonly height?: number;
}
export type ViewState = 'made' | 'loading' | 'initialized' | 'live' | 'leaving' | 'gone';
export declare const mountView: (container: Element, view: Pick<SandboxedView, 'proxyUrl' | 'plainUrl' | 'allow'>, options?: MountOptions) => ViewPort;
export declare const openBridge: (port: ViewPort, handlers: ViewHandlers, options: BridgeOptions) => ViewBridge;
