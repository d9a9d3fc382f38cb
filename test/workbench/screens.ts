/**
 * Takes a picture of every screen of the workbench, in both themes, from a real run with the servers of the examples:
 * `tsx test/workbench/screens.ts <folder> [width height]`. Needs `npm run build`, and the packages of test/workbench. Those that
 * the documentation shows are also written to docs/images, as WebP, when the folder is docs/images.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { connect, goTo, openBrowser, openPage, root, startWorkbench } from './workbench.ts';

const [folder = '.cache/workbench-screens', width = '1280', height = '800'] = process.argv.slice(2);
const out = resolve(folder);
/** The pictures of docs/guide/workbench.md. */
const shown: ReadonlySet<string> = new Set(['question-light', 'compare-light', 'message-dark', 'apps-dark']);
const home = await mkdtemp(join(tmpdir(), 'harbour-'));
const mcpServers = {
  sales: { command: process.execPath, args: [join(root, 'test/workbench/servers/sales.mjs')] },
  forms: { command: process.execPath, args: [join(root, 'test/workbench/servers/forms.mjs')] },
  maps: { type: 'http', url: 'http://127.0.0.1:9/mcp' },
  mail: { command: 'mail-server-that-is-not-installed' },
};
await writeFile(join(home, '.mcp.json'), JSON.stringify({ mcpServers }, null, 2));
await mkdir(out, { recursive: true });
const bench = await startWorkbench({ args: ['sales', 'forms', 'maps'], folder: home });
const browser = await openBrowser();
const { page, complaints } = await openPage(browser, bench.url, { width: Number(width), height: Number(height) });
page.setDefaultTimeout(15_000);

const call = (): Promise<void> => page.getByRole('button', { name: /^Call/ }).first().click();

/** Answers questions with their first choice until something is there. */
async function answerUntil(selector: string): Promise<void> {
  const primary = page.locator('.ask .btn[data-kind="primary"]').first();
  for (let round = 0; round < 60 && !(await page.locator(selector).first().isVisible()); round++) {
    const choice = page.locator('.ask select').first();
    if (await choice.isVisible()) await choice.selectOption('true', { timeout: 500 }).catch(() => undefined);
    if (await primary.isVisible()) await primary.click({ timeout: 500 }).catch(() => undefined);
    await page.waitForTimeout(150);
  }
}

async function both(name: string): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.waitForTimeout(300);
    const picture = await page.screenshot();
    if (!folder.endsWith('docs/images')) await writeFile(join(out, `${name}-${theme}.png`), picture);
    else if (shown.has(`${name}-${theme}`))
      await writeFile(join(out, `workbench-${name}-${theme}.webp`), await webp(picture));
  }
}

/** A fifth of the size of the PNG. The browser has an encoder; a blank page of it has no policy in the way. */
async function webp(picture: Buffer): Promise<Buffer> {
  const blank = await page.context().newPage();
  const encoded = await blank.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext('2d')?.drawImage(image, 0, 0);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 });
    let text = '';
    for (const byte of new Uint8Array(await blob.arrayBuffer())) text += String.fromCharCode(byte);
    return btoa(text);
  }, picture.toString('base64'));
  await blank.close();
  return Buffer.from(encoded, 'base64');
}

/** Each screen with something on it. */
const scenes: readonly (readonly [name: string, prepare: (page: Page) => Promise<void>])[] = [
  [
    'question',
    async () => {
      await goTo(page, 'tools', 'sales', 'refund');
      await page.locator('[data-field="order"] input').fill('A-1041');
      await call();
      await page.locator('.ask').first().waitFor();
    },
  ],
  ['tools', () => answerUntil('.card.result')],
  ['form', () => goTo(page, 'tools', 'forms', 'order')],
  [
    'resources',
    async () => {
      await goTo(page, 'resources', 'forms', 'note://a');
      await page.getByRole('button', { name: 'Watch' }).click();
      await page.getByRole('button', { name: /^Read/ }).click();
      await page.locator('.card.result').waitFor();
      await goTo(page, 'tools', 'forms', 'touch');
      await call();
      await page.locator('.card.result').waitFor();
      await goTo(page, 'resources', 'forms', 'note://a');
      await page.locator('.diff').waitFor();
    },
  ],
  [
    'prompts',
    async () => {
      await goTo(page, 'prompts', 'sales', 'thank');
      for (const input of await page.getByRole('combobox').all()) await input.fill('Ada');
      await page.getByRole('button', { name: /^Get/ }).click();
      await page.locator('.card.result').waitFor();
    },
  ],
  [
    'apps',
    async () => {
      await goTo(page, 'apps', 'sales', 'sales');
      await page.getByRole('button', { name: 'Call and open' }).click();
      await answerUntil('[data-view-step="result"][data-state="passed"]');
      await page.waitForTimeout(800);
    },
  ],
  [
    'compare',
    async () => {
      await goTo(page, 'compare', 'sales', 'refund');
      await page.getByRole('button', { name: 'Call in both' }).click();
      await answerUntil('.versus-row');
    },
  ],
  [
    'chat',
    async () => {
      await goTo(page, 'chat');
      await page
        .getByLabel(/^Script/)
        .fill(
          '- call: sales.refund\n  with: { order: A-1041 }\n- call: sales.sales\n- Monday brought 20.5, Tuesday 30.\n',
        );
      await page.getByRole('button', { name: 'Use this script' }).click();
      await page.getByLabel('What you say').fill('How were the sales?');
      await page.getByRole('button', { name: 'Send' }).click();
      await answerUntil('.talk .model');
    },
  ],
  [
    'skills',
    async () => {
      await goTo(page, 'skills');
      await page.locator('.rows a').first().click({ timeout: 3_000 });
      await page.locator('tr[data-state]').first().waitFor();
    },
  ],
  ['tasks', () => goTo(page, 'tasks')],
  ['servers', () => goTo(page, 'servers')],
  [
    'server',
    async () => {
      await goTo(page, 'servers', 'maps', 'examine');
      await page.locator('.steps li').first().waitFor();
    },
  ],
  ['sign-in', () => goTo(page, 'sign-in', 'maps')],
  ['policy', () => goTo(page, 'policy')],
  ['catalogue', () => goTo(page, 'catalogue')],
  ['timeline', () => goTo(page, 'timeline')],
  [
    'message',
    async () => {
      await page.locator('[data-message]', { hasText: 'refund' }).first().click();
      await page.locator('section.message').waitFor();
    },
  ],
  [
    'travel',
    async () => {
      await goTo(page, 'travel');
      await page.locator('.card', { hasText: 'or this session with' }).getByRole('button', { name: 'sales' }).click();
      await page.getByLabel('Message', { exact: true }).press('End');
      await page.waitForTimeout(500);
      await page.getByLabel('Message', { exact: true }).press('ArrowLeft');
    },
  ],
  [
    'palette',
    async () => {
      await page.getByRole('button', { name: 'Back to live' }).click();
      await goTo(page, 'tools', 'sales', 'refund');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('ref');
    },
  ],
];

for (const label of ['sales', 'forms']) await connect(page, label);
await page.waitForTimeout(1_000);
for (const [name, prepare] of scenes) {
  await prepare(page).catch((error: unknown) => console.error(`${name}: ${String(error).slice(0, 200)}`));
  await both(name);
}
for (const one of complaints) console.error(one);
await browser.close();
await bench.stop();
await rm(home, { recursive: true, force: true });
