/** Sends the HTTP requests of one connection. */
import { type Deadline, Deadlines } from '../../peer/deadlines.ts';
import { HttpExchange } from './http-exchange.ts';
import type { HttpClientSettings } from './options.ts';
import type { OutgoingHttpRequest, ResponseHandler } from './outgoing-http-request.ts';
import type { Wire, WireCall } from './wire.ts';

export const POST_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
/** How long a stream may stay open after its answer. */
const LINGER_MS = 1_000;

export class Sender {
  readonly #wire: Wire;
  readonly settings: HttpClientSettings;
  /** Responses whose request has its outcome. */
  readonly #lingering: Deadlines;

  constructor(wire: Wire, settings: HttpClientSettings) {
    this.#wire = wire;
    this.settings = settings;
    this.#lingering = new Deadlines(settings.clock);
  }

  send(request: OutgoingHttpRequest, handler: ResponseHandler): WireCall {
    const exchange = new HttpExchange(this.#wire, this.settings, request, handler);
    exchange.start();
    return exchange;
  }

  /** Servers end the stream of an answer themselves; those that do not are cut off after a while. */
  linger(exchange: Deadline): void {
    exchange.due = this.settings.clock.now() + LINGER_MS;
    this.#lingering.arm(exchange);
  }

  /** The server has ended it. */
  ended(exchange: Deadline): void {
    this.#lingering.disarm(exchange);
  }

  close(): void {
    // One of them can still be waiting for a sign-in.
    for (const exchange of this.#lingering.close()) exchange.expire();
    this.#wire.close();
  }
}
