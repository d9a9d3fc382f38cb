/** How often a listener looks for clients that send too slowly. */
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listenHttp } from './listen-http.ts';

test.each([
  [{ headersTimeoutMs: 0, requestTimeoutMs: 0 }, { headersTimeout: 0, requestTimeout: 0 }, 1_000],
  [{ requestTimeoutMs: 0 }, { headersTimeout: 10_000, requestTimeout: 0 }, 1_000],
  [{ headersTimeoutMs: 200 }, { headersTimeout: 200, requestTimeout: 30_000 }, 200],
])('with %j, the limits are %j and connections are checked every %i ms', async (options, limits, interval) => {
  // Not `vi.mock`: another test file of this worker can have loaded the listener before.
  const made = vi.spyOn(http, 'createServer');
  syncBuiltinESMExports();
  onTestFinished(() => {
    made.mockRestore();
    syncBuiltinESMExports();
  });
  const handler = Object.assign(() => undefined, { close: () => Promise.resolve() });
  const listener = await listenHttp(handler, { port: 0, ...options }, '/');
  await listener.close();
  expect(made.mock.calls.map(([given]) => given)).toMatchObject([{ ...limits, connectionsCheckingInterval: interval }]);
});
