/** Tasks in the page, from a server that outlives workbenches. */
import { expect, test } from 'vitest';
import { createServer, tool } from '../../src/index.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { pageUser } from './acts.ts';
import { type PreparedParts, useWorkbench } from './fixture.ts';
import { connect, goTo, openPage, startWorkbench } from './workbench.ts';

let caller = 'ada';

async function studio(): Promise<PreparedParts> {
  const render = tool({
    name: 'render',
    description: 'Renders a film',
    effects: 'read',
    task: true,
    async run(_, ctx) {
      ctx.progress(1, 2, 'half of the frames');
      const isSure = await ctx.confirm('sure', 'Render the rest?');
      return isSure ? 'All frames are rendered' : 'Stopped';
    },
  });
  const server = createServer({ name: 'studio', version: '1', tasks: true, parts: [render] });
  // Tasks belong to their caller, in any session.
  const web = await serveHttp(server, { port: 0, auth: () => ({ subject: caller, scopes: [] }) });
  return { entries: { studio: { type: 'http', url: web.url } }, close: () => web.close() };
}

const fixture = useWorkbench({ servers: [], opened: [], args: ['studio'], prepare: studio });
const { chooseRevision, openTool, allowUntil, result } = pageUser(fixture);

test.each(['2025-11-25', '2026-07-28'])(
  'a task of revision %s begins, says how far it is, asks and is detached; after a restart of the workbench it is attached from its ticket, answered and ends',
  async (revision) => {
    await connect(fixture.page, 'studio');
    await chooseRevision('studio', revision);
    await openTool('studio', 'render');
    await fixture.page.getByRole('button', { name: 'Run as task' }).click();
    await allowUntil('.card.result');
    await result().getByRole('link', { name: 'Open the task' }).click();
    const task = () => fixture.page.getByRole('region', { name: 'Task render' });
    await task().getByText('half of the frames').first().waitFor();
    await fixture.page.locator('.ask[data-kind="form"]').getByText('Render the rest?').waitFor();
    const ticket = ((await task().locator('dd .mono').textContent()) ?? '').trim();
    await task().getByRole('button', { name: 'Detach' }).click();
    await fixture.page.locator('tr', { hasText: 'detached' }).first().waitFor();

    await fixture.bench.stop();
    await fixture.page.context().close();
    fixture.bench = await startWorkbench({ args: ['studio'], folder: fixture.folder });
    Object.assign(fixture, await openPage(fixture.browser, fixture.bench.url));
    await connect(fixture.page, 'studio');
    await chooseRevision('studio', revision);
    await goTo(fixture.page, 'tasks');
    await fixture.page.getByLabel('Ticket of a task').fill(ticket);
    await fixture.page.getByRole('button', { name: 'Attach' }).first().click();
    await allowUntil('.ask[data-kind="form"]');
    await fixture.page.locator('.ask').getByRole('button', { name: 'Yes' }).click();
    await fixture.page.locator('tr[aria-selected="true"][data-state="completed"]').waitFor();
    await expect.poll(() => result().textContent()).toContain('All frames are rendered');
    await expect.poll(() => fixture.page.locator('.ask').count()).toBe(0);
  },
);

test('a ticket whose server knows no such task of this caller says so, and is not shown as working', async () => {
  const { page } = fixture;
  await chooseRevision('studio', '2026-07-28');
  await openTool('studio', 'render');
  await page.getByRole('button', { name: 'Run as task' }).click();
  await allowUntil('.card.result');
  await result().getByRole('link', { name: 'Open the task' }).click();
  await page.locator('.ask[data-kind="form"]').waitFor();
  await page.getByRole('button', { name: 'Detach' }).click();
  caller = 'grace';
  // The form for tickets has a button, too.
  await page
    .locator('button:not([type="submit"])')
    .filter({ hasText: /^Attach$/ })
    .click();
  await allowUntil('.card.result');
  await expect.poll(() => result().textContent()).toContain('does not know task');
  await page.locator('tr[aria-selected="true"][data-state="detached"]').waitFor();
});

test('nothing was on the console of a page with tasks', () => {
  expect(fixture.complaints).toEqual([]);
});
