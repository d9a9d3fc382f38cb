import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createHost, rules } from '../../src/host/index.ts';
import { TestPage } from '../support/workbench.ts';
import { pageUser } from './acts.ts';
import { entries, ruledParts, useWorkbench } from './fixture.ts';
import { commandEnv, connect, goTo, main, restart, root } from './workbench.ts';

const fixture = useWorkbench({
  servers: ['forms', 'sales', 'odd'],
  args: ['--policy', 'policy.mjs', '--audit', 'audit.ndjson'],
  prepare: ruledParts,
});
const { openTool, callTool, chooseRevision, call, result, field, answerUntil } = pageUser(fixture);
const run = promisify(execFile);

test('a skill with a changed file is red and cannot be loaded', async () => {
  const { page } = fixture;
  await goTo(page, 'skills', 'odd', 'skill://refunds/SKILL.md');
  const changed = page.locator('tr[data-state="changed"]');
  await changed.waitFor();
  expect(await changed.textContent()).toContain('SKILL.md');
  await changed.locator('.i[data-tone="bad"]').waitFor();
  expect(await page.getByRole('button', { name: 'Load' }).isDisabled()).toBe(true);
  await page.getByRole('alert').filter({ hasText: 'is not loaded' }).waitFor();
});

test('every message of a call is in the timeline in order, filters find it, and a span opens its message and its screen', async () => {
  const { page } = fixture;
  await openTool('forms', 'echo');
  await call().click();
  await result().waitFor();
  await goTo(page, 'timeline');
  await page.getByLabel('Server', { exact: true }).selectOption('forms');
  await page.getByLabel('Method', { exact: true }).selectOption('tools/*');
  // The previous list is shown until the filtered one has loaded.
  const others = page.locator('[data-message]').filter({ hasNotText: 'tools/' });
  await expect.poll(() => others.count()).toBe(0);
  await page.locator('[data-message]', { hasText: 'echo' }).first().waitFor();
  const ids = await page
    .locator('[data-message]')
    .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('data-message'))));
  expect(ids).toEqual(ids.toSorted((left, right) => left - right));
  await page.getByLabel('Filter messages').first().fill('no-message-has-this');
  await page.getByRole('heading', { name: 'No message matches' }).waitFor();
  await page.getByLabel('Filter messages').first().fill('');
  await page.locator('[data-message]', { hasText: 'tools/call' }).filter({ hasText: 'echo' }).first().click();
  await page.locator('section.message a', { hasText: 'tool echo' }).click();
  await page.getByRole('heading', { level: 1, name: 'forms.echo' }).waitFor();
  await page.locator('.dock [data-span]').last().click();
  await page.locator('section.message').waitFor();
});

test('a call with a question in two revisions stands in two columns, and the questions are beside each other', async () => {
  const { page } = fixture;
  await openTool('sales', 'refund');
  await page.locator('[data-field="order"] input').fill('A-1041');
  await page.getByRole('button', { name: 'Compare revisions' }).click();
  await page.getByLabel('Revision on the left').selectOption('2025-11-25');
  await page.getByLabel('Revision on the right').selectOption('2026-07-28');
  await page.evaluate(() => {
    const count = (): number => document.querySelectorAll('select[aria-label="Tool"] option').length;
    const root = document.documentElement.dataset;
    root['least'] = root['before'] = String(count());
    const note = (): void => {
      root['least'] = String(Math.min(Number(root['least']), count()));
    };
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
  });
  await page.getByRole('button', { name: 'Call in both' }).click();
  await answerUntil('.versus-row');
  await page.locator('.sidebar [data-server="sales"][data-state="ready"]').waitFor();
  const { before, least } = await page.evaluate(() => ({ ...document.documentElement.dataset }));
  // The server was opened three times, and its parts stayed on the screen.
  expect(least).toBe(before);
  const rows = await page
    .locator('.versus-row[data-meaning="question"]')
    .evaluateAll((all) => all.map((row) => `${row.getAttribute('data-relation')} ${row.textContent}`));
  expect(rows.filter((row) => row.startsWith('alike') && row.includes('elicitation/create'))).toHaveLength(1);
  expect(await page.locator('.versus').textContent()).toContain('server/discover');
});

