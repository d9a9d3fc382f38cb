/** A server for tests of the workbench: tools that ask, echo and wait, a resource that changes, a prompt. */
import * as z from 'zod';
import { createServer, prompt, resource, tool } from '../../src/index.ts';
import type { Servable } from '../../src/peer/exchange.ts';

export const workbenchShop = (): Servable =>
  createServer({
    name: 'shop',
    version: '1.0.0',
    parts: [
      tool({
        name: 'refund',
        description: 'Refund one order',
        effects: 'destructive',
        input: z.object({ order: z.string().describe('Order number') }),
        output: z.object({ order: z.string(), amount: z.number() }),
        async run({ order }, ctx) {
          const isSure = await ctx.confirm('sure', `Refund order ${order}?`);
          return { order, amount: isSure ? 12.5 : 0 };
        },
      }),
      tool({
        name: 'echo',
        description: 'Returns its argument',
        effects: 'read',
        input: z.object({
          text: z.string().describe('What to return'),
          password: z.string().describe('A secret').optional(),
        }),
        run: ({ text }) => text,
      }),
      tool({
        name: 'wait',
        description: 'Waits until it is cancelled',
        effects: 'read',
        input: z.object({}),
        run: (_, ctx) =>
          new Promise<string>((_resolve, reject) => {
            ctx.signal.addEventListener('abort', () => reject(new Error('cancelled')));
          }),
      }),
      resource({ name: 'orders', uri: 'shop://orders', description: 'All orders', read: () => 'A-1041' }),
      prompt({
        name: 'letter',
        description: 'A letter about an order',
        args: z.object({ order: z.string().describe('Order number') }),
        render: ({ order }) => `Write about order ${order}.`,
      }),
    ],
  });
