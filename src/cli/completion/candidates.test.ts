import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, mooring } from '../../../test/support/command-line.ts';
import { plainServer } from '../../../test/support/plain-server.ts';

/** A project with a module, a folder, and a configured server that records its starts. */
async function project(): Promise<AsyncDisposable & { readonly path: string; readonly home: string }> {
  const dir = await folder();
  const [path, home] = [join(dir.path, 'project'), join(dir.path, 'home')];
  for (const one of [path, home, join(path, 'src')]) await mkdir(one);
  await writeFile(join(path, 'server.ts'), '');
  await writeFile(join(path, 'server.test.ts'), '');
  const schema = { type: 'object', properties: { order: {}, days: {} } };
  const { command } = await plainServer(path, [
    { name: 'refund', inputSchema: schema },
    { name: 'odd name' },
    { name: '--force' },
  ]);
  const [program, ...args] = command;
  const started = `require('node:fs').writeFileSync(${JSON.stringify(join(path, 'started'))}, '')`;
  const servers = {
    shop: { command: program, args },
    witness: { command: process.execPath, args: ['-e', started] },
  };
  await writeFile(join(path, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
  return { path, home, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

type Project = Awaited<ReturnType<typeof project>>;

async function complete({ path: cwd, home }: Project, ...words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await mooring(['complete-words', '--', ...words], { cwd, home });
  expect([code, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((line) => line !== '');
}

describe('completion', () => {
  test('knows commands, their second words and their options', async () => {
    await using here = await project();
    expect(await complete(here, 'li')).toEqual(['list', 'lint']);
    expect(await complete(here, 'cal')).toEqual(['call']);
    expect(await complete(here, 'servers', 'a')).toEqual(['add']);
    expect(await complete(here, 'list', 'shop', '--ti')).toEqual(['--timeout']);
    expect(await complete(here, 'nonsense', '')).toEqual([]);
    expect(await complete(here, 'skills', '')).toEqual(['list', 'show', 'check']);
    expect(await complete(here, 'help', 'servers', 'r')).toEqual(['remove']);
  });

  test('knows recordings, folders and servers where a command wants one', async () => {
    await using here = await project();
    expect(await complete(here, 'replay', './t')).toEqual(['./tools.json']);
    expect(await complete(here, 'init', './s')).toEqual(['./src/']);
    expect(await complete(here, 'login', '')).toEqual(['shop', 'witness']);
    expect(await complete(here, 'install', './s')).toEqual(['./server.ts', './src/']);
    expect(await complete(here, 'install', 'u')).toEqual([]);
    expect(await complete(here, 'servers', 'remove', 'w')).toEqual(['witness']);
  });

  test('knows configured servers and modules where a target is expected', async () => {
    await using here = await project();
    expect(await complete(here, 'list', '')).toEqual([
      'shop',
      'witness',
      './plain-server.mjs',
      './server.ts',
      './src/',
    ]);
    expect(await complete(here, 'list', 'ser')).toEqual(['server.ts']);
    expect(await complete(here, 'run', './s')).toEqual(['./server.ts', './src/']);
    expect(await complete(here, 'list', '--config', './t')).toEqual(['./tools.json']);
    expect(await complete(here, 'list', '--', 'n')).toEqual([]);
  });

  test('knows the values of options and of places that have a few', async () => {
    await using here = await project();
    expect(await complete(here, 'install', 'shop', '--app', 'c')).toEqual([
      'claude-desktop',
      'claude-code',
      'cursor',
      'codex',
      'copilot-cli',
      'cline',
      'continue',
    ]);
    expect(await complete(here, 'servers', 'add', 'docs', 'https://a.test', '--app', 'z')).toEqual(['zed']);
    expect(await complete(here, 'init', 'desk', '--schema', '')).toEqual(['zod', 'valibot', 'arktype', 'json']);
    expect(await complete(here, 'init', 'desk', '--transport', 'h')).toEqual(['http']);
    expect(await complete(here, 'list', 'shop', '--revision', '2026')).toEqual(['2026-07-28']);
    expect(await complete(here, 'list', 'shop', '--cwd', './')).toEqual(['./src/']);
    expect(await complete(here, 'lock', 'check', '--lock', './t')).toEqual(['./tools.json']);
    expect(await complete(here, 'completion', 'z')).toEqual(['zsh']);
    expect(await complete(here, 'servers', 'import', 'gem')).toEqual(['gemini-cli']);
    expect(await complete(here, 'call', 'shop', '--timeout', '')).toEqual([]);
  });

  test('starts no configured server that was not approved', async () => {
    await using here = await project();
    expect(await complete(here, 'call', 'witness', '')).toEqual([]);
    expect(await readdir(here.path)).not.toContain('started');
  });

  test('knows tools and their arguments, and remembers them in a file of the user alone', async () => {
    await using here = await project();
    const { path: cwd, home } = here;
    // Approved at the terminal.
    expect(await mooring(['list', 'shop'], { cwd, home, tty: true, stdin: 'y\n' })).toMatchObject({ code: 0 });
    expect(await complete(here, 'call', 'shop', '')).toEqual(['refund']);
    const cache = join(home, '.local/state/mooring/completion');
    const [file = ''] = await readdir(cache);
    expect((await stat(join(cache, file))).mode & 0o077).toBe(0);
    // The server need not run again.
    await writeFile(join(cwd, 'plain-server.mjs'), 'process.exit(1)');
    expect(await complete(here, 'call', 'shop', 're')).toEqual(['refund']);
    expect(await complete(here, 'call', 'shop', 'refund', '')).toEqual(['order=', 'days=']);
    expect(await complete(here, 'call', 'shop', 'refund', 'order=A', '')).toEqual(['days=']);
    expect(await complete(here, 'list', 'shop', '')).toEqual(['refund']);
  });
});
