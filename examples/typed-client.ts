/**
 * A client that is typed from the server's type: wrong names, arguments and result members do not compile.
 *
 *   npx tsx examples/typed-client.ts
 */
import { strict as assert } from 'node:assert';
import { connect } from 'mooring/client';
import { shop } from './shop.ts';

// #region client
await using client = await connect(shop, {
  elicit: () => ({ action: 'accept', content: { confirm: true } }),
});
const { data, text } = await client.call('refund', { order: 'A-1041' });
console.log(text, data.amount.toFixed(2));
// #endregion
assert.equal(data.amount, 12.5);

// @ts-expect-error there is no such tool
await assert.rejects(client.call('refundd', { order: 'A-1041' }), /Unknown tool/);
// @ts-expect-error the argument is called "order"
await assert.rejects(client.call('refund', { ordr: 'A-1041' }), /order/);
