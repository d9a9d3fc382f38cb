import { expect, test } from 'vitest';
import { useWorkbench } from './fixture.ts';
import { goTo } from './workbench.ts';

const fixture = useWorkbench({ servers: ['forms', 'everything'] });

async function openTool(server: string, tool: string): Promise<void> {
  await goTo(fixture.page, 'tools', server, tool);
  await fixture.page.getByRole('heading', { level: 1, name: `${server}.${tool}` }).waitFor();
}
const json = () => fixture.page.locator('.editor > .field textarea');
const call = () => fixture.page.getByRole('button', { name: /^Call/ }).first();
const result = () => fixture.page.locator('.card.result');
const field = (path: string) => fixture.page.locator(`[data-field="${path}"]`);

// acceptance 14
test('a schema with nested objects, lists, titles, null, references and forty switches is filled in by form, and the JSON is what is sent', async () => {
  const { page } = fixture;
  await openTool('forms', 'order');
  expect(JSON.parse(await json().inputValue())).toEqual({ customer: 'Ada', to: {} });
  await field('to/street').getByRole('textbox').fill('Quay 1');
  await page.getByRole('button', { name: 'Set lines' }).click();
  await field('lines').getByRole('button', { name: 'Add item' }).click();
  await field('lines/0/article').getByRole('textbox').fill('rope');
  await field('lines/0/pieces').getByRole('textbox').fill('3');
  await field('speed').locator('select').selectOption({ label: 'Fast, tomorrow' });
  await field('gift').getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Set extras' }).click();
  await field('extras').getByRole('checkbox', { name: 'tracked' }).check();
  await page.getByRole('button', { name: 'Set notes' }).click();
  await field('notes/outside').getByRole('textbox').fill('"fragile" \\ up');
  await field('option40').locator('select').selectOption('true');
  const filled = {
    customer: 'Ada',
    to: { street: 'Quay 1' },
    lines: [{ article: 'rope', pieces: 3 }],
    speed: 'fast',
    gift: null,
    extras: ['tracked'],
    notes: { outside: '"fragile" \\ up' },
    option40: true,
  };
  expect(JSON.parse(await json().inputValue())).toEqual(filled);
  await call().click();
  await result().waitFor();
  const { length } = 'Ordered ';
  const said = await result().locator('pre.said').first().textContent();
  expect(JSON.parse((said ?? '').slice(length))).toEqual(filled);
});

// acceptance 14
test('a form and its JSON show the same after switching back and forth, and a union at the root is a choice', async () => {
  const { page } = fixture;
  await openTool('forms', 'pay');
  const choice = page.getByLabel('Which form of Form');
  await choice.selectOption({ label: 'By transfer' });
  await field('iban').getByRole('textbox').fill('DE00');
  const text = await json().inputValue();
  await openTool('forms', 'order');
  await openTool('forms', 'pay');
  expect(await json().inputValue()).toBe(text);
  expect(await field('iban').getByRole('textbox').inputValue()).toBe('DE00');
  await json().fill('{ "card": "4111",\n\n "month": 1.0 }');
  expect(await field('card').getByRole('textbox').inputValue()).toBe('4111');
  await field('card').getByRole('textbox').fill('42');
  expect(await json().inputValue()).toBe('{ "card": "42",\n\n "month": 1.0 }');
});

// acceptance 15
test('the JSON text is never rewritten while it is typed, faults have line and column, and Call is off until it parses', async () => {
  const { page } = fixture;
  await openTool('forms', 'echo');
  await json().fill('');
  const typed = '{\n  "a": "quote \\" and \\\\ back",\n  "b": null,';
  await json().pressSequentially(typed);
  expect(await json().inputValue()).toBe(typed);
  expect(await page.locator('.editor small[data-tone="bad"]').last().textContent()).toMatch(/^Line 3, column \d+: /);
  expect(await call().isDisabled()).toBe(true);
  await json().press('Backspace');
  await json().pressSequentially('}');
  expect(await call().isDisabled()).toBe(false);
  await call().click();
  await result().waitFor();
  expect(await result().textContent()).toContain('back');
});

// acceptance 16
test('a result that breaks its output schema shows the place', async () => {
  await openTool('forms', 'broken');
  await call().click();
  await result().waitFor();
  const text = await result().textContent();
  expect(text).toContain('price must be number');
});

