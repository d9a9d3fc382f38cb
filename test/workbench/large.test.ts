/** Results and definitions that are large, empty or right-to-left. */
import { expect, test } from 'vitest';
import { pageUser } from './acts.ts';
import { useWorkbench } from './fixture.ts';
import { goTo } from './workbench.ts';

const fixture = useWorkbench({ servers: ['large'] });
const { answerUntil } = pageUser(fixture);

/** Calls a tool, and returns the text of its result. */
async function resultOf(name: string): Promise<string> {
  const { page } = fixture;
  await goTo(page, 'tools', 'large', name);
  await page.getByRole('button', { name: /^Call/ }).click();
  await answerUntil('.card.result');
  return (await page.locator('.card.result > .in').textContent()) ?? '';
}

test('of a text of 5 MB the beginning is drawn, with how long it is', async () => {
  const shown = await resultOf('text');
  expect(shown.length).toBeLessThan(210_000);
  expect(shown).toContain('The first 200,000 characters of 5,250,000 characters.');
  await goTo(fixture.page, 'timeline');
  await fixture.page.locator('[data-message]', { hasText: 'too large to summarize' }).first().waitFor();
});

test('of a long text in a tree of JSON the beginning is drawn, with how long it is', async () => {
  const shown = await resultOf('data');
  expect(shown.length).toBeLessThan(3_000);
  expect(shown).toContain('… 1,000,000 characters');
});

test.each([
  ['blank', 'The text is empty.'],
  ['bytes', 'The data is not base64.'],
])('a result without anything to see says so: %s', async (name, words) => {
  expect(await resultOf(name)).toContain(words);
});

test('a text from right to left begins at the right', async () => {
  await resultOf('arabic');
  expect(await fixture.page.locator('pre.said').evaluate((one) => getComputedStyle(one).direction)).toBe('rtl');
});

test('a long name and a long text of a field stay within the form', async () => {
  const { page } = fixture;
  await goTo(page, 'tools', 'large', 'wide');
  const over = await page
    .locator('.editor')
    .evaluate((editor) =>
      [...editor.querySelectorAll('label, small, input, textarea, .chips *')]
        .filter(
          (one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0 && !one.matches('input, svg, svg *'),
        )
        .map((one) => one.outerHTML.slice(0, 80)),
    );
  const [form, json] = await page
    .locator('.editor > *')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect));
  expect(over).toEqual([]);
  expect(form?.right ?? 0).toBeLessThanOrEqual(json?.left ?? 0);
});

test('a full timeline says how many messages are not in it, and what to do', async () => {
  const { page } = fixture;
  await page.route('**/rpc', async (route) => {
    const { method } = route.request().postDataJSON() as { method: string };
    if (method !== 'hello') return route.continue();
    const origin = new URL(fixture.bench.url).origin;
    const response = await route.fetch({ headers: { ...route.request().headers(), origin } });
    const { result, ...rest } = (await response.json()) as { result: object };
    await route.fulfill({ json: { ...rest, result: { ...result, dropped: 1_234 } } });
  });
  await page.reload();
  await page.locator('.dock .tag', { hasText: 'full' }).waitFor();
  await goTo(page, 'timeline');
  const note = page.getByRole('status').filter({ hasText: 'The timeline is full' });
  expect(await note.textContent()).toContain('1,234 newer messages are not in it. Restart the workbench');
});
