/** The workbench by keyboard only: no test of this file clicks. */
import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { authorizationServer, mcp } from '../support/attacked.ts';
import { pageUser } from './acts.ts';
import { type PreparedParts, useWorkbench } from './fixture.ts';
import { KeyboardUser } from './keyboard.ts';

async function signIns(): Promise<PreparedParts> {
  const as = await authorizationServer();
  const server = await mcp(() => ({ issuers: [as.origin], says: { scopes_supported: ['notes:read', 'notes:write'] } }));
  return {
    entries: { notes: { type: 'http', url: `${server.origin}/mcp` } },
    close: () => Promise.all([as[Symbol.asyncDispose](), server[Symbol.asyncDispose]()]),
  };
}

const fixture = useWorkbench({ servers: ['forms', 'asks', 'sales', 'odd'], prepare: signIns });
const keys = new KeyboardUser(fixture);
const { result, field, json, call } = pageUser(fixture);
const named = (role: 'button' | 'link' | 'tab' | 'combobox' | 'textbox' | 'menuitem', name: string | RegExp) =>
  fixture.page.getByRole(role, { name }).first();
const screen = (name: string) => fixture.page.locator(`[data-screen="${name}"]`).waitFor();
const asked = () => fixture.page.locator('.ask');

test('by keyboard alone, a form with nested parts, lists and choices is filled in, and the JSON beside it is sent', async () => {
  const { page } = fixture;
  await page.locator('.rows a[data-item="order"]').first().waitFor();
  await keys.openTool('forms.order');
  await keys.write(field('to/street').getByRole('textbox'), 'Quay 1');
  await keys.activate(named('button', 'Set lines'));
  await keys.activate(field('lines').getByRole('button', { name: 'Add item' }));
  await keys.write(field('lines/0/article').getByRole('textbox'), 'rope');
  await keys.write(field('lines/0/pieces').getByRole('textbox'), '3');
  await keys.choose(field('speed').locator('select'), 'Fast');
  await keys.focus(field('gift').getByRole('checkbox'));
  await keys.press('Space');
  await keys.activate(named('button', 'Set extras'));
  await keys.focus(field('extras').getByRole('checkbox', { name: 'tracked' }));
  await keys.press('Space');
  await keys.run('>option40');
  await keys.choose(field('option40').locator('select'), 't');
  const filled = {
    customer: 'Ada',
    to: { street: 'Quay 1' },
    lines: [{ article: 'rope', pieces: 3 }],
    speed: 'fast',
    gift: null,
    extras: ['tracked'],
    option40: true,
  };
  expect(JSON.parse(await json().inputValue())).toEqual(filled);
  await keys.press('Control+Enter');
  await result().waitFor();
  const said = await result().locator('pre.said').first().textContent();
  expect(JSON.parse((said ?? '').replace('Ordered ', ''))).toEqual(filled);
  await keys.openTool('forms.pay');
  await keys.choose(page.getByLabel('Variant of Form'), 'By t');
  await keys.write(field('iban').getByRole('textbox'), 'DE00');
  expect(JSON.parse(await json().inputValue())).toEqual({ iban: 'DE00' });
});

test('by keyboard alone, JSON is typed and never rewritten, its faults have a place, and Call waits for it', async () => {
  const { page } = fixture;
  await keys.openTool('forms.echo');
  await keys.run('>JSON');
  const typed = '{"a": "quote \\" and \\\\ back", "b": null,';
  await keys.write(json(), typed);
  expect(await json().inputValue()).toBe(typed);
  expect(await page.locator('.editor small[data-tone="bad"]').last().textContent()).toMatch(/^Line 1, column \d+: /);
  expect(await call().isDisabled()).toBe(true);
  await page.keyboard.press('Control+Enter');
  await keys.press('Backspace');
  expect(await result().count()).toBe(0);
  await page.keyboard.type('}');
  await keys.press('Control+Enter');
  await expect.poll(() => result().textContent()).toContain('back');
});

test('by keyboard alone, a result shows where it breaks its schema, and every kind of content is shown', async () => {
  await keys.openTool('forms.broken');
  await keys.press('c');
  await expect.poll(() => result().textContent()).toContain('price must be number');
  await keys.openTool('forms.everything');
  await keys.press('c');
  await result().locator('img').waitFor();
  await keys.focus(result().locator('audio'));
  expect(await result().textContent()).toContain('An embedded note');
});