// acceptance 16
test('a result with text, image, audio, link and resource shows all of them', async () => {
  await openTool('forms', 'everything');
  await call().click();
  await result().waitFor();
  await result().locator('img').waitFor();
  await result().locator('audio').waitFor();
  const text = await result().textContent();
  for (const part of ['Some text', 'A note', 'note://a', 'An embedded note']) expect(text).toContain(part);
});

// acceptance 17
test('a slow tool shows its progress, and Cancel reaches the server', async () => {
  const { page } = fixture;
  await openTool('forms', 'slow');
  await call().click();
  await page.getByText(/\d+ of 50/).waitFor();
  await page.locator('.running').getByRole('button', { name: 'Cancel' }).click();
  await page.locator('.running').waitFor({ state: 'detached' });
  await goTo(page, 'servers', 'forms');
  await expect.poll(() => page.locator('main').textContent()).toContain('is cancelled');
});

// acceptance 17
test('a timeout says what was outstanding', async () => {
  const { page } = fixture;
  await openTool('forms', 'stuck');
  await page.getByText('Deadline and').click();
  await page.getByLabel(/^Deadline/).fill('1');
  await call().click();
  await result().waitFor();
  expect(await result().textContent()).toMatch(/What was outstanding/);
});

// acceptance 18
test('a watched resource that changes appears with its difference', async () => {
  const { page } = fixture;
  await goTo(page, 'resources', 'forms', 'note://a');
  await page.getByRole('button', { name: /^Read/ }).click();
  await page.getByText('second line').first().waitFor();
  await page.getByRole('button', { name: 'Watch' }).click();
  await page.getByRole('button', { name: 'Watching' }).waitFor();
  await openTool('forms', 'touch');
  await call().click();
  await result().waitFor();
  await goTo(page, 'resources', 'forms', 'note://a');
  await page.locator('.diff ins').first().waitFor();
  expect(await page.locator('.diff ins').first().textContent()).toBe('changed line');
  expect(await page.locator('.diff del').first().textContent()).toBe('second line');
});

// acceptance 18
test('a template is expanded while its variables are typed', async () => {
  const { page } = fixture;
  await goTo(page, 'resources');
  await page.locator('[data-item*="{"]').first().click();
  const variable = page.getByRole('combobox').first();
  await variable.fill('4 2');
  await expect.poll(() => page.locator('[data-uri]').textContent()).toContain('4%202');
  await page.getByRole('button', { name: /^Read/ }).click();
  await result().waitFor();
});

// acceptance 18
test('an argument of a prompt is completed while it is typed', async () => {
  const { page } = fixture;
  await goTo(page, 'prompts');
  const prompt = page.locator('.rows a', { hasText: 'argument' }).first();
  await prompt.click();
  await page.getByRole('combobox').first().focus();
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await page.getByRole('combobox').first().inputValue()).not.toBe('');
});

// acceptance 19
test.each([
  ['Send answer', 'accept'],
  ['Decline', 'decline'],
  ['Cancel', 'cancel'],
])('a question of a server is answered with %s', async (button, action) => {
  const { page } = fixture;
  await openTool('everything', 'test_elicitation');
  const message = field('message').getByRole('textbox');
  if ((await message.count()) > 0) await message.fill('Your name?');
  await call().click();
  const ask = page.locator('.ask[data-kind="form"]');
  await ask.waitFor();
  for (const input of await ask.locator('input.input').all()) await input.fill('ada@example.com');
  await ask.getByRole('button', { name: button }).click();
  await ask.waitFor({ state: 'detached' });
  await result().waitFor();
  expect((await result().textContent())?.toLowerCase()).toContain(action);
});

// acceptance 19
test('a sampling request is answered by the user where no model is configured', async () => {
  const { page } = fixture;
  await openTool('everything', 'test_sampling');
  const prompt = field('prompt').getByRole('textbox');
  if ((await prompt.count()) > 0) await prompt.fill('Say hello');
  await call().click();
  const asks = page.locator('.ask');
  await asks.first().waitFor();
  for (let round = 0; round < 4 && (await result().count()) === 0; round++) {
    const answer = asks.locator('textarea').first();
    const primary = asks.locator('.btn[data-kind="primary"]').first();
    await primary.or(result()).first().waitFor();
    if ((await result().count()) > 0) break;
    if (await answer.isVisible()) await answer.fill('Hello from the user');
    await primary.click();
    await page.waitForTimeout(300);
  }
  await result().waitFor();
  expect(await result().textContent()).toContain('Hello from the user');
});

test('nothing was on the console', () => {
  expect(fixture.complaints).toEqual([]);
});
