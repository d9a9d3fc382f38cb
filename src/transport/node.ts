/** The entry point `mooring/node`: serving HTTP on Node, alone or inside a framework. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { badDefinition } from '../errors.ts';
import { isLoopbackHost } from '../model/loopback.ts';
import { systemClock } from '../peer/clock.ts';
import type { Servable } from '../peer/exchange.ts';
import { limitConnections } from './http/connections.ts';
import type { HttpOptions } from './http/http-settings.ts';
import { NodeReply, NodeView } from './http/node.ts';
import { HttpRejection } from './http/rejections.ts';
import { HttpService } from './http/service.ts';
import { SseEndpoints } from './http/sse-endpoints.ts';
import { takenOver } from './take-over.ts';

export type { Authenticator, AuthRejection, AuthRequest } from '../model/auth.ts';
export type { EventLog, LoggedEvent } from './http/event-log.ts';
export type { HttpOptions } from './http/http-settings.ts';
export type { EndedSessions, SealedSessionSpec } from './http/sealed-session-spec.ts';
export type { PutOptions, SessionStore, StoredSession, VersionedSession } from './http/session-store.ts';

/** Settings of a server on HTTP, and the paths it answers on. */
export interface NodeHandlerOptions extends HttpOptions {
  /** The endpoint's path; other paths go to `next`, or get 404. By default every request is for the endpoint. */
  readonly path?: string | undefined;
  /** A path for clients of the oldest HTTP transport, such as `/sse`. Off by default. */
  readonly sse?: string | undefined;
}

/** A listener for `node:http`, and a middleware for what is built on it. */
export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse, next?: () => void): void;
  /** Stops taking requests, waits for open ones (10 s by default), then ends every stream. */
  close(drainMs?: number): Promise<void>;
}

/** A handler for `node:http` and for every framework that hands over its request and response. */
export function nodeHandler(server: Servable, options: NodeHandlerOptions = {}): NodeHandler {
  const service = new HttpService(server, options);
  const sse = options.sse === undefined ? undefined : new SseEndpoints(server, service, options.path);
  const handle = (request: IncomingMessage, response: ServerResponse, next?: () => void): void => {
    // Frameworks shorten `url` where a handler is mounted, and keep what the client sent.
    const original = 'originalUrl' in request ? request.originalUrl : undefined;
    const target = typeof original === 'string' ? original : (request.url ?? '');
    const at = target.indexOf('?');
    const path = at === -1 ? target : target.slice(0, at);
    const query = at === -1 ? '' : target.slice(at + 1);
    const view = new NodeView(request, path, query);
    const reply = new NodeReply(request, response);
    if (!path.startsWith('/')) service.reject(view, reply, new HttpRejection('target', {}));
    else if (options.auth?.documents !== undefined && service.admission.sendDocument(view, reply)) return;
    else if (sse !== undefined && path === options.sse) void sse.answer({ view, reply, path, query });
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
export interface ServeHttpOptions extends NodeHandlerOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** 127.0.0.1. Other addresses need `auth`. */
  readonly host?: string | undefined;
  /** How long a client can take to send its headers. 10 s. */
  readonly headersTimeoutMs?: number | undefined;
  /** How long a client can take to send a whole request. 30 s. */
  readonly requestTimeoutMs?: number | undefined;
  /** Connections that one address can hold. 200; addresses of this machine are not counted, since a proxy can be there. */
  readonly maxConnectionsPerAddress?: number | undefined;
  /** Serves every client that can reach the address, without verifying callers. */
  readonly dangerouslyAllowUnauthenticated?: boolean | undefined;
}

/** A server that listens. Closing it lets calls finish first. */
export interface HttpListener {
  readonly url: string;
  /** Stops listening, waits up to 10 s for open requests, and ends every stream with a hint to come back. */
  close(drainMs?: number): Promise<void>;
}

/** How long clients can take to read the last responses. */
const LAST_READ_MS = 1_000;

/** Listens on this machine. `await serveHttp(server, { port: 3000 })` serves http://127.0.0.1:3000/mcp. */
export async function serveHttp(server: Servable, options: ServeHttpOptions): Promise<HttpListener> {
  const taken = takenOver()?.(server, 'http');
  if (taken !== undefined) return taken;
  const { port, host = '127.0.0.1', path = '/mcp', dangerouslyAllowUnauthenticated = false } = options;
  if (!isLoopbackHost(host) && options.auth === undefined && !dangerouslyAllowUnauthenticated) {
    const why = `${host} can be reached from other machines; give "auth", or say dangerouslyAllowUnauthenticated`;
    throw badDefinition('serveHttp', why);
  }
  const handler = nodeHandler(server, { ...options, path });
  await server.prepare?.();
  const { headersTimeoutMs: headersTimeout = 10_000, requestTimeoutMs: requestTimeout = 30_000 } = options;
  // A client must not hold a connection by sending slowly, or make us read endless headers.
  const connectionsCheckingInterval = Math.min(1_000, headersTimeout, requestTimeout);
  const limits = { headersTimeout, requestTimeout, connectionsCheckingInterval, maxHeaderSize: 16_384 };
  /** The last response on each connection: those before it are finished first. */
  const last = new Map<Socket, ServerResponse>();
  const listener = createServer({ ...limits, keepAliveTimeout: 5_000, noDelay: true }, (request, response) => {
    last.set(request.socket, response);
    handler(request, response);
  });
  listener.on('connection', (socket: Socket) => void socket.once('close', () => last.delete(socket)));
  limitConnections(listener, options.maxConnectionsPerAddress ?? 200, options.clock ?? systemClock);
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(port, host, resolve);
  });
  const { address, family, port: bound } = listener.address() as AddressInfo; // it listens on a port, not on a pipe
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}${path}`,
    async close(drainMs = 10_000) {
      const clock = options.clock ?? systemClock;
      const until = clock.now() + drainMs;
      // Not the listener's own `close`: that cuts off clients that are still reading a response.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(listener, () => resolve()));
      await handler.close(drainMs);
      // The last responses are on their way; clients that have not read them by then lose them.
      await new Promise<void>((resolve) => {
        const stop = clock.after(Math.max(LAST_READ_MS, until - clock.now()), resolve);
        const look = (): void => {
          const unfinished = [...last.values()].find((one) => !one.writableFinished && !one.destroyed);
          if (unfinished !== undefined) unfinished.once('close', look);
          else {
            stop();
            resolve();
          }
        };
        look();
      });
      listener.closeAllConnections();
      await closed;
      // It also has a timer of its own.
      listener.close(() => undefined);
    },
  };
}
