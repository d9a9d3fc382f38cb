/** The entry point `mooring/sandbox`, for hosts on Node: a loopback HTTP server that isolates each view by origin and `Content-Security-Policy`. */
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { badDefinition, McpError } from '../../errors.ts';
import { type ProxyPage, proxyHtml, proxyPolicy } from './proxy-page.ts';
import type { SandboxedView, SandboxServer, ViewSource } from './sandbox-types.ts';
import { viewPermissions, viewPolicy } from './view-policy.ts';

export type { SandboxedView, SandboxServer, ViewSource } from './sandbox-types.ts';
export { readViewSettings, type ViewPermission, type ViewSettings } from './view-policy.ts';

/** Settings of a sandbox server. */
export interface SandboxOptions {
  /** The port to listen on. Default: any free port. */
  readonly port?: number;
  /** Maximum number of open views. Default: 64. */
  readonly maxViews?: number;
}

const MAX_VIEWS = 64;
const MAX_VIEW_HTML_BYTES = 4 * 1024 * 1024;
/** How many ports are tried to find one that is free for both IPv4 and IPv6. */
const PORT_ATTEMPTS = 20;

interface ServedPage {
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Pages by host and path. An exact match is required, which prevents DNS rebinding: a request with another `Host` gets 404. */
type ServedPages = Map<string, ServedPage>;

/** Starts the server. Only frames in browsers on this machine can load views. */
export async function sandboxServer(options: SandboxOptions = {}): Promise<SandboxServer> {
  const pages: ServedPages = new Map();
  const open = new Set<string>();
  const listener: RequestListener = (request, response) => respond(pages, request, response);
  const { servers, port } = await listenOnLoopback(listener, options.port ?? 0);
  return {
    port,
    open(view, hostOrigin) {
      const most = options.maxViews ?? MAX_VIEWS;
      if (open.size >= most) throw badDefinition('The sandbox', `${most} views are open (maxViews). Close one first`);
      const body = Buffer.from(view.html);
      if (body.length > MAX_VIEW_HTML_BYTES) throw tooLarge();
      const label = `v-${randomBytes(16).toString('hex')}`;
      const { urls, served } = viewPages(label, port, { ...view, body }, hostOrigin);
      open.add(label);
      for (const [address, page] of served) pages.set(address, page);
      const close = (): void => {
        open.delete(label);
        for (const address of served.keys()) pages.delete(address);
      };
      return { ...urls, allow: viewPermissions(view.settings).allow, close };
    },
    async close() {
      pages.clear();
      await Promise.all(servers.map(closeServer));
    },
  };
}

const tooLarge = (): McpError =>
  new McpError('MCP_TOO_LARGE', { what: 'The HTML of the view', limit: MAX_VIEW_HTML_BYTES, setting: 'fixed' });

type ViewUrls = Pick<SandboxedView, 'proxyUrl' | 'viewUrl' | 'plainUrl'>;

/** The pages of one view: proxy and view, each at `*.localhost`, and at 127.0.0.1 for browsers that do not resolve that name. */
function viewPages(
  label: string,
  port: number,
  view: ViewSource & { readonly body: Buffer },
  hostOrigin: string,
): { readonly urls: ViewUrls; readonly served: ServedPages } {
  const served: ServedPages = new Map();
  const permissions = viewPermissions(view.settings);
  const serve = (proxy: string, inner: string, isOwnOrigin: boolean): void => {
    const sandbox = `allow-scripts allow-forms${isOwnOrigin ? ' allow-same-origin' : ''}`;
    const ancestors = [new URL(`http://${proxy}`).origin, hostOrigin];
    const policy = `${viewPolicy(view.settings, ancestors, view.relaxed)}; sandbox ${sandbox}`;
    const viewUrl = `http://${inner}`;
    const viewOrigin = isOwnOrigin ? new URL(viewUrl).origin : 'null';
    const page: ProxyPage = { viewUrl, viewOrigin, hostOrigin, sandbox, allow: permissions.allow };
    const nonce = randomBytes(16).toString('base64');
    // A frame can only delegate permissions that it has itself, so the proxy page gets them for all origins.
    const passedOn = permissions.header.replaceAll('=(self)', '=*');
    const { connect, load, frames } = view.settings;
    served.set(proxy, {
      body: proxyHtml(page, nonce),
      headers: headersOf(proxyPolicy(page, nonce), passedOn, [new URL(viewUrl).origin]),
    });
    served.set(inner, {
      body: view.body,
      headers: headersOf(policy, permissions.header, [...connect, ...load, ...frames]),
    });
  };
  const [proxy, inner] = [`${label}.localhost:${port}/`, `${label}-c.localhost:${port}/`];
  const plain = `127.0.0.1:${port}/${label}`;
  serve(proxy, inner, true);
  serve(`${plain}/`, `${plain}-c/`, false);
  return { urls: { proxyUrl: `http://${proxy}`, viewUrl: `http://${inner}`, plainUrl: `http://${plain}/` }, served };
}

const headersOf = (
  policy: string,
  permissions: string,
  reachable: readonly string[],
): Readonly<Record<string, string>> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  'Permissions-Policy': permissions,
  // Covers what CSP does not, in browsers that support this header: WebRTC and preconnects.
  'Connection-Allowlist': `(response-origin${reachable.map((origin) => ` "${origin}/*"`).join('')});redirects=allow;webrtc=block`,
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
});

function respond(pages: ServedPages, request: IncomingMessage, response: ServerResponse): void {
  const { host = '', 'sec-fetch-dest': destination } = request.headers;
  const page = pages.get(`${host.toLowerCase()}${request.url?.split('?', 1)[0]}`);
  // Rejects requests that are not for a frame, but for a tab, a script or a service worker, in browsers that send `Sec-Fetch-Dest`.
  const isForFrame = destination === undefined || destination === 'iframe';
  if (page === undefined || !isForFrame || request.method !== 'GET')
    response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Unknown view.\n');
  else response.writeHead(200, page.headers).end(page.body);
}

/** Listens on IPv4 and IPv6 with one port. Otherwise another program could take the port of the other family, and receive requests for views. */
async function listenOnLoopback(
  listener: RequestListener,
  wanted: number,
): Promise<{ readonly servers: readonly Server[]; readonly port: number }> {
  for (let attempt = 1; ; attempt++) {
    const first = await listen(createServer(listener), wanted, '127.0.0.1');
    const { port } = first.address() as AddressInfo; // a TCP server that listens
    try {
      return { servers: [first, await listen(createServer(listener), port, '::1')], port };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException; // as Node's sockets fail
      if (code !== 'EADDRINUSE') return { servers: [first], port }; // this machine has no IPv6
      await closeServer(first);
      if (wanted !== 0 || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function listen(server: Server, port: number, host: string): Promise<Server> {
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