test('by keyboard alone, a slow call is cancelled, and a call that times out says what was outstanding', async () => {
  const { page } = fixture;
  await keys.openTool('forms.slow');
  await keys.press('c');
  await page.getByText(/\d+ of 50/).waitFor();
  await keys.activate(page.locator('.running').getByRole('button', { name: 'Cancel' }));
  await page.locator('.running').waitFor({ state: 'detached' });
  await keys.run('@forms');
  await expect.poll(() => page.locator('main .log').textContent()).toContain('is cancelled');
  await keys.openTool('forms.stuck');
  await keys.run('>Timeout');
  await keys.write(page.getByLabel(/^Timeout/), '1');
  await keys.press('Control+Enter');
  await expect.poll(() => result().textContent()).toContain('Open requests at the timeout');
});

test('by keyboard alone, a template is completed and read, and a resource watched', async () => {
  const { page } = fixture;
  // The palette shows what is known when it opens.
  await page.locator('.rows a[data-item="order"]').first().waitFor();
  await keys.run('library://');
  await keys.focus(page.getByRole('combobox', { name: /^shelf/ }));
  await page.keyboard.type('ma');
  await expect.poll(() => page.locator('.options [role="option"]').allTextContents()).toEqual(['maps']);
  await keys.press('ArrowDown', 'Enter');
  await keys.focus(page.getByRole('combobox', { name: /^book/ }));
  await page.keyboard.type('Delta');
  await keys.press('Control+Enter');
  await keys.agreeUntil(result().getByText('The text of Delta'));
  await keys.open('r');
  await keys.openRow('A note');
  await keys.activate(named('button', 'Watch'));
  await named('button', 'Watching').waitFor();
});

test('by keyboard alone, questions are answered, declined and cancelled', async () => {
  const { page } = fixture;
  await keys.openTool('asks.form');
  await keys.press('c');
  await asked().first().waitFor();
  await keys.write(asked().locator('input.input'), 'Ada');
  await keys.press('Control+Enter');
  await expect.poll(() => result().textContent()).toContain('accept {"name":"Ada"}');
  for (const [button, action] of [
    ['Decline', 'decline'],
    ['Dismiss', 'cancel'],
  ] as const) {
    await keys.run('>Call');
    await keys.activate(asked().getByRole('button', { name: button }));
    await expect.poll(() => result().textContent()).toContain(action);
  }
  await keys.openTool('asks.visit');
  await keys.press('c');
  await keys.activate(asked().getByRole('button', { name: 'Allow once' }));
  await keys.activate(asked().getByRole('button', { name: 'Done' }));
  await expect.poll(() => result().textContent()).toContain('accept');
  await keys.openTool('asks.think');
  await keys.press('c');
  await keys.activate(asked().getByRole('button', { name: 'Allow once' }));
  await keys.write(asked().locator('textarea'), 'Four');
  await keys.press('Control+Enter');
  await page.locator('.ask[data-kind="sampling"]').waitFor({ state: 'detached' });
  await keys.agreeUntil(result());
  expect(await result().textContent()).toContain('Four');
  await keys.run('@asks');
  await screen('servers');
  await keys.write(page.getByLabel(/^Roots/), fixture.folder);
  await keys.activate(named('button', 'Use these folders'));
  await keys.openTool('asks.folders');
  await keys.press('c');
  await keys.agreeUntil(result());
  expect(await result().textContent()).toContain('file://');
});

test('by keyboard alone, an answered question leaves the focus with those that wait, and then with the screen', async () => {
  const { page } = fixture;
  const focused = () => page.evaluate(() => document.activeElement?.id);
  await keys.openTool('asks.form');
  await keys.press('c');
  await asked().first().waitFor();
  await keys.openTool('asks.visit');
  await keys.press('c');
  await expect.poll(() => asked().count()).toBe(2);
  await keys.activate(asked().first().getByRole('button', { name: 'Decline' }));
  await expect.poll(() => asked().count()).toBe(1);
  expect(await focused()).toBe('asked');
  await keys.activate(asked().getByRole('button', { name: 'Deny' }));
  await expect.poll(() => asked().count()).toBe(0);
  expect(await focused()).toBe('main');
});

test('by keyboard alone, an app is opened and themed, and a skill is loaded', async () => {
  const { page } = fixture;
  await keys.open('a');
  await screen('apps');
  await keys.openRow('sales', 'main [data-item="sales"]');
  // Before, the shortcut belongs to the previous app.
  await page.getByRole('heading', { level: 1, name: 'sales.sales' }).waitFor();
  await keys.press('Control+Enter');
  await keys.agreeUntil(page.locator('[data-view-step="result"][data-state="passed"]'));
  await keys.choose(page.getByLabel('Theme of the view'), 'dark');
  const view = page.frameLocator('.stage-box iframe').frameLocator('iframe').locator('html');
  await expect.poll(() => view.getAttribute('data-theme')).toBe('dark');
  await keys.activate(named('button', 'Close the view'));
  await keys.open('s');
  await keys.openRow('refunds');
  await page.locator('tr[data-state]').first().waitFor();
  await keys.open('s');
  await keys.openRow('shipping');
  // Before, the verdicts and the shortcut belong to the previous skill.
  await page.getByRole('heading', { level: 1, name: 'shipping' }).waitFor();
  await page.locator('tr[data-state="verified"]').first().waitFor();
  await keys.press('Control+Enter');
  await keys.agreeUntil(result());
});

