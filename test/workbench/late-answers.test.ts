/** A response that arrives after the user has moved on is not shown. */
import type { Route } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { useWorkbench } from './fixture.ts';
import { goTo, settled } from './workbench.ts';

const fixture = useWorkbench({ servers: ['forms', 'sales'] });

afterEach(() => fixture.page.unroute('**/rpc'));

/** Holds requests with this verb until the test responds to them. */
async function holdVerb(verb: string): Promise<readonly Route[]> {
  const held: Route[] = [];
  await fixture.page.route('**/rpc', async (route) => {
    const { method } = route.request().postDataJSON() as { method: string };
    if (method === verb) held.push(route);
    else await route.continue();
  });
  return held;
}

const heldAfter = async (held: readonly Route[], before: number): Promise<Route> => {
  await expect.poll(() => held.length).toBeGreaterThan(before);
  return held[before] as Route; // there are more than that
};

function respond(route: Route, result: unknown): Promise<void> {
  const { id } = route.request().postDataJSON() as { id: number };
  return route.fulfill({ json: { jsonrpc: '2.0', id, result } });
}

test('a comparison of one tool is not shown for another, which can be compared meanwhile', async () => {
  const { page } = fixture;
  await goTo(page, 'compare', 'forms', 'echo');
  const held = await holdVerb('compare');
  const call = page.getByRole('button', { name: 'Call in both' });
  await call.click();
  const first = await heldAfter(held, 0);
  await page.getByRole('button', { name: 'Calling twice…' }).waitFor();
  await goTo(page, 'compare', 'sales', 'sales');
  await call.waitFor();
  expect(await call.isEnabled()).toBe(true);
  const side = {
    outcome: { state: 'failed', message: 'late', ms: 1, waitedMs: 0, spans: [] },
    messages: [],
    roundTrips: 1,
    bytes: 1,
  };
  await respond(first, {
    rows: [],
    left: { ...side, revision: '2025-11-25' },
    right: { ...side, revision: '2026-07-28' },
  });
  await settled(page);
  expect(await page.locator('.versus').count()).toBe(0);
  await page.getByRole('heading', { name: 'One call, two revisions' }).waitFor();
});

test('lanes that come after a message was closed are not shown', async () => {
  const { page } = fixture;
  await goTo(page, 'timeline');
  const lanes = page.getByRole('img', { name: 'Spans by server' });
  await lanes.waitFor();
  const held = await holdVerb('timeline.spans');
  await goTo(page, 'timeline', '1');
  const late = await heldAfter(held, 0);
  await goTo(page, 'timeline');
  await page.locator('section.message').waitFor({ state: 'detached' });
  await respond(late, { spans: [] });
  await settled(page);
  expect(await lanes.count()).toBe(1);
});

test('a message that comes after it was closed does not move the lanes', async () => {
  const { page } = fixture;
  await goTo(page, 'timeline');
  const lanes = page.getByRole('img', { name: 'Spans by server' });
  await lanes.waitFor();
  const held = await holdVerb('timeline.message');
  await goTo(page, 'timeline', '1');
  await heldAfter(held, 1);
  await goTo(page, 'timeline');
  await page.locator('.pane.message').waitFor({ state: 'detached' });
  await Promise.all(held.map((late) => respond(late, { id: 1, at: 0 })));
  await settled(page);
  expect(await lanes.count()).toBe(1);
});

test('roots of a server that come after another was opened are not shown for it, and nor is a failure', async () => {
  const { page } = fixture;
  await goTo(page, 'servers');
  const held = await holdVerb('servers.roots');
  const roots = page.getByLabel('Roots');
  await goTo(page, 'servers', 'forms');
  const late = await heldAfter(held, 0);
  await goTo(page, 'servers', 'sales');
  await respond(await heldAfter(held, 1), { folders: ['/sales'] });
  await expect.poll(() => roots.inputValue()).toBe('/sales');
  await respond(late, { folders: ['/forms'] });
  await settled(page);
  expect(await roots.inputValue()).toBe('/sales');
  await goTo(page, 'servers', 'forms');
  const broken = await heldAfter(held, 2);
  await goTo(page, 'servers', 'sales');
  await respond(await heldAfter(held, 3), { folders: [] });
  await expect.poll(() => roots.inputValue()).toBe('');
  await broken.abort();
  await settled(page);
  expect([await roots.count(), await roots.inputValue()]).toEqual([1, '']);
});

test('what fits a budget is not replaced by what fits the one before', async () => {
  const { page } = fixture;
  await goTo(page, 'catalogue');
  const inside = page.locator('tr[data-tool]:not(.out)');
  await inside.first().waitFor();
  const [name = ''] = await inside.evaluateAll((rows) => rows.map((row) => row.getAttribute('data-tool') ?? ''));
  const held = await holdVerb('catalogue.forModel');
  const slider = page.getByLabel('Budget in tokens');
  await slider.fill('500');
  const before = await heldAfter(held, 0);
  await slider.fill('1000');
  await respond(await heldAfter(held, 1), { tools: [{ name }], tokens: 900 });
  await expect.poll(() => inside.count()).toBe(1);
  await respond(before, { tools: [], tokens: 0 });
  await settled(page);
  expect(await inside.count()).toBe(1);
});
