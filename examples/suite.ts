/**
 * A test suite for a server, here the shop: no process, no socket, no waiting. It is written for `node:test`; any runner will do.
 *
 *   npx tsx --test examples/suite.ts
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { rateLimit, use } from 'mooring';
import { connect } from 'mooring/client';
import { everyRevision, fakeUser, parseTranscript, playServer, virtualClock } from 'mooring/testing';
import { shop } from './shop.ts';

// #region revisions
test('an order can be read in every revision', async () => {
  await everyRevision(shop, async (client) => {
    assert.deepEqual(JSON.parse((await client.read('orders://A-1041')).text), { id: 'A-1041', price: 12.5 });
  });
});
// #endregion

// #region user
test('a refund is paid out when the customer agrees', async () => {
  const user = fakeUser().answer('Refund 12.5', true);
  await using client = await connect(shop, { elicit: user.elicit });
  const { data } = await client.call('refund', { order: 'A-1041' });
  assert.equal(data.amount, 12.5);
  assert.deepEqual(
    user.asked.map(({ message }) => message),
    ['Refund 12.5 on A-1041?'],
  );
});

test('a refund that the customer declines is none', async () => {
  await using client = await connect(shop, { elicit: fakeUser().decline('Refund').elicit });
  await assert.rejects(client.call('refund', { order: 'A-1041' }), { name: 'ToolError', message: /declined/ });
});
// #endregion

test('an order that does not exist is not asked about', async () => {
  const user = fakeUser();
  await using client = await connect(shop, { elicit: user.elicit });
  await assert.rejects(client.call('refund', { order: 'B-1' }), /There is no order B-1/);
  assert.deepEqual(user.asked, []);
});

test("a slogan is the model's own", async () => {
  const user = fakeUser().samples('Fair, fast, friendly');
  await using client = await connect(shop, { sample: user.sample, onWarning: () => undefined });
  assert.equal((await client.call('slogan')).text, 'Fair, fast, friendly');
});

// #region clock
test('a caller in a hurry waits for a minute', async () => {
  const clock = virtualClock();
  const guarded = use(shop, rateLimit({ calls: 1, perMs: 60_000, clock }));
  await using client = await connect(guarded);
  await client.call('stocktake', { shelves: 1 });
  await assert.rejects(client.call('stocktake', { shelves: 1 }), /Too many calls/);
  await clock.advance(60_000);
  await client.call('stocktake', { shelves: 1 });
});
// #endregion

// #region transcript
test('the first words with a client of the year before are these', async () => {
  const said = parseTranscript(`
# A handshake, and a prompt.
> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"desk","version":"1"}}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":"$_","serverInfo":{"name":"shop","version":"1.0.0"},"instructions":"$_"}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"apology","arguments":{"order":"A-1042"}}}
< {"jsonrpc":"2.0","id":2,"result":{"description":"An apology to a customer","messages":[{"role":"user","content":{"type":"text","text":"Write a short apology to the customer of order A-1042."}}]}}
`);
  await playServer(said, shop);
});
// #endregion
