/** The shop with FastMCP. */
import { FastMCP, UserError } from 'fastmcp';
import * as z from 'zod';
import { confirmation, prices } from './prices.ts';

// #region tool
export const server = new FastMCP({ name: 'shop', version: '1.0.0' });

server.addTool({
  name: 'refund',
  description: 'Refund one order',
  parameters: z.object({ order: z.string() }),
  outputSchema: z.object({ order: z.string(), amount: z.number() }),
  annotations: { readOnlyHint: false, destructiveHint: true },
  async execute({ order }, { elicit, reportProgress }) {
    const amount = prices.get(order);
    if (amount === undefined) throw new UserError(`There is no order ${order}`);
    await reportProgress({ progress: 1, total: 2 });
    const answer = await elicit({ message: `Refund ${amount}?`, requestedSchema: confirmation });
    if (answer.action !== 'accept' || answer.content?.['confirm'] !== true)
      throw new UserError('The customer declined');
    const structuredContent = { order, amount };
    return { content: [{ type: 'text', text: `Refunded ${amount} on ${order}` }], structuredContent };
  },
});
// #endregion

// #region resource
server.addResourceTemplate({
  uriTemplate: 'orders://{id}',
  name: 'order',
  mimeType: 'application/json',
  arguments: [
    {
      name: 'id',
      required: true,
      complete: async (start) => ({ values: [...prices.keys()].filter((id) => id.startsWith(start)) }),
    },
  ],
  async load({ id }) {
    const price = prices.get(id);
    if (price === undefined) throw new UserError(`There is no order ${id}`);
    return { text: JSON.stringify({ id, price }) };
  },
});

server.addPrompt({
  name: 'apology',
  arguments: [{ name: 'order', required: true }],
  load: async ({ order }) => `Apologise for ${order}.`,
});
// #endregion

export async function listen(port: number): Promise<void> {
  // #region http
  await server.start({ transportType: 'httpStream', httpStream: { port, host: '127.0.0.1', endpoint: '/mcp' } });
  // #endregion
}
