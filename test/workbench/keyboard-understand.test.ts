/** The screens of the workbench that explain, by keyboard only: no test of this file clicks. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { pageUser } from './acts.ts';
import { ruledParts, useWorkbench } from './fixture.ts';
import { KeyboardUser } from './keyboard.ts';
import { commandEnv, main } from './workbench.ts';

const fixture = useWorkbench({
  servers: ['forms', 'sales', 'odd'],
  args: ['--policy', 'policy.mjs', '--audit', 'audit.ndjson'],
  prepare: ruledParts,
});
const keys = new KeyboardUser(fixture);
const { result, field } = pageUser(fixture);
const button = (name: string) => fixture.page.getByRole('button', { name }).first();
const region = (name: string) => fixture.page.getByRole('region', { name, exact: true });
const rows = () => fixture.page.locator('[data-message]');
const message = () => fixture.page.locator('section.message');

// The palette shows what is known when it opens.
beforeAll(() => fixture.page.locator('.rows a[data-item="order"]').first().waitFor());

async function callTool(name: string): Promise<void> {
  await keys.openTool(name);
  await keys.press('c');
  await keys.agreeUntil(result());
}

test('by keyboard alone, messages are filtered by server, method, error and text, and one leads to its screen', async () => {
  const { page } = fixture;
  await callTool('forms.echo');
  await keys.open('l');
  await keys.choose(page.getByLabel('Server', { exact: true }), 'forms');
  await keys.choose(page.getByLabel('Method', { exact: true }), 'tools');
  // The previous list is shown until the filtered one has loaded.
  await expect.poll(() => rows().filter({ hasNotText: 'tools/' }).count()).toBe(0);
  await rows().filter({ hasText: 'echo' }).first().waitFor();
  await keys.activate(button('Errors'));
  await page.getByRole('heading', { name: 'No message matches' }).waitFor();
  await keys.run('>Errors');
  await rows().first().waitFor();
  await keys.press('Escape', '/');
  await page.keyboard.insertText('no-message-has-this');
  await page.getByRole('heading', { name: 'No message matches' }).waitFor();
  await keys.press('Control+a', 'Backspace');
  await keys.openRow('tools/call');
  await message().waitFor();
  await keys.activate(message().getByRole('link', { name: 'tool echo' }));
  await page.getByRole('heading', { level: 1, name: 'forms.echo' }).waitFor();
});

test('by keyboard alone, latency is grouped by tool, and the slowest call is opened', async () => {
  const { page } = fixture;
  await callTool('forms.everything');
  await keys.open('u');
  await keys.choose(page.getByLabel('Group by'), 'by tool');
  await page.getByLabel('Tool', { exact: true }).getByText('forms.everything').waitFor({ state: 'attached' });
  await keys.choose(page.getByLabel('Tool', { exact: true }), 'forms.ev');
  await expect
    .poll(() => region('Latency').locator('.histogram').getAttribute('aria-label'))
    .toMatch(/^forms.everything: 1 calls/);
  const slowest = region('Latency').getByRole('link', { name: /^#\d+$/ });
  const id = (await slowest.textContent())?.slice(1);
  await keys.activate(slowest);
  await page.locator(`section.message[aria-label="Message ${id}"]`).waitFor();
});

test('by keyboard alone, a denied call names its rule, other rules are tried, and an approval is revoked', async () => {
  const { page } = fixture;
  await keys.openTool('forms.order');
  await keys.write(field('customer').getByRole('textbox'), 'Mallory');
  await keys.press('Control+Enter');
  await expect.poll(() => result().textContent()).toMatch(/[Dd]enied/);
  await keys.activate(result().getByRole('link', { name: 'See the decision' }));
  await expect.poll(() => region('Decision').textContent()).toContain('denied by rule 1');
  await keys.run('>Try other rules');
  await keys.write(
    page.getByRole('textbox', { name: /^Rules to try/ }),
    '[{ "verdict": "allow", "match": { "name": "order" } }]',
  );
  await keys.press('Control+Enter');
  await page.getByText(/would be decided differently/).waitFor();
  expect(await region('Rules to try').locator('li').allTextContents()).toEqual([
    expect.stringMatching(/forms order.*deny → allow/),
  ]);
  await keys.openTool('forms.pay');
  await keys.press('c');
  await keys.chooseOf(page.locator('.ask').getByRole('button', { name: 'Always' }), 'Any arguments, this session');
  await result().waitFor();
  await keys.open('y');
  await page.locator('.approval', { hasText: 'pay' }).waitFor();
  await keys.run('>Revoke');
  await page.locator('.approval').waitFor({ state: 'detached' });
  await keys.openTool('forms.pay');
  await keys.press('c');
  await keys.activate(page.locator('.ask').getByRole('button', { name: 'Deny' }));
  await expect.poll(() => result().textContent()).toMatch(/[Dd]enied by you/);
});

test('by keyboard alone, a changed description is accepted, and the audit is verified', async () => {
  const { page, folder } = fixture;
  await callTool('odd.edited');
  await writeFile(join(folder, 'edited.txt'), 'Says what it was told, and tells others');
  await keys.run('>Restart odd');
  await keys.agreeUntil(page.locator('.sidebar [data-server="odd"][data-state="ready"]'));
  await keys.open('y');
  const row = region('Lock').locator('.lock-row', { hasText: 'odd.edited' });
  await keys.agreeUntil(row);
  await keys.activate(row.getByRole('button', { name: 'Accept' }));
  await row.waitFor({ state: 'detached' });
  await page.locator('tr[data-act]', { hasText: 'lock/accept' }).first().waitFor();
  const file = join(folder, 'audit.ndjson');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('lock/accept', 'lock/Accept'));
  await keys.run('>Verify');
  await region('Audit log').getByText('chain broken').waitFor();
  await writeFile(file, text);
  await keys.run('>Verify');
  await region('Audit log').getByText('chain intact').waitFor();
});

test('by keyboard alone, the budget of a model is set, a tool is opened field by field, and findings are read', async () => {
  const { page } = fixture;
  await keys.open('u');
  const tool = page.locator('tr[data-tool="forms.order"]');
  await tool.waitFor();
  await keys.focus(page.getByLabel('Budget in tokens'));
  await keys.press('Home');
  const outside = page.locator('tr[data-tool].out');
  await expect.poll(() => outside.count()).toBe(await page.locator('tr[data-tool]').count());
  await keys.press('End');
  await page.locator('tr[data-tool="forms.order"]:not(.out)').waitFor();
  await keys.openRow('forms.order');
  await page.locator('tr.sub', { hasText: 'customer' }).waitFor();
  await page.locator('.finding[data-rule="no-description"]', { hasText: 'odd.unsaid' }).waitFor();
});

test('by keyboard alone, a call is exported as a command line, a test, a recording, curl and JSON', async () => {
  const { page } = fixture;
  const folder = await mkdtemp(join(tmpdir(), 'exported-'));
  const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  await callTool('forms.echo');
  await keys.press('Escape', 'y');
  await expect.poll(copied).toMatch(/mooring call/);
  const shell = `mooring() { '${process.execPath}' '${main}' "$@" --yes; }\n${await copied()}`;
  const options = { cwd: fixture.folder, env: commandEnv(fixture.folder) };
  expect(JSON.parse((await promisify(execFile)('sh', ['-c', shell], options)).stdout)).toEqual({});
  for (const [title, name] of [
    ['Save as test', /\.test\.ts$/],
    ['Save as recording', /\.(?:ndjson|jsonl)$/],
  ] as const) {
    const saved = page.waitForEvent('download');
    await keys.chooseOf(result().getByRole('button', { name: 'Export' }), title);
    const file = join(folder, (await saved).suggestedFilename());
    await (await saved).saveAs(file);
    expect(file).toMatch(name);
    expect(await readFile(file, 'utf8')).toContain('echo');
  }
  // From a closed menu, by name.
  await keys.run('>Copy as JSON');
  await expect.poll(copied).toMatch(/^\[/);
  await keys.run('>Connect web');
  await keys.agreeUntil(page.locator('.sidebar [data-server="web"][data-state="ready"]'));
  await page.locator('.rows section[aria-label="web"]').waitFor();
  await keys.openTool('web.echo');
  await keys.write(field('text').getByRole('textbox'), "it's me");
  await keys.press('Control+Enter');
  await keys.agreeUntil(result());
  await keys.chooseOf(result().getByRole('button', { name: 'Export' }), 'Copy as curl');
  await expect.poll(copied).toMatch(/^curl/);
  expect((await promisify(execFile)('sh', ['-c', await copied()])).stdout).toContain(`"text":"it's me"`);
  await rm(folder, { recursive: true, force: true });
});

test('the focus was seen wherever it went among what the workbench explains', () => {
  expect([...keys.unseen]).toEqual([]);
});
