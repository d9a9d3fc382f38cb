/** Types of the sandbox: where views are served from, and what a page needs to show one. */
import type { ViewSettings } from './view-policy.ts';

/** A view to serve: a whole HTML document, and what was granted to it. */
export interface ViewSource {
  readonly html: string;
  readonly settings: ViewSettings;
  /** Grants `eval` and blob workers. A host decides it for each server; metadata of a server never does. */
  readonly relaxed?: boolean;
}

/** A view that is being served, each with an origin of its own. */
export interface SandboxedView {
  /** The URL of the outer frame: a page between host and view that relays their messages. */
  readonly proxyUrl: string;
  /** The URL of the view, which that page loads when the host sends `ui/notifications/sandbox-resource-ready`. */
  readonly viewUrl: string;
  /** Like `proxyUrl`, for browsers that do not resolve names below `localhost`. The view has no storage there. */
  readonly plainUrl: string;
  /** The `allow` attribute of the outer frame: the permissions that were granted. */
  readonly allow: string;
  /** Stops serving it. Until then the frame can be reloaded and moved. */
  close(): void;
}

/** Serves views on loopback. */
export interface SandboxServer {
  readonly port: number;
  /** `hostOrigin` is the origin of the page that shows the view, such as `http://localhost:3000`. */
  open(view: ViewSource, hostOrigin: string): SandboxedView;
  close(): Promise<void>;
}
