/** HTTP+SSE: a stream that first names the address to post to, and then carries everything the server says. */
import { McpError } from '../../errors.ts';
import { displayUrl } from '../../model/printable.ts';
import type { Refusal } from './refusal.ts';
import { exchangeHttp, type ReplyHandler } from './reply.ts';
import type { Sender } from './sender.ts';
import type { SseEvent } from './sse-parser.ts';

/** How long the server may take to name the address. */
const ENDPOINT_MS = 5_000;

export interface EndpointContext {
  readonly sender: Sender;
  readonly headers: Readonly<Record<string, string>>;
  receive(text: string): void;
  /** The stream has ended, after it named the address. */
  ended(error: McpError): void;
}

export interface SseEndpoint {
  readonly url: URL;
  stop(): void;
}

/** Undefined when there is no such stream; throws when there is one that cannot be used. */
export function openEndpoint(context: EndpointContext): Promise<SseEndpoint | undefined> {
  return new Promise((resolve, reject) => {
    const opening = new EndpointOpening(context, { resolve, reject });
    const { sender, headers } = context;
    const sent = { method: 'GET', what: 'GET', headers: { ...headers, accept: 'text/event-stream' } } as const;
    const call = exchangeHttp(sender, sent, opening);
    opening.hangUp = () => call.hangUp();
  });
}

interface EndpointOutcome {
  resolve(endpoint: SseEndpoint | undefined): void;
  reject(error: McpError): void;
}

class EndpointOpening implements ReplyHandler {
  readonly wants = 'stream';
  readonly #context: EndpointContext;
  readonly #verdict: EndpointOutcome;
  readonly #late: () => void;
  hangUp: () => void = () => undefined;
  #isStream = false;
  #named = false;

  constructor(context: EndpointContext, verdict: EndpointOutcome) {
    this.#context = context;
    this.#verdict = verdict;
    const why = `it sent no endpoint event within ${ENDPOINT_MS} ms`;
    this.#late = context.sender.settings.clock.after(ENDPOINT_MS, () => this.#give(this.#unusable(why)));
  }

  opened(): void {
    this.#isStream = true;
  }

  event({ type, data }: SseEvent): void {
    if (!this.#named) this.#name(type, data);
    else if (type === 'message' && data !== '') this.#context.receive(data);
  }

  ended(): void {
    this.#over(new McpError('MCP_CLOSED', { why: 'the server ended its stream' }));
  }

  failed(error: McpError): void {
    this.#over(error);
  }

  refused(_: Refusal): void {
    this.#give();
  }

  accepted(): void {
    this.#give();
  }

  /** Not reached: only a stream is wanted. */
  json(): void {}

  #name(type: string, data: string): void {
    const { url } = this.#context.sender.settings;
    const to = URL.canParse(data, url) ? new URL(data, url) : undefined;
    if (type !== 'endpoint') this.#give(this.#unusable('the first event of its stream is not "endpoint"'));
    else if (to === undefined) this.#give(this.#unusable('its endpoint event names no URL'));
    else if (to.origin !== url.origin)
      this.#give(this.#unusable(`its endpoint event names another origin, ${to.origin}`));
    else {
      this.#named = true;
      this.#late();
      this.#verdict.resolve({ url: to, stop: this.hangUp });
    }
  }

  #over(error: McpError): void {
    if (this.#named) this.#context.ended(error);
    else this.#give(this.#isStream ? this.#unusable(error.message) : undefined);
  }

  #give(error?: McpError): void {
    this.#late();
    this.hangUp();
    if (error !== undefined && this.#isStream) this.#verdict.reject(error);
    else this.#verdict.resolve(undefined);
  }

  #unusable(why: string): McpError {
    return new McpError('MCP_HTTP_UNEXPECTED', {
      url: displayUrl(this.#context.sender.settings.url),
      method: 'GET',
      why,
    });
  }
}
