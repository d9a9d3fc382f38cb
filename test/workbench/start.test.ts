import { existsSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { certificate } from '../fixtures/doctor/certificate.ts';
import { authorizationServer, mcp } from '../support/attacked.ts';
import { PseudoTerminal } from '../support/pseudo-terminal.ts';
import { configuredFolder, entries, type PreparedParts, useWorkbench } from './fixture.ts';
import { commandEnv, connect, goTo, main, openBrowser, openPage, startWorkbench } from './workbench.ts';

/** A server with a self-signed certificate, and one that needs a sign-in. */
async function unreachable(): Promise<PreparedParts> {
  const [from, to] = [new Date(Date.now() - 864e5), new Date(Date.now() + 864e5)];
  const tls = createServer(certificate({ host: '127.0.0.1', from, to }));
  await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
  const as = await authorizationServer();
  const server = await mcp(() => ({ issuers: [as.origin] }));
  return {
    entries: {
      untrusted: { type: 'http', url: `https://127.0.0.1:${(tls.address() as AddressInfo).port}/mcp` },
      locked: { type: 'http', url: `${server.origin}/mcp` },
    },
    close: async () => {
      tls.close();
      await Promise.all([as[Symbol.asyncDispose](), server[Symbol.asyncDispose]()]);
    },
  };
}

const fixture = useWorkbench({
  servers: ['forms', 'secret', 'missing', 'refused'],
  opened: ['forms', 'secret'],
  prepare: unreachable,
});

test('the page shows the tools of a server, and its address has no token', async () => {
  const { page, bench } = fixture;
  await goTo(page, 'tools');
  await page.locator('.rows a[data-item="order"]').first().waitFor();
  expect(page.url()).not.toContain('t=');
  // The key is only in this tab: not in cookies or storage that other ports or tabs can read.
  const [key] = await page.evaluate(() => Object.values({ ...sessionStorage }).filter((value) => value.length >= 43));
  expect(key).toMatch(/^[\w-]{43,}$/);
  const { origins, cookies } = await page.context().storageState();
  expect(cookies).toEqual([]);
  expect(JSON.stringify(origins)).not.toContain(key);
  expect(new URL(page.url()).port).toBe(String(bench.port));
});

test('the page paints as soon as the workbench has said hello: it waits for no server and for no list', async () => {
  const { page } = fixture;
  const held: Route[] = [];
  let holds = true;
  await page.route('**/rpc', async (route) => {
    const { method } = route.request().postDataJSON() as { method: string };
    if (method === 'hello' || !holds) await route.continue();
    else held.push(route);
  });
  await page.reload();
  await page.locator('.sidebar').waitFor();
  const ms = await page.evaluate(async () => {
    const painted = (): PerformanceEntry | undefined => performance.getEntriesByName('first-contentful-paint')[0];
    while (painted() === undefined) await new Promise(requestAnimationFrame);
    const [document] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    return (painted()?.startTime ?? 0) - (document?.responseEnd ?? 0);
  });
  console.log(
    `first contentful paint: ${ms.toFixed(0)} ms after the document; the budget is 300 ms on a quiet machine`,
  );
  expect(held.length).toBeGreaterThan(0);
  holds = false;
  await Promise.all(held.map((route) => route.continue()));
  await page.locator('.rows a[data-item="order"]').first().waitFor();
  await page.unroute('**/rpc');
});

test('reload, a second tab and the back button lose nothing, and a question that is answered in one tab closes in the other', async () => {
  const { page, bench, browser } = fixture;
  await goTo(page, 'tools', 'forms', 'echo');
  const text = page.getByLabel(/^JSON/).first();
  await text.fill('{"kept": "yes"}');
  await goTo(page, 'tools', 'forms', 'pay');
  await page.goBack();
  await page.reload();
  await expect.poll(() => text.inputValue()).toBe('{"kept": "yes"}');
  await page.getByRole('button', { name: /^Call/ }).first().click();
  const result = '.card.result >> text=yes';
  await page.locator(result).first().waitFor();
  await page.reload();
  await page.locator(result).first().waitFor();
  await goTo(page, 'servers', 'refused');
  const second = await page.context().newPage();
  // Without its own token: the first tab passes one on.
  await second.goto(new URL(bench.url).origin);
  await second.locator('.sidebar').waitFor();
  await goTo(second, 'tools', 'forms', 'echo');
  await second.locator(result).first().waitFor();
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await Promise.all([page, second].map((tab) => tab.locator('.ask').first().waitFor()));
  await second.locator('.ask').getByRole('button', { name: 'Deny' }).click();
  await Promise.all([page, second].map((tab) => tab.locator('.ask').waitFor({ state: 'detached' })));
  await second.close();
  void browser;
});

test('a page without a token shows nothing but how to get one', async () => {
  const { bench, browser } = fixture;
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${new URL(bench.url).origin}/#t=${'x'.repeat(43)}`);
  await page.getByRole('heading', { name: 'This tab has no valid token' }).waitFor();
  expect(await page.locator('body').textContent()).not.toContain('forms');
  await context.close();
});

test('a password in the arguments and a secret of the environment are masked in the timeline', async () => {
  const { page } = fixture;
  await goTo(page, 'tools', 'secret', 'login');
  await page.locator('[data-field="password"] input').fill('swordfish-9');
  await page.getByRole('button', { name: /^Call/ }).first().click();
  await page.locator('.card.result').waitFor();
  await page.locator('.card.result a[href^="#/timeline"]').click();
  await page.locator('section.message .json').waitFor();
  const shown = await page.locator('main').textContent();
  expect(shown).not.toContain('swordfish-9');
  expect(shown).not.toContain('hunter2');
  expect(shown).toContain('password');
});

test('servers of the configuration are listed with their file, and none is started', async () => {
  const { page } = fixture;
  await goTo(page, 'servers');
  for (const label of ['missing', 'refused']) {
    const row = page.locator(`main tr[data-server="${label}"]`);
    expect(await row.getAttribute('data-state')).not.toBe('ready');
    expect(await row.textContent()).toContain('.mcp.json:');
  }
});

test.each([
  ['missing', /no program|not found|PATH/],
  ['refused', /[Nn]o server listens|refused/],
  ['untrusted', /certificate/],
  ['locked', /^Sign-in required/],
])('the server that is %s says why in a sentence, with a remedy, and can be examined', async (label, why) => {
  const { page } = fixture;
  await goTo(page, 'servers', label);
  await page.getByRole('button', { name: /^(?:Connect|Try again)$/ }).click();
  const asked = page.locator('.ask');
  const verdict = page.locator('.verdict');
  // The diagnosis has replaced the connection error, and shows a remedy.
  const remedy = verdict.locator('p').first();
  const allow = asked.getByRole('button', { name: 'Allow once' });
  await allow.or(remedy).first().waitFor();
  if (await allow.isVisible()) await allow.click();
  // The sign-in page.
  const visit = page.locator('.ask[data-kind="visit"]');
  await visit.or(remedy).first().waitFor();
  if (await visit.isVisible()) await visit.getByRole('button', { name: 'Dismiss' }).click();
  await remedy.waitFor();
  expect(await verdict.locator('h2').textContent()).toMatch(why);
  expect(await remedy.textContent()).toMatch(/\.$/);
  await page.getByRole('link', { name: 'Run checks' }).click();
  // A diagnosis opens the server, which needs permission.
  const failed = page.locator('.steps li[data-state="failed"]').first();
  await allow.or(failed).first().waitFor();
  if (await allow.isVisible()) await allow.click();
  await failed.waitFor();
  expect(await page.locator('.steps li').count()).toBeGreaterThan(1);
});

test('a server that crashes says so with its last words, the call has an unknown outcome, and a restart works', async () => {
  const { page } = fixture;
  await goTo(page, 'tools', 'forms', 'crash');
  await page.getByRole('button', { name: /^Call/ }).first().click();
  await page.locator('.card.result[data-state="failed"]').waitFor();
  expect(await page.locator('.card.result').textContent()).toMatch(/unknown/);
  await goTo(page, 'servers', 'forms');
  await expect.poll(() => page.locator('main [data-screen]').textContent()).toContain('the last words of the server');
  // Each line appears once, although the page received it before it opened the log.
  const log = page.locator('main .log');
  await expect.poll(() => log.textContent()).toContain('stderr: the last words of the server');
  const lines = (await log.textContent())?.split('\n') ?? [];
  expect(lines.filter((line) => line === 'stderr: the last words of the server')).toHaveLength(1);
  const again = page.getByRole('button', { name: /^(?:Connect|Try again|Restart)$/ });
  await again.click();
  await page.locator('.sidebar [data-server="forms"]:not([data-state="crashed"])').waitFor();
  await connect(page, 'forms');
});

test('a server that is stopped shows no response time', async () => {
  const { page } = fixture;
  await goTo(page, 'servers', 'forms');
  const row = page.locator('.sidebar [data-server="forms"]');
  await row.locator('.num').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.locator('.sidebar [data-server="forms"][data-state="stopped"]').waitFor();
  expect(await row.locator('.num').count()).toBe(0);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await connect(page, 'forms');
});

test('a command typed into the page starts only after a yes in the terminal, and a no is shown in the page', async () => {
  const { browser } = fixture;
  const folder = await configuredFolder([]);
  const proof = join(folder, 'proof-that-it-ran');
  const script = `cd '${folder}' && exec '${process.execPath}' '${main}' workbench --no-browser`;
  await using terminal = new PseudoTerminal(['sh', '-c', script], commandEnv(folder));
  await terminal.sees('Ctrl-C to stop.');
  const { page, context } = await openPage(browser, /http:\/\/127\S+/.exec(terminal.text)?.[0] ?? '');
  const add = async (command: string): Promise<void> => {
    await page.getByRole('button', { name: 'Add a server' }).first().click();
    await page.getByRole('button', { name: 'Command', exact: true }).click();
    await page.getByLabel('Label').fill('typed');
    await page.getByLabel('Command line').fill(command);
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Waiting for your answer in the terminal').waitFor();
  };
  await add(`touch ${proof}`);
  await terminal.sees(`touch ${proof}`);
  expect(await page.locator('[data-server="typed"]').count()).toBe(0);
  await terminal.type('Start it?', 'n\r');
  await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'did not agree in the terminal' }).waitFor();
  expect(existsSync(proof)).toBe(false);
  await page.keyboard.press('Escape');
  const { command = '', args = [] } = entries['forms'] ?? {};
  await add([command, ...args].join(' '));
  await terminal.type('Start it?', 'y\r');
  await page.locator('.sidebar [data-server="typed"][data-state="idle"]').waitFor();
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.locator('.sidebar [data-server="typed"][data-state="ready"]').waitFor();
  await context.close();
});

