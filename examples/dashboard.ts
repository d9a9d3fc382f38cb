/**
 * A dashboard: a tool whose result hosts show in a page, and a tool that the page alone calls. Hosts without apps get text.
 *
 *   npx tsx examples/dashboard.ts
 */
import { strict as assert } from 'node:assert';
import { createServer, tool } from 'mooring';
import { app, withApp } from 'mooring/apps';
import { connect } from 'mooring/client';
import { everyRevision } from 'mooring/testing';
import * as z from 'zod';

const orders = new Map([
  ['Monday', [12.5, 8]],
  ['Tuesday', [30]],
]);

// #region app
const panel = app({
  uri: 'ui://sales/dashboard',
  title: 'Sales',
  html: new URL('dashboard.html', import.meta.url),
  script: true,
});

const sales = tool({
  name: 'sales',
  description: 'The sales of each day',
  effects: 'read',
  output: z.object({ days: z.array(z.object({ day: z.string(), total: z.number() })) }),
  text: ({ days }) => days.map(({ day, total }) => `${day}: ${total}`).join('\n'),
  run: () => ({ days: [...orders].map(([day, all]) => ({ day, total: all.reduce((sum, one) => sum + one, 0) })) }),
});

const ordersOf = tool({
  name: 'orders_of',
  description: 'The orders of a day',
  effects: 'read',
  input: z.object({ day: z.string() }),
  output: z.object({ orders: z.array(z.number()) }),
  run: ({ day }) => ({ orders: orders.get(day) ?? [] }),
});

export const dashboard = createServer({
  name: 'sales',
  version: '1.0.0',
  parts: [panel, withApp(sales, panel), withApp(ordersOf, panel, { for: 'app' })],
});
// #endregion

// A host without apps: text, and no tool that only the page can use.
await everyRevision(dashboard, async (client) => {
  assert.deepEqual(
    (await client.list('tools').all()).map(({ name }) => name),
    ['sales'],
  );
  assert.match((await client.call('sales')).text, /^Monday: 20.5\nTuesday: 30/);
});

// A host with apps finds the page through the tool.
const mimeTypes = ['text/html;profile=mcp-app'];
await using host = await connect(dashboard, {
  extensions: { 'io.modelcontextprotocol/ui': { settings: { mimeTypes } } },
});
const tools = await host.list('tools').all();
assert.deepEqual(
  tools.map(({ _meta }) => _meta),
  [
    { ui: { resourceUri: 'ui://sales/dashboard' } },
    { ui: { resourceUri: 'ui://sales/dashboard', visibility: ['app'] } },
  ],
);
assert.match((await host.read('ui://sales/dashboard')).text, /^<!doctype html>.*connectView.*mcp\.onResult/s);
assert.deepEqual((await host.call('orders_of', { day: 'Monday' })).data, { orders: [12.5, 8] });
