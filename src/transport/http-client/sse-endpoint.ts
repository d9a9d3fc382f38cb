/** HTTP+SSE: a stream that first names the URL to post to, and then carries all messages of the server. */
import { McpError } from '../../errors.ts';
import { unexpectedError } from './http-errors.ts';
import type { ResponseHandler } from './outgoing-http-request.ts';
import type { Sender } from './sender.ts';
import type { SseEvent } from './sse-parser.ts';

/** How long the server may take to name the URL. */
const ENDPOINT_MS = 5_000;

export interface EndpointContext {
  readonly sender: Sender;
  readonly headers: Readonly<Record<string, string>>;
  receive(text: string): void;
  /** The stream has ended, after it named the URL. */
  ended(error: McpError): void;
}

export interface SseEndpoint {
  readonly url: URL;
  stop(): void;
}

/** Undefined when there is no such stream; rejects when there is one that cannot be used. */
export function openEndpoint(context: EndpointContext): Promise<SseEndpoint | undefined> {
  return new Promise((resolve, reject) => {
    const opening = new EndpointOpening(context, { resolve, reject });
    const headers = { ...context.headers, accept: 'text/event-stream' };
    const call = context.sender.send({ method: 'GET', operation: 'GET', headers, expects: 'stream' }, opening);
    opening.stop = () => call.abort();
  });
}

interface EndpointOutcome {
  resolve(endpoint: SseEndpoint | undefined): void;
  reject(error: McpError): void;
}

class EndpointOpening implements ResponseHandler {
  readonly #context: EndpointContext;
  readonly #outcome: EndpointOutcome;
  readonly #stopTimer: () => void;
  stop: () => void = () => undefined;
  #isStream = false;
  #isNamed = false;

  constructor(context: EndpointContext, outcome: EndpointOutcome) {
    this.#context = context;
    this.#outcome = outcome;
    const why = `it sent no endpoint event within ${ENDPOINT_MS} ms`;
    this.#stopTimer = context.sender.settings.clock.after(ENDPOINT_MS, () => this.#settle(this.#unusable(why)));
  }

  opened(): void {
    this.#isStream = true;
  }

  event({ type, data }: SseEvent): void {
    if (!this.#isNamed) this.#setUrl(type, data);
    else if (type === 'message' && data !== '') this.#context.receive(data);
  }

  ended(): void {
    this.#streamEnded(new McpError('MCP_CLOSED', { why: 'the server ended its stream' }));
  }

  failed(error: McpError): void {
    this.#streamEnded(error);
  }

  rejected(): void {
    this.#settle();
  }

  accepted(): void {
    this.#settle();
  }

  #setUrl(type: string, data: string): void {
    const { url } = this.#context.sender.settings;
    const to = URL.canParse(data, url) ? new URL(data, url) : undefined;
    if (type !== 'endpoint') this.#settle(this.#unusable('the first event of its stream is not "endpoint"'));
    else if (to === undefined) this.#settle(this.#unusable('its endpoint event names no URL'));
    else if (to.origin !== url.origin)
      this.#settle(this.#unusable(`its endpoint event names another origin, ${to.origin}`));
    else {
      this.#isNamed = true;
      this.#stopTimer();
      this.#outcome.resolve({ url: to, stop: this.stop });
    }
  }

  #streamEnded(error: McpError): void {
    if (this.#isNamed) this.#context.ended(error);
    else this.#settle(this.#isStream ? this.#unusable(error.message) : undefined);
  }

  #settle(error?: McpError): void {
    this.#stopTimer();
    this.stop();
    if (error !== undefined && this.#isStream) this.#outcome.reject(error);
    else this.#outcome.resolve(undefined);
  }

  #unusable(why: string): McpError {
    return unexpectedError(this.#context.sender.settings.url, 'GET', why);
  }
}
