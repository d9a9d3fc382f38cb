import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useWorkbench } from './fixture.ts';
import { goTo } from './workbench.ts';

const fixture = useWorkbench({ servers: ['forms', 'sales'] });
const result = () => fixture.page.locator('.card.result');
const call = () => fixture.page.getByRole('button', { name: /^Call/ }).first();

async function openTool(server: string, tool: string): Promise<void> {
  await goTo(fixture.page, 'tools', server, tool);
  await fixture.page.locator(`.pane.call[data-server="${server}"] h1`).waitFor();
}

/** Answers what is asked until something is there. */
async function answerUntil(selector: string): Promise<void> {
  const { page } = fixture;
  const primary = page.locator('.ask .btn[data-kind="primary"]').first();
  for (;;) {
    await primary.or(page.locator(selector).first()).first().waitFor({ timeout: 240_000 });
    if (await page.locator(selector).first().isVisible()) return;
    const choice = page.locator('.ask select').first();
    if (await choice.isVisible()) await choice.selectOption('true', { timeout: 500 }).catch(() => undefined);
    await primary.click({ timeout: 1_000 }).catch(() => undefined);
    await page.waitForTimeout(100);
  }
}

/** Chooses a revision on the page of the server, and allows that it is opened again. */
async function chooseRevision(server: string, revision: string): Promise<void> {
  const { page } = fixture;
  await goTo(page, 'servers', server);
  await page.getByLabel('Revision', { exact: true }).selectOption(revision);
  await answerUntil(`.sidebar [data-server="${server}"][data-state="ready"]:has-text("${revision} ·")`);
}

// acceptance 24
test('every message of a call is in the timeline in order, filters find it, and a span opens its message and its screen', async () => {
  const { page } = fixture;
  await openTool('forms', 'echo');
  await call().click();
  await result().waitFor();
  await goTo(page, 'timeline');
  await page.getByLabel('Server', { exact: true }).selectOption('forms');
  await page.getByLabel('Method', { exact: true }).selectOption('tools/*');
  await page.locator('[data-message]', { hasText: 'echo' }).first().waitFor();
  const ids = await page
    .locator('[data-message]')
    .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('data-message'))));
  expect(ids).toEqual(ids.toSorted((left, right) => left - right));
  expect(await page.locator('[data-message]').filter({ hasNotText: 'tools/' }).count()).toBe(0);
  await page.getByLabel('Filter messages').first().fill('no-message-has-this');
  await page.getByRole('heading', { name: 'No message matches' }).waitFor();
  await page.getByLabel('Filter messages').first().fill('');
  await page.locator('[data-message]', { hasText: 'echo' }).first().click();
  await page.locator('section.message a', { hasText: 'tools' }).click();
  await page.getByRole('heading', { level: 1, name: 'forms.echo' }).waitFor();
  await page.locator('.dock [data-span]').last().click();
  await page.locator('section.message').waitFor();
});

// acceptance 26
test('a call with a question in two revisions stands in two columns, and the questions are beside each other', async () => {
  const { page } = fixture;
  await openTool('sales', 'refund');
  await page.locator('[data-field="order"] input').fill('A-1041');
  await page.getByRole('button', { name: 'In two revisions' }).click();
  await page.getByLabel('Revision on the left').selectOption('2025-11-25');
  await page.getByLabel('Revision on the right').selectOption('2026-07-28');
  await page.getByRole('button', { name: 'Call in both' }).click();
  await answerUntil('.versus-row');
  const rows = await page
    .locator('.versus-row[data-meaning="question"]')
    .evaluateAll((all) => all.map((row) => `${row.getAttribute('data-relation')} ${row.textContent}`));
  expect(rows.filter((row) => row.startsWith('alike') && row.includes('elicitation/create'))).toHaveLength(1);
  expect(await page.locator('.versus').textContent()).toContain('server/discover');
});

