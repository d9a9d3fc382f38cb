/** The client side of HTTP+SSE: opens the stream whose first event names the URL to post to. */
import { McpError } from '../../errors.ts';
import { unexpectedError } from './http-errors.ts';
import type { ResponseHandler } from './outgoing-http-request.ts';
import type { Sender } from './sender.ts';
import type { SseEvent } from './sse-parser.ts';
import type { WireCall } from './wire.ts';

/** Timeout for the event that names the URL. */
const ENDPOINT_MS = 5_000;

export interface EndpointContext {
  readonly sender: Sender;
  readonly headers: Readonly<Record<string, string>>;
  receive(text: string): void;
  /** Called when the stream ends after it has named the URL. */
  ended(error: McpError): void;
}

export interface SseEndpoint {
  readonly url: URL;
  stop(): void;
}

/** Opens the stream. Resolves with undefined if the server has none, and rejects if its stream is unusable or needs credentials. */
export function openEndpoint(context: EndpointContext): Promise<SseEndpoint | undefined> {
  const { sender } = context;
  const { url, clock, pause } = sender.settings;
  return new Promise((resolve, reject) => {
    let isStream = false;
    let isNamed = false;
    // Paused while the user signs in: some servers ask for credentials only here.
    const late = (): void => giveUp(`it sent no endpoint event within ${ENDPOINT_MS} ms`);
    const stopTimer = pause.after(clock, ENDPOINT_MS, late);
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
      else if (to === undefined) giveUp('its endpoint event has no valid URL');
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
      failed: (error) => {
        if (isNamed) context.ended(error);
        else if (wantsCredentials(error)) {
          stopTimer();
          reject(error);
        } else giveUp(error.message);
      },
      rejected: () => giveUp(),
      accepted: () => giveUp(),
    };
    const headers = { ...context.headers, accept: 'text/event-stream' };
    call = sender.send({ method: 'GET', operation: 'GET', headers, expects: 'stream' }, handler);
  });
}

/** Whether there would be a stream with credentials. A 403 is also what proxies answer where there is none. */
const wantsCredentials = ({ kind, details }: McpError): boolean =>
  kind === 'auth' && !('status' in details && details.status === 403);
