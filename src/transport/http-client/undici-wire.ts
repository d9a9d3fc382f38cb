/** HTTP on Node, through undici's pool of connections to one origin. Loaded when a connection to a URL is opened. */
import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
  type Inflate,
} from 'node:zlib';
import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Wire, WireCall, WireReceiver } from './wire.ts';

/** How long the network may take to make a connection. */
const CONNECT_MS = 10_000;

export function undiciWire(origin: string): Wire {
  // Deadlines are ours: an answer may take as long as its caller likes, and a stream may be silent for hours.
  const pool = new Pool(origin, { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: CONNECT_MS } });
  return {
    send({ method, url, headers, body }, receiver) {
      const answer = new UndiciResponse(receiver);
      pool.dispatch({ method, path: url.pathname + url.search, headers, body: body ?? null }, answer);
      return answer;
    },
    close() {
      pool.destroy().catch(() => undefined);
    },
  };
}

class UndiciResponse implements Dispatcher.DispatchHandler, WireCall {
  #receiver: WireReceiver | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #decoder: Decoder | undefined;

  constructor(receiver: WireReceiver) {
    this.#receiver = receiver;
  }

  abort(): void {
    this.#receiver = undefined;
    this.#decoder?.destroy();
    this.#controller?.abort(new Error('No longer wanted'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Aborted while it waited for a connection.
    if (this.#receiver === undefined) controller.abort(new Error('No longer wanted'));
  }

  onResponseStart(_: unknown, status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void {
    if (status < 200) return;
    const header = (name: string): string | undefined => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    };
    const encoding = header('content-encoding');
    if (encoding !== undefined && encoding !== 'identity') this.#decode(encoding);
    this.#receiver?.head(status, header);
  }

  onResponseData(_: unknown, chunk: Uint8Array): void {
    if (this.#decoder === undefined) this.#receiver?.data(chunk);
    else this.#decoder.write(chunk);
  }

  onResponseEnd(): void {
    if (this.#decoder === undefined) this.#receiver?.end();
    else this.#decoder.end();
  }

  onResponseError(_: unknown, error: unknown): void {
    this.#decoder?.destroy();
    this.#failed(error);
  }

  #failed(error: unknown): void {
    const receiver = this.#receiver;
    this.#receiver = undefined;
    receiver?.fail(error, this.#controller !== undefined);
  }

  /** We never ask for compression; some servers send it all the same. The reader counts the decompressed bytes. */
  #decode(encoding: string): void {
    const decoder = decoderOf(encoding);
    if (decoder === undefined) {
      this.#failed(new Error(`the content encoding "${encoding}" is not known`));
      this.abort();
      return;
    }
    this.#decoder = decoder;
    decoder.on('data', (chunk: Uint8Array) => this.#receiver?.data(chunk));
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
