/** Takes messages of other nodes, on a port of its own. What does not open is not answered. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { CollectedBytes } from '../../model/collected-bytes.ts';
import type { Clock } from '../../peer/clock.ts';
import { limitConnections } from '../../transport/http/connections.ts';
import type { PeerEnvelope, PeerEnvelopes } from './peer-envelope.ts';

/** Of one message. */
export const MAX_ENVELOPE_BYTES: number = 16 * 1024 * 1024;
/** Messages that are being answered at the same time: only those that another node sealed count. */
const MAX_PEER_REQUESTS = 256;
/** Messages that are being read; for one more, the one that began first is dropped. A node sends its own at once. */
const MAX_READING = 256;
/** Of all messages that are being read; for more, the one that began first is dropped. */
const MAX_READING_BYTES: number = 4 * MAX_ENVELOPE_BYTES;
/** For one message to arrive. */
const BODY_MS = 10_000;
const MAX_CONNECTIONS_PER_ADDRESS = 200;
/** For other nodes to read the last answers. */
const LAST_READ_MS = 5_000;

/** The answer to a message, event by event. */
export interface PeerAnswer {
  send(event: JsonObject): void;
  end(): void;
  /** The other node is gone, or no longer listens. */
  onLost(listener: () => void): void;
}

export type PeerHandler = (envelope: PeerEnvelope, answer: PeerAnswer) => void;

export class PeerListener {
  readonly #envelopes: PeerEnvelopes;
  readonly #handle: PeerHandler;
  readonly #server: Server;
  readonly #clock: Clock;
  /** The one that began first comes first. */
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

  /** Resolves with the port. */
  listen({ host, port }: { readonly host?: string | undefined; readonly port: number }): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host ?? '127.0.0.1', () => resolve((this.#server.address() as AddressInfo).port)); // it listens on a port
    });
  }

  /** Answers that have begun are sent whole. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const cut = (): void => this.#server.closeAllConnections();
      const stop = this.#clock.after(LAST_READ_MS, cut, { idle: true });
      // Not its own `close`: that cuts off nodes that are still reading an answer.
      NetServer.prototype.close.call(this.#server, () => {
        stop();
        // It also has a timer of its own.
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
      response.writeHead(isPeer && isFull ? 503 : 404).end();
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

  /** Undefined for what is too long or was dropped. A message that does not arrive in time is dropped with its connection. */
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
