/** The HTTP server of the workbench: static page, JSON-RPC, server-sent events, large results. Listens on loopback by default. */
import type { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { CollectedBytes } from '../model/collected-bytes.ts';
import type { Clock } from '../peer/clock.ts';
import { Access, hostOf } from './access.ts';
import type { EventFeed } from './event-feed.ts';
import type { LargeResults } from './large-results.ts';

/** Maximum size of a request body. */
const MAX_BODY_BYTES: number = 8 * 1024 * 1024;
const MAX_REQUESTS_A_SECOND = 200;
/** Delay of the response to a wrong token, and how many of these responses can wait at once. */
const PENALTY_MS = 1_000;
const MAX_PENALTIES = 32;
const KEEP_ALIVE_MS = 15_000;
/** Backpressure limit: a page with more unread bytes is disconnected, and catches up when it reconnects. */
const MAX_UNREAD_BYTES: number = 16 * 1024 * 1024;

export interface ServeWorkbenchOptions {
  readonly port: number;
  /** 127.0.0.1, or the address of `--dangerously-listen`. */
  readonly address: string;
  /** The folder of the built page. */
  readonly folder: URL;
  readonly feed: EventFeed;
  readonly large: LargeResults;
  readonly clock: Clock;
  /** Origins of view sandboxes, for `frame-src`. */
  readonly frameSources: readonly string[];
  onForeignOrigin(origin: string): void;
  answer(request: unknown): Promise<JsonObject>;
  /** Called with the number of pages that listen for events, when it changes. */
  onPages?(count: number): void;
}

export interface ServedWorkbench {
  readonly origin: string;
  /** A URL for one more page. */
  invite(): string;
  close(): Promise<void>;
}

const types: ReadonlyMap<string, string> = new Map([
  ['html', 'text/html; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['svg', 'image/svg+xml'],
]);

/** Rejects if the port is in use. */
export async function serveWorkbench(options: ServeWorkbenchOptions): Promise<ServedWorkbench> {
  const access = new Access(options);
  const pages = new WorkbenchPages(options, access);
  const server = createServer((request, response) => void pages.respond(request, response));
  server.on('upgrade', (request, socket) => {
    // WebSockets are never accepted; this reports the origin.
    access.fault(request.headers, { method: 'GET', isOpened: false });
    socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
  });
  server.listen(options.port, options.address);
  await once(server, 'listening');
  access.host = hostOf(server.address() as AddressInfo); // it listens on a port
  return {
    origin: access.origin,
    invite: () => access.invite(),
    async close() {
      pages.close();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

class WorkbenchPages {
  readonly #options: ServeWorkbenchOptions;
  readonly #access: Access;
  readonly #streams: Set<ServerResponse> = new Set();
  readonly #files: ReadonlySet<string>;
  #penalties = 0;
  #second = 0;
  #requests = 0;

  constructor(options: ServeWorkbenchOptions, access: Access) {
    this.#options = options;
    this.#access = access;
    this.#files = filesIn(options.folder);
  }

  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#route(request, response);
    } catch (error) {
      if (!response.headersSent) this.#send(response, 500, String(error));
      response.destroy();
    }
  }

  close(): void {
    for (const stream of this.#streams) stream.end();
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, headers, url = '/' } = request;
    const { pathname, searchParams } = new URL(`http://workbench${url}`);
    const name = pathname === '/' ? 'index.html' : pathname.slice(1);
    const isPage = method === 'GET' && types.has(name.split('.').at(-1) ?? '');
    const fault = this.#access.fault(headers, { method, isOpened: isPage });
    if (fault !== undefined) return this.#send(response, 403, fault);
    if (isPage) return this.#file(name, response);
    const route = `${method} ${pathname.startsWith('/blob/') ? '/blob' : pathname}`;
    if (route === 'POST /start') return this.#start(request, response);
    if (!routes.has(route)) return this.#send(response, 404, 'unknown path');
    if (!this.#access.isAuthorized(headers.authorization)) return this.#penalize(response);
    if (route === 'GET /events') return this.#stream(searchParams.get('since'), response);
    if (route === 'GET /blob') return this.#blob(pathname.slice('/blob/'.length), response);
    if (this.#isTooFast())
      return this.#send(response, 429, `more than ${MAX_REQUESTS_A_SECOND} requests in one second`);
    const body = await bodyOf(request);
    if (body === undefined) return this.#send(response, 413, `the request body is larger than ${MAX_BODY_BYTES} bytes`);
    this.#json(response, JSON.stringify(await this.#options.answer(jsonOf(body))));
  }

  async #start(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = jsonOf((await bodyOf(request)) ?? '');
    const start = isObject(body) ? body['token'] : undefined;
    const token = typeof start === 'string' ? this.#access.exchange(start) : undefined;
    if (token === undefined) await this.#penalize(response);
    else this.#json(response, JSON.stringify({ token }));
  }

  /** Answers 401 after a delay, which limits guessing. Drops the connection if too many responses wait. */
  async #penalize(response: ServerResponse): Promise<void> {
    if (this.#penalties >= MAX_PENALTIES) {
      response.destroy();
      return;
    }
    this.#penalties++;
    await new Promise<void>((resolve) => void this.#options.clock.after(PENALTY_MS, resolve));
    this.#penalties--;
    this.#send(
      response,
      401,
      'the token is invalid, already used or expired; press Enter in the terminal for another URL',
    );
  }

  #stream(since: string | null, response: ServerResponse): void {
    const { feed, clock, onPages } = this.#options;
    response.writeHead(200, { ...this.#headers('text/event-stream'), 'X-Accel-Buffering': 'no' });
    response.flushHeaders();
    const write = (text: string): void => {
      response.write(text);
      if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
    };
    const stop = feed.read({ write }, since === null ? undefined : Number(since));
    let cancel = (): void => undefined;
    const keepAlive = (): void => {
      cancel = clock.after(KEEP_ALIVE_MS, () => {
        write(': still here\n\n');
        keepAlive();
      });
    };
    keepAlive();
    this.#streams.add(response);
    onPages?.(this.#streams.size);
    response.once('close', () => {
      stop();
      cancel();
      this.#streams.delete(response);
      onPages?.(this.#streams.size);
    });
  }

  #blob(id: string, response: ServerResponse): void {
    const text = this.#options.large.take(id);
    if (text === undefined) this.#send(response, 404, 'unknown result: already fetched, or evicted by newer ones');
    else this.#json(response, text);
  }

  async #file(name: string, response: ServerResponse): Promise<void> {
    if (!this.#files.has(name)) {
      if (name === 'index.html') return this.#send(response, 503, 'The page is not built. Run: npm run build');
      return this.#send(response, 404, 'unknown file');
    }
    const type = types.get(name.split('.').at(-1) ?? '') ?? '';
    response.writeHead(200, this.#headers(type)).end(await readFile(new URL(name, this.#options.folder)));
  }

  #isTooFast(): boolean {
    const second = Math.floor(this.#options.clock.now() / 1000);
    if (second !== this.#second) this.#requests = 0;
    this.#second = second;
    return ++this.#requests > MAX_REQUESTS_A_SECOND;
  }

  #json(response: ServerResponse, text: string): void {
    response.writeHead(200, this.#headers('application/json')).end(text);
  }

  #send(response: ServerResponse, status: number, why: string): void {
    response.writeHead(status, this.#headers('text/plain; charset=utf-8')).end(`${why}\n`);
  }

  #headers(type: string): Readonly<Record<string, string>> {
    return {
      'Content-Type': type,
      'Content-Security-Policy': policyWith(this.#options.frameSources),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
    };
  }
}

const routes: ReadonlySet<string> = new Set(['POST /rpc', 'GET /events', 'GET /blob']);

const policyWith = (frames: readonly string[]): string =>
  [
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src data:; connect-src 'self'",
    `frame-src ${frames.length === 0 ? "'none'" : frames.join(' ')}`,
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  ].join('; ');

/** Names of the files that can be served: those directly in the folder, which prevents path traversal. */
function filesIn(folder: URL): ReadonlySet<string> {
  try {
    return new Set(readdirSync(fileURLToPath(folder)));
  } catch {
    return new Set();
  }
}

/** The request body; undefined if it is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const body = new CollectedBytes();
  // Does not destroy the socket of a body that is too large, so that the sender gets the 413 response.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const piece = chunk as Buffer; // no encoding is set
    if (body.size + piece.length > MAX_BODY_BYTES) return undefined;
    body.add(piece);
  }
  return new TextDecoder().decode(body.bytes);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
