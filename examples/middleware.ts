/**
 * Layers see every message on its way through a server: logging, limits, timing. A layer is a function around a function.
 *
 *   npx tsx examples/middleware.ts
 */
import { strict as assert } from 'node:assert';
import { createServer, type Layer, rateLimit, tool, use } from 'mooring';
import { connect } from 'mooring/client';

const hello = tool({ name: 'hello', run: () => 'Hello' });
const server = createServer({ name: 'polite', version: '1.0.0', parts: [hello] });

// #region layer
const timings: string[] = [];
const timed: Layer = (next) => async (message, link) => {
  const began = performance.now();
  try {
    return await next(message, link);
  } finally {
    if ('method' in message) timings.push(`${message.method} ${performance.now() - began} ms`);
  }
};
const guarded = use(server, timed, rateLimit({ calls: 2, perMs: 60_000 }));
// #endregion

await using client = await connect(guarded);
assert.equal((await client.call('hello')).text, 'Hello');
assert.equal((await client.call('hello')).text, 'Hello');
await assert.rejects(client.call('hello'), /Too many calls/);
assert.equal(timings.filter((line) => line.startsWith('tools/call')).length, 3);
console.log(timings.join('\n'));
