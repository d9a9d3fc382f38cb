/** Listens for HTTP, limits slow and excess connections, and closes without cutting off the last responses. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { withTimeout } from '../../peer/wait.ts';
import { limitConnections } from './connections.ts';

/** Where a handler listens. */
export interface ListenHttpOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** How long a client can take to send its headers. 0: no limit. Default: 10 s. */
  readonly headersTimeoutMs?: number | undefined;
  /** How long a client can take to send a whole request. 0: no limit. Default: 30 s. */
  readonly requestTimeoutMs?: number | undefined;
  /** Maximum number of connections per address. Loopback addresses are not counted, because they can belong to a proxy. Default: 200. */
  readonly maxConnectionsPerAddress?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** Handles the requests of a listener. */
export interface ListenedHandler {
  (request: IncomingMessage, response: ServerResponse): void;
  /** Waits for open requests, then ends every stream. */
  close(drainMs: number): Promise<void>;
}

/** A listening HTTP server. */
export interface HttpListener {
  readonly url: string;
  /** Graceful shutdown: stops listening, waits up to 10 s for open requests, then ends every stream with a retry delay. */
  close(drainMs?: number): Promise<void>;
}

/** How long clients can take to read the last responses. */
const LAST_READ_MS = 1_000;
/** Upper bound for the listen backlog of the system, which is smaller by default. */
const MAX_ACCEPTED = 4_096;

/** `path` is used only for the returned `url`. */
export async function listenHttp(
  handler: ListenedHandler,
  options: ListenHttpOptions,
  path: string,
): Promise<HttpListener> {
  const { port, host = '127.0.0.1' } = options;
  const { headersTimeoutMs: headersTimeout = 10_000, requestTimeoutMs: requestTimeout = 30_000 } = options;
  // Slowloris: a client must not hold a connection by sending slowly, nor send endless headers.
  const connectionsCheckingInterval = Math.min(1_000, headersTimeout || 1_000, requestTimeout || 1_000);
  const limits = { headersTimeout, requestTimeout, connectionsCheckingInterval, maxHeaderSize: 16_384 };
  /** The last response on each connection. Earlier ones finish first. */
  const last = new Map<Socket, ServerResponse>();
  // Of a duplicate header such as `Host`, Node keeps the first by default, while a proxy can have checked the last.
  const reading = { ...limits, joinDuplicateHeaders: true };
  const listener = createServer({ ...reading, keepAliveTimeout: 5_000, noDelay: true }, (request, response) => {
    last.set(request.socket, response);
    handler(request, response);
  });
  // No limit on the number of headers: Node drops the rest silently, and so would hide duplicates. Their total size is limited.
  listener.maxHeadersCount = 0;
  listener.on('connection', (socket: Socket) => void socket.once('close', () => last.delete(socket)));
  limitConnections(listener, options.maxConnectionsPerAddress ?? 200, options.clock ?? systemClock);
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(port, host, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    throw toListenError(error, host, port);
  });
  const { address, family, port: bound } = listener.address() as AddressInfo; // it listens on a port, not on a pipe
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}${path}`,
    async close(drainMs = 10_000) {
      const clock = options.clock ?? systemClock;
      const until = clock.now() + drainMs;
      await takeAccepted(listener);
      // Not `http.Server.close`, which cuts off clients that are still reading a response.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(listener, () => resolve()));
      await handler.close(drainMs);
      // Waits until the last responses are flushed. Clients that do not read them in time lose them.
      const finished = new Promise<void>((resolve) => {
        const look = (): void => {
          const unfinished = [...last.values()].find((one) => !one.writableFinished && !one.destroyed);
          if (unfinished === undefined) resolve();
          else unfinished.once('close', look);
        };
        look();
      });
      await withTimeout(Math.max(LAST_READ_MS, until - clock.now()), clock, finished);
      listener.closeAllConnections();
      await closed;
      // Stops the timer of `http.Server` that checks connections.
      listener.close(() => undefined);
    },
  };
}

/** Node's error does not say what to do. Programs check its `code`, so that is kept. */
function toListenError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  const { code, syscall } = cause;
  const texts: Readonly<Record<string, string>> = {
    EADDRINUSE: `Another process listens on ${host}:${port}. Pass another port, or 0 for a free one`,
    EACCES: `Port ${port} requires administrator rights. Pass another port, or 0 for a free one`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Pass another host`,
  };
  return Object.assign(new Error(texts[code ?? ''] ?? cause.message, { cause }), {
    code,
    syscall,
    address: host,
    port,
  });
}

/**
 * Accepts the connections in the listen backlog: closing the listener would reset them, and their clients could not know whether a
 * request was read. Each turn of the event loop accepts one, so a turn without a connection means that the backlog is empty.
 */
async function takeAccepted(listener: Server): Promise<void> {
  let hasTaken = true;
  const note = (): void => {
    hasTaken = true;
  };
  listener.on('connection', note);
  await nextTurn();
  for (let taken = 0; hasTaken && taken < MAX_ACCEPTED; taken++) {
    hasTaken = false;
    await nextTurn();
  }
  listener.off('connection', note);
}
