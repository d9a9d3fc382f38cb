/**
 * One server over HTTP, three ways: listening by itself, inside an application of your own, and as a function from a
 * request to a response. Clients of every revision find what they need at the same address.
 *
 *   npx tsx examples/http.ts
 */
import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, httpHandler, tool } from 'mooring';
import { connect } from 'mooring/client';
import { nodeHandler, serveHttp } from 'mooring/node';

const hello = tool({ name: 'hello', description: 'Greets you', run: () => 'Hello' });
const server = createServer({ name: 'greeter', version: '1.0.0', parts: [hello] });

// #region listen
const listener = await serveHttp(server, { port: 0, sse: '/sse' });
console.log(`Listening on ${listener.url}`);
// #endregion
{
  await using client = await connect<typeof server>(listener.url);
  assert.equal((await client.call('hello')).text, 'Hello');
}
// #region close
await listener.close();
// #endregion

// #region mount
const handler = nodeHandler(server, { path: '/mcp' });
const application = createHttpServer((request, response) => {
  handler(request, response, () => response.writeHead(404).end('Nothing here'));
});
// #endregion
application.listen(0, '127.0.0.1');
await once(application, 'listening');
const { port } = application.address() as AddressInfo; // it listens on a port
{
  await using client = await connect<typeof server>(`http://127.0.0.1:${port}/mcp`);
  assert.equal((await client.call('hello')).text, 'Hello');
}
await handler.close();
application.close();

// #region fetch
const answer = httpHandler(server, { allowedHosts: ['mcp.example.com'] });
export const worker = { fetch: (request: Request): Promise<Response> => answer(request) };
// #endregion
const refused = await worker.fetch(new Request('https://elsewhere.example/mcp', { method: 'POST' }));
assert.equal(refused.status, 403);
const accepted = await worker.fetch(new Request('https://mcp.example.com/mcp'));
assert.equal(accepted.status, 405);
