/** The palette contains all actions of each screen, and Escape closes what was opened last. No test of this file clicks. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { pageUser } from './acts.ts';
import { useWorkbench } from './fixture.ts';
import { KeyboardUser } from './keyboard.ts';
import { goTo } from './workbench.ts';

const fixture = useWorkbench({ servers: ['forms', 'asks', 'sales'] });
const keys = new KeyboardUser(fixture);
const { result } = pageUser(fixture);

const screens: readonly (readonly [name: string, ...of: string[]])[] = [
  ['tools', 'forms', 'echo'],
  ['tools', 'sales', 'sales'],
  ['resources', 'forms', 'note://a'],
  ['resources', 'asks', 'library://{shelf}/{book}'],
  ['prompts'],
  ['apps', 'sales', 'sales'],
  ['tasks'],
  ['skills'],
  ['chat'],
  ['timeline'],
  ['timeline', '1'],
  ['catalogue'],
  ['compare', 'forms', 'echo'],
  ['policy'],
  ['sign-in'],
  ['travel'],
  ['servers'],
  ['servers', 'forms'],
];

const ACTIONS = ['button', 'tab', 'menuitem', 'combobox', 'textbox', 'searchbox', 'checkbox', 'slider'] as const;

/** Actions by accessible name, each with its controls. Rows of lists are not actions. */
async function actionsOf(area: Locator): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const role of ACTIONS)
    for (const control of await area.getByRole(role, { disabled: false, includeHidden: role === 'menuitem' }).all()) {
      if ((await control.getAttribute('data-row')) !== null) continue;
      const quoted = /^- [a-z]+ ("(?:[^"\\]|\\.)*")/.exec(await control.ariaSnapshot())?.[1];
      const name = quoted === undefined ? ((await control.textContent()) ?? '') : (JSON.parse(quoted) as string);
      const mark = await control.evaluate((element) => {
        element.setAttribute('data-mark', element.getAttribute('data-mark') ?? crypto.randomUUID());
        return element.getAttribute('data-mark') ?? '';
      });
      found.set(name, [...(found.get(name) ?? []), mark]);
    }
  return found;
}

/** From here on, clicks by the page's own code are recorded and have no effect. */
async function holdClicks(page: Page): Promise<void> {
  await page.evaluate(() =>
    addEventListener(
      'click',
      (event) => {
        if (event.isTrusted) return;
        document.documentElement.setAttribute(
          'data-clicked',
          (event.target as HTMLElement).getAttribute('data-mark') ?? '',
        );
        event.preventDefault();
        event.stopImmediatePropagation();
      },
      true,
    ),
  );
}

/** What the last command clicked or focused. */
async function reached(page: Page): Promise<string> {
  return await page.evaluate(() => {
    const root = document.documentElement;
    const mark = root.getAttribute('data-clicked') ?? document.activeElement?.getAttribute('data-mark') ?? '';
    root.removeAttribute('data-clicked');
    return mark;
  });
}

test.each(screens)('the palette finds and runs every action of the screen %s %s %s', async (...of) => {
  const { page } = fixture;
  await goTo(page, ...of.filter((part) => part !== undefined));
  await page.locator('h1').waitFor({ state: 'attached' });
  await page.locator('main [aria-busy="true"]').waitFor({ state: 'detached' });
  await holdClicks(page);
  const missed: string[] = [];
  for (const [action, marks] of await actionsOf(page.locator('main'))) {
    await keys.search(`>${action}`);
    await keys.press('Enter');
    if (!marks.includes(await reached(page))) missed.push(action);
  }
  expect(missed).toEqual([]);
  await page.reload();
});

