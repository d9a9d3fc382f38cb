// The entry point "mooring/sandbox": 8 names. Written by `npm run api`.
// SandboxOptions SandboxServer SandboxedView ViewPermission ViewSettings ViewSource readViewSettings sandboxServer

export interface SandboxOptions {
    readonly port?: number;
    readonly maxViews?: number;
}
export interface SandboxServer {
    readonly port: number;
    open(view: ViewSource, hostOrigin: string): SandboxedView;
    close(): Promise<void>;
}
export interface SandboxedView {
    readonly proxyUrl: string;
    readonly viewUrl: string;
    readonly plainUrl: string;
    readonly allow: string;
    close(): void;
}
export type ViewPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite';
export interface ViewSettings {
    readonly connect: readonly string[];
    readonly load: readonly string[];
    readonly frames: readonly string[];
    readonly base: readonly string[];
    readonly permissions: readonly ViewPermission[];
    readonly domain?: string;
    readonly border?: boolean;
}
export interface ViewSource {
    readonly html: string;
    readonly settings: ViewSettings;
    readonly relaxed?: boolean;
}
export declare function readViewSettings(ui: unknown): {
    readonly settings: ViewSettings;
    readonly dropped: readonly string[];
};
export declare function sandboxServer(options?: SandboxOptions): Promise<SandboxServer>;