test('percentiles are those of the timeline, and the slowest call is one click away', async () => {
  const { page } = fixture;
  for (let round = 0; round < 5; round++) await callTool('forms', 'everything');
  await goTo(page, 'timeline');
  await page.getByLabel('Server', { exact: true }).selectOption('forms');
  await page.getByLabel('Method', { exact: true }).selectOption('tools/*');
  const calls = page.locator('[data-message]', { hasText: 'tools/call' }).filter({ hasText: 'everything' });
  const sent = calls.filter({ has: page.getByRole('img', { name: 'sent' }) });
  const received = calls.filter({ has: page.getByRole('img', { name: 'received' }) });
  // The previous list is shown until the filtered one has loaded.
  await expect.poll(() => page.locator('[data-message]').filter({ hasNotText: 'tools/' }).count()).toBe(0);
  await expect.poll(async () => [await sent.count(), await received.count()]).toEqual([5, 5]);
  const ids = await sent.evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('data-message'))));
  // One call after the other: each response is the next message.
  const times = await received.evaluateAll((rows) => rows.map((row) => row.children[6]?.textContent ?? ''));
  const took = ids.map((id, at) => [id, times[at] ?? ''] as const);
  const sorted = took.toSorted(([, left], [, right]) => milliseconds(left) - milliseconds(right));
  const at = (part: number): string => sorted[Math.ceil(part * sorted.length) - 1]?.[1] ?? '';
  await goTo(page, 'catalogue');
  await page.getByLabel('Group by').selectOption('tool');
  await page.getByLabel('Tool', { exact: true }).selectOption('forms.everything');
  const shown = page.getByRole('region', { name: 'Latency' });
  await expect.poll(() => shown.getByText(/^5$/).count()).toBe(1);
  for (const [name, part] of [
    ['p50', 0.5],
    ['p90', 0.9],
    ['p99', 0.99],
  ] as const)
    expect(await shown.locator('dt', { hasText: name }).locator('+ dd').textContent()).toBe(at(part));
  expect(await shown.locator('.histogram').getAttribute('aria-label')).toContain(`the slowest ${at(1)}`);
  const slowest = page.getByRole('link', { name: /^#\d+$/ }).first();
  const id = Number((await slowest.textContent())?.slice(1));
  expect(took.find(([one]) => one === id)?.[1]).toBe(at(1));
  await slowest.click();
  await page.locator(`section.message[aria-label="Message ${id}"]`).waitFor();
});

/** Parses a duration of the page. */
const milliseconds = (text: string): number =>
  text.startsWith('<') ? 0 : Number.parseFloat(text) * (/ s$/.test(text) ? 1_000 : 1);

