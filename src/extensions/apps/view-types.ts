/** What a view can do: the types of `mooring/view`. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { DisplayMode, ViewContext } from './bridge-types.ts';

/** Who the view is, and how it can be shown. */
export interface ViewOptions {
  readonly name: string;
  readonly version: string;
  /** Every way it can be shown; `inline` alone by default. */
  readonly displayModes?: readonly DisplayMode[];
}

/** The result of a tool. */
export interface ViewResult {
  /** Its structured content. */
  readonly data: unknown;
  /** Its text blocks, joined. */
  readonly text: string;
  readonly content: readonly JsonObject[];
  readonly isError: boolean;
  readonly meta: JsonObject;
}

/** The connection of a page to its host. A listener that comes late gets the last value. */
export interface ConnectedView {
  /** The name and version of the host. */
  readonly host: JsonObject;
  /** What the host can do, and which permissions it granted: try nothing that is not there. */
  readonly capabilities: JsonObject;
  /** All that the host has said about itself so far. */
  readonly context: ViewContext;
  /** The arguments of the call that the view is for. */
  onInput(listener: (args: JsonObject) => void): void;
  /** Arguments that a model is still writing. Show them; decide nothing by them. */
  onPartialInput(listener: (args: JsonObject) => void): void;
  /** The result of the call that the view is for. */
  onResult(listener: (result: ViewResult) => void): void;
  onCancelled(listener: (reason: string | undefined) => void): void;
  /** Called at once, and after each change. Theme, CSS variables and fonts are applied to the document without it. */
  onContext(listener: (context: ViewContext) => void): void;
  /** The view is about to end; the host waits for what the listener returns, though not long. */
  onTeardown(listener: (reason: string | undefined) => unknown): void;
  /** Calls a tool of the view's server. Rejects if the tool fails or the host declines. */
  call(name: string, args?: JsonObject): Promise<ViewResult>;
  /** Reads a resource of the view's server. */
  read(uri: string): Promise<readonly JsonObject[]>;
  /** Puts text into the conversation, in the user's name. */
  tell(text: string): Promise<void>;
  /** What the model knows from the next turn on. It replaces what was remembered before; nothing clears it. */
  remember(what?: string | JsonObject): Promise<void>;
  openLink(url: string): Promise<void>;
  /** Resolves with the mode that holds now, which can be another one. */
  requestDisplayMode(mode: DisplayMode): Promise<DisplayMode>;
  log(level: string, data: unknown): void;
}
