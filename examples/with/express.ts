/**
 * A server inside an Express application, beside its other routes and behind its body parser.
 *
 *   npx tsx express.ts        in examples/with, after npm ci
 */
import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { nodeHandler } from 'mooring/node';
import { carriesEverything, greeter } from './support/greeter.ts';

// #region mount
const mcp = nodeHandler(greeter);
const app = express();
app.use(express.json());
app.get('/health', (_request, response) => void response.send('ok'));
app.all('/mcp', mcp);
const listener = app.listen(0, '127.0.0.1');
// #endregion
await once(listener, 'listening');
const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`; // it listens on a port

await carriesEverything(`${origin}/mcp`);
assert.equal(await (await fetch(`${origin}/health`)).text(), 'ok');

// #region close
await mcp.close(); // answers what is in hand, ends the streams
listener.close();
// #endregion
