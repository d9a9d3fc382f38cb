import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, mooring } from '../../../test/support/command-line.ts';
import { dialects } from '../init/dialects.ts';
import { developmentTools } from '../init/project-files.ts';
import { writeProject } from '../init/write-project.ts';

const packageIn = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(join(path, 'package.json'), 'utf8'));

test('init creates a project from its options, and prints the next steps', async () => {
  await using place = await folder();
  const args = ['init', 'dock', '--transport', 'http', '--schema', 'arktype', '--name', '@me/dock'];
  const { code, stdout } = await mooring(args, { cwd: place.path });
  expect(code).toBe(0);
  expect(stdout).toContain('cd dock && npm install\n  npm test\n  npm run dev\n');
  expect(await packageIn(join(place.path, 'dock'))).toMatchObject({
    name: '@me/dock',
    scripts: { dev: 'mooring dev src/server.ts --http 3000' },
    dependencies: { arktype: expect.any(String) },
  });
  expect((await readdir(join(place.path, 'dock'))).toSorted()).toEqual([
    '.gitignore',
    'AGENTS.md',
    'README.md',
    'package.json',
    'src',
    'tsconfig.json',
  ]);
});

test.each([
  [['desk'], 'Created desk/:\n'],
  [['desk', '--name', 'notes'], 'Created notes in desk/:\n'],
  [['--name', 'notes'], 'Created notes in this folder:\n'],
])('init %j names the folder that it created', async (args, first) => {
  await using place = await folder();
  const { stdout } = await mooring(['init', ...args], { cwd: place.path });
  expect(stdout.slice(0, first.length)).toBe(first);
});

test('init asks nothing without a terminal, and uses the defaults', async () => {
  await using place = await folder();
  const here = join(place.path, 'My Server');
  await mkdir(join(here, '.git'), { recursive: true });
  const { code, stdout } = await mooring(['init', '--json'], { cwd: here });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ folder: here, name: 'my-server', transport: 'stdio', schema: 'zod' });
  expect(JSON.parse(stdout)).toMatchObject({ next: ['npm install', 'npm test', 'npx mooring list ./src/server.ts'] });
});

test('init uses a typed folder as the name, without asking for it', async () => {
  await using place = await folder();
  const { stdout, stderr } = await mooring(['init', 'desk'], { cwd: place.path, tty: true, stdin: 'http\njson\n' });
  expect(stderr).toContain('Transport (stdio, http) [stdio]: ');
  expect(stderr).not.toContain('Name');
  expect(stdout).toContain('Created desk/:');
});

test('init asks on a terminal only for options that were left out', async () => {
  await using place = await folder();
  const { code, stdout, stderr } = await mooring(['init', '--schema', 'json'], {
    cwd: place.path,
    tty: true,
    stdin: 'dock\nHar bour\nharbour\nhttp\n',
  });
  expect(code).toBe(0);
  expect(stderr).toContain('Folder [my-server]: ');
  expect(stderr).toContain('Name [dock]: ');
  expect(stderr).toContain('--name Har bour: expected a package name');
  expect(stderr).toContain('Transport (stdio, http) [stdio]: ');
  expect(stderr).not.toContain('Schemas');
  expect(stdout).toContain('Created harbour in dock/:');
});

test.each([
  [['--transport', 'pigeon'], '--transport pigeon: expected one of stdio, http'],
  [['--schema', 'yup'], '--schema yup: expected one of zod, valibot, arktype, json'],
  [['--name', 'My Server'], '--name My Server: expected a package name'],
  [['one', 'two'], 'two: unexpected argument'],
])('init %j is refused, and nothing is written: %s', async (args, why) => {
  await using place = await folder();
  const { code, stderr } = await mooring(['init', ...args], { cwd: place.path });
  expect(code).toBe(2);
  expect(stderr).toContain(why);
  expect(await readdir(place.path)).toEqual([]);
});

test('init rejects a folder that is not empty, and a file, and leaves them unchanged', async () => {
  await using place = await folder();
  await mkdir(join(place.path, 'full'));
  await writeFile(join(place.path, 'full', 'thesis.txt'), 'all of it');
  for (const [name, why] of [
    ['full', 'full: this folder is not empty (thesis.txt)'],
    ['full/thesis.txt', 'this is a file; name a folder'],
  ] as const) {
    const { code, stderr } = await mooring(['init', name], { cwd: place.path });
    expect(code).toBe(2);
    expect(stderr).toContain(why);
  }
  expect(await readdir(join(place.path, 'full'))).toEqual(['thesis.txt']);
});

test('writeProject() removes everything it wrote if a file cannot be written', async () => {
  await using place = await folder();
  // The second one needs a folder where the first one creates a file.
  const files = new Map([
    ['a', 'a file'],
    ['a/b', 'below a file'],
  ]);
  const target = join(place.path, 'deep', 'dock');
  await expect(writeProject(target, files, new AbortController().signal)).rejects.toThrow();
  expect(await readdir(place.path)).toEqual([]);
  const empty = join(place.path, 'empty');
  await mkdir(empty);
  await expect(writeProject(empty, files, new AbortController().signal)).rejects.toThrow();
  await expect(writeProject(empty, new Map([['a', '']]), AbortSignal.abort())).rejects.toThrow();
  expect(await readdir(empty)).toEqual([]);
});

test('a new project gets the versions that this one is tested with', async () => {
  const own = (await packageIn('.')) as { devDependencies: Record<string, string> }; // our own file
  const written = Object.assign(
    {},
    developmentTools,
    ...Object.values(dialects).map(({ dependencies }) => dependencies),
  );
  const tested = Object.keys(written).map((name) => [name, `^${own.devDependencies[name]}`]);
  expect(written).toEqual(Object.fromEntries(tested));
});

test('Ctrl-C at a question of init writes nothing', async () => {
  await using place = await folder();
  const { code, stdout, stderr } = await mooring(['init', 'dock'], { cwd: place.path, tty: true, stdin: '\u0003' });
  expect([code, stdout, stderr.includes('error')]).toEqual([130, '', false]);
  expect(await readdir(place.path)).toEqual([]);
});
