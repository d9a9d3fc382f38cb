/** The entry point `mooring/node`: serves HTTP on Node, standalone or inside a framework. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { badDefinition } from '../errors.ts';
import { checkOptions, type OptionNames } from '../model/check-options.ts';
import { isLoopbackHost } from '../model/loopback.ts';
import { valueKind } from '../model/value-kind.ts';
import { checkServable } from '../peer/check-servable.ts';
import type { Clock } from '../peer/clock.ts';
import type { Servable } from '../peer/exchange.ts';
import { type HttpOptions, httpOptionNames } from './http/http-settings.ts';
import { type HttpListener, type ListenHttpOptions, listenHttp } from './http/listen-http.ts';
import { NodeReply } from './http/node-reply.ts';
import { NodeView } from './http/node-view.ts';
import { HttpRejection } from './http/rejections.ts';
import { HttpService } from './http/service.ts';
import { SseEndpoints } from './http/sse-endpoints.ts';
import { TurnWrites } from './http/turn-writes.ts';
import { installedTakeOver } from './take-over.ts';

export type { Authenticator, AuthRejection, AuthRequest } from '../model/auth.ts';
export type { EventLog, LoggedEvent } from './http/event-log.ts';
export type { HttpOptions } from './http/http-settings.ts';
export type { HttpListener } from './http/listen-http.ts';
export type { EndedSessions, SealedSessionSpec } from './http/sealed-session-spec.ts';
export type { SessionMessage, SessionPeers } from './http/session-peers.ts';
export type { PutOptions, SessionStore, StoredSession, VersionedSession } from './http/session-store.ts';

/** Options of `nodeHandler`: those of every HTTP server, and paths. */
export interface NodeHandlerOptions extends HttpOptions {
  /** Path of the MCP endpoint. Requests to other paths go to `next`, or get 404. Default: every path. */
  readonly path?: string | undefined;
  /** Path for clients of HTTP+SSE, the transport of the oldest revision, such as `/sse`. Off by default. */
  readonly sse?: string | undefined;
}

const handlerOptionNames: OptionNames<NodeHandlerOptions> = { ...httpOptionNames, path: true, sse: true };

/** A request listener for `node:http`, and a middleware for frameworks built on it. */
export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse, next?: () => void): void;
  /** Graceful shutdown: rejects new requests, waits for open ones (10 s by default), then ends every stream. */
  close(drainMs?: number): Promise<void>;
}

/** Creates a handler for `node:http`, and for every framework that exposes Node's request and response. */
export function nodeHandler(server: Servable, options: NodeHandlerOptions = {}): NodeHandler {
  checkServable('nodeHandler', server);
  checkOptions('nodeHandler(server, options)', options, handlerOptionNames);
  return makeHandler(server, options);
}

/** The path of a request target in absolute form, which some proxies send. Empty if its host differs from the `Host` that is checked. */
function withoutOrigin(target: string, host: string | undefined): string {
  const [, authority, path = ''] = /^https?:\/\/([^/?]+)(\/.*)$/i.exec(target) ?? [];
  return authority?.toLowerCase() === host?.toLowerCase() ? path : '';
}

function makeHandler(server: Servable, options: NodeHandlerOptions): NodeHandler {
  for (const name of ['path', 'sse'] as const) {
    const given = options[name] ?? '/';
    if (!given.startsWith('/')) throw badDefinition('HTTP', `${name} is "${given}"; it must begin with "/"`);
  }
  const service = new HttpService(server, options);
  const writes = new TurnWrites(service.settings.clock);
  const sse = options.sse === undefined ? undefined : new SseEndpoints(server, service, options.path);
  const handle = (request: IncomingMessage, response: ServerResponse, next?: () => void): void => {
    // Frameworks strip the mount path from `url`, and keep the client's URL in `originalUrl`.
    const original = 'originalUrl' in request ? request.originalUrl : undefined;
    const sent = typeof original === 'string' ? original : (request.url ?? '');
    const target = sent.startsWith('/') ? sent : withoutOrigin(sent, request.headers.host);
    const at = target.indexOf('?');
    const path = at === -1 ? target : target.slice(0, at);
    const query = at === -1 ? '' : target.slice(at + 1);
    const view = new NodeView(request, path, query);
    const reply = new NodeReply(request, response, writes);
    if (!path.startsWith('/')) service.reject(view, reply, new HttpRejection('target', {}));
    else if (options.auth?.documents !== undefined && service.admission.sendDocument(view, reply)) return;
    else if (sse !== undefined && path === options.sse) void sse.answer(view, reply);
    else if (options.path === undefined || path === options.path) void service.answer(view, reply);
    else if (next !== undefined) next();
    else service.reject(view, reply, new HttpRejection('path', { path: options.path }));
  };
  const close = async (drainMs = 10_000): Promise<void> => {
    await service.close(drainMs);
    sse?.close();
  };
  return Object.assign(handle, { close });
}

/** Options of `serveHttp`: those of `nodeHandler`, and where to listen. */
export interface ServeHttpOptions extends NodeHandlerOptions, ListenHttpOptions {
  /** Default: 127.0.0.1. An address that other machines can reach needs `auth`. */
  readonly host?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Serves without `auth` on an address that other machines can reach. */
  readonly dangerouslyAllowUnauthenticated?: boolean | undefined;
}

const serveOptionNames: OptionNames<ServeHttpOptions> = {
  ...{ port: true, host: true },
  ...handlerOptionNames,
  ...{ headersTimeoutMs: true, requestTimeoutMs: true, maxConnectionsPerAddress: true },
  ...{ dangerouslyAllowUnauthenticated: true },
};

/** Serves HTTP. `await serveHttp(server, { port: 3000 })` listens on http://127.0.0.1:3000/mcp. */
export async function serveHttp(server: Servable, options: ServeHttpOptions): Promise<HttpListener> {
  checkServable('serveHttp', server);
  checkOptions('serveHttp(server, { port })', options, serveOptionNames);
  const { port } = options;
  // Without a port, Node picks a free one; for other text, it creates a Unix socket with that name.
  if (!/^\d{1,5}$/.test(String(port)) || port > 65_535) {
    const why = `"port" must be a number from 0, for a free one, to 65535, not ${valueKind(port)}`;
    throw badDefinition('serveHttp', why);
  }
  const taken = installedTakeOver()?.(server, 'http');
  if (taken !== undefined) return taken;
  const { host = '127.0.0.1', path = '/mcp', dangerouslyAllowUnauthenticated = false } = options;
  if (!isLoopbackHost(host) && options.auth === undefined && !dangerouslyAllowUnauthenticated) {
    const why = `${host} can be reached from other machines; give "auth", or say dangerouslyAllowUnauthenticated`;
    throw badDefinition('serveHttp', why);
  }
  const handler = makeHandler(server, { ...options, path });
  await server.prepare?.();
  return listenHttp(handler, options, path);
}