test('Escape closes what was opened last, one thing after the other, and the focus goes back', async () => {
  const { page } = fixture;
  const open = (name: string) => page.getByRole('region', { name });
  await page.locator('.sidebar [data-server="forms"][data-state="ready"]').waitFor();
  await keys.open('t');
  await page.locator('.rows a[data-item="echo"]').first().waitFor();
  await keys.openTool('forms.echo');
  await keys.press('c');
  await result().waitFor();
  await keys.open('y');
  await keys.openRow('echo', 'main tr[data-act] a');
  await open('Decision').waitFor();
  await keys.run('>Try other rules');
  const field = page.getByRole('textbox', { name: /^Rules to try/ });
  await keys.focus(field);
  await keys.press('Control+k');
  await page.getByRole('dialog').waitFor();
  const shown = async (): Promise<boolean[]> => [
    await page.getByRole('dialog').isVisible(),
    await page.evaluate(() => document.activeElement?.tagName === 'TEXTAREA'),
    await open('Rules to try').isVisible(),
    await open('Decision').isVisible(),
  ];
  const states = [await shown()];
  for (let step = 0; step < 4; step++) {
    await keys.press('Escape');
    await expect.poll(shown).not.toEqual(states.at(-1));
    states.push(await shown());
  }
  expect(states).toEqual([
    [true, false, true, true],
    [false, true, true, true],
    [false, false, true, true],
    [false, false, false, true],
    [false, false, false, false],
  ]);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('echo');
});

test('Escape closes a menu, suggestions and a message, and leaves what was open before', async () => {
  const { page } = fixture;
  await keys.open('l');
  await page.locator('[data-message]').first().waitFor();
  await keys.press('j', 'Enter');
  const message = page.locator('section.message');
  await message.waitFor();
  await keys.activate(message.getByRole('button', { name: 'Export this call' }));
  await page.locator('.menu:popover-open').waitFor();
  await keys.press('Escape');
  await page.locator('.menu:popover-open').waitFor({ state: 'detached' });
  expect(await message.isVisible()).toBe(true);
  await keys.press('Escape');
  await message.waitFor({ state: 'detached' });
  // The opened row has the focus again.
  expect(await page.evaluate(() => document.activeElement?.hasAttribute('data-message'))).toBe(true);
  await keys.run('library://');
  const shelf = page.getByRole('combobox', { name: /^shelf/ });
  await keys.focus(shelf);
  await page.keyboard.type('ma');
  const options = page.locator('.options [role="option"]');
  await options.first().waitFor();
  await keys.press('Escape');
  await options.first().waitFor({ state: 'hidden' });
  expect(await shelf.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await shelf.inputValue()).toBe('ma');
});

test('the palette names each command of the tools screen once, also after a call', async () => {
  const { page } = fixture;
  await page.locator('.sidebar [data-server="forms"][data-state="ready"]').waitFor();
  await keys.open('t');
  await page.locator('.rows a[data-item="echo"]').first().waitFor();
  await keys.openTool('forms.echo');
  await keys.press('c');
  await result().waitFor();
  await keys.search('>');
  const shown = await page.getByRole('dialog').getByRole('option').allTextContents();
  await keys.press('Escape');
  expect(shown.filter((text) => text.includes('Copy as command line'))).toHaveLength(1);
  expect(shown).toEqual([...new Set(shown)]);
});

test('the focus was seen wherever it went while things were opened and closed', () => {
  expect([...keys.unseen]).toEqual([]);
});

test('if the browser denies access to the clipboard, the page says so, and not that the URL was copied', async () => {
  const { page } = fixture;
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('denied'));
  });
  await keys.run('>Copy a URL for another tab');
  await page.getByText('The browser denied access to the clipboard.').waitFor();
});

test('if the workbench has no URL to copy, the page says why', async () => {
  const { page } = fixture;
  await page.route('**/rpc', async (route) => {
    const { id, method } = route.request().postDataJSON() as { id: number; method: string };
    const error = { code: -32_603, message: 'The workbench has no URL.' };
    if (method === 'invite') await route.fulfill({ json: { jsonrpc: '2.0', id, error } });
    else await route.continue();
  });
  await keys.run('>Copy a URL for another tab');
  await page.getByText('The workbench has no URL.').waitFor();
  await page.unroute('**/rpc');
});
