/** `httpHandler`. Loads its implementation with the first request, so that servers on other transports never load it. */
import type { Servable } from '../../peer/exchange.ts';
import { Guard } from './guard.ts';
import type { HttpOptions } from './http-settings.ts';

/** Answers one web-standard request. Deno, Bun, Cloudflare Workers and similar runtimes expect this function. */
export type HttpHandler = (request: Request) => Promise<Response>;

/** Serves HTTP in runtimes with a `fetch` handler: `export default { fetch: httpHandler(server, options) }`. */
export function httpHandler(server: Servable, options: HttpOptions = {}): HttpHandler {
  // Validates the lists of hosts and origins now, instead of with the first request.
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
