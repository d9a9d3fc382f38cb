/**
 * A server in an evening: one tool that asks before it acts, one resource, one prompt.
 *
 *   npx tsx examples/shop.ts          serves it on standard input and output
 */
import { serveStdio } from 'mooring/stdio';

// #region server

import { createServer, prompt, resource, ToolError, tool } from 'mooring';
import * as z from 'zod';

const prices = new Map([
  ['A-1041', 12.5],
  ['A-1042', 80],
]);

const refund = tool({
  name: 'refund',
  description: 'Refund one order',
  effects: 'destructive',
  input: z.object({ order: z.string().describe('Order number, e.g. A-1041') }),
  output: z.object({ order: z.string(), amount: z.number() }),
  text: (refunded) => `Refunded ${refunded.amount} on ${refunded.order}`,
  async run({ order }, ctx) {
    const amount = prices.get(order);
    if (amount === undefined) throw new ToolError(`There is no order ${order}`);
    if (!(await ctx.confirm('sure', `Refund ${amount} on ${order}?`))) throw new ToolError('The customer declined');
    return { order, amount };
  },
});

const order = resource({
  uri: 'orders://{id}',
  mimeType: 'application/json',
  complete: { id: (start) => [...prices.keys()].filter((id) => id.startsWith(start)) },
  read: ({ id }) => (prices.has(id) ? { id, price: prices.get(id) } : undefined),
});

const apology = prompt({
  name: 'apology',
  description: 'An apology to a customer',
  args: z.object({ order: z.string() }),
  render: ({ order }) => `Write a short apology to the customer of order ${order}.`,
});
// #endregion

const stocktake = tool({
  name: 'stocktake',
  description: 'Counts everything, slowly enough to watch',
  effects: 'read',
  input: z.object({ shelves: z.number().int().min(1).default(3) }),
  async run({ shelves }, ctx) {
    for (let shelf = 1; shelf <= shelves; shelf++) {
      ctx.signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 5));
      ctx.progress(shelf, shelves, `shelf ${shelf}`);
    }
    return `Counted ${shelves} shelves`;
  },
});

const slogan = tool({
  name: 'slogan',
  description: "Asks the client's model for a slogan",
  async run(_nothing, ctx) {
    const message = await ctx.sample('slogan', {
      messages: [{ role: 'user', content: { type: 'text', text: 'A slogan for a shop, in three words.' } }],
      maxTokens: 20,
    });
    const blocks = Array.isArray(message.content) ? message.content : [message.content];
    return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
  },
});

export const shop = createServer({
  name: 'shop',
  version: '1.0.0',
  instructions: 'Look an order up before you refund it.',
  parts: [refund, stocktake, slogan, order, apology],
});

// #region serve
if (process.argv[1]?.endsWith('shop.ts')) await serveStdio(shop);
// #endregion
