import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { pageUser } from './acts.ts';
import { useWorkbench } from './fixture.ts';
import { copyUrl, goTo } from './workbench.ts';

const fixture = useWorkbench({ servers: ['forms', 'asks'] });
const { openTool, call, result, json, field } = pageUser(fixture);

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

test('what came of a call is in view, however long the form above it is', async () => {
  const { page } = fixture;
  await openTool('forms', 'order');
  await page.locator('.pane.call').evaluate((pane) => pane.scrollTo(0, 0));
  await call().click();
  const isInView = () =>
    result().evaluate((card) => {
      const [shown, pane] = [card.getBoundingClientRect(), card.closest('.pane')?.getBoundingClientRect()];
      return pane !== undefined && shown.top >= pane.top && shown.top < pane.bottom - 40;
    });
  await expect.poll(isInView).toBe(true);
  // Returning to it does not scroll.
  await openTool('forms', 'echo');
  await openTool('forms', 'order');
  expect(await isInView()).toBe(false);
});

test('when an item in the middle of a list is removed, what was typed into it does not stay with the next one', async () => {
  const { page } = fixture;
  await openTool('asks', 'pack');
  await page.getByRole('button', { name: 'Set things' }).click();
  for (const at of [0, 1, 2]) {
    await field('things').getByRole('button', { name: 'Add item' }).click();
    await field(`things/${at}`).getByRole('textbox').fill(`"thing ${at}"`);
  }
  await field('things/1').getByRole('textbox').fill('{"half"');
  await field('things/1').locator('small[data-tone="bad"]').waitFor();
  await field('things/1')
    .getByRole('button', { name: /^Remove/ })
    .click();
  await field('things/2').waitFor({ state: 'detached' });
  expect(await field('things/1').getByRole('textbox').inputValue()).toBe('"thing 2"');
  expect(await page.locator('.form small[data-tone="bad"]').count()).toBe(0);
  expect(JSON.parse(await json().inputValue())).toEqual({ things: ['thing 0', 'thing 2'] });
});

test('a form and its JSON show the same after switching back and forth, and a union at the root is a choice', async () => {
  const { page } = fixture;
  await openTool('forms', 'pay');
  const choice = page.getByLabel('Variant of Form');
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

test('a result that breaks its output schema shows the place', async () => {
  await openTool('forms', 'broken');
  await call().click();
  await result().waitFor();
  const text = await result().textContent();
  expect(text).toContain('price must be number');
});

test('a result with text, image, audio, link and resource shows all of them', async () => {
  await openTool('forms', 'everything');
  await call().click();
  await result().waitFor();
  await result().locator('img').waitFor();
  await result().locator('audio').waitFor();
  const text = await result().textContent();
  for (const part of ['Some text', 'A note', 'note://a', 'An embedded note']) expect(text).toContain(part);
});

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

test('a timeout says what was outstanding', async () => {
  const { page } = fixture;
  await openTool('forms', 'stuck');
  await page.getByText('Timeout and').click();
  // What cannot be sent as it was typed is not left out silently.
  for (const [label, wrong, words] of [
    [/^Timeout/, 'soon', 'A number of seconds is expected.'],
    [/^_meta/, '{', 'Line 1, column 2'],
    [/^_meta/, '[]', 'A JSON object is expected.'],
  ] as const) {
    await page.getByLabel(label).fill(wrong);
    await page.getByText(words).waitFor();
    await expect.poll(() => call().isDisabled()).toBe(true);
    await page.getByLabel(label).fill('');
    await expect.poll(() => call().isDisabled()).toBe(false);
  }
  await page.getByLabel(/^Timeout/).fill('1');
  await call().click();
  await result().waitFor();
  expect(await result().textContent()).toMatch(/Open requests at the timeout/);
});

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
  await page.getByRole('button', { name: 'Watching' }).waitFor();
  await page.locator('.diff ins').first().waitFor();
  expect(await page.locator('.diff ins').first().textContent()).toBe('changed line');
  expect(await page.locator('.diff del').first().textContent()).toBe('second line');
  // Whole words, although "second" and "changed" end with the same letter.
  expect(await page.locator('.diff mark').allTextContents()).toEqual(['second', 'changed']);
});

test('a template with two variables is completed and expanded while they are typed, each from what the other says', async () => {
  const { page } = fixture;
  await goTo(page, 'resources', 'asks', 'library://{shelf}/{book}');
  const shelf = page.getByRole('combobox', { name: /^shelf/ });
  const book = page.getByRole('combobox', { name: /^book/ });
  const options = page.getByRole('option');
  await shelf.fill('po');
  await expect.poll(() => options.allTextContents()).toEqual(['poems']);
  await shelf.press('ArrowDown');
  await shelf.press('Enter');
  expect(await shelf.inputValue()).toBe('poems');
  await book.pressSequentially('d');
  await expect.poll(() => options.allTextContents()).toEqual(['Dawn', 'Dusk']);
  await book.fill('Da wn');
  await expect.poll(() => page.locator('[data-uri]').textContent()).toBe('library://poems/Da%20wn');
  await book.fill('Dawn');
  await expect.poll(() => page.locator('[data-uri]').textContent()).toBe('library://poems/Dawn');
  await page.getByRole('button', { name: /^Read/ }).click();
  await result().getByText('The text of Dawn').waitFor();
});

