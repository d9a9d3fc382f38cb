/** Rejections by the workbench: other origins and hosts, a sign-in with a wrong issuer, a skill with a changed file. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { authorizationServer, mcp } from '../support/attacked.ts';
import { pageUser } from './acts.ts';
import { type PreparedParts, useWorkbench } from './fixture.ts';
import { commandEnv, goTo, main } from './workbench.ts';

async function mixedUp(): Promise<PreparedParts> {
  const as = await authorizationServer(() => ({ iss: 'https://evil.example' }));
  const server = await mcp(() => ({ issuers: [as.origin] }));
  return {
    entries: { notes: { type: 'http', url: `${server.origin}/mcp` } },
    close: () => Promise.all([as[Symbol.asyncDispose](), server[Symbol.asyncDispose]()]),
  };
}

const fixture = useWorkbench({ servers: ['odd', 'sales'], prepare: mixedUp });
const { answerUntil, allowUntil, result } = pageUser(fixture);

/** All kinds of requests to another origin, with their outcomes. */
const attacks = async ({ origin, token }: { origin: string; token: string }): Promise<Record<string, string>> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hello', params: {} });
  const said = (asked: Promise<Response>): Promise<string> =>
    asked.then(
      async (response) => `${response.type} ${response.status} ${await response.text()}`,
      () => 'failed',
    );
  const heard = (target: EventTarget, good: string): Promise<string> =>
    new Promise((resolve) => {
      target.addEventListener(good, () => resolve('heard'));
      target.addEventListener('error', () => resolve('failed'));
    });
  const post = { method: 'POST', body };
  const authorized = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
  document.body.insertAdjacentHTML(
    'beforeend',
    `<iframe name="frame" src="${origin}/"></iframe><form method="post" enctype="text/plain" target="posted" action="${origin}/rpc"><input name='${body.slice(0, -1)},"x' value='":1}'></form><iframe name="posted"></iframe>`,
  );
  document.forms[0]?.submit();
  return {
    fetch: await said(fetch(`${origin}/rpc`, post)),
    'fetch with credentials': await said(fetch(`${origin}/rpc`, { ...post, credentials: 'include' })),
    'fetch with the token of a page': await said(fetch(`${origin}/rpc`, { ...post, headers: authorized })),
    'fetch without CORS': await said(fetch(`${origin}/rpc`, { ...post, mode: 'no-cors' })),
    image: await heard(Object.assign(new Image(), { src: `${origin}/page.css` }), 'load'),
    EventSource: await heard(new EventSource(`${origin}/events`), 'open'),
    WebSocket: await heard(new WebSocket(`${origin.replace('http', 'ws')}/events`), 'open'),
  };
};

test('a page of another origin gets nothing of the workbench, whatever it tries, and the terminal names it once', async () => {
  const { browser, bench, page } = fixture;
  const { origin } = new URL(bench.url);
  const other = createServer((_, response) => response.end('<!doctype html><title>Evil</title>'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const evil = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const token = await page.evaluate(() => Object.values({ ...sessionStorage }).join());
  const context = await browser.newContext();
  const attacker = await context.newPage();
  const statuses: (readonly [path: string, status: number])[] = [];
  attacker.on('response', (response) => {
    if (response.url().startsWith(origin)) statuses.push([new URL(response.url()).pathname, response.status()]);
  });
  await attacker.goto(evil);
  const outcomes = await attacker.evaluate(attacks, { origin, token });
  expect(outcomes).toEqual({
    fetch: 'failed',
    'fetch with credentials': 'failed',
    'fetch with the token of a page': 'failed',
    'fetch without CORS': 'failed',
    image: 'failed',
    EventSource: 'failed',
    WebSocket: 'failed',
  });
  // Form and frame, too: all requests that arrived were rejected.
  await expect.poll(() => statuses.map(([path]) => path)).toEqual(expect.arrayContaining(['/', '/rpc']));
  expect(statuses.filter(([, status]) => status !== 403)).toEqual([]);
  for (const frame of attacker.frames().slice(1)) expect(await frame.title()).not.toContain('Mooring');
  await expect.poll(() => bench.output()).toContain(evil);
  expect(bench.output().split(evil)).toHaveLength(2);
  await context.close();
  other.close();
});

test('the page is at 127.0.0.1 alone: no other address or name of this machine has it, and all addresses at once are refused', async () => {
  const { browser, bench, folder } = fixture;
  const context = await browser.newContext();
  const page = await context.newPage();
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const others = addresses.flatMap(({ address, family }) =>
    address === '127.0.0.1' || address.startsWith('fe80') ? [] : [family === 'IPv6' ? `[${address}]` : address],
  );
  for (const address of [...others, '[::1]', '127.0.0.2'])
    await expect(page.goto(`http://${address}:${bench.port}/`)).rejects.toThrow('ERR_CONNECTION_REFUSED');
  // Another host name for the right address.
  const named = await (await context.newPage()).goto(`http://workbench.localhost:${bench.port}/`);
  expect(named?.status()).toBe(403);
  for (const all of ['0.0.0.0', '::']) {
    const args = [main, 'workbench', '--json', '--dangerously-listen', all];
    const refused = promisify(execFile)(process.execPath, args, { cwd: folder, env: commandEnv(folder) });
    await expect(refused).rejects.toThrow('wildcard addresses are not allowed');
  }
  await context.close();
});

test('a sign-in with mixed-up issuers is refused, and the step says why', async () => {
  const { page } = fixture;
  await goTo(page, 'servers', 'notes');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await allowUntil('.ask[data-kind="visit"]');
  const opened = page.context().waitForEvent('page');
  await page.locator('.ask').getByRole('button', { name: 'Open the page' }).click();
  const popup = await opened;
  await page.locator('.sidebar [data-server="notes"][data-state="failed"]').waitFor();
  await popup.close();
  await goTo(page, 'sign-in', 'notes');
  const failed = page.locator('.steps li[data-state="failed"]').last();
  await failed.waitFor();
  expect(await failed.textContent()).toMatch(/authorization response.*another issuer/);
  expect(await page.locator('dl.pairs').textContent()).toContain('Signed inno');
});

test('a skill with a changed file is red, its button is off, and the workbench refuses to load it for a page that insists', async () => {
  const { page } = fixture;
  await goTo(page, 'skills', 'sales', 'skill://refunds/SKILL.md');
  await page.locator('tr[data-state="verified"]').first().waitFor();
  expect(await page.locator('tr[data-state]:not([data-state="verified"])').count()).toBe(0);
  await goTo(page, 'skills', 'odd', 'skill://refunds/SKILL.md');
  const changed = page.locator('tr[data-state="changed"]');
  await changed.locator('.i[data-tone="bad"]').waitFor();
  expect(await changed.textContent()).toContain('SKILL.md');
  const load = page.getByRole('button', { name: 'Load' });
  expect(await load.isDisabled()).toBe(true);
  await load.evaluate((button) => button.removeAttribute('disabled'));
  await load.click();
  await answerUntil('.card.result');
  expect(await result().getAttribute('data-state')).toBe('failed');
  expect(await result().locator('pre').count()).toBe(0);
  // Another skill of the same server, which is unchanged, is loaded.
  await goTo(page, 'skills', 'sales', 'skill://refunds/SKILL.md');
  await load.click();
  await answerUntil('.card.result[data-state="done"]');
  expect(await result().locator('pre').first().textContent()).toContain('#');
});
