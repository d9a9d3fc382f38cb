/** Views of servers as the application of a host sees them. */
import type { AttemptResult } from '../../client/index.ts';
import type { ViewBridge, ViewContext, ViewHandlers, ViewPort } from '../../extensions/apps/bridge-types.ts';
import type { ViewSettings } from '../../extensions/apps/view-policy.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { DefinitionStatus } from '../act/act.ts';

/** Settings of a host that shows views. */
export interface AppsOptions {
  /** Offers views what no stable text has yet: downloads, and asking for their own end. */
  readonly draft?: boolean;
}

/** The call whose result a view shows. */
export interface ShownCall {
  readonly arguments: JsonObject;
  /** May still be running. Where it fails, the view learns that the call was cancelled. */
  readonly result?: AttemptResult | Promise<AttemptResult>;
}

/** What the application does for a view, after the gate allowed it. What is missing, the view cannot ask for. */
export interface ConnectViewOptions extends Pick<ViewHandlers, 'displayMode' | 'resized' | 'log'> {
  readonly call?: ShownCall;
  /** Theme, locale, dimensions. */
  readonly context?: ViewContext;
  /** Gets what the user agreed to say: hand it to `session.run`. */
  readonly onMessage?: (text: string) => void | Promise<void>;
  /** Draft: gets a file that the user agreed to save. The name has no path in it. */
  readonly onDownload?: (file: DownloadedFile) => void | Promise<void>;
}

/** A file that a view made. */
export interface DownloadedFile {
  readonly name: string;
  readonly mimeType: string | undefined;
  readonly bytes: Uint8Array;
}

/** The page of a tool, read and compared with the lock. Render it in a sandbox, and connect its port. */
export interface View {
  /** The label of its server. The view can use no other. */
  readonly server: string;
  readonly uri: string;
  readonly html: string;
  /** What its server declares: hand it to the sandbox. */
  readonly settings: ViewSettings;
  /** Places in `_meta.ui` that cannot be granted, such as `csp.connectDomains[0]`. */
  readonly dropped: readonly string[];
  /** How it compared with the lock before it was read this time. */
  readonly status: DefinitionStatus;
  /** Connects the page, before its frame gets an address. It ends with the session. */
  connect(port: ViewPort, options?: ConnectViewOptions): ViewBridge;
}
