/** Exports of the workbench repeat the call: in a shell, as a test, with curl. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { revisionIds } from '../../src/revisions/index.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { self } from '../support/command-line.ts';
import { openTestWorkbench, type TestPage } from '../support/workbench.ts';
import { workbenchShop } from '../support/workbench-shop.ts';

const run = promisify(execFile);
const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');
/** A server in a child process, which starts quickly. */
const stdio = { command: process.execPath, args: [resolve('test/support/raw-shop.mjs')] };

/** On a busy machine, it starts slowly. */
const host = { health: false, timeouts: { connectTimeoutMs: 50_000, probeTimeoutMs: 50_000 } } as const;

/** Outside of this repository, with the built package as a dependency. */
async function newProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-new-project-'));
  const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'esnext', skipLibCheck: true };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  await mkdir(join(folder, 'node_modules'));
  await symlink(resolve('.'), join(folder, 'node_modules', 'mooring'));
  for (const name of ['vitest', '@types'])
    await symlink(resolve('node_modules', name), join(folder, 'node_modules', name));
  return folder;
}

async function agree(page: TestPage): Promise<void> {
  const { params } = await page.heard('question', ({ question }) => question.kind === 'form');
  const { question } = params;
  if (question.kind !== 'form') return;
  const [name = ''] = Object.keys((question.requestedSchema['properties'] ?? {}) as object);
  await page.rpc('answer', {
    question: question.id,
    value: { kind: 'form', action: 'accept', content: { [name]: true } },
  });
}

test('a call that asked is repeated by its command line in a shell, with the same result', async () => {
  await using one = await openTestWorkbench({ servers: { shop: stdio }, host });
  const calling = one.page.rpc('call', { server: 'shop', tool: 'refund', arguments: { order: "A-1's" } });
  await agree(one.page);
  const { span = 0, result } = await calling;
  const { text, notes } = await one.page.rpc('export', { spans: [span], as: 'cli' });
  expect(notes).toEqual([]);
  const script = `mooring() { ${quoted([self.command, ...self.args])} "$@"; }\n${text}`;
  const { stdout } = await run('sh', ['-c', script]);
  expect(result?.result['content']).toEqual([{ type: 'text', text: 'refunded' }]);
  expect(stdout).toBe('refunded\n');
});

test.each([revisionIds[0] ?? '', revisionIds[1] ?? ''])(
  'a call is repeated by its test, which compiles and passes in a new project, in revision %s',
  async (revision) => {
    const folder = await newProject();
    try {
      await using one = await openTestWorkbench({ servers: { shop: stdio }, host });
      await one.page.rpc('servers.connect', { server: 'shop', revision });
      const calling = one.page.rpc('call', { server: 'shop', tool: 'refund', arguments: { order: 'A-1' } });
      await agree(one.page);
      const first = await calling;
      const second = await one.page.rpc('call', { server: 'shop', tool: 'echo', arguments: { text: 'hi' } });
      const { text, fileName } = await one.page.rpc('export', {
        spans: [first.span ?? 0, second.span ?? 0],
        as: 'test',
      });
      await writeFile(`${folder}/${fileName}`, text);
      await run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', folder]);
      const { stdout } = await run(process.execPath, [resolve('node_modules/vitest/vitest.mjs'), 'run'], {
        cwd: folder,
      });
      expect(stdout).toMatch(/2 passed/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

test.each(revisionIds.slice(0, 3))('a call over HTTP is repeated by curl, in revision %s', async (revision) => {
  const listening = await serveHttp(workbenchShop(), { port: 0 });
  await using one = await openTestWorkbench({ servers: { shop: listening.url } });
  await one.page.rpc('servers.connect', { server: 'shop', revision });
  const { span = 0 } = await one.page.rpc('call', { server: 'shop', tool: 'echo', arguments: { text: "it's me" } });
  const { text } = await one.page.rpc('export', { spans: [span], as: 'curl' });
  const { stdout } = await run('sh', ['-c', text]);
  expect(stdout).toContain(`"text":"it's me"`);
  await listening.close();
});
