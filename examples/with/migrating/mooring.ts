/** The shop, and a client of it, with Mooring. */
import { createServer, prompt, resource, ToolError, tool } from 'mooring';
import { connect } from 'mooring/client';
import { serveHttp } from 'mooring/node';
import * as z from 'zod';
import { prices } from './prices.ts';

// #region tool
const refundOrder = tool({
  name: 'refund',
  description: 'Refund one order',
  effects: 'destructive',
  input: z.object({ order: z.string() }),
  output: z.object({ order: z.string(), amount: z.number() }),
  text: ({ order, amount }) => `Refunded ${amount} on ${order}`,
  async run({ order }, ctx) {
    const amount = prices.get(order);
    if (amount === undefined) throw new ToolError(`There is no order ${order}`);
    ctx.progress(1, 2, 'found');
    if (!(await ctx.confirm('sure', `Refund ${amount}?`))) throw new ToolError('The customer declined');
    return { order, amount };
  },
});
// #endregion

// #region resource
const order = resource({
  uri: 'orders://{id}',
  name: 'order',
  mimeType: 'application/json',
  complete: { id: (start) => [...prices.keys()].filter((id) => id.startsWith(start)) },
  read: ({ id }) => (prices.has(id) ? { id, price: prices.get(id) } : undefined),
});

const apology = prompt({
  name: 'apology',
  args: z.object({ order: z.string() }),
  render: ({ order }) => `Apologise for ${order}.`,
});
// #endregion

// #region http
const shop = createServer({ name: 'shop', version: '1.0.0', parts: [refundOrder, order, apology] });
export const listener = await serveHttp(shop, { port: 0 });
// #endregion

/** Refunds an order, and says what came of it and how far it was heard to be. */
export async function refund(url: string): Promise<[text: string, progress: number[]]> {
  const seen: number[] = [];
  // #region client
  const client = await connect<typeof shop>(url, {
    elicit: () => ({ action: 'accept', content: { confirm: true } }),
  });
  const { data } = await client.call(
    'refund',
    { order: 'A-1041' },
    { onProgress: ({ progress }) => seen.push(progress) },
  );
  await client.close();
  // #endregion
  return [`${data.amount}`, seen];
}
