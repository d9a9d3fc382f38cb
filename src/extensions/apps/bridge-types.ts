/** Types of the bridge between a host and a view: a page that a server made, in a sandbox. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Implementation } from '../../model/caller.ts';
import type { Content, EmbeddedResource, ResourceLink } from '../../model/content.ts';
import type { CallToolResult } from '../../model/parts.ts';
import type { Clock } from '../../peer/clock.ts';

/** The way to a view: `postMessage` of its frame, or whatever passes messages on to it. */
export interface ViewPort {
  send(message: JsonObject): void;
  /** Called once, before anything is sent. Messages are the view's: nothing about them is certain. */
  onMessage(listener: (message: unknown) => void): void;
  close(): void;
}

/** How a view is shown. */
export type DisplayMode = 'inline' | 'fullscreen' | 'pip';

/** What a view learns about where it is shown. */
export interface ViewContext extends JsonObject {
  readonly toolInfo?: { readonly id?: string | number; readonly tool: object };
  readonly theme?: 'light' | 'dark';
  readonly styles?: JsonObject;
  readonly displayMode?: DisplayMode;
  readonly availableDisplayModes?: readonly DisplayMode[];
  /** Fixed with `width` and `height`, flexible with `maxWidth` and `maxHeight`. */
  readonly containerDimensions?: Readonly<Record<string, number>>;
  readonly locale?: string;
  readonly timeZone?: string;
  readonly userAgent?: string;
  readonly platform?: 'web' | 'desktop' | 'mobile';
}

/** Text that a view puts into the conversation in the user's name. */
export interface ViewMessage {
  readonly role: 'user';
  readonly content: readonly Content[];
}

/** What a view wants a model to know from the next turn on. Each replaces the one before. */
export interface ModelContext {
  readonly content?: readonly Content[];
  readonly structuredContent?: JsonObject;
}

/** Pixels. */
export interface ViewSize {
  readonly width?: number;
  readonly height?: number;
}

/**
 * What a view can ask for. A handler that is missing is a capability that the view does not have, and one that throws refuses:
 * the view gets the error -32000, and nothing of what was thrown but its code. An `RpcError` is the server's, and goes through.
 * The signal aborts when the view cancels the request, reloads or ends.
 */
export interface ViewHandlers {
  callTool?(name: string, args: JsonObject, signal: AbortSignal): Promise<CallToolResult>;
  readResource?(uri: string, signal: AbortSignal): Promise<JsonObject>;
  openLink?(url: string, signal: AbortSignal): Promise<void>;
  message?(message: ViewMessage, signal: AbortSignal): Promise<void>;
  updateContext?(context: ModelContext, signal: AbortSignal): Promise<void>;
  /** Returns the mode that holds now. Only modes that the view declared are asked for. */
  displayMode?(mode: DisplayMode, signal: AbortSignal): Promise<DisplayMode>;
  /** At most ten times a second. */
  resized?(size: ViewSize): void;
  log?(params: JsonObject): void;
  /** Draft. */
  download?(contents: readonly (EmbeddedResource | ResourceLink)[], signal: AbortSignal): Promise<void>;
  /** Draft. */
  sample?(params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Draft: the view wants to end. */
  leave?(): void;
}

/** Settings of a bridge. */
export interface BridgeOptions {
  readonly hostInfo: Implementation;
  readonly hostContext?: ViewContext;
  /** What the sandbox grants: `permissions` and `csp`, as the view's server spells them. */
  readonly sandbox?: JsonObject;
  readonly clock?: Clock;
  /** Offers what no stable text has yet: `download`, `sample`, `leave`. */
  readonly draft?: boolean;
  /** Gets what is odd about the view, once for each kind. */
  readonly onWarning?: (warning: string) => void;
}

/**
 * `made`: nothing was heard of the view. `loading`: it was answered. `initialized`: it is ready. `live`: it has its input.
 * `leaving`: it was told that it ends. `gone`: nothing is sent or heard any more.
 */
export type ViewState = 'made' | 'loading' | 'initialized' | 'live' | 'leaving' | 'gone';

/** Why a bridge ended: it was torn down, the view never finished its handshake, or the port failed. */
export type ViewEnd = 'teardown' | 'no handshake' | 'port failed';

/** The host's end of the way to one view. What is said too early is kept until the view is ready. */
export interface ViewBridge {
  readonly state: ViewState;
  /** Arguments that a model is still writing; ignored after `input`. */
  partialInput(args: JsonObject): void;
  /** Once. */
  input(args: JsonObject): void;
  /** Once, and not after `cancelled`. The view gets it after its input. */
  result(result: CallToolResult): void;
  cancelled(reason?: string): void;
  /** Only what changed. A display mode that the view did not declare is left out. */
  contextChanged(changes: ViewContext): void;
  /** Tells the view that it ends, waits two seconds at most, and closes the port. */
  teardown(reason?: string): Promise<void>;
  readonly closed: Promise<ViewEnd>;
}