test('by keyboard alone, a sign-in is listed step by step, expires, is stepped up and forgotten', async () => {
  const { page } = fixture;
  /** Opens the page of the authorization server, which agrees and redirects back. */
  const visitUntil = async (wanted: Locator): Promise<void> => {
    await keys.agreeUntil(page.locator('.ask[data-kind="visit"]'));
    const opened = page.context().waitForEvent('page');
    await keys.activate(asked().getByRole('button', { name: 'Open the page' }));
    const browser = await opened;
    await wanted.waitFor();
    await browser.close();
  };
  const signedIn = (word: string) => page.locator('dl.pairs', { hasText: new RegExp(`Signed in${word}`) }).waitFor();
  await keys.run('Connect notes');
  await visitUntil(page.locator('.sidebar [data-server="notes"][data-state="ready"]'));
  await keys.open('i');
  await keys.openRow('notes');
  await signedIn('yes');
  await expect.poll(() => page.locator('.steps li').count()).toBeGreaterThan(4);
  const steps = await page.locator('.steps').textContent();
  expect(steps).not.toMatch(/eyJ|code_verifier=/);
  await keys.activate(named('button', 'Mark the token as expired'));
  await page.getByText('you marked it as expired').waitFor();
  await keys.write(page.getByLabel('Scopes to request'), 'notes:write');
  await keys.activate(named('button', 'Sign in again'));
  await visitUntil(page.locator('dl.pairs .tag', { hasText: 'notes:write' }));
  await keys.activate(named('button', 'Sign out'));
  await signedIn('no');
});

test('by keyboard alone, Enter in the filter opens the first tool that it finds', async () => {
  const { page } = fixture;
  await keys.open('t');
  await page.locator('main [data-item="refund"]').waitFor();
  await keys.press('/');
  await page.keyboard.insertText('refund');
  await page.locator('main [data-item="echo"]').waitFor({ state: 'detached' });
  await keys.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'sales.refund' }).waitFor();
});

test('by keyboard alone, a call is compared in two revisions', async () => {
  const { page } = fixture;
  await keys.openTool('sales.refund');
  await keys.write(field('order').locator('input'), 'A-1041');
  await keys.activate(named('button', 'Compare revisions'));
  await screen('compare');
  await keys.press('Escape', 'Control+Enter');
  await keys.agreeUntil(page.locator('.versus-row'));
});

test('by keyboard alone, a session is recorded, opened and travelled', async () => {
  const { page } = fixture;
  await keys.openTool('forms.echo');
  await keys.run('>Record forms');
  await page.locator('.topbar').getByRole('link', { name: 'Recording' }).waitFor();
  await keys.press('c');
  await keys.agreeUntil(result());
  await keys.open('e');
  // A notification names the file, too, for four seconds.
  const file = (await page.locator('.card', { hasText: 'Stop recording' }).locator('p').textContent()) ?? '';
  await keys.run('>Stop recording');
  await named('button', 'Record forms').waitFor();
  await keys.write(page.getByLabel('Path of a recording'), file);
  await keys.press('Enter');
  await page.getByText('Nothing is sent').waitFor();
  const slider = page.getByLabel('Message', { exact: true });
  // The slider of the opened recording has the focus.
  await expect.poll(() => slider.evaluate((own) => own === document.activeElement)).toBe(true);
  await keys.press('ArrowRight', 'ArrowRight');
  await expect.poll(() => slider.inputValue()).toBe('2');
  await keys.activate(named('button', 'Close the recording'));
  expect((await readFile(file, 'utf8')).length).toBeGreaterThan(100);
});

test('by keyboard alone, a script is written and talked to', async () => {
  const { page } = fixture;
  await keys.open('c');
  await keys.write(page.getByLabel(/^Script/), '- call: forms.echo\n  with: { from: chat }\n- All done.\n');
  await keys.activate(named('button', 'Use this script'));
  await keys.write(page.getByLabel('Message to the model'), 'Please do it');
  await keys.press('Enter');
  await keys.agreeUntil(page.locator('.talk .model'));
  await expect.poll(() => page.locator('.talk').textContent()).toContain('All done.');
});

test('the focus was seen wherever it went', () => {
  expect([...keys.unseen]).toEqual([]);
});
