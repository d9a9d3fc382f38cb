/** Routes HTTP requests to views: the default view at the path, the others below it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Servable } from '../../peer/exchange.ts';
import { type NodeHandler, type NodeHandlerOptions, nodeHandler } from '../../transport/node.ts';
import { DEFAULT_VIEW } from '../spec.ts';

export interface ViewsOptions extends NodeHandlerOptions {
  readonly path: string;
}

export class ViewsHandler {
  readonly #viewOf: (name: string) => Servable;
  readonly #options: ViewsOptions;
  readonly #handlers: Map<string, NodeHandler> = new Map();
  #isDraining = false;

  constructor(viewOf: (name: string) => Servable, options: ViewsOptions) {
    this.#viewOf = viewOf;
    this.#options = options;
  }

  /** Replaces the served views. Calls of removed views have `drainMs` to finish. */
  serve(names: readonly string[], drainMs: number): void {
    for (const name of names) {
      if (this.#handlers.has(name)) continue;
      const { path, sse, ...options } = this.#options;
      const own = name === DEFAULT_VIEW ? { path, sse } : { path: `${path}/${name}` };
      this.#handlers.set(name, nodeHandler(this.#viewOf(name), { ...options, ...own }));
    }
    for (const [name, handler] of this.#handlers)
      if (!names.includes(name)) {
        this.#handlers.delete(name);
        void handler.close(drainMs);
      }
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    // While draining, tells keep-alive clients to reconnect; Node itself does so only once the listener is closed.
    if (this.#isDraining) response.setHeader('connection', 'close');
    const [path = ''] = (request.url ?? '').split('?');
    const below = `${this.#options.path}/`;
    const name = path.startsWith(below) ? path.slice(below.length) : DEFAULT_VIEW;
    const handler = this.#handlers.get(name) ?? this.#handlers.get(DEFAULT_VIEW) ?? [...this.#handlers.values()][0];
    if (handler !== undefined) handler(request, response);
    else response.writeHead(404).end();
  };

  /** Asks callers to reconnect for their next request. Requests are still served. */
  beginDrain(): void {
    this.#isDraining = true;
  }

  async close(drainMs: number): Promise<void> {
    await Promise.all([...this.#handlers.values()].map((handler) => handler.close(drainMs)));
  }
}
