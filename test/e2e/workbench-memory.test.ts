/** The memory of the workbench's process, as the system reports it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { folder } from '../support/command-line.ts';
import { startPage, TestPage } from '../support/workbench.ts';

const MESSAGES = 100_000;
const BUDGET_MB = 150;

/** Of a process, in megabytes. */
async function residentSize(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1024;
}

test('a process with a hundred thousand messages and a page that reads them stays within 150 MB', async () => {
  await using home = await folder();
  const server = [process.execPath, resolve('test/workbench/servers/forms.mjs')];
  const child = spawn(process.execPath, [resolve('dist/cli/main.js'), 'workbench', '--json', '--', ...server], {
    cwd: home.path,
    env: { PATH: process.env['PATH'], HOME: home.path },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    const { url } = JSON.parse(String(chunk)) as { url: string };
    const { origin } = new URL(url);
    const page = new TestPage(origin, await startPage(origin, url)).listen(0);
    const [info] = (await page.rpc('hello', {})).servers;
    const before = await residentSize(child.pid ?? 0);
    const { error } = await page.rpc('call', {
      ...{ server: info?.label ?? '', tool: 'flood', arguments: { messages: MESSAGES } },
    });
    expect(error).toBeUndefined();
    const found = await page.rpc('timeline.page', { filter: { text: 'line 99999' } });
    expect(found.total).toBe(1);
    expect((await page.rpc('timeline.page', {})).total).toBeGreaterThan(MESSAGES);
    const after = await residentSize(child.pid ?? 0);
    console.log(`resident: ${before.toFixed(0)} MB before, ${after.toFixed(0)} MB with ${MESSAGES} messages`);
    expect(after).toBeLessThan(BUDGET_MB);
    page.close();
  } finally {
    child.kill('SIGINT');
    await once(child, 'close');
  }
});
