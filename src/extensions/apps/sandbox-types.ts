/** Types of the sandbox server, which serves views to a host, and of the URLs that `mountView` needs. */
import type { ViewSettings } from './view-policy.ts';

/** A view to serve: a whole HTML document, and the access that it gets. */
export interface ViewSource {
  readonly html: string;
  readonly settings: ViewSettings;
  /** Allows `eval` and blob workers. The host must decide this for each server, never the metadata of a server. */
  readonly relaxed?: boolean;
}

/** A served view. Each has its own origin. */
export interface SandboxedView {
  /** The URL of the outer frame: the proxy page, which relays messages between host and view. */
  readonly proxyUrl: string;
  /** The URL of the inner frame: the view, which the proxy page loads when the host sends `ui/notifications/sandbox-resource-ready`. */
  readonly viewUrl: string;
  /** Like `proxyUrl`, for browsers that do not resolve `*.localhost`. The view has no storage there. */
  readonly plainUrl: string;
  /** The `allow` attribute of the outer frame, from the granted permissions. */
  readonly allow: string;
  /** Stops serving the view. Until then, its frame can be reloaded and moved. */
  close(): void;
}

/** Serves views on loopback. */
export interface SandboxServer {
  readonly port: number;
  /** `hostOrigin` is the origin of the page that shows the view, such as `http://localhost:3000`. */
  open(view: ViewSource, hostOrigin: string): SandboxedView;
  close(): Promise<void>;
}
