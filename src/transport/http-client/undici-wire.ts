/** HTTP on Node, over undici connections to one origin. Loaded when a connection to a URL is opened. */
import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
  type Inflate,
} from 'node:zlib';
import type { buildConnector, Client, Dispatcher } from 'undici';
import makeConnector from 'undici/lib/core/connect.js';
import UndiciClient from 'undici/lib/dispatcher/client.js';
import type { Wire, WireCall, WireReceiver, WireRequest } from './wire.ts';

/** Timeout for establishing a connection. */
const CONNECT_MS = 10_000;

export function undiciWire(origin: string): Wire {
  return new ConnectionPool(origin);
}

/**
 * A connection pool with one request per connection at a time. Undici's own pool allocates a queue of 16 KiB per conversation and
 * retains every client; this one drops clients that are disconnected.
 */
class ConnectionPool implements Wire {
  readonly #origin: string;
  readonly #connect: buildConnector.connector = makeConnector({ timeout: CONNECT_MS });
  readonly #all: Set<Client> = new Set();
  /** Clients with an open request. */
  readonly #busy: Set<Client> = new Set();
  /** Idle clients, in order of last use. */
  readonly #free: Client[] = [];

  constructor(origin: string) {
    this.#origin = origin;
  }

  send({ method, url, headers, body }: WireRequest, receiver: WireReceiver): WireCall {
    const client = this.#free.pop() ?? this.#open();
    this.#busy.add(client);
    const answer = new UndiciResponse(receiver, (isWhole) => {
      this.#busy.delete(client);
      // Deferred, because undici is still handling the error.
      if (!isWhole) queueMicrotask(() => this.#drop(client));
    });
    client.dispatch({ method, path: url.pathname + url.search, headers, body: body ?? null }, answer);
    return answer;
  }

  close(): void {
    for (const client of this.#all) this.#drop(client);
  }

  #open(): Client {
    // No timeouts of undici: callers set deadlines, and a stream can be idle for hours.
    const client = new UndiciClient(this.#origin, { headersTimeout: 0, bodyTimeout: 0, connect: this.#connect });
    // `drain` fires a turn after the response has ended, so that a connection that the server closes is not reused.
    client.on('drain', () => {
      if (this.#all.has(client) && !this.#busy.has(client)) this.#free.push(client);
    });
    client.on('disconnect', () => {
      if (!this.#busy.has(client)) this.#drop(client);
    });
    this.#all.add(client);
    return client;
  }

  #drop(client: Client): void {
    const at = this.#free.indexOf(client);
    if (at !== -1) this.#free.splice(at, 1);
    this.#all.delete(client);
    client.destroy().catch(() => undefined);
  }
}

class UndiciResponse implements Dispatcher.DispatchHandler, WireCall {
  #receiver: WireReceiver | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #decoder: Decoder | undefined;

  readonly #onEnd: (isWhole: boolean) => void;

  /** `onEnd` is called when the connection is no longer used, with whether the response was read to its end. */
  constructor(receiver: WireReceiver, onEnd: (isWhole: boolean) => void) {
    this.#receiver = receiver;
    this.#onEnd = onEnd;
  }

  abort(): void {
    this.#receiver = undefined;
    this.#decoder?.destroy();
    this.#controller?.abort(new Error('No longer wanted'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The request was aborted while it waited for a connection.
    if (this.#receiver === undefined) controller.abort(new Error('No longer wanted'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    // Frees the buffers of header names and values, which would live as long as the response.
    controller.rawHeaders = null;
    const header = (name: string): string | undefined => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    };
    const encoding = header('content-encoding');
    if (encoding !== undefined && encoding !== 'identity') this.#decode(encoding);
    this.#receiver?.head(status, header);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#decoder === undefined) this.#receiver?.data(chunk);
    // Backpressure: a decompression bomb arrives faster than it can be decompressed.
    else if (!this.#decoder.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#onEnd(true);
    if (this.#decoder === undefined) this.#receiver?.end();
    else this.#decoder.end();
  }

  onResponseError(_: unknown, error: unknown): void {
    this.#onEnd(false);
    this.#decoder?.destroy();
    this.#failed(error);
  }

  #failed(error: unknown): void {
    const receiver = this.#receiver;
    this.#receiver = undefined;
    receiver?.fail(error, this.#controller !== undefined);
  }

  /** Decompresses a response. We never ask for compression, but some servers send it. The receiver limits the decompressed bytes. */
  #decode(encoding: string): void {
    const decoder = decoderOf(encoding);
    if (decoder === undefined) {
      this.#failed(new Error(`the content encoding "${encoding}" is not known`));
      this.abort();
      return;
    }
    this.#decoder = decoder;
    decoder.on('data', (chunk: Uint8Array) => this.#receiver?.data(chunk));
    decoder.on('drain', () => this.#controller?.resume());
    decoder.on('end', () => this.#receiver?.end());
    decoder.on('error', (error) => {
      this.#failed(error);
      this.abort();
    });
  }
}

type Decoder = Gunzip | Inflate | BrotliDecompress;

function decoderOf(encoding: string): Decoder | undefined {
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
