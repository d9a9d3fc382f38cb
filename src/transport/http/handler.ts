/** `httpHandler`. Its implementation is loaded with the first request, and never by servers on other transports. */
import type { Servable } from '../../peer/exchange.ts';
import { Guard } from './guard.ts';
import type { HttpOptions } from './http-settings.ts';

/** Answers one web request: the handler that runtimes other than Node expect. */
export type HttpHandler = (request: Request) => Promise<Response>;

/** Serves an endpoint wherever requests are values: `export default { fetch: httpHandler(server, options) }`. */
export function httpHandler(server: Servable, options: HttpOptions = {}): HttpHandler {
  // Only checks the options, so that a list that cannot match anything throws at once.
  new Guard(options);
  let loading: Promise<HttpHandler> | undefined;
  return async (request) => {
    loading ??= Promise.all([import('./fetch.ts'), server.prepare?.()]).then(([{ fetchHandler }]) =>
      fetchHandler(server, options),
    );
    const handler = await loading;
    return handler(request);
  };
}
