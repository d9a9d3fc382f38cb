// The entry point "mooring/view": 6 names. Written by `npm run api`.
// ConnectedView DisplayMode ViewContext ViewOptions ViewResult connectView

export interface ConnectedView {
    readonly host: JsonObject;
    readonly capabilities: JsonObject;
    readonly context: ViewContext;
    onInput(listener: (args: JsonObject) => void): void;
    onPartialInput(listener: (args: JsonObject) => void): void;
    onResult(listener: (result: ViewResult) => void): void;
    onCancelled(listener: (reason: string | undefined) => void): void;
    onContext(listener: (context: ViewContext) => void): void;
    onTeardown(listener: (reason: string | undefined) => unknown): void;
    call(name: string, args?: JsonObject): Promise<ViewResult>;
    read(uri: string): Promise<readonly JsonObject[]>;
    tell(text: string): Promise<void>;
    remember(what?: string | JsonObject): Promise<void>;
    openLink(url: string): Promise<void>;
    requestDisplayMode(mode: DisplayMode): Promise<DisplayMode>;
    log(level: string, data: unknown): void;
}
export type DisplayMode = 'inline' | 'fullscreen' | 'pip';
interface JsonObject {
    readonly [key: string]: unknown;
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
export interface ViewOptions {
    readonly name: string;
    readonly version: string;
    readonly displayModes?: readonly DisplayMode[];
}
export interface ViewResult {
    readonly data: unknown;
    readonly text: string;
    readonly content: readonly JsonObject[];
    readonly isError: boolean;
    readonly meta: JsonObject;
}
export declare function connectView(options: ViewOptions): Promise<ConnectedView>;
