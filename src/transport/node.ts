/** The entry point `mooring/node`: serving HTTP on Node, alone or inside a framework. */
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
import { takenOver } from './take-over.ts';

export type { Authenticator, AuthRejection, AuthRequest } from '../model/auth.ts';
export type { EventLog, LoggedEvent } from './http/event-log.ts';
export type { HttpOptions } from './http/http-settings.ts';
export type { HttpListener } from './http/listen-http.ts';
export type { EndedSessions, SealedSessionSpec } from './http/sealed-session-spec.ts';
export type { SessionMessage, SessionPeers } from './http/session-peers.ts';
export type { PutOptions, SessionStore, StoredSession, VersionedSession } from './http/session-store.ts';

/** Settings of a server on HTTP, and the paths it answers on. */
export interface NodeHandlerOptions extends HttpOptions {
  /** The endpoint's path; other paths go to `next`, or get 404. By default every request is for the endpoint. */
  readonly path?: string | undefined;
  /** A path for clients of the oldest HTTP transport, such as `/sse`. Off by default. */
  readonly sse?: string | undefined;
}

const handlerOptionNames: OptionNames<NodeHandlerOptions> = { ...httpOptionNames, path: true, sse: true };

/** A listener for `node:http`, and a middleware for what is built on it. */
export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse, next?: () => void): void;
  /** Stops taking requests, waits for open ones (10 s by default), then ends every stream. */
  close(drainMs?: number): Promise<void>;
}

/** A handler for `node:http` and for every framework that hands over its request and response. */
export function nodeHandler(server: Servable, options: NodeHandlerOptions = {}): NodeHandler {
  checkServable('nodeHandler', server);
  checkOptions('nodeHandler(server, options)', options, handlerOptionNames);
  return makeHandler(server, options);
}

/** Some proxies send the whole URL. Its host must be the one that is checked; its path is taken as it is, like any other. */
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
    // Frameworks shorten `url` where a handler is mounted, and keep what the client sent.
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

/** Settings of a server on HTTP, and where it listens. */
export interface ServeHttpOptions extends NodeHandlerOptions, ListenHttpOptions {
  /** 127.0.0.1. Other addresses need `auth`. */
  readonly host?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Serves every client that can reach the address, without verifying callers. */
  readonly dangerouslyAllowUnauthenticated?: boolean | undefined;
}

const serveOptionNames: OptionNames<ServeHttpOptions> = {
  ...{ port: true, host: true },
  ...handlerOptionNames,
  ...{ headersTimeoutMs: true, requestTimeoutMs: true, maxConnectionsPerAddress: true },
  ...{ dangerouslyAllowUnauthenticated: true },
};

/** Listens on this machine. `await serveHttp(server, { port: 3000 })` serves http://127.0.0.1:3000/mcp. */
export async function serveHttp(server: Servable, options: ServeHttpOptions): Promise<HttpListener> {
  checkServable('serveHttp', server);
  checkOptions('serveHttp(server, { port })', options, serveOptionNames);
  const { port } = options;
  // Without one, Node takes any free port, and of other text it makes a socket in the file system.
  if (!/^\d{1,5}$/.test(String(port)) || port > 65_535) {
    const why = `"port" must be a number from 0, for a free one, to 65535, not ${valueKind(port)}`;
    throw badDefinition('serveHttp', why);
  }
  const taken = takenOver()?.(server, 'http');
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
