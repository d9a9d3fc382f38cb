import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { folder, mooring, self } from '../../../test/support/command-line.ts';

const home = { linux: '/home/ada', darwin: '/Users/ada', win32: 'C:\\Users\\ada' } as const;
const settings = {
  linux: '/home/ada/.config/',
  darwin: '/Users/ada/Library/Application Support/',
  win32: 'C:\\Users\\ada\\AppData\\Roaming\\',
} as const;
type Platform = keyof typeof home;

const xdg = { linux: '/home/ada/.config/', darwin: '/Users/ada/.config/', win32: 'C:\\Users\\ada\\.config\\' } as const;
/** The configuration file of each application, per platform, and its key. */
const places: readonly (readonly [app: string, key: string, file: (platform: Platform) => string])[] = [
  ['claude-desktop', 'mcpServers', (on) => `${settings[on]}Claude/claude_desktop_config.json`],
  ['claude-code', 'mcpServers', (on) => `${home[on]}/.claude.json`],
  ['vscode', 'servers', (on) => `${settings[on]}Code/User/mcp.json`],
  ['cursor', 'mcpServers', (on) => `${home[on]}/.cursor/mcp.json`],
  ['windsurf', 'mcpServers', (on) => `${home[on]}/.codeium/windsurf/mcp_config.json`],
  ['zed', 'context_servers', (on) => `${on === 'win32' ? `${settings[on]}Zed` : `${xdg[on]}zed`}/settings.json`],
  ['codex', 'mcp_servers', (on) => `${home[on]}/.codex/config.toml`],
  ['gemini-cli', 'mcpServers', (on) => `${home[on]}/.gemini/settings.json`],
  ['copilot-cli', 'mcpServers', (on) => `${home[on]}/.copilot/mcp-config.json`],
  ['opencode', 'mcp', (on) => `${xdg[on]}opencode/opencode.json`],
  ['cline', 'mcpServers', (on) => `${home[on]}/.cline/data/settings/cline_mcp_settings.json`],
  ['continue', 'mcpServers', (on) => `${home[on]}/.continue/config.yaml`],
  [
    'goose',
    'extensions',
    (on) => `${on === 'win32' ? `${settings[on]}Block/goose/config` : `${xdg[on]}goose`}/config.yaml`,
  ],
  ['jetbrains', 'mcpServers', (on) => `${home[on]}/.junie/mcp/mcp.json`],
];
const cases = places.flatMap(([app, key, file]) =>
  (['linux', 'darwin', 'win32'] as const).map((on) => ({
    app,
    key,
    on,
    file: on === 'win32' ? file(on).replaceAll('/', '\\') : file(on),
  })),
);

/** The content of a new file, from the diff. */
function written(diff: string, file = 'mcp.json'): Record<string, unknown> {
  const lines = diff.split('\n').filter((line) => /^\+(?!\+\+ )/.test(line));
  const text = lines.map((line) => line.slice(1)).join('\n');
  if (file.endsWith('.toml')) return parseToml(text) as Record<string, unknown>;
  return (file.endsWith('.yaml') ? parseYaml(text) : JSON.parse(text)) as Record<string, unknown>;
}

interface Told {
  readonly name: string;
  readonly applications: readonly {
    readonly app: string;
    readonly file: string;
    readonly diff: string;
    readonly restart: string;
  }[];
}

