/** A server with a view, a skill and a tool that runs as a task, over standard input and output. */
import { createServer, tool } from 'mooring';
import { app, withApp } from 'mooring/apps';
import { skills } from 'mooring/skills';
import { serveStdio } from 'mooring/stdio';
import * as z from 'zod';

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
const broken = app({ uri: 'ui://sales/silent', html: '<!doctype html><title>Silent</title><p>No handshake</p>' });

await serveStdio(
  createServer({
    name: 'sales',
    version: '1.0.0',
    skills: await skills(new URL('../../../examples/skills', import.meta.url)),
    parts: [
      panel,
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
