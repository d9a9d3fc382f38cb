/** `httpHandler`, without what it takes to answer: that is loaded with the first request, and never by servers on other transports. */
import type { Servable } from '../../peer/exchange.ts';
import { Guard } from './guard.ts';
import type { HttpOptions } from './http-settings.ts';

/** Answers one web request; what runtimes other than Node want to be given. */
export type HttpHandler = (request: Request) => Promise<Response>;

/** Serves an endpoint wherever requests are values: `export default { fetch: httpHandler(server, options) }`. */
export function httpHandler(server: Servable, options: HttpOptions = {}): HttpHandler {
  // Made again when it is needed; made here, a list that cannot match anything is told at once.
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
