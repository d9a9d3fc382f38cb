/** Listens for HTTP with bounds on slow and many connections, and closes without cutting off the last responses. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { withTimeout } from '../../peer/wait.ts';
import { limitConnections } from './connections.ts';

/** Where a handler listens. */
export interface ListenHttpOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** 127.0.0.1. */
  readonly host?: string | undefined;
  /** How long a client can take to send its headers. 10 s. */
  readonly headersTimeoutMs?: number | undefined;
  /** How long a client can take to send a whole request. 30 s. */
  readonly requestTimeoutMs?: number | undefined;
  /** Connections that one address can hold. 200; addresses of this machine are not counted, since a proxy can be there. */
  readonly maxConnectionsPerAddress?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** What requests are given to. */
export interface ListenedHandler {
  (request: IncomingMessage, response: ServerResponse): void;
  /** Waits for open requests, then ends every stream. */
  close(drainMs: number): Promise<void>;
}

/** A server that listens. Closing it lets calls finish first. */
export interface HttpListener {
  readonly url: string;
  /** Stops listening, waits up to 10 s for open requests, and ends every stream with a hint to come back. */
  close(drainMs?: number): Promise<void>;
}

/** How long clients can take to read the last responses. */
const LAST_READ_MS = 1_000;
/** Connections that the system accepts before we do; by default it has fewer. */
const MAX_ACCEPTED = 4_096;

/** `path` is that of the URL that is returned. */
export async function listenHttp(
  handler: ListenedHandler,
  options: ListenHttpOptions,
  path: string,
): Promise<HttpListener> {
  const { port, host = '127.0.0.1' } = options;
  const { headersTimeoutMs: headersTimeout = 10_000, requestTimeoutMs: requestTimeout = 30_000 } = options;
  // A client must not hold a connection by sending slowly, or make us read endless headers.
  const connectionsCheckingInterval = Math.min(1_000, headersTimeout, requestTimeout);
  const limits = { headersTimeout, requestTimeout, connectionsCheckingInterval, maxHeaderSize: 16_384 };
  /** The last response on each connection: those before it are finished first. */
  const last = new Map<Socket, ServerResponse>();
  // Of a header that is there twice, such as `Host`, Node keeps the first, and a proxy can have checked the last.
  const reading = { ...limits, joinDuplicateHeaders: true };
  const listener = createServer({ ...reading, keepAliveTimeout: 5_000, noDelay: true }, (request, response) => {
    last.set(request.socket, response);
    handler(request, response);
  });
  // Node drops those beyond a number without a word: what is said twice would be seen once. Their size is limited.
  listener.maxHeadersCount = 0;
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
      await takeAccepted(listener);
      // Not the listener's own `close`: that cuts off clients that are still reading a response.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(listener, () => resolve()));
      await handler.close(drainMs);
      // The last responses are on their way; clients that have not read them by then lose them.
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
      // It also has a timer of its own.
      listener.close(() => undefined);
    },
  };
}

/**
 * Takes the connections that the system has accepted for us: closing the listener would reset them, and their clients could not know
 * whether a request was read. Each turn of the event loop takes one of them, so that a turn without one has found none.
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
