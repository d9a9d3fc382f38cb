/** A workbench with test servers, and one page, for a test file. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { serveHttp } from '../../src/transport/node.ts';
import { workbenchShop } from '../support/workbench-shop.ts';
import {
  connect,
  everything,
  openBrowser,
  openPage,
  type RunningWorkbench,
  root,
  startWorkbench,
  tsx,
} from './workbench.ts';

export interface Entry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly url?: string;
}

const local = (name: string): Entry => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`./servers/${name}.mjs`, import.meta.url))],
});
const typescript = (file: string, ...args: string[]): Entry => ({
  command: process.execPath,
  args: [tsx, '--tsconfig', join(root, 'tsconfig.json'), file, ...args],
});

/** All test servers, by label. */
export const entries: Readonly<Record<string, Entry>> = {
  forms: local('forms'),
  hostile: local('hostile'),
  secret: { ...local('forms'), env: { API_TOKEN: 'hunter2-is-not-shown' } },
  everything: typescript(everything, '--stdio'),
  shop: typescript(join(root, 'examples/shop.ts')),
  sales: local('sales'),
  asks: local('asks'),
  odd: local('odd'),
  large: local('large'),
  missing: { command: 'a-command-that-is-not-installed' },
  refused: { type: 'http', url: 'http://127.0.0.1:9/mcp' },
};

export interface BenchFixture {
  browser: Browser;
  bench: RunningWorkbench;
  page: Page;
  folder: string;
  complaints: string[];
}

export interface FixtureOptions {
  /** Labels of `entries` that are configured. */
  readonly servers: readonly string[];
  /** Servers that are opened at once; the others are only listed. */
  readonly opened?: readonly string[];
  readonly args?: readonly string[];
  /** Starts what the test file needs before the workbench. */
  prepare?(): Promise<PreparedParts>;
}

export interface PreparedParts {
  /** Additional servers. */
  readonly entries?: Readonly<Record<string, Entry>>;
  /** Files of the folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
  close?(): Promise<unknown>;
}

/** An HTTP server, and rules that deny one tool and ask about another. */
export async function ruledParts(): Promise<PreparedParts> {
  const web = await serveHttp(workbenchShop(), { port: 0 });
  const host = pathToFileURL(join(root, 'dist/host/index.js')).href;
  const policy = `import { rules } from '${host}';
export const policy = [
  rules.deny({ name: 'order', arguments: { customer: 'Mallory' } }),
  rules.ask({ kind: 'tool', name: 'pay' }),
];`;
  return {
    entries: { web: { type: 'http', url: web.url } },
    files: { 'policy.mjs': policy },
    close: () => web.close(),
  };
}

/** A folder with a configuration of these servers. */
export async function configuredFolder(
  servers: readonly string[],
  others: Readonly<Record<string, Entry>> = {},
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'workbench-'));
  const mcpServers = { ...Object.fromEntries(servers.map((label) => [label, entries[label]])), ...others };
  await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers }, null, 2));
  return folder;
}

export function useWorkbench({ servers, opened = servers, args = [], prepare }: FixtureOptions): BenchFixture {
  const fixture = {} as BenchFixture;
  let prepared: PreparedParts | undefined;
  const begin = async (): Promise<void> => {
    fixture.bench = await startWorkbench({ args: [...opened, ...args], folder: fixture.folder });
    const { page, complaints } = await openPage(fixture.browser, fixture.bench.url);
    Object.assign(fixture, { page, complaints });
    for (const label of opened) await connect(page, label);
    // The palette shows what is known when it opens.
    for (const label of opened) await page.locator(`.rows a[href^="#/tools/${label}/"]`).first().waitFor();
  };
  beforeAll(async () => {
    prepared = await prepare?.();
    fixture.folder = await configuredFolder(servers, prepared?.entries);
    for (const [name, text] of Object.entries(prepared?.files ?? {})) await writeFile(join(fixture.folder, name), text);
    fixture.browser = await openBrowser();
    await begin();
  });
  // Closes what a failed test left open, such as a question or a recording, because later tests would fail too.
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    await fixture.page.context().close();
    await fixture.bench.stop();
    await begin();
  });
  afterAll(async () => {
    await fixture.browser?.close();
    await fixture.bench?.stop();
    await prepared?.close?.();
    if (fixture.folder !== undefined) await rm(fixture.folder, { recursive: true, force: true });
  });
  return fixture;
}
