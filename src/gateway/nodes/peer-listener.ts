/** The HTTP listener for messages of other nodes. Anything that does not decrypt gets a 404. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { CollectedBytes } from '../../model/collected-bytes.ts';
import type { Clock } from '../../peer/clock.ts';
import { limitConnections } from '../../transport/http/connections.ts';
import type { PeerEnvelope, PeerEnvelopes } from './peer-envelope.ts';

/** The size of one message. */
export const MAX_ENVELOPE_BYTES: number = 16 * 1024 * 1024;
/** The status of a message that arrives while too many are in progress. It was not opened, so it can be sent again. */
export const BUSY_STATUS = 503;
/** Authenticated messages in progress. */
const MAX_PEER_REQUESTS = 256;
/** Bodies being read; one more evicts the oldest. Nodes send theirs in one piece, so only attackers are slow. */
const MAX_READING = 256;
/** The size of all bodies being read; more evicts the oldest. */
const MAX_READING_BYTES: number = 4 * MAX_ENVELOPE_BYTES;
/** How long one body can take. */
const BODY_MS = 10_000;
const MAX_CONNECTIONS_PER_ADDRESS = 200;
/** On close, how long other nodes have to read the last responses. */
const LAST_READ_MS = 5_000;

/** The response to a message, as a stream of events. */
export interface PeerAnswer {
  send(event: JsonObject): void;
  end(): void;
  /** Called if the connection ends before the response. */
  onLost(listener: () => void): void;
}

export type PeerHandler = (envelope: PeerEnvelope, answer: PeerAnswer) => void;

export class PeerListener {
  readonly #envelopes: PeerEnvelopes;
  readonly #handle: PeerHandler;
  readonly #server: Server;
  readonly #clock: Clock;
  /** In order of arrival. */
  readonly #reading: Map<IncomingMessage, CollectedBytes> = new Map();
  #readingBytes = 0;
  #open = 0;
  #onIdle: () => void = () => undefined;

  constructor(envelopes: PeerEnvelopes, handle: PeerHandler, clock: Clock) {
    this.#clock = clock;
    this.#envelopes = envelopes;
    this.#handle = handle;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    limitConnections(this.#server, MAX_CONNECTIONS_PER_ADDRESS, clock);
  }

  listen({ host, port }: { readonly host?: string | undefined; readonly port: number }): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host ?? '127.0.0.1', () => resolve((this.#server.address() as AddressInfo).port)); // TCP
    });
  }

  /** Completes responses that have started. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const cut = (): void => this.#server.closeAllConnections();
      const stop = this.#clock.after(LAST_READ_MS, cut, { idle: true });
      // Not `http.Server.close`, which cuts off connections that are still being read.
      NetServer.prototype.close.call(this.#server, () => {
        stop();
        // Stops the internal timer of the HTTP server.
        this.#server.close(() => resolve());
      });
      this.#onIdle = cut;
      if (this.#open === 0) cut();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isPeer = request.method === 'POST' && request.url === '/peer';
    const sealed = isPeer ? await this.#read(request) : undefined;
    const isFull = this.#open >= MAX_PEER_REQUESTS;
    const envelope = sealed === undefined || isFull ? undefined : this.#envelopes.open(sealed);
    if (envelope === undefined) {
      response.writeHead(isPeer && isFull ? BUSY_STATUS : 404).end();
      return;
    }
    this.#open++;
    response.once('close', () => {
      if (--this.#open === 0) this.#onIdle();
    });
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.flushHeaders();
    this.#handle(envelope, this.#answer(response, envelope.nonce));
  }

  /** Undefined if the body is too long or was evicted. A body that takes too long is dropped with its connection. */
  async #read(request: IncomingMessage): Promise<string | undefined> {
    if (this.#reading.size >= MAX_READING) this.#dropOldest();
    const stop = this.#clock.after(BODY_MS, () => request.destroy(), { idle: true });
    const body = new CollectedBytes();
    this.#reading.set(request, body);
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        if (!this.#reading.has(request) || body.size + chunk.length > MAX_ENVELOPE_BYTES) return undefined;
        body.add(chunk);
        this.#readingBytes += chunk.length;
        while (this.#readingBytes > MAX_READING_BYTES) this.#dropOldest();
      }
      return this.#reading.has(request) ? Buffer.from(body.bytes).toString('latin1') : undefined;
    } finally {
      stop();
      this.#forget(request);
    }
  }

  #dropOldest(): void {
    for (const oldest of this.#reading.keys()) {
      this.#forget(oldest);
      oldest.destroy();
      return;
    }
  }

  #forget(request: IncomingMessage): void {
    this.#readingBytes -= this.#reading.get(request)?.size ?? 0;
    this.#reading.delete(request);
  }

  #answer(response: ServerResponse, nonce: string): PeerAnswer {
    let number = 0;
    return {
      send: (event) => {
        if (!response.destroyed) response.write(`data: ${this.#envelopes.sealEvent(event, nonce, number++)}\n\n`);
      },
      end: () => void response.end(),
      onLost: (listener) =>
        response.once('close', () => {
          if (!response.writableFinished) listener();
        }),
    };
  }
}
