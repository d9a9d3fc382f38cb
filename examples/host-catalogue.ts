/**
 * More tools than a model should be told about, and a result that is longer than it should read: a search, a budget, and pages.
 *
 *   npx tsx examples/host-catalogue.ts
 */
import { strict as assert } from 'node:assert';
import { createServer, tool } from 'mooring';
import { createHost, rules, scriptedModel } from 'mooring/host';

const things = ['invoice', 'order', 'customer', 'shipment', 'refund', 'voucher', 'review', 'supplier', 'warehouse'];
const deeds = ['create', 'list', 'find', 'update', 'archive', 'export', 'import', 'approve', 'cancel', 'print'];
const shop = createServer({
  name: 'shop',
  version: '1.0.0',
  parts: things.flatMap((thing) =>
    deeds.map((deed) =>
      tool({
        name: `${deed}_${thing}`,
        description: `Use it to ${deed} one ${thing} of the shop, by its number or by its name`,
        run: () => (deed === 'export' ? `${thing} `.repeat(10_000) : 'done'),
      }),
    ),
  ),
});
const model = scriptedModel([
  [{ type: 'tool_use', id: '1', name: 'search_tools', input: { query: 'export a voucher' } }],
  [{ type: 'tool_use', id: '2', name: 'call_tool', input: { name: 'shop__export_voucher', arguments: {} } }],
  'There are many vouchers.',
]);

await using host = createHost({ servers: { shop }, policy: [rules.allow({})], model });
await using session = host.session({ toolTokens: 1_500 });

// #region budget
const all = await session.tools();
const told = await session.tools({ budgetTokens: 1_500, query: 'send the money back' });
// search_tools, call_tool, read_result, and as many of the best matches as fit
// #endregion
assert.equal(all.length, 90);
assert.ok(told.length < 20);
assert.deepEqual(
  told.slice(0, 3).map(({ name }) => name),
  ['search_tools', 'call_tool', 'read_result'],
);

// #region search
const [best] = await session.catalogue.search('export a voucher');
// { kind: 'tool', server: 'shop', name: 'shop.export_voucher', … }
// #endregion
assert.equal(best?.name, 'shop.export_voucher');

// #region spill
for await (const event of session.run('How many vouchers are there?')) if (event.type === 'error') throw event.error;
const [kept] = session.results.list(); // { uri: 'host://results/…', name: 'Result of shop.export_voucher', … }
const page = session.results.read(kept?.uri ?? '', { offset: 8_000, limit: 1_000 });
// { text, offset: 8000, total: 80000, next: 9000 }
// #endregion
assert.equal(page.total, 80_000);
assert.equal(page.next, 9_000);
const read = JSON.stringify(model.requests.at(-1)?.messages.at(-1));
assert.ok(read.length < 4_000 && read.includes('host://results/'));
console.log(`${told.length} of ${all.length} tools were told, and ${read.length} of ${page.total} characters read.`);
