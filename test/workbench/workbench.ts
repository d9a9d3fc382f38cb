/** A workbench as users have it: the built command in a child process, and its page in Chromium. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core';
import { chromium as chromiumPath } from '../browser/chromium.ts';

export const main: string = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
export const tsx: string = fileURLToPath(new URL('../../node_modules/tsx/dist/cli.mjs', import.meta.url));
export const root: string = fileURLToPath(new URL('../..', import.meta.url));
export const everything: string = fileURLToPath(new URL('../conformance/everything-server.ts', import.meta.url));

export interface RunningWorkbench {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  readonly child: ChildProcess;
  /** The output of the terminal. */
  output(): string;
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly args: readonly string[];
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The environment of a user with this home folder. */
export function commandEnv(home: string): Record<string, string> {
  const path = process.env['PATH'] ?? '';
  return { PATH: path, HOME: home, XDG_CONFIG_HOME: join(home, '.config'), NO_COLOR: '1' };
}

/** Starts `mooring workbench --json` with a new home, and waits for its URL. */
export async function startWorkbench({ args, folder, env = {} }: StartOptions): Promise<RunningWorkbench> {
  const home = folder ?? (await mkdtemp(join(tmpdir(), 'workbench-')));
  const child = spawn(process.execPath, [main, 'workbench', '--json', ...args], {
    cwd: home,
    env: { ...commandEnv(home), ...env },
    stdio: 'pipe',
  });
  let text = '';
  const url = await new Promise<string>((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      text += chunk.toString();
      const found = /"(http:\/\/127[^"]+)"/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('exit', (code) => reject(new Error(`The workbench ended with ${code}: ${text}`)));
  });
  return {
    url,
    port: Number(new URL(url).port),
    folder: home,
    child,
    output: () => text,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGINT');
        await ended;
      }
      if (folder === undefined) await rm(home, { recursive: true, force: true });
    },
  };
}

export async function openBrowser(...more: readonly string[]): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-dev-shm-usage', ...more];
  return await chromium.launch({ executablePath: chromiumPath(), args });
}

/** Pending requests by page. */
const underWay = new WeakMap<Page, Set<Request>>();

/** Resolves when everything that a screen requests is there and drawn. */
export async function settled(page: Page): Promise<void> {
  const asked = underWay.get(page) ?? new Set();
  do {
    // Effects run after a frame, and send requests.
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
    );
  } while (asked.size > 0);
}

/** A page whose console must stay empty. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console errors, dialogs, and requests to other hosts. */
  readonly complaints: string[];
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'dark' | 'light';
}

export async function openPage(browser: Browser, url: string, options: PageOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    colorScheme: options.theme ?? 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  const { origin } = new URL(url);
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.accept();
  });
  const asked = new Set<Request>();
  underWay.set(page, asked);
  page.on('requestfinished', (request) => asked.delete(request));
  page.on('requestfailed', (request) => asked.delete(request));
  page.on('request', (request) => {
    if (request.url().endsWith('/rpc')) asked.add(request);
    if (!request.url().startsWith(origin) && !/^(?:data|blob):/.test(request.url()))
      complaints.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return { page, context, complaints };
}

/** Copies a URL for another page from the palette. */
export async function copyUrl(page: Page): Promise<string> {
  // A notification of an earlier copy can still be there, and a URL opens only one page.
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or run a command' }).fill('>copy a url');
  await page.keyboard.press('Enter');
  for (;;) {
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    if (copied !== '') return copied;
    await page.waitForTimeout(20);
  }
}

/** Goes to a screen by its link, and waits until the previous one is gone. */
export async function goTo(page: Page, ...of: readonly string[]): Promise<void> {
  await page.evaluate(
    async (hash) => {
      if (location.hash === hash) return;
      // The page's own listener was added first.
      const shown = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
      location.hash = hash;
      await shown;
    },
    `#/${of.map(encodeURIComponent).join('/')}`,
  );
  await page.locator(`main [data-screen]`).waitFor();
}

/** Grants permissions until the server is ready. */
export async function connect(page: Page, server: string): Promise<void> {
  const row = page.locator(`.sidebar [data-server="${server}"]`);
  await row.waitFor();
  await allowUntil(page, async () => {
    const stage = await row.getAttribute('data-state');
    if (stage === 'failed' || stage === 'crashed') throw new Error(`${server} ${stage}: ${await row.textContent()}`);
    return stage === 'ready';
  });
}

/** On the page of a server. It can be away for less than a frame, so this waits for the response. */
export async function restart(page: Page, server: string): Promise<void> {
  await goTo(page, 'servers', server);
  let isBack = false;
  const answered = page
    .waitForResponse((response) => response.request().postData()?.includes('servers.restart') === true)
    .finally(() => {
      isBack = true;
    });
  await Promise.all([
    answered,
    page
      .getByRole('button', { name: 'Restart' })
      .click()
      .then(() => allowUntil(page, () => isBack)),
  ]);
  await connect(page, server);
}

async function allowUntil(page: Page, isDone: () => boolean | Promise<boolean>): Promise<void> {
  const allow = page.locator('.ask[data-kind="consent"]').getByRole('button', { name: 'Allow once' }).first();
  while (!(await isDone())) {
    if (await allow.isVisible()) await allow.click({ timeout: 1_000 }).catch(() => undefined);
    await page.waitForTimeout(50);
  }
}
