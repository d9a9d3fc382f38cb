/** HTTP+SSE: a stream that first names the URL to post to, and then carries all messages of the server. */
import { McpError } from '../../errors.ts';
import { unexpectedError } from './http-errors.ts';
import type { ResponseHandler } from './outgoing-http-request.ts';
import type { Sender } from './sender.ts';
import type { SseEvent } from './sse-parser.ts';
import type { WireCall } from './wire.ts';

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
  const { sender } = context;
  const { url, clock } = sender.settings;
  return new Promise((resolve, reject) => {
    let isStream = false;
    let isNamed = false;
    const stopTimer = clock.after(ENDPOINT_MS, () => giveUp(`it sent no endpoint event within ${ENDPOINT_MS} ms`));
    let call: WireCall | undefined;
    const giveUp = (why?: string): void => {
      stopTimer();
      call?.abort();
      if (why !== undefined && isStream) reject(unexpectedError(url, 'GET', why));
      else resolve(undefined);
    };
    const setUrl = ({ type, data }: SseEvent): void => {
      const to = URL.canParse(data, url) ? new URL(data, url) : undefined;
      if (type !== 'endpoint') giveUp('the first event of its stream is not "endpoint"');
      else if (to === undefined) giveUp('its endpoint event names no URL');
      else if (to.origin !== url.origin) giveUp(`its endpoint event names another origin, ${to.origin}`);
      else {
        isNamed = true;
        stopTimer();
        resolve({ url: to, stop: () => call?.abort() });
      }
    };
    const handler: ResponseHandler = {
      opened: () => {
        isStream = true;
      },
      event: (event) => {
        if (!isNamed) setUrl(event);
        else if (event.type === 'message' && event.data !== '') context.receive(event.data);
      },
      ended: () => handler.failed(new McpError('MCP_CLOSED', { why: 'the server ended its stream' })),
      failed: (error) => (isNamed ? context.ended(error) : giveUp(error.message)),
      rejected: () => giveUp(),
      accepted: () => giveUp(),
    };
    const headers = { ...context.headers, accept: 'text/event-stream' };
    call = sender.send({ method: 'GET', operation: 'GET', headers, expects: 'stream' }, handler);
  });
}
