/** Types of `mooring/view`, for the page inside the frame. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { DisplayMode, ViewContext } from './bridge-types.ts';

/** Settings of `connectView`. */
export interface ViewOptions {
  readonly name: string;
  readonly version: string;
  /** The display modes that the view supports. Default: `inline`. */
  readonly displayModes?: readonly DisplayMode[];
}

/** The result of a tool, as a view gets it. */
export interface ViewResult {
  /** The structured content. Without it, the last text block, if that is JSON. */
  readonly data: unknown;
  /** The text blocks, joined by line breaks. */
  readonly text: string;
  readonly content: readonly JsonObject[];
  readonly isError: boolean;
  readonly meta: JsonObject;
}

/** The connection of a page to its host. A listener that is added late gets the last value. */
export interface ConnectedView {
  /** The name and version of the host. */
  readonly host: JsonObject;
  /** The capabilities of the host, and the permissions that it granted. Use only what is listed. */
  readonly capabilities: JsonObject;
  /** The current context: theme, size, locale and other state of the host. */
  readonly context: ViewContext;
  /** The arguments of the call that the view is for. */
  onInput(listener: (args: JsonObject) => void): void;
  /** Incomplete arguments, while the model is still writing them. Use them for display only. */
  onPartialInput(listener: (args: JsonObject) => void): void;
  /** The result of the call that the view is for. */
  onResult(listener: (result: ViewResult) => void): void;
  onCancelled(listener: (reason: string | undefined) => void): void;
  /** Called immediately, and after each change. Theme, CSS variables and fonts are applied to the document automatically. */
  onContext(listener: (context: ViewContext) => void): void;
  /** Called before the host closes the view. The host waits for the returned promise, for a limited time. */
  onTeardown(listener: (reason: string | undefined) => unknown): void;
  /** Calls a tool of the view's server. Rejects if the tool fails or the host declines. */
  call(name: string, args?: JsonObject): Promise<ViewResult>;
  /** Reads a resource of the view's server. */
  read(uri: string): Promise<readonly JsonObject[]>;
  /** Sends text to the conversation as a message of the user. */
  tell(text: string): Promise<void>;
  /** Sets context for the model from its next turn on. Replaces the previous context. */
  remember(what?: string | JsonObject): Promise<void>;
  openLink(url: string): Promise<void>;
  /** Resolves with the resulting mode, which can differ from the requested one. */
  requestDisplayMode(mode: DisplayMode): Promise<DisplayMode>;
  log(level: string, data: unknown): void;
}
