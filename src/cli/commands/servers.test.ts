import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { folder, mooring, type Ran } from '../../../test/support/command-line.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';

type Files = Readonly<Record<string, unknown>>;

/** A project with these files, and a home. */
async function project(files: Files) {
  const dir = await folder();
  const put = async (name: string, content: unknown): Promise<void> => {
    await mkdir(dirname(join(dir.path, name)), { recursive: true });
    await writeFile(join(dir.path, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  };
  for (const [name, content] of Object.entries(files)) await put(name, content);
  const [cwd, home] = [join(dir.path, 'project'), join(dir.path, 'home')];
  await mkdir(cwd, { recursive: true });
  return {
    cwd,
    home,
    run: (args: readonly string[], more: object = {}): Promise<Ran> => mooring(args, { cwd, home, ...more }),
    text: (name: string) => readFile(join(dir.path, name), 'utf8'),
    json: async (name: string): Promise<unknown> => JSON.parse(await readFile(join(dir.path, name), 'utf8')),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const code = (text: string): object => ({ command: process.execPath, args: ['-e', text] });
/** Answers the first request of a handshake. */
const answering =
  code(`process.stdin.once('data', (d) => { for (const line of String(d).trim().split('\\n')) { const { id, method } = JSON.parse(line);
  console.log(JSON.stringify(method === 'initialize' ? { jsonrpc: '2.0', id, result: { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'shop', version: '7' } } } : { jsonrpc: '2.0', id, error: { code: -32601, message: 'No' } })); }
  process.stdin.once('data', (e) => { for (const line of String(e).trim().split('\\n')) { const { id, method } = JSON.parse(line);
  if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'shop', version: '7' } } })); } }); });
  process.stdin.on('end', () => process.exit());`);

/** A timeout that fires when all servers but one have responded, because start times are not predictable. */
function untilOneIsLeft(count: number, ms: number): Clock {
  const waits = new Set<() => void>();
  let begun = 0;
  const look = (): void => {
    const [last] = waits;
    if (begun === count && waits.size === 1) last?.();
  };
  return {
    ...systemClock,
    after(wait, run, options) {
      if (wait !== ms || options?.idle === true) return systemClock.after(wait, run, options);
      begun++;
      waits.add(run);
      look();
      return () => {
        waits.delete(run);
        look();
      };
    },
  };
}

describe('mooring servers', () => {
  test('lists what every file has, by name, with its place', async () => {
    await using at = await project({
      'project/.mcp.json': {
        mcpServers: { shop: { command: 'node', args: ['shop.js', '--token', 'sk-abcdefghijklmnopqrstuv'] } },
      },
      'home/.cursor/mcp.json': {
        mcpServers: { docs: { url: 'https://docs.test/mcp' }, old: { command: 'x', disabled: true } },
      },
    });
    const { code: exit, stdout } = await at.run(['servers']);
    expect(exit).toBe(0);
    expect(stdout.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      'docs on https://docs.test/mcp ~/.cursor/mcp.json:3',
      'shop on node shop.js --token [masked] .mcp.json:3',
      'old off ~/.cursor/mcp.json:6',
      '',
    ]);
    const told = await at.run(['servers', '--json']);
    expect(JSON.parse(told.stdout)).toMatchObject({
      servers: [{ name: 'docs', kind: 'address', line: 3 }, { name: 'shop', kind: 'command' }, { state: 'off' }],
    });
  });

  test('a server that two applications define in the same way is listed once, with both places', async () => {
    const docs = { mcpServers: { docs: { url: 'https://docs.test/mcp' } } };
    await using at = await project({
      'home/.config/Claude/claude_desktop_config.json': docs,
      'home/.codeium/windsurf/mcp_config.json': docs,
    });
    const { stdout } = await at.run(['servers']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^docs +on +https:\/\/docs\.test\/mcp +~\/\.\S+json:3$/);
    expect(lines[1]).toMatch(/^ {4}also ~\/\.\S+json:3$/);
    expect(lines.length).toBe(2);
    const told = JSON.parse((await at.run(['servers', '--json'])).stdout) as { servers: object[] };
    expect(told.servers).toMatchObject([{ name: 'docs', also: [{ line: 3 }] }]);
  });

  test('a row that is wider than the terminal has its command and its file on lines of their own, and no path is broken', async () => {
    const args = ['--prefix', '/srv/a/long/folder/name', 'start'];
    await using at = await project({ 'project/.mcp.json': { mcpServers: { shop: { command: 'npm', args } } } });
    const { stdout } = await at.run(['servers'], { tty: true, columns: 40, env: { NO_COLOR: '1' } });
    expect(stdout.trimEnd().split('\n')).toEqual([
      'shop  on',
      '    npm --prefix /srv/a/long/folder/name',
      '    start',
      '    .mcp.json:3',
    ]);
  });

  test('a name that is almost that of a configured server brings the name', async () => {
    await using at = await project({ 'project/.mcp.json': { mcpServers: { notes: code(''), desk: code('') } } });
    const { code: exit, stderr } = await at.run(['list', 'nots']);
    expect([exit, stderr]).toEqual([
      2,
      'error nots: not a URL, file or configured server (configured: notes, desk); did you mean notes?\n',
    ]);
  });

  test('says where it looked when there is nothing', async () => {
    await using at = await project({});
    const { code: exit, stdout } = await at.run(['servers']);
    expect([exit, stdout]).toEqual([0, expect.stringContaining('looked for:\n  .mcp.json\n')]);
    expect(stdout).toContain('\n  ~/.codex/config.toml\n');
  });

  test('passes over settings that hold no servers', async () => {
    await using at = await project({
      'home/.config/zed/settings.json': '{ "theme": "dark" }',
      'project/.mcp.json': '',
    });
    expect(await at.run(['servers'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('names what is wrong in a file beside what is right, with exit code 2', async () => {
    await using at = await project({ 'project/.mcp.json': { mcpServers: { a: { command: 'a' }, b: {} } } });
    const { code: exit, stdout, stderr } = await at.run(['servers']);
    expect([exit, stdout]).toEqual([2, expect.stringContaining('a  on  a')]);
    expect(stderr).toContain('line 6: expected a "command" or a "url" for the server "b"');
  });

  test('--status reports a server that hangs as failed, without delaying the others', async () => {
    await using at = await project({
      'project/.mcp.json': {
        mcpServers: {
          hangs: code('setInterval(() => {}, 1000); process.stdin.on("end", () => process.exit())'),
          works: answering,
          gone: code('process.exit(3)'),
        },
      },
    });
    const clock = untilOneIsLeft(3, 30_000);
    const { code: exit, stdout } = await at.run(['servers', '--status', '--yes', '--timeout', '30', '--json'], {
      clock,
    });
    const { servers } = JSON.parse(stdout) as { servers: readonly object[] };
    expect(exit).toBe(1);
    expect(servers).toMatchObject([
      { name: 'hangs', state: 'failed', detail: expect.stringContaining('30000 ms') },
      { name: 'works', state: 'ready', detail: 'shop 7, revision 2025-06-18' },
      { name: 'gone', state: 'failed', detail: expect.stringContaining('code 3') },
    ]);
  });

  test('starts nothing that the user has not approved', async () => {
    await using at = await project({ 'project/.mcp.json': { mcpServers: { a: code('process.exit(3)') } } });
    const { code: exit, stdout } = await at.run(['servers', '--status']);
    expect([exit, stdout]).toEqual([1, expect.stringContaining('is not approved yet')]);
  });
});

test('Ctrl-C at a question ends mooring servers --status for all servers', async () => {
  await using at = await project({ 'project/.mcp.json': { mcpServers: { a: answering, b: answering } } });
  const { code: exit, stdout, stderr } = await at.run(['servers', '--status'], { tty: true, stdin: '' });
  expect([exit, stdout]).toEqual([130, '']);
  expect(stderr).not.toContain('"b"');
});

test('Ctrl-C while servers connect is no failure of these servers', async () => {
  const hangs = code('process.stdin.on("end", () => process.exit()).resume()');
  await using at = await project({ 'project/.mcp.json': { mcpServers: { hangs } } });
  const signal = AbortSignal.timeout(500);
  const { code: exit, stdout } = await at.run(['servers', '--status', '--yes'], { signal });
  expect([exit, stdout]).toEqual([130, '']);
});

describe('mooring servers add', () => {
  test('writes a module so that every copy of the project can start it', async () => {
    await using at = await project({ 'project/.mcp.json': '{}', 'project/src/orders.mjs': 'export {};' });
    expect(await at.run(['servers', 'add', 'orders', 'src/orders.mjs'])).toMatchObject({ code: 0 });
    expect(JSON.parse(await at.text('project/.mcp.json'))).toEqual({
      mcpServers: { orders: { command: 'npx', args: ['mooring', 'run', './src/orders.mjs'] } },
    });
  });

  test('writes an address or a command, and leaves the rest as it is', async () => {
    await using at = await project({ 'project/.mcp.json': '{\n  // mine\n  "mcpServers": {}\n}\n' });
    expect(await at.run(['servers', 'add', 'docs', 'https://docs.test/mcp'])).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await at.run([
      'servers',
      'add',
      'files',
      '--env',
      `A=\${env:A}`,
      '--json',
      '--',
      'npx',
      '-y',
      'files',
    ]);
    expect(JSON.parse(stdout)).toEqual({ added: 'files', file: join(at.cwd, '.mcp.json') });
    const text = await at.text('project/.mcp.json');
    expect(text).toContain('// mine');
    expect(JSON.parse(text.replace('// mine', ''))).toEqual({
      mcpServers: {
        docs: { type: 'http', url: 'https://docs.test/mcp' },
        files: { command: 'npx', args: ['-y', 'files'], env: { A: `\${env:A}` } },
      },
    });
  });

  test.each([
    [['--app', 'vscode', '--project'], 'project/.vscode/mcp.json', 'servers'],
    [['--app', 'vscode'], 'home/.config/Code/User/mcp.json', 'servers'],
    [['--app', 'zed'], 'home/.config/zed/settings.json', 'context_servers'],
    [['--file', 'my/own.json'], 'project/my/own.json', 'mcpServers'],
  ])('writes to the file that --app, --project or --file names: %j', async (where, file, key) => {
    await using at = await project({});
    expect(await at.run(['servers', 'add', 'a', ...where, '--', 'x'])).toMatchObject({ code: 0 });
    expect(await at.json(file)).toEqual({ [key]: { a: { command: 'x', args: [] } } });
  });

  test('warns when a secret is written into a file', async () => {
    await using at = await project({});
    const header = 'Authorization: Bearer abcdefghijklmnop';
    const { stderr } = await at.run(['servers', 'add', 'a', 'https://a.test', '--header', header]);
    expect(stderr).toContain('the value of Authorization is written to');
    expect(stderr).not.toContain('abcdefghijklmnop');
    const referred = await at.run([
      'servers',
      'add',
      'b',
      'https://b.test',
      '--header',
      `Authorization: Bearer \${env:B}`,
    ]);
    expect(referred.stderr).toBe('');
  });

  test.each([
    [['add'], '<name>: expected a name for the server'],
    [['add', 'b'], '<server>: expected a URL, a module, or a command after --'],
    [['add', 'b', 'npx'], 'npx: expected a URL or a module; a command goes after --'],
    [['add', 'b', 'https://'], 'not a valid URL'],
    [['add', 'b', 'https://b.test', 'more'], 'more: unexpected argument'],
    [['add', 'b', 'https://b.test', '--', 'x'], 'https://b.test: unexpected argument'],
    [['add', 'b', '--'], 'expected a command after it'],
    [['add', 'b', '--env', 'A', '--', 'x'], '--env A: expected NAME=value'],
    [['add', 'b', 'https://b.test', '--env', 'A=1'], '--env: environment variables are for commands'],
    [['add', 'b', '--header', 'A: 1', '--', 'x'], '--header: HTTP headers are for URLs'],
    [['add', 'b', '--app', 'emacs', '--', 'x'], '--app emacs: unknown application; available:'],
    [
      ['add', 'b', '--app', 'windsurf', '--project', '--', 'x'],
      '--project: Windsurf has no configuration file in projects',
    ],
    [['add', 'b', '--app', 'zed', '--file', 'x.json', '--', 'x'], '--file: use either --file or --app'],
    [['add', 'a', '--', 'x'], '.mcp.json, line 3, has a server with this name already'],
    [['add', 'b', '--file', 'bad.json', '--', 'x'], 'bad.json, line 2: '],
    [['remove'], '<server>: expected the name of a server'],
    [['remove', 'aa'], 'no configured server has this name; did you mean a?'],
    [['remove', 'both'], 'several files define a server with this name'],
    [['remove', 'a', '--file', 'nowhere.json'], 'file not found'],
    [['import'], '<file | application>: expected a file, or an application'],
    [['import', 'emacs'], 'emacs: unknown application'],
    [['import', './nowhere.json'], 'file not found'],
    [['import', 'windsurf'], 'this application has no configuration; these files were looked for'],
    [['import', 'bad.json'], 'bad.json, line 2: '],
    [['import', '.mcp.json'], 'source and target are the same file'],
  ])('what is wrong is named, and nothing is written: %j', async (args, why) => {
    const files = {
      'project/.mcp.json': { mcpServers: { a: { command: 'a' }, both: { command: 'a' } } },
      'home/.cursor/mcp.json': { mcpServers: { both: { command: 'b' } } },
      'project/bad.json': '{\n  mcpServers',
    };
    await using at = await project(files);
    const before = await at.text('project/.mcp.json');
    const { code: exit, stdout, stderr } = await at.run(['servers', ...args]);
    expect([exit, stdout, stderr]).toEqual([2, '', expect.stringContaining(why)]);
    expect([await at.text('project/.mcp.json'), await at.text('project/bad.json')]).toEqual([
      before,
      files['project/bad.json'],
    ]);
  });
});

test.each([
  [['--', process.execPath, '--token', 'hunter2'], 'what looks like a secret in the command line or URL'],
  [['https://a.test/mcp?api_key=hunter2-hunter2'], 'what looks like a secret in the command line or URL'],
  [['--header', 'X-Api-Key: hunter2', 'https://a.test/mcp'], 'the value of X-Api-Key'],
])('servers add notes that a typed secret is written in plain text: %j', async (typed, what) => {
  await using at = await project({});
  const { code: exit, stderr } = await at.run(['servers', 'add', 'shop', ...typed]);
  expect([exit, stderr]).toEqual([
    0,
    expect.stringContaining(`${what} is written to ${join(at.cwd, '.mcp.json')} in plain text`),
  ]);
  expect(stderr).not.toContain('hunter2');
});

describe('mooring servers remove', () => {
  test('removes a server from the file that defines it, by its name in the file or its label', async () => {
    await using at = await project({
      'project/.vscode/mcp.json':
        '{\n  "servers": {\n    "My Docs": { "url": "https://a.test" },\n    "b": { "command": "b" } // kept\n  }\n}\n',
    });
    const { code: exit, stdout } = await at.run(['servers', 'remove', 'my-docs']);
    expect([exit, stdout]).toEqual([0, `"My Docs" is no longer in ${join(at.cwd, '.vscode/mcp.json')}\n`]);
    expect(await at.text('project/.vscode/mcp.json')).toBe(
      '{\n  "servers": {\n    "b": { "command": "b" } // kept\n  }\n}\n',
    );
  });

  test('removes a server only from the file that --app names, if several define it', async () => {
    const one = { mcpServers: { a: { command: 'a' } } };
    await using at = await project({
      'project/.mcp.json': one,
      'home/.cursor/mcp.json': { mcpServers: { a: { command: 'b' } } },
    });
    expect(await at.run(['servers', 'remove', 'a', '--app', 'cursor', '--json'])).toMatchObject({ code: 0 });
    expect(await at.json('project/.mcp.json')).toEqual(one);
    expect(await at.json('home/.cursor/mcp.json')).toEqual({ mcpServers: {} });
  });
});

describe('mooring servers import', () => {
  const theirs = {
    inputs: [
      { id: 'key', type: 'promptString', password: true },
      { id: 'region', type: 'promptString', default: 'eu' },
    ],
    servers: {
      gh: {
        command: 'npx',
        args: ['-y', 'gh', `--region=\${input:region}`],
        env: { GITHUB_TOKEN: 'hunter2-hunter2', KEY: `\${input:key}`, HOME_DIR: `\${userHome}` },
        envFile: `\${workspaceFolder}/.env`,
      },
      web: {
        url: 'https://web.test',
        headers: { Authorization: 'Bearer hunter2-hunter2', 'X-Named': `\${env:NAMED}` },
      },
      same: { command: 'same' },
      clash: { command: 'theirs' },
    },
  };
  const mine = { mcpServers: { same: { command: 'same' }, clash: { command: 'mine' } } };

  test('copies servers, refers to secrets, and tells of names that are taken', async () => {
    await using at = await project({ 'project/.mcp.json': mine, 'home/.config/Code/User/mcp.json': theirs });
    const { code: exit, stdout, stderr } = await at.run(['servers', 'import', 'vscode']);
    expect(exit).toBe(1);
    expect(stdout).toContain(`Added to ${join(at.cwd, '.mcp.json')}: gh, web`);
    expect(stdout).toContain('Already there: same');
    expect(stdout).toMatch(/Not copied: clash; .*\.mcp\.json, line 6, has a different server with this name/);
    for (const variable of ['GITHUB_TOKEN', 'KEY', 'REGION', 'WEB_AUTHORIZATION'])
      expect(stderr).toContain(`set the variable ${variable}`);
    expect(await at.json('project/.mcp.json')).toEqual({
      mcpServers: {
        ...mine.mcpServers,
        gh: {
          command: 'npx',
          args: ['-y', 'gh', `--region=\${REGION:-eu}`],
          env: { GITHUB_TOKEN: `\${GITHUB_TOKEN}`, KEY: `\${KEY}`, HOME_DIR: `\${userHome}` },
          envFile: `\${workspaceFolder}/.env`,
        },
        web: {
          type: 'http',
          url: 'https://web.test',
          headers: { Authorization: `Bearer \${WEB_AUTHORIZATION}`, 'X-Named': `\${NAMED}` },
        },
      },
    });
    expect((await at.run(['servers', 'import', 'vscode'])).stdout).not.toContain('Added');
  });

  test('copies no secret of a command line or URL', async () => {
    const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    const unsafe = {
      mcpServers: {
        gh: {
          command: 'gh',
          args: ['-y', `--token=${secret}`, '--password', 'hunter2', '--key', `\${KEY}`, '-u', '1:2'],
        },
        web: { url: `https://web.test/mcp?api_key=${secret}` },
        plain: { command: 'gh', args: ['--', 'hunter2'], env: { LANG: 'C', GH_HOST: 'git.test' } },
      },
    };
    await using at = await project({ 'project/theirs.json': unsafe });
    const { code: exit, stderr } = await at.run(['servers', 'import', 'theirs.json']);
    expect([exit, stderr.split('\n').slice(0, 3)]).toEqual([
      0,
      [
        'note "gh": a secret was not copied; set the variable GH_SECRET',
        'note "gh": a secret was not copied; set the variable GH_SECRET_2',
        'note "web": a secret was not copied; set the variable WEB_SECRET',
      ],
    ]);
    expect(await at.json('project/.mcp.json')).toEqual({
      mcpServers: {
        gh: {
          command: 'gh',
          args: ['-y', `--token=\${GH_SECRET}`, '--password', `\${GH_SECRET_2}`, '--key', `\${KEY}`, '-u', '1:2'],
        },
        web: { type: 'http', url: `https://web.test/mcp?api_key=\${WEB_SECRET}` },
        plain: { command: 'gh', args: ['--', 'hunter2'], env: { LANG: 'C', GH_HOST: 'git.test' } },
      },
    });
    expect((await at.run(['servers', 'import', 'theirs.json'])).stdout).toBe('Already there: gh, web, plain\n');
  });

  test('does not copy over a server that is disabled in the target', async () => {
    await using at = await project({
      'project/.mcp.json': { mcpServers: { gh: { command: 'mine', disabled: true } } },
      'project/theirs.json': { mcpServers: { gh: { command: 'theirs' } } },
    });
    const { code: exit, stdout } = await at.run(['servers', 'import', 'theirs.json']);
    expect([exit, stdout]).toEqual([1, expect.stringContaining('Not copied: gh')]);
  });

  test('--dry-run shows the change and writes nothing', async () => {
    await using at = await project({ 'project/.mcp.json': mine, 'project/theirs.json': theirs });
    const before = await at.text('project/.mcp.json');
    const { stdout, stderr } = await at.run(['servers', 'import', 'theirs.json', '--dry-run']);
    expect(stdout).toContain('+    "gh": {');
    expect(stdout + stderr).not.toContain('hunter2');
    const told = JSON.parse(
      (await at.run(['servers', 'import', 'theirs.json', '--dry-run', '--json'])).stdout,
    ) as object;
    expect(told).toMatchObject({ dryRun: true, imported: ['gh', 'web'], conflicts: [{ name: 'clash', line: 6 }] });
    expect(await at.text('project/.mcp.json')).toBe(before);
  });

  test('spells references as the other application does, and says where none are looked up', async () => {
    const own = { mcpServers: { a: { command: 'a', env: { A: `\${A}`, B: `\${B:-1}`, C: { secret: 'my-key' } } } } };
    await using at = await project({ 'project/.mcp.json': own });
    await at.run(['servers', 'import', '.mcp.json', '--app', 'vscode', '--project']);
    expect(await at.json('project/.vscode/mcp.json')).toEqual({
      servers: { a: { command: 'a', env: { A: `\${env:A}`, B: `\${env:B:-1}`, C: `\${env:MY_KEY}` } } },
    });
    const { stderr } = await at.run(['servers', 'import', '.mcp.json', '--app', 'zed']);
    expect(stderr).toContain('Zed does not resolve references to variables');
  });

  test('goes through a link to the file that it leads to', async () => {
    await using at = await project({
      'project/theirs.json': { mcpServers: { 'My A': { command: 'a' } } },
      'project/real.json': '{}',
    });
    await symlink(join(at.cwd, 'real.json'), join(at.cwd, '.mcp.json'));
    expect(await at.run(['servers', 'import', 'theirs.json'])).toMatchObject({ code: 0 });
    expect(await at.json('project/real.json')).toEqual({ mcpServers: { 'My A': { command: 'a' } } });
  });
});
