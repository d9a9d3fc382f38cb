import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { folder, mooring, self } from '../../../test/support/command-line.ts';

const home = { linux: '/home/ada', darwin: '/Users/ada', win32: 'C:\\Users\\ada' } as const;
const settings = {
  linux: '/home/ada/.config/',
  darwin: '/Users/ada/Library/Application Support/',
  win32: 'C:\\Users\\ada\\AppData\\Roaming\\',
} as const;
type Platform = keyof typeof home;

/** Where each application keeps its servers, in each system, and under which key. */
const places: readonly (readonly [app: string, key: string, file: (platform: Platform) => string])[] = [
  ['claude-desktop', 'mcpServers', (on) => `${settings[on]}Claude/claude_desktop_config.json`],
  ['claude-code', 'mcpServers', (on) => `${home[on]}/.claude.json`],
  ['vscode', 'servers', (on) => `${settings[on]}Code/User/mcp.json`],
  ['cursor', 'mcpServers', (on) => `${home[on]}/.cursor/mcp.json`],
  ['windsurf', 'mcpServers', (on) => `${home[on]}/.codeium/windsurf/mcp_config.json`],
  [
    'zed',
    'context_servers',
    (on) =>
      on === 'darwin'
        ? '/Users/ada/.config/zed/settings.json'
        : `${settings[on]}${on === 'win32' ? 'Zed' : 'zed'}/settings.json`,
  ],
];
const cases = places.flatMap(([app, key, file]) =>
  (['linux', 'darwin', 'win32'] as const).map((on) => ({
    app,
    key,
    on,
    file: on === 'win32' ? file(on).replaceAll('/', '\\') : file(on),
  })),
);

/** What a file would say that is not there yet. */
function written(diff: string): unknown {
  const lines = diff.split('\n').filter((line) => /^\+(?!\+\+ )/.test(line));
  return JSON.parse(lines.map((line) => line.slice(1)).join('\n'));
}

describe('the configuration of', () => {
  test.each(cases)('$app on $on is $file', async ({ app, key, on, file }) => {
    const args = ['install', '--app', app, '--name', 'a', '--dry-run', '--json', '--', process.execPath, '-v'];
    const { code, stdout } = await mooring(args, { platform: on, home: home[on] });
    const told = JSON.parse(stdout) as { file: string; diff: string; restart: string };
    expect([code, told.file]).toEqual([0, file]);
    expect(written(told.diff)).toEqual({ [key]: { a: { command: process.execPath, args: ['-v'] } } });
    expect(told.restart).toMatch(/\w/);
  });

  test.each([
    ['vscode', { servers: { a: { type: 'http', url: 'https://a.test/mcp', headers: { 'X-A': '1' } } } }],
    ['cursor', { mcpServers: { a: { type: 'http', url: 'https://a.test/mcp', headers: { 'X-A': '1' } } } }],
    ['windsurf', { mcpServers: { a: { serverUrl: 'https://a.test/mcp', headers: { 'X-A': '1' } } } }],
    ['zed', { context_servers: { a: { url: 'https://a.test/mcp', headers: { 'X-A': '1' } } } }],
  ])('%s takes an address in its own words', async (app, content) => {
    const { stdout } = await mooring([
      'install',
      'https://a.test/mcp',
      '--app',
      app,
      '--header',
      'X-A: 1',
      '--dry-run',
    ]);
    expect(written(stdout)).toEqual(content);
  });
});