test('nothing was on the console, no dialog opened, and nothing left this machine', () => {
  expect(fixture.complaints).toEqual([]);
});

test('after Ctrl-C the page says that the workbench has stopped, and comes back when it starts again on the same port', async () => {
  const folder = await configuredFolder(['forms']);
  const first = await startWorkbench({ args: ['forms'], folder });
  const browser = await openBrowser();
  try {
    const { page, context } = await openPage(browser, first.url);
    await connect(page, 'forms');
    await goTo(page, 'tools');
    const tools = page.locator('.list-pane [data-row]');
    await tools.first().waitFor();
    const offered = await tools.count();
    await first.stop();
    await page.getByText(/workbench has stopped|Reconnecting to the workbench/).waitFor();
    await page.locator('.dock').getByText('Not connected', { exact: true }).waitFor();
    expect(await tools.count()).toBe(offered);
    const again = await startWorkbench({ args: ['forms', '--port', String(first.port)], folder });
    // As the command does: open the new URL in the browser.
    const other = await context.newPage();
    await other.goto(again.url);
    await other.locator('.sidebar').waitFor();
    await page.locator('.gate-bar, .gate-screen').first().waitFor({ state: 'detached' });
    await page.locator('.dock').getByText('Live', { exact: true }).waitFor();
    await connect(page, 'forms');
    await again.stop();
  } finally {
    await browser.close();
  }
});
