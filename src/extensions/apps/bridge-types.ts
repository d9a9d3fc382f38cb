/** Types of the bridge between a host and a view, which is an untrusted page of a server in a sandbox. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Implementation } from '../../model/caller.ts';
import type { Content, EmbeddedResource, ResourceLink } from '../../model/content.ts';
import type { CallToolResult } from '../../model/parts.ts';
import type { Clock } from '../../peer/clock.ts';

/** The transport to a view: `postMessage` of its frame, or a relay to it. */
export interface ViewPort {
  send(message: JsonObject): void;
  /** Called once, before the first `send`. Messages are untrusted input. */
  onMessage(listener: (message: unknown) => void): void;
  close(): void;
}

/** How a view is shown. */
export type DisplayMode = 'inline' | 'fullscreen' | 'pip';

/** The state of the host that a view gets: theme, size, locale and others. */
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

/** A message that a view sends to the conversation in the user's name. */
export interface ViewMessage {
  readonly role: 'user';
  readonly content: readonly Content[];
}

/** Context for the model from its next turn on. Replaces the previous one. */
export interface ModelContext {
  readonly content?: readonly Content[];
  readonly structuredContent?: JsonObject;
}

/** The size of a view's content, in pixels. */
export interface ViewSize {
  readonly width?: number;
  readonly height?: number;
}

/**
 * Handlers for requests of a view. The view's capabilities are the handlers that you pass. If a handler throws, the view gets error
 * -32000 with the code of an `McpError` and no message; an `RpcError` is passed on as it is, because it is from the view's own server.
 * The signal is aborted when the view cancels the request, reloads or ends.
 */
export interface ViewHandlers {
  callTool?(name: string, args: JsonObject, signal: AbortSignal): Promise<CallToolResult>;
  readResource?(uri: string, signal: AbortSignal): Promise<JsonObject>;
  openLink?(url: string, signal: AbortSignal): Promise<void>;
  message?(message: ViewMessage, signal: AbortSignal): Promise<void>;
  updateContext?(context: ModelContext, signal: AbortSignal): Promise<void>;
  /** Returns the resulting mode. Called only for modes that the view declared. */
  displayMode?(mode: DisplayMode, signal: AbortSignal): Promise<DisplayMode>;
  /** Called at most ten times a second. */
  resized?(size: ViewSize): void;
  log?(params: JsonObject): void;
  /** Draft. */
  download?(contents: readonly (EmbeddedResource | ResourceLink)[], signal: AbortSignal): Promise<void>;
  /** Draft. */
  sample?(params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Draft: the view asks to be closed. */
  leave?(): void;
}

/** Settings of a bridge. */
export interface BridgeOptions {
  readonly hostInfo: Implementation;
  readonly hostContext?: ViewContext;
  /** The granted `permissions` and `csp`, in the format of `_meta.ui`. */
  readonly sandbox?: JsonObject;
  readonly clock?: Clock;
  /** Enables the handlers of the draft specification: `download`, `sample`, `leave`. */
  readonly draft?: boolean;
  /** Called for violations by the view and exceptions in handlers, once for each kind. */
  readonly onWarning?: (warning: string) => void;
}

/**
 * `made`: the view has not sent a request yet. `loading`: its `ui/initialize` was answered. `initialized`: the handshake is complete.
 * `live`: it got its input. `leaving`: a teardown is in progress. `gone`: closed.
 */
export type ViewState = 'made' | 'loading' | 'initialized' | 'live' | 'leaving' | 'gone';

/** Why a bridge ended: it was torn down, the view never finished its handshake, or the port failed. */
export type ViewEnd = 'teardown' | 'no handshake' | 'port failed';

/** The host's side of the connection to one view. Messages are queued until the view is ready. */
export interface ViewBridge {
  readonly state: ViewState;
  /** Sends incomplete arguments while the model is still writing them. Ignored after `input`. */
  partialInput(args: JsonObject): void;
  /** Sends the complete arguments. Call it once. */
  input(args: JsonObject): void;
  /** Sends the result of the tool, after the input. Call it once, and not after `cancelled`. */
  result(result: CallToolResult): void;
  cancelled(reason?: string): void;
  /** Sends the members that changed. Omits a display mode that the view did not declare. */
  contextChanged(changes: ViewContext): void;
  /** Notifies the view, waits up to two seconds for its response, and closes the port. */
  teardown(reason?: string): Promise<void>;
  readonly closed: Promise<ViewEnd>;
}