/** A home with a configuration of Cursor, and a project with a module. */
async function settled() {
  const dir = await folder();
  const [cwd, own] = [join(dir.path, 'shop'), join(dir.path, 'home')];
  const file = join(own, '.cursor/mcp.json');
  await mkdir(dirname(file), { recursive: true });
  await mkdir(cwd);
  await writeFile(
    file,
    '{\n  // mine\n  "mcpServers": {\n    "old": { "command": "x", "env": { "API_KEY": "hunter2hunter2" } }\n  }\n}\n',
  );
  await writeFile(join(cwd, 'orders.mjs'), 'export {};');
  return {
    file,
    cwd,
    run: (args: readonly string[], more: object = {}) => mooring(['install', ...args], { cwd, home: own, ...more }),
    files: async () => (await readdir(dirname(file))).toSorted(),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

describe('mooring install', () => {
  test('writes after showing the change, and keeps copies that never overwrite each other', async () => {
    await using at = await settled();
    const before = await readFile(at.file, 'utf8');
    const clock = { now: () => 0, wall: () => Date.UTC(2026, 0, 2, 3, 4, 5), after: () => () => undefined };
    const { code, stdout, stderr } = await at.run(['./orders.mjs', '--app', 'cursor', '--yes'], { clock });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`"orders" is in ${at.file} now.`)]);
    expect(stdout).toContain('In Cursor, open Settings');
    expect(stderr).toContain('+    "orders": {');
    expect(stderr).not.toContain('hunter2');
    const after = await readFile(at.file, 'utf8');
    expect(after).toContain('// mine');
    expect(JSON.parse(after.replace('// mine', ''))).toMatchObject({
      mcpServers: {
        old: { command: 'x' },
        orders: { command: self.command, args: [...self.args, 'run', join(at.cwd, 'orders.mjs')] },
      },
    });
    const again = await at.run(['https://a.test', '--app', 'cursor', '--yes', '--json'], { clock });
    expect(JSON.parse(again.stdout)).toMatchObject({ written: true, backup: `${at.file}.bak-20260102T030405Z-2` });
    expect(await at.files()).toEqual(['mcp.json', 'mcp.json.bak-20260102T030405Z', 'mcp.json.bak-20260102T030405Z-2']);
    expect(await readFile(`${at.file}.bak-20260102T030405Z`, 'utf8')).toBe(before);
    expect(await readFile(`${at.file}.bak-20260102T030405Z-2`, 'utf8')).toBe(after);
  });

  test('asks on a terminal, and takes no for an answer', async () => {
    await using at = await settled();
    const no = await at.run(['https://a.test', '--app', 'cursor'], { tty: true, stdin: 'n\n' });
    expect([no.code, no.stderr]).toEqual([1, expect.stringContaining('Nothing was written.')]);
    expect(await at.files()).toEqual(['mcp.json']);
    const yes = await at.run(['https://a.test', '--app', 'cursor'], { tty: true, stdin: 'y\n' });
    expect([yes.code, yes.stderr]).toEqual([0, expect.stringContaining('Write this to')]);
    expect(await at.files()).toHaveLength(2);
  });

  test('writes nothing that is there already', async () => {
    await using at = await settled();
    const args = ['https://a.test', '--app', 'cursor', '--yes'];
    await at.run(args);
    expect(await at.run(args)).toMatchObject({ code: 0, stdout: `${at.file} says so already.\n` });
    expect(await at.files()).toHaveLength(2);
  });

  test('writes programs and files so that they are found from anywhere', async () => {
    await using at = await settled();
    await mkdir(join(at.cwd, 'bin'));
    await writeFile(join(at.cwd, 'bin/tool'), '#!/bin/sh\n');
    await chmod(join(at.cwd, 'bin/tool'), 0o755);
    const args = [
      '--app',
      'cursor',
      '--dry-run',
      '--json',
      '--',
      'tool',
      './orders.mjs',
      'orders.mjs',
      'nothing.js',
      '-x',
      '.',
    ];
    const { stdout } = await at.run(args, { env: { PATH: `/nowhere:${join(at.cwd, 'bin')}` } });
    const { diff } = JSON.parse(stdout) as { diff: string };
    const module = join(at.cwd, 'orders.mjs');
    expect(diff).toContain(`"command": ${JSON.stringify(join(at.cwd, 'bin/tool'))}`);
    const words = [...diff.matchAll(/^\+ {8}(".*?"),?$/gm)].map(([, word = '""']) => JSON.parse(word) as string);
    expect(words).toEqual([module, module, 'nothing.js', '-x', at.cwd]);
  });

  test.each([
    [
      'vscode',
      '.vscode/mcp.json',
      { args: ['mooring', 'run', `\${workspaceFolder}/orders.mjs`], cwd: `\${workspaceFolder}` },
    ],
    ['cursor', '.cursor/mcp.json', { args: ['mooring', 'run', `\${workspaceFolder}/orders.mjs`] }],
    ['zed', '.zed/settings.json', { args: ['mooring', 'run', './orders.mjs'] }],
  ])('writes a module into the project file of %s without a path of this machine', async (app, path, entry) => {
    await using at = await settled();
    const { code } = await at.run(['./orders.mjs', '--app', app, '--project', '--yes']);
    const text = await readFile(join(at.cwd, path), 'utf8');
    const [servers] = Object.values(JSON.parse(text) as Record<string, Record<string, unknown>>);
    expect([code, servers?.['orders']]).toEqual([0, { command: 'npx', ...entry }]);
    expect(text).not.toContain(at.cwd);
  });

  test('writes a command into a project file by its name, and files from the folder of the project', async () => {
    await using at = await settled();
    await mkdir(join(at.cwd, 'bin'));
    await writeFile(join(at.cwd, 'bin/tool'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { PATH: `/nowhere:${join(at.cwd, 'bin')}` };
    const entryOf = async (command: readonly string[]): Promise<unknown> => {
      await at.run(['--app', 'zed', '--project', '--yes', '--name', 'a', '--', ...command], { env });
      const text = await readFile(join(at.cwd, '.zed/settings.json'), 'utf8');
      return (JSON.parse(text) as { context_servers: Record<string, unknown> }).context_servers['a'];
    };
    const args = ['orders.mjs', join(at.cwd, 'orders.mjs'), 'nothing.js', '-x', '.'];
    const shared = ['./orders.mjs', './orders.mjs', 'nothing.js', '-x', '.'];
    expect(await entryOf(['tool', ...args])).toEqual({ command: 'tool', args: shared });
    expect(await entryOf([join(at.cwd, 'bin/tool')])).toEqual({ command: './bin/tool', args: [] });
  });

  test('names a module that lies outside of the project, and writes nothing', async () => {
    await using at = await settled();
    await writeFile(join(at.cwd, '../outside.mjs'), 'export {};');
    const { code, stderr } = await at.run(['../outside.mjs', '--app', 'cursor', '--project', '--yes']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('it lies outside of')]);
    expect(await readdir(at.cwd)).toEqual(['orders.mjs']);
  });

  test.each([
    [['https://a.test'], '--app: it is missing'],
    [['--app', 'cursor'], '<server>: it is missing'],
    [['https://a.test', '--app', 'curser'], 'did you mean cursor?'],
    [['https://a.test', '--app', 'claude-desktop'], 'takes commands only'],
    [['https://a.test', '--app', 'windsurf', '--project'], 'Windsurf has no file in a project'],
    [['https://a.test', '--app', 'cursor'], '--yes: it is missing, and this is not running in a terminal'],
    [['--app', 'cursor', '--', 'no-such-program'], 'no program of that name is on PATH'],
    [['--app', 'cursor', '--', './no-such-program'], 'there is no such program'],
    [['./nowhere.ts', '--app', 'cursor'], 'there is no such file'],
    [['https://a.test', '--app', 'cursor', '--name', ' '], '--name: expected a name'],
    [['https://a.test', '--app', 'zed', '--project', '--yes'], 'settings.json, line 2: '],
  ])('names what is wrong, and writes nothing: %j', async (args, why) => {
    await using at = await settled();
    await mkdir(join(at.cwd, '.zed'));
    await writeFile(join(at.cwd, '.zed/settings.json'), '{\n broken');
    const before = await readFile(at.file, 'utf8');
    const { code, stdout, stderr } = await at.run(args);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(why)]);
    expect([await at.files(), await readFile(at.file, 'utf8')]).toEqual([['mcp.json'], before]);
    expect(await readdir(join(at.cwd, '.zed'))).toEqual(['settings.json']);
  });
});