// acceptance 28
test('percentiles are those of the timeline, and the slowest call is one click away', async () => {
  const { page } = fixture;
  await goTo(page, 'catalogue');
  await page.getByLabel('Group by').selectOption('method');
  await page.locator('.histogram').waitFor();
  const slowest = page.getByRole('link', { name: /^#\d+$/ }).first();
  const id = (await slowest.textContent())?.slice(1) ?? '';
  await slowest.click();
  await page.locator(`section.message[aria-label="Message ${id}"]`).waitFor();
});

// acceptance 29
test('decisions name their rule, and other rules are tried on what happened', async () => {
  const { page } = fixture;
  await goTo(page, 'policy');
  await page.locator('tr[data-act]', { hasText: 'echo' }).first().getByRole('link').click();
  await page.getByRole('region', { name: 'Decision', exact: true }).waitFor();
  expect(await page.getByRole('region', { name: 'Decision', exact: true }).textContent()).toContain('Rule');
  await page.getByRole('button', { name: 'Try other rules' }).click();
  await page
    .getByRole('textbox', { name: /^Rules to try/ })
    .fill('[{ "verdict": "deny", "match": { "name": "echo" } }]');
  await page.getByRole('button', { name: 'Rehearse' }).click();
  await page.getByText(/would be decided otherwise/).waitFor();
  expect(await page.locator('main').textContent()).toContain('allow → deny');
});

// acceptance 30
test('the audit is verified in the page', async () => {
  const { page } = fixture;
  await goTo(page, 'policy');
  await page.getByText('chain intact').waitFor();
});

// acceptance 31
test('tokens of the tools add up to the whole, a budget leaves tools out, and lint names its rules', async () => {
  const { page } = fixture;
  await goTo(page, 'catalogue');
  await page.locator('tr[data-tool]').first().waitFor();
  const tokens = await page.locator('tr[data-tool] td:last-child').allTextContents();
  const whole = await page.locator('.head .facts b').textContent();
  expect(tokens.reduce((sum, one) => sum + Number(one), 0)).toBe(Number(whole?.replaceAll(',', '')));
  await page.getByLabel('Budget in tokens').fill('600');
  await page.locator('tr.out').first().waitFor();
  expect(await page.locator('.finding').count()).toBeGreaterThan(2);
  expect(await page.locator('.finding[data-rule="parameter-description"]').count()).toBeGreaterThan(0);
});

// acceptance 32
test('a scripted chat calls a tool, says something, and its steps lead to messages', async () => {
  const { page } = fixture;
  await goTo(page, 'chat');
  await page.getByLabel(/^Script/).fill('- call: forms.echo\n  with: { from: chat }\n- All done.\n');
  await page.getByRole('button', { name: 'Use this script' }).click();
  await page.getByLabel('What you say').fill('Please do it');
  await page.getByRole('button', { name: 'Send' }).click();
  await answerUntil('.talk .model');
  expect(await page.locator('.talk').textContent()).toContain('All done.');
  await page.locator('.turn a[href^="#/timeline/"]').first().click();
  await page.locator('section.message').waitFor();
});

// acceptance 27
test('a recording is opened, the slider shows the catalogue before and after a tool was added, and nothing can be sent', async () => {
  const { page } = fixture;
  const folder = await mkdtemp(join(tmpdir(), 'recording-'));
  await openTool('forms', 'grow');
  await call().click();
  await result().waitFor();
  await page.locator('.rows a', { hasText: 'grown' }).waitFor();
  await goTo(page, 'travel');
  await page.locator('.card', { hasText: 'or this session with' }).getByRole('button', { name: 'forms' }).click();
  await page.getByText('Nothing is sent').waitFor();
  const slider = page.getByLabel('Message', { exact: true });
  await slider.press('End');
  await page.locator('.diff ins', { hasText: 'grown' }).waitFor();
  const last = Number(await slider.getAttribute('max'));
  await slider.fill(String(Math.floor(last / 3)));
  await page.locator('.diff ins', { hasText: 'grown' }).waitFor({ state: 'detached' });
  await goTo(page, 'tools', 'forms', 'echo');
  expect(await call().isDisabled()).toBe(true);
  await goTo(page, 'travel');
  await page.getByRole('button', { name: 'Back to live' }).click();
  await page.getByRole('heading', { level: 1, name: 'Recordings' }).waitFor();
  await writeFile(join(folder, 'broken.jsonl'), 'this is no recording');
  await page.getByLabel('Path of a recording').fill(join(folder, 'broken.jsonl'));
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page
    .getByRole('alert')
    .filter({ hasText: /recording/ })
    .first()
    .waitFor();
});

// acceptance 33
test('a call is exported as command line, curl and JSON to the clipboard, and as test and recording to a file', async () => {
  const { page } = fixture;
  await openTool('forms', 'echo');
  await call().click();
  await result().waitFor();
  const choose = async (title: string): Promise<void> => {
    await result().getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: title }).and(page.locator(':popover-open *')).click();
  };
  await choose('Copy as command line');
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/mooring call .*echo/s);
  await choose('Copy as JSON');
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('"tools/call"');
  for (const title of ['Save as test', 'Save as recording']) {
    const [download] = await Promise.all([page.waitForEvent('download'), choose(title)]);
    expect((await readFile(await download.path(), 'utf8')).length).toBeGreaterThan(50);
  }
});

