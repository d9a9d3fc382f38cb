/** Sends the HTTP requests of one connection. */

import type { McpError } from '../../errors.ts';
import { type Deadline, Deadlines } from '../../peer/deadlines.ts';
import { HttpExchange, type HttpSending } from './http-exchange.ts';
import type { HttpClientSettings } from './options.ts';
import type { OutgoingHttpRequest, ResponseHandler } from './outgoing-http-request.ts';
import type { Wire, WireCall } from './wire.ts';

export const POST_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
/** How long a stream can stay open after its response. */
const LINGER_MS = 1_000;

export class Sender {
  readonly settings: HttpClientSettings;
  readonly #sending: HttpSending;
  /** Open streams whose request is settled. */
  readonly #lingering: Deadlines;

  constructor(wire: Wire, settings: HttpClientSettings) {
    this.settings = settings;
    this.#sending = { wire, settings, waiting: new Set() };
    this.#lingering = new Deadlines(settings.clock);
  }

  send(request: OutgoingHttpRequest, handler: ResponseHandler): WireCall {
    const exchange = new HttpExchange(this.#sending, request, handler);
    exchange.start();
    return exchange;
  }

  /** Cuts off the stream of a settled request, unless the server ends it in time. */
  linger(exchange: Deadline): void {
    exchange.due = this.settings.clock.now() + LINGER_MS;
    this.#lingering.arm(exchange);
  }

  /** Called when the stream has ended. */
  stopLingering(exchange: Deadline): void {
    this.#lingering.disarm(exchange);
  }

  /** Ends the requests that wait for a sign-in or a retry, which closing the wire would not end. */
  stopWaiting(reason: McpError): void {
    for (const exchange of this.#sending.waiting) exchange.stopWaiting(reason);
  }

  close(): void {
    for (const exchange of this.#lingering.close()) exchange.expire();
    this.#sending.wire.close();
  }
}