describe('the configuration of', () => {
  test.each(cases)('$app on $on is $file', async ({ app, key, on, file }) => {
    const args = ['install', '--app', app, '--name', 'a', '--dry-run', '--json', '--', process.execPath, '-v'];
    const { code, stdout } = await mooring(args, { platform: on, home: home[on] });
    const { applications } = JSON.parse(stdout) as Told;
    const [one] = applications;
    expect([code, one?.app, one?.file]).toEqual([0, app, file]);
    expect(JSON.stringify(written(one?.diff ?? '', file)[key])).toContain(JSON.stringify(process.execPath));
    expect(one?.restart).toMatch(/\w/);
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
    home: own,
    run: (args: readonly string[], more: object = {}) =>
      mooring(['install', ...args], { cwd, home: own, env: { PATH: process.env['PATH'] ?? '' }, ...more }),
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
    expect(JSON.parse(again.stdout)).toMatchObject({
      applications: [{ written: true, backup: `${at.file}.bak-20260102T030405Z-2` }],
    });
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
    expect(await at.run(args)).toMatchObject({ code: 0, stdout: `${at.file} has this entry already.\n` });
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
    const diff = (JSON.parse(stdout) as Told).applications[0]?.diff ?? '';
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
    expect([code, stderr]).toEqual([2, expect.stringContaining('the module is outside of')]);
    expect(await readdir(at.cwd)).toEqual(['orders.mjs']);
  });

  test('finds the applications that are there, by their folders and their commands', async () => {
    await using at = await settled();
    const bin = join(at.cwd, 'bin');
    await mkdir(join(at.home, '.config/goose'), { recursive: true });
    await mkdir(bin);
    await writeFile(join(bin, 'codex'), '#!/bin/sh\n', { mode: 0o755 });
    const more = { env: { PATH: bin } };
    const missing = await at.run(['--name', 'a b', '--', 'codex', "it's"], more);
    expect([missing.code, missing.stderr.split('\n').slice(1, 4)]).toEqual([
      2,
      ['cursor', 'codex', 'goose'].map((app) => `  mooring install --app ${app} --name 'a b' -- codex 'it'\\''s'`),
    ]);
    const all = await at.run(['./orders.mjs', '--app', 'all', '--dry-run', '--json'], more);
    expect((JSON.parse(all.stdout) as Told).applications.map(({ app }) => app)).toEqual(['cursor', 'codex', 'goose']);
    const none = await mooring(['install', 'https://a.test'], { home: join(at.cwd, 'empty-home'), env: { PATH: '' } });
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining('no application was found on this machine; name one of claude-desktop, '),
    ]);
  });

  test('asks in a terminal which applications a server is for', async () => {
    await using at = await settled();
    await mkdir(join(at.home, '.codex'));
    const more = { tty: true, env: { PATH: '' } };
    const both = await at.run(['https://a.test', '--yes'], { ...more, stdin: '1, codex\n' });
    expect(both.stderr).toContain('Applications on this machine:');
    expect(both.stderr).toMatch(/1 {2}Cursor {2,}~\/\.cursor\/mcp\.json/);
    expect([both.code, await readFile(join(at.home, '.codex/config.toml'), 'utf8')]).toEqual([
      0,
      '[mcp_servers.a]\nurl = "https://a.test"\n',
    ]);
    expect(await readFile(at.file, 'utf8')).toContain('https://a.test');
    expect(await at.run(['https://a.test'], { ...more, stdin: '\n' })).toMatchObject({ code: 1 });
    const wrong = await at.run(['https://a.test'], { ...more, stdin: '7\n' });
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('7: expected a number from 1 to 2, or all'),
    ]);
  });

  test('writes into several applications at once, and removing gives the bytes that were there', async () => {
    await using at = await settled();
    const before = await readFile(at.file, 'utf8');
    const named = ['--app', 'cursor', '--app', 'codex', '--app', 'cursor', '--app', 'goose'];
    const { code, stdout } = await at.run(['https://a.test/mcp', ...named, '--yes']);
    const files = [at.file, join(at.home, '.codex/config.toml'), join(at.home, '.config/goose/config.yaml')];
    expect([code, stdout.match(/^"a" is in .* now\.$/gm)]).toEqual([0, files.map((file) => `"a" is in ${file} now.`)]);
    const listed = await mooring(['servers', '--json'], { cwd: at.cwd, home: at.home });
    const { servers } = JSON.parse(listed.stdout) as { servers: { what: string; file: string }[] };
    expect(
      servers
        .filter(({ what }) => what === 'https://a.test/mcp')
        .map(({ file }) => file)
        .toSorted(),
    ).toEqual(files.toSorted());
    for (const file of files)
      expect(await mooring(['servers', 'remove', 'a', '--file', file], { cwd: at.cwd, home: at.home })).toMatchObject({
        code: 0,
      });
    expect(await readFile(at.file, 'utf8')).toBe(before);
    expect(await readFile(files[1] ?? '', 'utf8')).toBe('');
  });

  test('prints links and badges, with a question or a variable for each secret', async () => {
    const args = [
      'install',
      '--link',
      'https://a.test/mcp',
      '--name',
      'a (b)',
      '--header',
      'Authorization: Bearer sk-abcdefghijklmnopqrstuv',
    ];
    const { code, stdout } = await mooring([...args, '--json']);
    const { links } = JSON.parse(stdout) as { links: Record<'title' | 'link' | 'web' | 'badge', string>[] };
    const [vscode, cursor] = links;
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('sk-abc')]);
    expect(JSON.parse(decodeURIComponent(vscode?.link.replace('vscode:mcp/install?', '') ?? ''))).toEqual({
      name: 'a (b)',
      inputs: [{ id: 'authorization', type: 'promptString', description: 'Authorization', password: true }],
      type: 'http',
      url: 'https://a.test/mcp',
      headers: { Authorization: `Bearer \${input:authorization}` },
    });
    const query = new URL(cursor?.web ?? '').searchParams;
    expect([query.get('name'), JSON.parse(Buffer.from(query.get('config') ?? '', 'base64').toString())]).toEqual([
      'a (b)',
      { type: 'http', url: 'https://a.test/mcp', headers: { Authorization: `Bearer \${env:AUTHORIZATION}` } },
    ]);
    expect(cursor?.link).toMatch(/^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?name=/);
    const text = await mooring(args);
    for (const { badge, web } of links) {
      expect(text.stdout).toContain(badge);
      expect(/^\[!\[Install in .*?\]\(https:\/\/[^()]*\)\]\(([^()]*)\)$/.exec(badge)?.[1]).toBe(web);
    }
  });

  test.each([
    [['./orders.mjs'], 'this path is on your machine only'],
    [['--', '/usr/bin/node', 'x.js'], 'this path is on your machine only'],
    [['--', 'npx', 'x', '--token=sk-abcdefghijklmnopqrstuv'], 'this looks like a secret'],
    [['--', 'npx', 'x', '--token', 'sk-abc'], '[masked]: this looks like a secret'],
    [['https://user:pass@a.test/mcp'], 'this looks like a secret'],
  ])('makes no link of what others cannot use or must not see: %j', async (args, why) => {
    await using at = await settled();
    const { code, stdout, stderr } = await at.run(['--link', ...args]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(why)]);
    expect(stderr).not.toContain('sk-abc');
  });

  test.each([
    [
      ['https://a.test'],
      '--app: missing; these applications are on this machine:\n  mooring install https://a.test --app cursor\n',
    ],
    [['https://a.test', '--app', 'codx'], 'did you mean codex?'],
    [['https://a.test', '--app', 'goose', '--project'], 'goose has no configuration file in projects'],
    [['--app', 'cursor'], '<server>: expected a URL, a module, or a command after --'],
    [['https://a.test', '--app', 'curser'], 'did you mean cursor?'],
    [['https://a.test', '--app', 'claude-desktop'], 'takes commands only'],
    [['https://a.test', '--app', 'windsurf', '--project'], 'Windsurf has no configuration file in projects'],
    [['https://a.test', '--app', 'cursor'], '--yes: required, because this is not running in a terminal'],
    [['--app', 'cursor', '--', 'no-such-program'], 'program not found in PATH'],
    [['--app', 'cursor', '--', './no-such-program'], 'program not found'],
    [['./nowhere.ts', '--app', 'cursor'], 'file not found'],
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
