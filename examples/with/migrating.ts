/**
 * One shop, written four times: with the official SDK, version 1 and 2, with FastMCP and with Mooring. Every client buys in every shop,
 * and finds the same. docs/guide/migrating.md compares them.
 *
 *   npx tsx migrating.ts        in examples/with, after npm ci
 */
import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { connect } from 'mooring/client';
import * as fast from './migrating/fastmcp.ts';
import * as ours from './migrating/mooring.ts';
import * as first from './migrating/sdk-1.ts';
import * as second from './migrating/sdk-2.ts';

async function addressOf(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`; // it listens on a port
}

/** FastMCP does not say which port it was given, so it gets one that was free a moment ago. */
const free = createServer();
const { port } = new URL(await addressOf(free));
free.close();
await fast.listen(Number(port));

const shops = new Map([
  ['the official SDK, version 1', await addressOf(first.listener)],
  ['the official SDK, version 2', await addressOf(second.listener)],
  ['FastMCP', `http://127.0.0.1:${port}/mcp`],
  ['Mooring', ours.listener.url],
]);
const clients = new Map([
  ['Mooring', ours.refund],
  ['the official SDK, version 1', first.refund],
  ['the official SDK, version 2', second.refund],
]);

for (const [shop, url] of shops) {
  await using client = await connect(url, { elicit: () => ({ action: 'decline' }) });
  await assert.rejects(client.call('refund', { order: 'A-1041' }), /The customer declined/, shop);
  await assert.rejects(client.call('refund', { order: 'B-1' }), /There is no order B-1/, shop);
  const [tool] = await client.list('tools').all();
  assert.deepEqual([tool?.name, tool?.annotations?.destructiveHint], ['refund', true]);
  assert.deepEqual(JSON.parse((await client.read('orders://A-1042')).text), { id: 'A-1042', price: 80 });
  const ref = { type: 'ref/resource', uri: 'orders://{id}' } as const;
  assert.deepEqual((await client.complete(ref, { name: 'id', value: 'A' })).values, ['A-1041', 'A-1042']);
  const { messages } = await client.getPrompt('apology', { order: 'A-1042' });
  assert.deepEqual(messages[0]?.content, { type: 'text', text: 'Apologise for A-1042.' });
  for (const [buyer, refund] of clients) {
    if (shop === 'the official SDK, version 2' && buyer === 'the official SDK, version 1') {
      // Its handler makes a server for each request, and has no way to ask clients of before.
      await assert.rejects(refund(url), /cannot receive server-to-client requests/);
      continue;
    }
    const [amount, progress] = await refund(url);
    assert.equal(amount, '12.5', `${buyer} at ${shop}`);
    assert.deepEqual([...new Set(progress)], [1], `${buyer} at ${shop}`); // version 2 may tell it twice
  }
  console.log(`${shop}: the same for every client`);
}
process.exit(0); // FastMCP keeps timers of its own
