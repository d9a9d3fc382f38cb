/** How often a listener looks for clients that send too slowly. */
import type { RequestListener, Server, ServerOptions } from 'node:http';
import { expect, test, vi } from 'vitest';
import { listenHttp } from './listen-http.ts';

const made = vi.hoisted(() => [] as ServerOptions[]);
vi.mock('node:http', async (load) => {
  const http = await load<typeof import('node:http')>();
  const createServer = (options: ServerOptions, listener: RequestListener): Server => {
    made.push(options);
    return http.createServer(options, listener);
  };
  return { ...http, createServer };
});

test.each([
  [{ headersTimeoutMs: 0, requestTimeoutMs: 0 }, { headersTimeout: 0, requestTimeout: 0 }, 1_000],
  [{ requestTimeoutMs: 0 }, { headersTimeout: 10_000, requestTimeout: 0 }, 1_000],
  [{ headersTimeoutMs: 200 }, { headersTimeout: 200, requestTimeout: 30_000 }, 200],
])('with %j, the limits are %j and connections are checked every %i ms', async (options, limits, interval) => {
  const handler = Object.assign(() => undefined, { close: () => Promise.resolve() });
  const listener = await listenHttp(handler, { port: 0, ...options }, '/');
  await listener.close();
  expect(made.splice(0)).toMatchObject([{ ...limits, connectionsCheckingInterval: interval }]);
});