const ask = () => fixture.page.locator('.ask');
const press = (name: string) => ask().getByRole('button', { name, exact: true }).first().click();
const askOf = (kind: string) => fixture.page.locator(`.ask[data-kind="${kind}"]`);
/** The final result of the tool, or its error. */
async function comesTo(): Promise<string> {
  await result().waitFor();
  return (await result().textContent()) ?? '';
}

describe('a question of a server', () => {
  test.each([
    ['Send answer', /accept \{"name":"Ada"\}/],
    ['Decline', /decline/],
    ['Dismiss', /cancel/],
  ])('with a form is answered with %s', async (button, outcome) => {
    await openTool('asks', 'form');
    await call().click();
    await askOf('form').waitFor();
    await ask().locator('input.input').fill('Ada');
    await press(button);
    expect(await comesTo()).toMatch(outcome);
  });

  test.each([
    ['Allow once', 'Done', /accept/],
    ['Deny', undefined, /decline/],
    ['Allow once', 'Dismiss', /cancel/],
  ])('that sends the user to a page is answered with %s, then %s', async (consent, visit, outcome) => {
    await openTool('asks', 'visit');
    await call().click();
    await askOf('consent').getByText('pay.example').first().waitFor();
    await press(consent);
    if (visit !== undefined) {
      await askOf('visit').getByText('https://pay.example/checkout').waitFor();
      await press(visit);
    }
    expect(await comesTo()).toMatch(outcome);
  });

  test.each([
    ['Send reply', /model .*Four/],
    ['Decline', /declined/],
  ])('for a model is answered by the user with %s', async (button, outcome) => {
    await openTool('asks', 'think');
    await call().click();
    await askOf('consent').waitFor();
    await press('Allow once');
    await askOf('sampling').getByText('Two and two?').waitFor();
    await ask().locator('textarea').fill('Four');
    await press(button);
    // The model's answer is shown again before it is sent to the server.
    await askOf('consent').or(result()).first().waitFor();
    if (await askOf('consent').isVisible()) await press('Allow once');
    expect(await comesTo()).toMatch(outcome);
  });

  test('for a model is denied before the user speaks for it', async () => {
    await openTool('asks', 'think');
    await call().click();
    await askOf('consent').waitFor();
    await press('Deny');
    expect(await comesTo()).toMatch(/User rejected sampling request/);
  });

  test.each([
    ['Allow once', /roots .*file:\/\/\/.*project/],
    ['Deny', /No folders are shown/],
  ])('for folders is answered with those of its page and %s', async (button, outcome) => {
    const { page, folder } = fixture;
    await mkdir(join(folder, 'project'), { recursive: true });
    await goTo(page, 'servers', 'asks');
    await page.getByLabel(/^Roots/).fill(join(folder, 'project'));
    await page.getByRole('button', { name: 'Use these folders' }).click();
    await page.getByText('gets these folders').waitFor();
    await openTool('asks', 'folders');
    await call().click();
    await askOf('consent').getByText('project').first().waitFor();
    await press(button);
    expect(await comesTo()).toMatch(outcome);
  });

  test.each(['form', 'visit', 'think', 'folders'])('that is not answered ends with the call: %s', async (tool) => {
    const { page } = fixture;
    await openTool('asks', tool);
    await call().click();
    await ask().first().waitFor();
    await page.locator('.running').getByRole('button', { name: 'Cancel' }).click();
    await ask().first().waitFor({ state: 'detached' });
    expect(await comesTo()).toMatch(/cancelled/);
  });

  test('is answered by a script as by a user, and the page shows what came of it', async () => {
    const { page, folder } = fixture;
    const url = await copyUrl(page);
    const answers = { form: { name: 'Grace' }, model: 'Five' };
    await writeFile(join(folder, 'answers.json'), JSON.stringify(answers));
    const script = fileURLToPath(new URL('./servers/answers.mjs', import.meta.url));
    const running = promisify(execFile)(process.execPath, [script, url, join(folder, 'answers.json')]);
    for (const [tool, outcome] of [
      ['form', /accept \{"name":"Grace"\}/],
      ['visit', /accept/],
      ['think', /model .*Five/],
      ['folders', /roots \[/],
    ] as const) {
      await openTool('asks', tool);
      await call().click();
      await expect.poll(() => result().textContent({ timeout: 30_000 })).toMatch(outcome);
    }
    running.child.kill('SIGTERM');
    await running.catch(() => undefined);
  });
});

test('nothing was on the console', () => {
  expect(fixture.complaints).toEqual([]);
});