describe('the policy', () => {
  const decision = () => fixture.page.getByRole('region', { name: 'Decision', exact: true });

  test('names the rule that denied a call', async () => {
    const { page } = fixture;
    await openTool('forms', 'order');
    await field('customer').getByRole('textbox').fill('Mallory');
    await call().click();
    await result().waitFor();
    expect(await result().textContent()).toMatch(/[Dd]enied/);
    await goTo(page, 'policy');
    await page.locator('tr[data-act]', { hasText: 'Mallory' }).first().getByRole('link').click();
    expect(await decision().textContent()).toContain('denied by rule 1');
    expect(await decision().locator('dd code').first().textContent()).toMatch(/^deny \{ name: order/);
  });

  test('has its older decisions a page away, and a link leads to the page of one', async () => {
    const { page, bench } = fixture;
    await callTool('forms', 'echo');
    const link = await result().locator('a[href^="#/policy/"]').first().getAttribute('href');
    const asked = page.waitForRequest('**/rpc');
    await goTo(page, 'policy');
    const { authorization = '' } = await (await asked).allHeaders();
    const other = new TestPage(new URL(bench.url).origin, authorization.replace(/^Bearer /, '')).listen();
    // The workbench allows 200 requests per second, and the page needs some of them.
    for (let done = 0; done < 201; done++) {
      await other.rpc('read', { server: 'forms', uri: 'note://a' });
      await page.waitForTimeout(10);
    }
    other.close();
    const bar = page.locator('.bar', { hasText: 'Decisions' });
    await bar.getByText(/^1–200 of \d+ actions$/).waitFor();
    // New decisions push it off the page.
    await page.locator('tr[data-act]', { hasText: 'echo' }).first().waitFor({ state: 'detached' });
    await bar.getByRole('button', { name: 'Older' }).click();
    await page.locator('tr[data-act]', { hasText: 'echo' }).first().waitFor();
    await bar.getByRole('button', { name: 'Newer' }).click();
    await bar.getByText(/^1–200/).waitFor();
    // A click before the first frame.
    await page.evaluate(() => {
      const watcher = new MutationObserver(() => {
        const newer = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Newer');
        if (newer === undefined || newer.disabled) return;
        watcher.disconnect();
        document.documentElement.dataset['turned'] = 'back';
        newer.click();
      });
      watcher.observe(document.body, { childList: true, subtree: true, attributes: true });
    });
    await bar.getByRole('button', { name: 'Older' }).click();
    await page.locator('html[data-turned="back"]').waitFor();
    await bar.getByText(/^1–200/).waitFor();
    await goTo(page, 'tools');
    await goTo(
      page,
      ...decodeURIComponent(link ?? '')
        .split('/')
        .slice(1),
    );
    expect(await decision().textContent()).toContain('forms tool echo');
    await page.getByRole('button', { name: 'Close the decision' }).click();
    await decision().waitFor({ state: 'detached' });
    await bar.getByText(/^201–/).waitFor();
  });

  test('tries other rules on what happened, and shows what would have gone otherwise', async () => {
    const { page } = fixture;
    await callTool('forms', 'echo');
    await goTo(page, 'policy');
    await page.getByRole('button', { name: 'Try other rules' }).click();
    const rulesToTry = page.getByRole('textbox', { name: /^Rules to try/ });
    await rulesToTry.fill('[{ "verdict": "allow", "match": { "kind": "tool" } }');
    expect(await page.getByRole('button', { name: 'Rehearse' }).isDisabled()).toBe(true);
    await rulesToTry.fill(
      '[{ "verdict": "deny", "match": { "name": "echo" } }, { "verdict": "allow", "match": { "name": "order" } }]',
    );
    await page.getByRole('button', { name: 'Rehearse' }).click();
    await page.getByText(/would be decided differently/).waitFor();
    const changed = (await page.getByRole('region', { name: 'Rules to try' }).locator('li').allTextContents()).join(
      '\n',
    );
    expect(changed).toMatch(/forms echo.*allow → deny/);
    expect(changed).toMatch(/forms order.*deny → allow/);
  });

  test('asks again after an approval was revoked', async () => {
    const { page } = fixture;
    await openTool('forms', 'pay');
    await call().click();
    await page.locator('.ask').getByRole('button', { name: 'Always' }).click();
    await page.getByRole('menuitem', { name: 'Any arguments, this session' }).click();
    await result().waitFor();
    await callTool('forms', 'echo');
    await openTool('forms', 'pay');
    await call().click();
    await expect.poll(() => result().textContent()).toContain('allowed by an approval');
    await goTo(page, 'policy');
    await page.locator('.approval', { hasText: 'pay' }).getByRole('button', { name: 'Revoke' }).click();
    await page.locator('.approval').waitFor({ state: 'detached' });
    await openTool('forms', 'pay');
    await call().click();
    await page.locator('.ask').getByRole('button', { name: 'Deny' }).click();
    await expect.poll(() => result().textContent()).toMatch(/[Dd]enied by you/);
  });
});

test('the lock shows what changed in a description, accepting it is in the audit, and a changed byte of the audit is found', async () => {
  const { page, folder } = fixture;
  await callTool('odd', 'edited');
  await writeFile(join(folder, 'edited.txt'), 'Says what it was told, and tells others');
  await restart(page, 'odd');
  await goTo(page, 'policy');
  const lock = page.getByRole('region', { name: 'Lock' });
  const row = lock.locator('.lock-row', { hasText: 'odd.edited' });
  await row.waitFor();
  expect(await row.locator('ins').textContent()).toContain('tells others');
  await row.getByRole('button', { name: 'Accept' }).click();
  await row.waitFor({ state: 'detached' });
  await page.locator('tr[data-act]', { hasText: 'lock/accept' }).first().waitFor();
  const audit = page.getByRole('region', { name: 'Audit log' });
  // The previous verdict is shown until the next one arrives.
  const verify = async (): Promise<void> => {
    const answered = page.waitForResponse(
      (response) => response.request().postData()?.includes('audit.verify') === true,
    );
    await audit.getByRole('button', { name: 'Verify' }).click();
    await answered;
  };
  await verify();
  await audit.getByText('chain intact').waitFor();
  const file = join(folder, 'audit.ndjson');
  const text = await readFile(file, 'utf8');
  expect(text).toContain('lock/accept');
  await writeFile(file, text.replace('lock/accept', 'lock/Accept'));
  await verify();
  await audit.getByText('chain broken').waitFor();
  expect(await audit.textContent()).toMatch(/line \d+: the record was changed/);
  await writeFile(file, text);
  await verify();
  await audit.getByText('chain intact').waitFor();
});

test('tokens of the tools add up to the whole, and a budget leaves what a host would give a model', async () => {
  const { page } = fixture;
  await goTo(page, 'catalogue');
  await page.locator('tr[data-tool]').first().waitFor();
  const tokens = await page.locator('tr[data-tool] td:last-child').allTextContents();
  const whole = await page.locator('.head .facts b').textContent();
  expect(tokens.reduce((sum, one) => sum + Number(one), 0)).toBe(Number(whole?.replaceAll(',', '')));
  const labels = ['forms', 'sales', 'odd'];
  const servers = Object.fromEntries(
    labels.map((label) => {
      const { command = '', args = [] } = entries[label] ?? {};
      return [label, { command, args, cwd: fixture.folder }];
    }),
  );
  await using host = createHost({ servers, policy: [rules.allow({})], apps: true, skills: true });
  await Promise.all(labels.map(async (label) => host.servers.get(label)?.connect()));
  const slider = page.getByLabel('Budget in tokens');
  const known = new Set(
    await page.locator('tr[data-tool]').evaluateAll((all) => all.map((row) => row.getAttribute('data-tool') ?? '')),
  );
  // Too small for all of them, and large enough.
  for (const budget of ['1000', (await slider.getAttribute('max')) ?? '']) {
    const offered = await host.session().tools({ budgetTokens: Number(budget) });
    const expected = offered.map(({ name }) => name).filter((name) => known.has(name));
    await slider.fill(budget);
    const inside = (): Promise<(string | null)[]> =>
      page.locator('tr[data-tool]:not(.out)').evaluateAll((all) => all.map((row) => row.getAttribute('data-tool')));
    await expect.poll(async () => (await inside()).toSorted()).toEqual(expected.toSorted());
  }
});

test.each([
  ['no-description', 'odd.unsaid'],
  ['parameter-description', 'odd.vague'],
  ['unclear-enum', 'odd.coded'],
  ['unfillable-schema', 'odd.closed'],
  ['shared-name', 'odd.echo'],
  ['suspicious-text', 'odd.orders'],
])('lint names %s, with the tool and what to do', async (rule, tool) => {
  const { page } = fixture;
  await goTo(page, 'catalogue');
  const finding = page.locator(`.finding[data-rule="${rule}"]`, { hasText: tool }).first();
  await finding.waitFor();
  expect(await finding.locator('p').last().textContent()).toMatch(/\.$/);
});

test('a scripted chat calls a tool, says something, and its steps lead to messages', async () => {
  const { page } = fixture;
  await goTo(page, 'chat');
  await page.getByLabel(/^Script/).fill('- call: forms.echo\n  with: { from: chat }\n- All done.\n');
  await page.getByRole('button', { name: 'Use this script' }).click();
  await page.getByLabel('Message to the model').fill('Please do it');
  await page.getByRole('button', { name: 'Send' }).click();
  await answerUntil('.talk .model');
  await expect.poll(() => page.locator('.talk').textContent()).toContain('All done.');
  await page.locator('.turn a[href^="#/timeline/"]').first().click();
  await page.locator('section.message').waitFor();
});

test('a recording is made and opened, the slider shows the catalogue before and after, and nothing can be sent', async () => {
  const { page, folder } = fixture;
  await goTo(page, 'travel');
  await page.getByRole('button', { name: 'Record forms' }).click();
  await page.getByRole('button', { name: 'Stop recording' }).waitFor();
  const file = (await page.locator('.card', { hasText: 'Stop recording' }).locator('p').textContent()) ?? '';
  // Only messages that are sent again belong to the recording.
  await restart(page, 'forms');
  await callTool('forms', 'grow');
  await page.locator('.rows a', { hasText: 'grown' }).waitFor();
  await callTool('forms', 'echo');
  await goTo(page, 'travel');
  await page.getByRole('button', { name: 'Stop recording' }).click();
  await page.getByRole('button', { name: 'Record forms' }).waitFor();
  await page.getByLabel('Path of a recording').fill(file);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.getByText('Nothing is sent').waitFor();
  const slider = page.getByLabel('Message', { exact: true });
  await slider.press('End');
  await page.locator('.diff ins', { hasText: 'grown' }).waitFor();
  const last = Number(await slider.getAttribute('max'));
  await slider.fill(String(Math.floor(last / 3)));
  await page.locator('.diff ins', { hasText: 'grown' }).waitFor({ state: 'detached' });
  const total = () => page.locator('.sidebar a[href="#/timeline"]').textContent();
  const before = await total();
  await openTool('forms', 'echo');
  expect(await call().isDisabled()).toBe(true);
  for (const [screen, button] of [
    [['servers', 'forms'], 'Restart'],
    [['apps', 'sales', 'sales'], 'Call and open'],
    [['compare', 'forms', 'echo'], 'Call in both'],
  ] as const) {
    await goTo(page, ...screen);
    await page.getByRole('button', { name: button }).click();
    await page.getByText('A recording is open, so nothing is sent.').first().waitFor();
  }
  expect(await page.locator('.ask').count()).toBe(0);
  expect(await total()).toBe(before);
  await goTo(page, 'travel');
  await page.getByRole('button', { name: 'Close the recording' }).click();
  await page.getByRole('heading', { level: 1, name: 'Recordings' }).waitFor();
  // The recording can be served by other commands, too.
  const args = [main, 'call', '--json', '--', process.execPath, main, 'replay', file];
  const replayed = await run(process.execPath, [...args.slice(0, 2), 'echo', ...args.slice(2)], {
    cwd: folder,
    env: commandEnv(folder),
  });
  expect(replayed.stdout).toContain('content');
  await writeFile(join(folder, 'broken.jsonl'), 'this is no recording');
  await page.getByLabel('Path of a recording').fill(join(folder, 'broken.jsonl'));
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page
    .getByRole('alert')
    .filter({ hasText: /recording/ })
    .first()
    .waitFor();
});

describe('a call that is exported from the page', () => {
  const copied = () => fixture.page.evaluate(() => navigator.clipboard.readText());
  const choose = async (title: string): Promise<void> => {
    await result().getByRole('button', { name: 'Export' }).click();
    await fixture.page.getByRole('menuitem', { name: title }).and(fixture.page.locator(':popover-open *')).click();
  };
  const save = async (title: string, folder: string): Promise<string> => {
    const [download] = await Promise.all([fixture.page.waitForEvent('download'), choose(title)]);
    const file = join(folder, download.suggestedFilename());
    await download.saveAs(file);
    return file;
  };

  test('does the same again as a command line, as a test of a new project and as a recording', async () => {
    const { page } = fixture;
    const folder = await mkdtemp(join(tmpdir(), 'exported-'));
    await openTool('forms', 'echo');
    await page.locator('.editor > .field textarea').fill('{ "it\'s": "me" }');
    await call().click();
    await answerUntil('.card.result');
    await choose('Copy as command line');
    await expect.poll(copied).toMatch(/mooring call/);
    // In the folder with the configuration, with the consent that a user types.
    const shell = `mooring() { '${process.execPath}' '${main}' "$@" --yes; }\n${await copied()}`;
    const options = { cwd: fixture.folder, env: commandEnv(fixture.folder) };
    expect(JSON.parse((await run('sh', ['-c', shell], options)).stdout)).toEqual({ "it's": 'me' });

    const file = await save('Save as test', folder);
    const alias = { 'mooring/client': join(root, 'dist/connect/index.js') };
    const config = `export default ${JSON.stringify({ root: folder, test: { include: ['*.test.ts'] }, resolve: { alias } })};`;
    await writeFile(join(folder, 'vitest.config.mjs'), config);
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    expect(file).toMatch(/\.test\.ts$/);
    expect(
      (await run(process.execPath, [vitest, 'run', '--config', join(folder, 'vitest.config.mjs')])).stdout,
    ).toMatch(/1 passed/);

    const recording = await save('Save as recording', folder);
    const replay = [process.execPath, main, 'replay', recording].map((word) => `'${word}'`).join(' ');
    const again = `'${process.execPath}' '${main}' call echo '{ "it'"'"'s": "me" }' -- ${replay}`;
    expect(JSON.parse((await run('sh', ['-c', again], options)).stdout)).toEqual({ "it's": 'me' });
    await rm(folder, { recursive: true, force: true });
  });

  test('does the same again with curl, and is JSON', async () => {
    const { page } = fixture;
    await goTo(page, 'servers', 'web');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await connect(page, 'web');
    await openTool('web', 'echo');
    await field('text').getByRole('textbox').fill("it's me");
    await call().click();
    await answerUntil('.card.result');
    await choose('Copy as curl');
    await expect.poll(copied).toMatch(/^curl/);
    expect((await run('sh', ['-c', await copied()])).stdout).toContain(`"text":"it's me"`);
    await choose('Copy as JSON');
    await expect.poll(copied).toMatch(/^\[/);
    expect((JSON.parse(await copied()) as { method?: string }[])[0]?.method).toBe('tools/call');
  });
});

const step = (name: string) => fixture.page.locator(`[data-view-step="${name}"]`);
async function openView(server: string, tool: string, until: string): Promise<void> {
  await goTo(fixture.page, 'apps', server, tool);
  await fixture.page.getByRole('button', { name: 'Call and open' }).click();
  await answerUntil(until);
}

describe('the view of an app', () => {
  test('renders in its sandbox, passes every step, follows theme and size, and its calls are asked for', async () => {
    const { page } = fixture;
    await openView('sales', 'sales', '[data-view-step="result"][data-state="passed"]');
    const states = await page
      .locator('[data-view-step]')
      .evaluateAll((steps) => steps.map((one) => one.getAttribute('data-state')));
    expect(states).toEqual(Array.from({ length: 9 }, () => 'passed'));
    const view = page.frameLocator('.stage-box iframe').frameLocator('iframe');
    const html = view.locator('html');
    for (const theme of ['dark', 'light']) {
      await page.getByLabel('Theme of the view').selectOption(theme);
      await expect.poll(() => html.getAttribute('data-theme')).toBe(theme);
    }
    const wide = await html.evaluate(() => innerWidth);
    await page.getByLabel('Width').selectOption({ label: '400 px wide' });
    await expect.poll(() => html.evaluate(() => innerWidth)).toBeLessThanOrEqual(400);
    expect(wide).toBeGreaterThan(400);
    await view.getByRole('button', { name: /^Monday/ }).click();
    await page.locator('.ask[data-kind="consent"]').getByText('orders_of').first().waitFor();
    await page.locator('.ask').getByRole('button', { name: 'Allow once' }).click();
    await view.getByText('Monday: 12.5, 8').waitFor();
    // Left open: after a while, a silent view is reported.
    await openView('sales', 'silent', '[data-view-step="proxy"][data-state="passed"]');
  });

  test('with a wrong type stops at that step', async () => {
    const { page } = fixture;
    await openView('odd', 'typeless', '[data-view-step="type"][data-state="failed"]');
    expect(await step('read').getAttribute('data-state')).toBe('passed');
    expect(await step('policy').getAttribute('data-state')).toBe('todo');
    await page.locator('.head').getByText('stopped at Type checked').waitFor();
    expect(await page.locator('.stage-box').count()).toBe(0);
  });

  test('with a bad policy gets none of what it may not have, and the step names it', async () => {
    const { page } = fixture;
    await openView('odd', 'greedy', '[data-view-step="proxy"][data-state="passed"]');
    expect(await step('policy').textContent()).toContain('not valid: csp.connectDomains[0]');
    const policy = (await page.locator('.card', { hasText: 'Content security' }).locator('pre').textContent()) ?? '';
    expect(policy).toMatch(/connect-src https:\/\/api\.example(?:;|$)/);
  });
});

test.each([
  ['2024-11-05', 'initialize'],
  ['2025-03-26', 'initialize'],
  ['2025-06-18', 'initialize'],
  ['2025-11-25', 'initialize'],
  ['2026-07-28', 'server/discover'],
])(
  'the revision %s is chosen by hand, the header says that it was agreed, and the timeline shows %s',
  async (revision, method) => {
    const { page } = fixture;
    await chooseRevision('sales', revision);
    await expect.poll(() => page.locator('.head .tag', { hasText: revision }).count()).toBe(1);
    await expect.poll(() => page.locator('dl.pairs').textContent()).toContain(`${revision}, chosen by you`);
    await goTo(page, 'timeline');
    await page.getByLabel('Server', { exact: true }).selectOption('sales');
    await page.getByLabel('Method', { exact: true }).selectOption(method);
    const opening = page.locator('[data-message]').filter({ has: page.getByRole('img', { name: 'sent' }) });
    // The previous list is shown until the filtered one has loaded.
    await expect
      .poll(async () => {
        await opening.last().click();
        const json = page.locator('section.message .json');
        // An opened message is loaded first; another click would start again where the list has moved.
        await json
          .first()
          .waitFor({ timeout: 5_000 })
          .catch(() => undefined);
        return json.allTextContents();
      })
      .toContainEqual(expect.stringContaining(revision));
  },
);

test('a view without a handshake stops at that step', async () => {
  const { page } = fixture;
  await goTo(page, 'apps', 'sales', 'silent');
  await page.locator('[data-view-step="ui/initialize"][data-state="failed"]').waitFor({ timeout: 90_000 });
  await page.locator('.head').getByText('stopped at ui/initialize').waitFor();
  const failure = page.locator('main').getByRole('alert');
  expect(await failure.textContent()).toMatch(/did not finish its handshake in time.*connectView\(\)/);
});

// Runs late, because calls after a skill was loaded need permission.
test('a skill is verified file by file, and loaded as a host would', async () => {
  const { page } = fixture;
  await goTo(page, 'skills', 'sales', 'skill://refunds/SKILL.md');
  await page.locator('tr[data-state="verified"]').first().waitFor();
  await page.getByRole('button', { name: 'Load' }).click();
  await answerUntil('.card.result');
  expect(await result().locator('pre').first().textContent()).toContain('#');
});

test('nothing was on the console', () => {
  expect(fixture.complaints.filter((one) => !/v-[\da-f]+-?\w*\.localhost|'webrtc'/.test(one))).toEqual([]);
});

test('a hundred thousand messages scroll, filter and follow', { timeout: 300_000 }, async () => {
  const { page } = fixture;
  await callTool('forms', 'flood');
  await goTo(page, 'timeline');
  await expect
    .poll(() => page.locator('.messages').getAttribute('aria-rowcount').then(Number), { timeout: 60_000 })
    .toBeGreaterThan(100_000);
  const { still, frames } = await page.evaluate(async () => {
    const list = document.querySelector('.messages');
    const times: { still: number[]; frames: number[] } = { still: [], frames: [] };
    // Alternates, so that load on the machine affects both: ten frames at rest, ten that scroll.
    for (let step = 0, before = performance.now(); step < 240; step++) {
      const scrolls = step % 20 >= 10;
      if (scrolls && list !== null) list.scrollTop = (list.scrollHeight * step) / 240;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      times[scrolls ? 'frames' : 'still'].push(now - before);
      before = now;
    }
    const sorted = (some: readonly number[]): number[] => some.toSorted((left, right) => left - right);
    return { still: sorted(times.still), frames: sorted(times.frames) };
  });
  const drawn = await page.locator('.messages [role="row"]').count();
  const heap = await page.evaluate(
    () => (performance as unknown as { memory?: { usedJSHeapSize: number } }).memory?.usedJSHeapSize ?? 0,
  );
  console.log(
    `frames: median ${frames[60]?.toFixed(1)} ms, p95 ${frames[114]?.toFixed(1)} ms, worst ${frames[119]?.toFixed(1)} ms; ${drawn} rows drawn; heap ${(heap / 1e6).toFixed(0)} MB`,
  );
  expect(drawn).toBeLessThan(120);
  // The budget is 32 ms per frame on a quiet machine. This compares with frames at rest, which are equally slowed down.
  expect(frames[60]).toBeLessThan(4 * (still[60] ?? 0));
  await page.getByLabel('Filter messages').first().fill('line 99999');
  await expect.poll(() => page.locator('[data-message]').count(), { timeout: 60_000 }).toBe(1);
});
