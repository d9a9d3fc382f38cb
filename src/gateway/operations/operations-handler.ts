/** Serves /health, /ready, /status, /metrics and /drain on a separate listener. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopbackHost } from '../../model/loopback.ts';
import { quoteHeader } from '../../transport/http/rejections.ts';

export interface OperationsSource {
  /**
   * True once the listeners are open and until draining starts. Independent of upstreams: one that is down must not take the gateway
   * out of rotation.
   */
  isReady(): boolean;
  status(): object;
  metrics(): string;
  /** Starts the shutdown; resolves when the last call has ended. */
  drain(): Promise<unknown>;
}

export interface OperationsOptions {
  /** A bearer token for `/status` and `/drain`. */
  readonly token?: string | undefined;
  /** Whether only this machine can reach the listener; if so, `/status` and `/drain` need no token. */
  readonly isLoopback: boolean;
}

type Respond = (status: number, body: string, type?: string) => void;

const TEXT = 'text/plain; charset=utf-8';

export function operationsHandler(
  source: OperationsSource,
  options: OperationsOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const answers = new Map<string, (respond: Respond) => void>([
    ['GET /health', (respond) => respond(200, 'ok\n')],
    ['GET /ready', (respond) => (source.isReady() ? respond(200, 'ready\n') : respond(503, 'not ready\n'))],
    ['GET /metrics', (respond) => respond(200, source.metrics(), 'text/plain; version=0.0.4; charset=utf-8')],
    ['GET /status', (respond) => respond(200, `${JSON.stringify(source.status())}\n`, 'application/json')],
    [
      'POST /drain',
      (respond) => {
        // Responds before the drain ends; `/ready` shows its progress.
        void source.drain().catch(() => undefined);
        respond(202, 'draining\n');
      },
    ],
  ]);
  return (request: IncomingMessage, response: ServerResponse): void => {
    const respond: Respond = (status, body, type = TEXT) => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', connection: 'close' });
      response.end(body);
    };
    const [path = ''] = (request.url ?? '').split('?');
    const answer = answers.get(`${request.method} ${path}`);
    const foreign = foreignFault(request, options);
    if (answer === undefined) respond(404, 'not found\n');
    else if (foreign !== undefined) respond(403, `Forbidden: ${foreign}\n`);
    else if (isRestricted(path) && !isAllowed(request, options))
      respond(options.token === undefined ? 404 : 401, 'a token is needed\n');
    else answer(respond);
  };
}

const isRestricted = (path: string): boolean => path === '/status' || path === '/drain';

/** Blocks web pages in the operator's browser, which can reach this machine under their own host name (DNS rebinding). */
function foreignFault({ headers }: IncomingMessage, { isLoopback }: OperationsOptions): string | undefined {
  const { origin, host } = headers;
  if (origin !== undefined) return `requests from web pages are rejected: Origin is ${quoteHeader(origin)}`;
  // Browsers always send Host; HTTP/1.0 health checks do not.
  return isLoopback && host !== undefined && !isLoopbackHost(host.replace(/:\d+$/, ''))
    ? `the Host ${quoteHeader(host)} is not this machine; use 127.0.0.1, or change operations.listen in the file`
    : undefined;
}

function isAllowed({ headers }: IncomingMessage, { token, isLoopback }: OperationsOptions): boolean {
  if (token === undefined) return isLoopback;
  const [expected, came] = [Buffer.from(`Bearer ${token}`), Buffer.from(headers.authorization ?? '')];
  return expected.length === came.length && timingSafeEqual(expected, came);
}
