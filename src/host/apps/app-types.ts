/** The types with which an application of a host shows views of servers. */
import type { AttemptResult } from '../../client/index.ts';
import type { ViewBridge, ViewContext, ViewHandlers, ViewPort } from '../../extensions/apps/bridge-types.ts';
import type { ViewSettings } from '../../extensions/apps/view-policy.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { DefinitionStatus } from '../act/act.ts';

/** Options of a host for views. */
export interface AppsOptions {
  /** Enables features that are drafts in the specification: downloads, and closing the view at its own request. */
  readonly draft?: boolean;
}

/** The call whose result a view shows. */
export interface ShownCall {
  readonly arguments: JsonObject;
  /** The result or its promise. If it rejects, the view gets `tool-cancelled`. */
  readonly result?: AttemptResult | Promise<AttemptResult>;
}

/** Handlers for requests of a view, called after the gate allowed them. A missing handler disables the feature. */
export interface ConnectViewOptions extends Pick<ViewHandlers, 'displayMode' | 'resized' | 'log'> {
  readonly call?: ShownCall;
  /** Theme, locale, dimensions. */
  readonly context?: ViewContext;
  /** Called with a message that the user approved: pass it to `session.run`. */
  readonly onMessage?: (text: string) => void | Promise<void>;
  /** Draft: called with a file that the user agreed to save. The name contains no path. */
  readonly onDownload?: (file: DownloadedFile) => void | Promise<void>;
}

/** A file that a view created. */
export interface DownloadedFile {
  readonly name: string;
  readonly mimeType: string | undefined;
  readonly bytes: Uint8Array;
}

/** The HTML page of a tool, compared with the lock file. Render it in a sandbox, and connect its port. */
export interface View {
  /** The label of its server, the only one that the view can use. */
  readonly server: string;
  readonly uri: string;
  readonly html: string;
  /** The server's declared settings: pass them to the sandbox. */
  readonly settings: ViewSettings;
  /** Paths in `_meta.ui` of invalid settings, which were dropped, such as `csp.connectDomains[0]`. */
  readonly dropped: readonly string[];
  /** The status in the lock file before this call. */
  readonly status: DefinitionStatus;
  /** Connects the page. Call it before the frame gets its URL. The bridge closes with the session. */
  connect(port: ViewPort, options?: ConnectViewOptions): ViewBridge;
}
