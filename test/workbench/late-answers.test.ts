/** A response that arrives after the user has moved on is not shown. */
import type { APIResponse, Route } from 'playwright-core';
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

/** What the process responds now, for the test to deliver later. */
const responseNow = (route: Route): Promise<APIResponse> =>
  route.fetch({ headers: { ...route.request().headers(), origin: new URL(fixture.bench.url).origin } });

const heldAfter = async (held: readonly Route[], before: number): Promise<Route> => {
  await expect.poll(() => held.length).toBeGreaterThan(before);
  return held[before] as Route; // there are more than that
};

/** Sends a verb to the process, and returns the response as text. */
const send = (method: string, params: object): Promise<string> =>
  fixture.page.evaluate(
    async (body) => {
      const authorization = `Bearer ${sessionStorage.getItem('mooring-workbench-token')}`;
      const headers = { authorization, 'content-type': 'application/json' };
      return await (await fetch('/rpc', { method: 'POST', headers, body })).text();
    },
    JSON.stringify({ jsonrpc: '2.0', id: 'test', method, params }),
  );

const echo = (args: object): Promise<string> => send('call', { server: 'forms', tool: 'echo', arguments: args });

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

test('a question that comes before an older state stays open', async () => {
  const { page } = fixture;
  const held = await holdVerb('hello');
  await page.reload();
  const state = await heldAfter(held, 0);
  const older = await responseNow(state);
  void send('servers.add', { label: 'typed', definition: { url: 'http://127.0.0.1:9/mcp' } });
  void send('servers.connect', { server: 'typed' });
  await expect.poll(() => send('servers.list', {})).toMatch(/"label":"typed","stage":"asking"/);
  await state.fulfill({ response: older });
  await page.locator('.ask[data-kind="consent"]').getByRole('button', { name: 'Deny' }).click();
  await page.locator('.ask').waitFor({ state: 'detached' });
});

test('a reply of the model that comes before the response to the message stays, and ends the run', async () => {
  const { page } = fixture;
  await goTo(page, 'chat');
  const held = await holdVerb('chat.say');
  await page.getByLabel('Message to the model').fill('Go');
  await page.getByRole('button', { name: 'Send' }).click();
  const said = await heldAfter(held, 0);
  const response = await responseNow(said);
  await page.locator('.talk .model').waitFor();
  const { id, result } = (await response.json()) as { id: number; result: { rows: object[] } };
  // As if it had been written before the model replied.
  await said.fulfill({
    json: { jsonrpc: '2.0', id, result: { ...result, running: true, rows: result.rows.slice(0, 1) } },
  });
  await settled(page);
  expect(await page.locator('.talk .model').count()).toBe(1);
  await page.getByRole('button', { name: 'Send' }).waitFor();
});

test('messages that come while the last page of the timeline is loading are loaded after it', async () => {
  const { page } = fixture;
  await goTo(page, 'timeline');
  await settled(page);
  const held = await holdVerb('timeline.page');
  await echo({ first: 1 });
  const first = await heldAfter(held, 0);
  const older = await responseNow(first);
  const total = await page.locator('h1 ~ .facts [aria-live]').textContent();
  await echo({ second: 2 });
  await expect.poll(() => page.locator('h1 ~ .facts [aria-live]').textContent()).not.toBe(total);
  await first.fulfill({ response: older });
  await (await heldAfter(held, 1)).continue();
  await page.locator('[data-message]', { hasText: '"second"' }).first().waitFor();
});

test('statistics are shown while messages keep coming, and one request for them is made at a time', async () => {
  const { page } = fixture;
  await goTo(page, 'catalogue');
  await page.locator('tr[data-tool]').first().waitFor();
  await settled(page);
  const held = await holdVerb('timeline.stats');
  await echo({ a: 1 });
  const first = await heldAfter(held, 0);
  const total = page.locator('.sidebar [href="#/timeline"] .num');
  const before = await total.textContent();
  // Long enough for a second request, if one were made.
  for (let at = 0; at < 20; at++) await echo({ at });
  await expect.poll(() => total.textContent()).not.toBe(before);
  const row = { key: 'late/method', count: 7, errors: 0, p50: 1, p90: 1, p99: 1, max: 1, slowest: 1, histogram: [] };
  await respond(first, { rows: [row] });
  await page.getByRole('combobox', { name: 'Method' }).getByText('late/method').waitFor({ state: 'attached' });
  await (await heldAfter(held, 1)).continue();
});

test('the outcome of an earlier call does not replace that of a later one', async () => {
  const { page } = fixture;
  await goTo(page, 'tools', 'forms', 'echo');
  const json = page.locator('.editor > .field textarea');
  const call = async (text: string): Promise<void> => {
    await json.fill(JSON.stringify({ text }));
    await page.getByRole('button', { name: /^Call/ }).first().click();
    await page.locator('.card.result', { hasText: text }).waitFor();
  };
  await call('older');
  const held = await holdVerb('call.outcome');
  await page.reload();
  const late = await heldAfter(held, 0);
  await call('newer');
  await late.continue();
  await settled(page);
  expect(await page.locator('.card.result').textContent()).toContain('newer');
});
