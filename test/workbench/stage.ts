/** A workbench with servers for all screens, and the actions of scenes. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { createServer, tool } from '../../src/index.ts';
import { dock } from '../support/guarded-dock.ts';
import { connect, openBrowser, openPage, type RunningWorkbench, root, startWorkbench } from './workbench.ts';

const FIRST = 'Publish the scene on the studio page';
const whoami = tool({
  name: 'whoami',
  description: 'Says who you are',
  effects: 'read',
  run: (_, { auth }) => `You are ${auth?.subject}`,
});

export interface Stage extends AsyncDisposable {
  readonly page: Page;
  readonly bench: RunningWorkbench;
  readonly complaints: readonly string[];
  /** Presses Call. */
  call(): Promise<void>;
  /** Answers questions with the first choice until the selector matches. */
  answerUntil(selector: string): Promise<void>;
  /** Sets the description of one studio tool from its next start on. */
  describe(text: string): Promise<void>;
}

const local = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [join(root, `test/workbench/servers/${name}.mjs`), ...args],
});

/** A page without servers, or with all of them; the named ones are connected. */
export async function openStage({ names }: { readonly names: readonly string[] }): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'harbour-'));
  const guarded = await dock(createServer({ name: 'notes', version: '1.0.0', parts: [whoami] }));
  const told = join(folder, 'publish.txt');
  const mcpServers = {
    forms: local('forms'),
    mail: { command: 'mail-server-that-is-not-installed' },
    maps: { type: 'http', url: 'http://127.0.0.1:9/mcp' },
    notes: { type: 'http', url: guarded.url },
    sales: local('sales'),
    studio: local('studio', told),
  };
  await writeFile(told, FIRST);
  if (names.length > 0) await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers }, null, 2));
  const bench = await startWorkbench({ args: names, folder });
  const browser = await openBrowser();
  const { page, complaints } = await openPage(browser, bench.url);
  page.setDefaultTimeout(60_000);
  await page.locator('.sidebar').waitFor();
  for (const label of names) await connect(page, label);
  return {
    ...{ page, bench, complaints },
    ...acts(page),
    describe: (text) => writeFile(told, text),
    [Symbol.asyncDispose]: () =>
      strike(browser, bench, async () => {
        await guarded[Symbol.asyncDispose]();
        await rm(folder, { recursive: true, force: true });
      }),
  };
}

async function strike(browser: Browser, bench: RunningWorkbench, last: () => Promise<void>): Promise<void> {
  await browser.close();
  await bench.stop();
  await last();
}

function acts(page: Page): Pick<Stage, 'call' | 'answerUntil'> {
  const primary = page.locator('.ask .btn[data-kind="primary"]').first();
  return {
    call: () => page.getByRole('button', { name: /^Call/ }).first().click(),
    async answerUntil(selector) {
      const wanted = page.locator(selector).first();
      for (let round = 0; round < 200 && !(await wanted.isVisible()); round++) {
        if (await primary.isVisible()) await primary.click({ timeout: 500 }).catch(() => undefined);
        await page.waitForTimeout(150);
      }
      await wanted.waitFor();
    },
  };
}
