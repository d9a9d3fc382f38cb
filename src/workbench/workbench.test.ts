import { expect, test } from 'vitest';
import { openTestWorkbench } from '../../test/support/workbench.ts';
import { workbenchShop } from '../../test/support/workbench-shop.ts';

test('a page sees the servers, calls a tool and finds the messages of the call in the timeline', async () => {
  await using one = await openTestWorkbench({ servers: { shop: workbenchShop() } });
  const hello = await one.page.rpc('hello', {});
  expect(hello.servers.map(({ label }) => label)).toEqual(['shop']);
  const outcome = await one.page.rpc('call', { server: 'shop', tool: 'echo', arguments: { text: 'hi' }, ref: 'r1' });
  expect(outcome.result?.result['content']).toEqual([{ type: 'text', text: 'hi' }]);
  expect(outcome.decision).toMatchObject({ kind: 'tool', name: 'echo', allowed: true, phase: 'done' });
  const { rows } = await one.page.rpc('timeline.page', { filter: { method: 'tools/call' } });
  expect(rows.map(({ kind, span }) => [kind, span])).toEqual([
    ['request', outcome.span],
    ['response', outcome.span],
  ]);
});
