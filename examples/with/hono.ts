/**
 * A server inside a Hono application, in both ways: as a function from a request to a response, which runs wherever Hono does, and
 * straight on the connections of Node, which is quicker there.
 *
 *   npx tsx hono.ts        in examples/with, after npm ci
 */
import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type HttpBindings, serve } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { httpHandler } from 'mooring';
import { nodeHandler } from 'mooring/node';
import { carriesEverything, greeter } from './support/greeter.ts';

// #region anywhere
const answer = httpHandler(greeter);
const app = new Hono<{ Bindings: HttpBindings }>();
app.get('/health', (c) => c.text('ok'));
app.all('/mcp', (c) => answer(c.req.raw));
// #endregion

// #region node
const mcp = nodeHandler(greeter);
app.all('/node/mcp', (c) => {
  mcp(c.env.incoming, c.env.outgoing);
  return RESPONSE_ALREADY_SENT;
});
// #endregion

const listener = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
await once(listener, 'listening');
const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`; // it listens on a port

await carriesEverything(`${origin}/mcp`);
await carriesEverything(`${origin}/node/mcp`);
assert.equal(await (await fetch(`${origin}/health`)).text(), 'ok');
await mcp.close();
listener.close();
if ('closeAllConnections' in listener) listener.closeAllConnections();
