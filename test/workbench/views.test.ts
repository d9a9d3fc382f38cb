/** Views in several tabs of one browser. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { pageUser } from './acts.ts';
import { useWorkbench } from './fixture.ts';
import { goTo } from './workbench.ts';

const fixture = useWorkbench({ servers: ['sales'] });
const { answerUntil } = pageUser(fixture);

const live = '.head .tag >> text=live';
const frameOf = (tab: Page) => tab.locator('.stage-box iframe');
const content = (tab: Page) => tab.frameLocator('.stage-box iframe').frameLocator('iframe').getByText('Monday').first();
const elsewhere = (tab: Page) => tab.getByRole('heading', { name: 'The view is open in another tab' });

/** The handshakes of the view so far. */
async function handshakes(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const authorization = `Bearer ${sessionStorage.getItem('mooring-workbench-token')}`;
    const params = { filter: { method: 'ui/initialize', server: 'sales view' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'test', method: 'timeline.page', params });
    const headers = { authorization, 'content-type': 'application/json' };
    const { result } = (await (await fetch('/rpc', { method: 'POST', headers, body })).json()) as {
      result: { rows: readonly { kind: string }[] };
    };
    return result.rows.filter(({ kind }) => kind === 'request').length;
  });
}

test('a view has its frame in one tab at a time, and moves to the tab that opens it again or is left', async () => {
  const { page, bench } = fixture;
  await goTo(page, 'apps', 'sales', 'sales');
  await page.getByRole('button', { name: 'Call and open' }).click();
  await answerUntil(live);
  await content(page).waitFor();
  const second = await page.context().newPage();
  await second.goto(new URL(bench.url).origin);
  await second.locator('.sidebar').waitFor();
  await goTo(second, 'apps', 'sales', 'sales');
  await second.locator(live).waitFor();
  await elsewhere(second).waitFor();
  expect(await frameOf(second).count()).toBe(0);
  expect(await handshakes(page)).toBe(1);

  await second.getByRole('button', { name: 'Call and open again' }).click();
  await content(second).waitFor();
  await elsewhere(page).waitFor();
  expect(await frameOf(page).count()).toBe(0);
  expect(await handshakes(page)).toBe(2);

  await second.close();
  await content(page).waitFor();
  expect(await elsewhere(page).count()).toBe(0);

  await page.getByRole('button', { name: 'Close the view' }).click();
  await page.getByText('The view is closed.').waitFor();
  await goTo(page, 'tools');
  await goTo(page, 'apps', 'sales', 'sales');
  await page.getByText('The view is closed.').waitFor();
  expect(await frameOf(page).count()).toBe(0);
});
