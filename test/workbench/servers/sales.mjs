// A server with a view, skills and a tool that asks. Uses the built package, because that starts quickly.

import * as z from 'zod';
import { app, withApp } from '../../../dist/extensions/apps/index.js';
import { skills } from '../../../dist/extensions/skills/index.js';
import { createServer, prompt, tool } from '../../../dist/index.js';
import { serveStdio } from '../../../dist/transport/stdio.js';

const panel = app({
  uri: 'ui://sales/dashboard',
  title: 'Sales',
  html: new URL('../../../examples/dashboard.html', import.meta.url),
  script: true,
});
const days = [
  { day: 'Monday', total: 20.5 },
  { day: 'Tuesday', total: 30 },
];
const sales = tool({
  name: 'sales',
  description: 'The sales of each day',
  effects: 'read',
  output: z.object({ days: z.array(z.object({ day: z.string(), total: z.number() })) }),
  text: (found) => found.days.map(({ day, total }) => `${day}: ${total}`).join('\n'),
  run: () => ({ days }),
});
const ordersOf = tool({
  name: 'orders_of',
  description: 'The orders of a day',
  effects: 'read',
  input: z.object({ day: z.string() }),
  output: z.object({ orders: z.array(z.number()) }),
  run: () => ({ orders: [12.5, 8] }),
});
const refund = tool({
  name: 'refund',
  description: 'Refund one order',
  effects: 'destructive',
  input: z.object({ order: z.string().describe('Order number, e.g. A-1041') }),
  output: z.object({ order: z.string(), amount: z.number() }),
  text: (refunded) => `Refunded ${refunded.amount} on ${refunded.order}`,
  async run({ order }, ctx) {
    if (!(await ctx.confirm('sure', `Refund 12.5 on ${order}?`))) throw new Error('The customer declined');
    return { order, amount: 12.5 };
  },
});
const thank = prompt({
  name: 'thank',
  description: 'Thank a customer',
  args: z.object({ customer: z.string().describe('Who bought something') }),
  render: ({ customer }) => `Write two friendly sentences that thank ${customer} for the order.`,
});
const broken = app({ uri: 'ui://sales/silent', html: '<!doctype html><title>Silent</title><p>No handshake</p>' });

await serveStdio(
  createServer({
    name: 'sales',
    version: '1.0.0',
    skills: await skills(new URL('../../../examples/skills', import.meta.url)),
    parts: [
      panel,
      refund,
      thank,
      broken,
      withApp(sales, panel),
      withApp(ordersOf, panel, { for: 'app' }),
      withApp(
        tool({ name: 'silent', description: 'A view that never says anything', effects: 'read', run: () => 'Nothing' }),
        broken,
      ),
    ],
  }),
);