// acceptance 21
test('the view of an app renders in its sandbox, and its steps are all passed', async () => {
  const { page } = fixture;
  await goTo(page, 'apps', 'sales', 'sales');
  await page.getByRole('button', { name: 'Call and open' }).click();
  await answerUntil('[data-view-step="result"][data-state="passed"]');
  expect(
    await page.locator('[data-view-step]').evaluateAll((steps) => steps.map((step) => step.getAttribute('data-state'))),
  ).toEqual(Array.from({ length: 9 }, () => 'passed'));
  await page.frameLocator('.stage-box iframe').frameLocator('iframe').getByText('Monday').first().waitFor();
});

// acceptance 21
test('a view without a handshake stops at that step', async () => {
  const { page } = fixture;
  await goTo(page, 'apps', 'sales', 'silent');
  await page.getByRole('button', { name: 'Call and open' }).click();
  await answerUntil('[data-view-step="proxy"][data-state="passed"]');
  expect(await page.locator('[data-view-step="ui/initialize"]').getAttribute('data-state')).not.toBe('passed');
});

// acceptance 22
test('a skill is verified file by file, and loaded as a host would', async () => {
  const { page } = fixture;
  await goTo(page, 'skills');
  await page.locator('.rows a').first().click();
  await page.locator('tr[data-state="verified"]').first().waitFor();
  await page.getByRole('button', { name: 'Load' }).click();
  await answerUntil('.card.result');
  expect(await result().locator('pre').first().textContent()).toContain('#');
});

// acceptance 12
test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'the revision %s is chosen, and the header says that it was agreed',
  async (revision) => {
    const { page } = fixture;
    await chooseRevision('forms', revision);
    expect(await page.locator('.head').textContent()).toContain(revision);
  },
);

test('nothing was on the console', () => {
  expect(fixture.complaints.filter((one) => !/v-[\da-f]+-?\w*\.localhost|'webrtc'/.test(one))).toEqual([]);
});

// acceptance 25
test('a hundred thousand messages scroll, filter and follow', { timeout: 300_000 }, async () => {
  const { page } = fixture;
  await openTool('forms', 'flood');
  await call().click();
  // Its definition is another one since the server was opened in another revision, so it is asked about.
  await answerUntil('.card.result');
  await goTo(page, 'timeline');
  await expect
    .poll(() => page.locator('.messages').getAttribute('aria-rowcount').then(Number), { timeout: 60_000 })
    .toBeGreaterThan(100_000);
  const frames = await page.evaluate(async () => {
    const list = document.querySelector('.messages');
    if (list === null) return [];
    const times: number[] = [];
    let before = performance.now();
    for (let step = 0; step < 120; step++) {
      list.scrollTop = (list.scrollHeight * step) / 120;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      times.push(now - before);
      before = now;
    }
    return times.toSorted((left, right) => left - right);
  });
  const drawn = await page.locator('.messages [role="row"]').count();
  const heap = await page.evaluate(
    () => (performance as unknown as { memory?: { usedJSHeapSize: number } }).memory?.usedJSHeapSize ?? 0,
  );
  console.log(
    `frames: median ${frames[60]?.toFixed(1)} ms, p95 ${frames[114]?.toFixed(1)} ms, worst ${frames[119]?.toFixed(1)} ms; ${drawn} rows drawn; heap ${(heap / 1e6).toFixed(0)} MB`,
  );
  expect(drawn).toBeLessThan(120);
  // The budget is 32 ms for each frame on a quiet machine; this bound only tells smooth from stuck on a busy one.
  expect(frames[60]).toBeLessThan(64);
  await page.getByLabel('Filter messages').first().fill('line 99999');
  await expect.poll(() => page.locator('[data-message]').count(), { timeout: 60_000 }).toBe(1);
});
