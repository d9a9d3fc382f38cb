/**
 * A server inside a Fastify application. Fastify has read the body when the handler is called, so it is handed over.
 *
 *   npx tsx fastify.ts        in examples/with, after npm ci
 */
import { strict as assert } from 'node:assert';
import fastify from 'fastify';
import { nodeHandler } from 'mooring/node';
import { carriesEverything, greeter } from './support/greeter.ts';

// #region mount
const mcp = nodeHandler(greeter);
const app = fastify();
app.get('/health', () => 'ok');
app.all('/mcp', (request, reply) => {
  reply.hijack(); // Fastify leaves the answer to us
  mcp(Object.assign(request.raw, { body: request.body }), reply.raw);
});
app.addHook('preClose', () => mcp.close()); // streams end, or Fastify would wait for them
const origin = await app.listen({ port: 0, host: '127.0.0.1' });
// #endregion

await carriesEverything(`${origin}/mcp`);
assert.equal(await (await fetch(`${origin}/health`)).text(), 'ok');
await app.close();
