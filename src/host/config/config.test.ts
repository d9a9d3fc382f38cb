import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editServer } from './edit-server.ts';
import { formatOf } from './format-of.ts';
import { fromConfig, readConfig } from './read-config.ts';
import { writeConfig } from './write-config.ts';
import type { ConfigChange } from './write-entry.ts';

const format = await formatOf('mcp.json');

/** A folder with these files. */
async function folder(files: Readonly<Record<string, string>>): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'mooring-config-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

describe('reading configuration files', () => {
  test.each([
    ['Claude Desktop', 'claude.json', { mcpServers: { a: { command: 'npx', args: ['-y', 'x'], env: { K: 'v' } } } }],
    ['Cursor', '.cursor/mcp.json', { mcpServers: { a: { command: 'npx', args: ['-y', 'x'], env: { K: 'v' } } } }],
    [
      'VS Code',
      '.vscode/mcp.json',
      { servers: { a: { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { K: 'v', L: null } } } },
    ],
    [
      'VS Code settings',
      'settings.json',
      { mcp: { servers: { a: { command: 'npx', args: ['-y', 'x'], env: { K: 'v' } } } } },
    ],
    [
      'Zed',
      'zed/settings.json',
      { context_servers: { a: { source: 'custom', command: 'npx', args: ['-y', 'x'], env: { K: 'v' } } } },
    ],
    [
      'older Zed',
      'zed/settings.json',
      { context_servers: { a: { command: { path: 'npx', args: ['-y', 'x'], env: { K: 'v' } }, settings: {} } } },
    ],
  ])('readConfig() reads the configuration of %s', async (_application, name, content) => {
    await using dir = await folder({ [name]: json(content) });
    const { a } = await fromConfig(join(dir.path, name));
    expect(a).toMatchObject({ command: 'npx', args: ['-y', 'x'], env: { K: 'v' } });
    expect(a?.from).toMatchObject({ file: join(dir.path, name), name: 'a' });
  });

  test.each([
    ['.mcp.json', { mcpServers: { a: { type: 'http', url: 'https://a.test/mcp', headers: { 'X-K': 'v' } } } }],
    ['sse', { mcpServers: { a: { type: 'sse', url: 'https://a.test/mcp', headers: { 'X-K': 'v' } } } }],
    ['Windsurf', { mcpServers: { a: { serverUrl: 'https://a.test/mcp', headers: { 'X-K': 'v' } } } }],
    ['Gemini', { mcpServers: { a: { httpUrl: 'https://a.test/mcp', headers: { 'X-K': 'v' }, trust: false } } }],
    ['VS Code', { servers: { a: { url: 'https://a.test/mcp', headers: { 'X-K': 'v' } } } }],
    ['Zed', { context_servers: { a: { url: 'https://a.test/mcp', headers: { 'X-K': 'v' } } } }],
  ])('readConfig() reads a URL as %s writes it', async (_application, content) => {
    await using dir = await folder({ 'mcp.json': json(content) });
    const { a } = await fromConfig(join(dir.path, 'mcp.json'));
    expect(a).toMatchObject({ url: 'https://a.test/mcp', headers: { 'X-K': 'v' } });
  });

  test('readConfig() keeps placeholders and names of secrets', async () => {
    const content = `{
      // values that the user is asked for
      "inputs": [{ "type": "promptString", "id": "key", "description": "API key", "password": true },
                 { "type": "pickString", "id": "region", "options": ["eu", { "label": "US", "value": "us" }], "default": "eu" },],
      "servers": {
        "a": { "command": "~/bin/a", "args": ["--key=\${input:key}", "~"],
               "env": { "T": { "secret": "token" }, "N": 7, "H": "\${env:HOME}" }, "envFile": "\${workspaceFolder}/.env" },
        "b": { "url": "https://b.test/\${env:TENANT}", "headers": { "Authorization": "Bearer \${secret:b}" } },
      },
    }`;
    await using dir = await folder({ '.vscode/mcp.json': content });
    const { a, b } = await fromConfig(join(dir.path, '.vscode/mcp.json'));
    expect(a).toMatchObject({
      command: { template: `\${userHome}/bin/a` },
      args: [{ template: `--key=\${input:key}` }, { template: `\${userHome}` }],
      env: { T: { secret: 'token' }, N: '7', H: { template: `\${env:HOME}` } },
      envFile: { template: `\${workspaceFolder}/.env` },
      cwd: { template: `\${workspaceFolder}` },
      from: { workspaceFolder: dir.path, line: 6 },
    });
    expect(a?.from?.inputs).toEqual([
      { id: 'key', description: 'API key', password: true, default: undefined, options: undefined },
      { id: 'region', description: undefined, password: false, default: 'eu', options: ['eu', 'us'] },
    ]);
    expect(b).toMatchObject({
      url: { template: `https://b.test/\${env:TENANT}` },
      headers: { Authorization: { template: `Bearer \${secret:b}` } },
    });
  });

  test('a "disabled" or "enabled" that is not a boolean is a fault, and the server stays disabled', async () => {
    for (const off of [{ disabled: 'true' }, { disabled: 1 }, { enabled: 'false' }, { enabled: {} }]) {
      const [name = ''] = Object.keys(off);
      await using dir = await folder({ 'x.json': json({ mcpServers: { a: { command: 'x', ...off } } }) });
      const { servers, faults } = await readConfig(join(dir.path, 'x.json'));
      expect(servers).toEqual({});
      expect(faults.map(({ message }) => message)).toEqual([
        expect.stringContaining(`"${name}" must be true or false`),
      ]);
    }
  });

  test('readConfig() skips disabled entries and those of editor extensions', async () => {
    const a = { command: 'a' };
    const servers = {
      a: { ...a, disabled: true },
      b: { ...a, enabled: false },
      c: { source: 'extension', settings: {} },
      d: a,
    };
    await using dir = await folder({ 'x.json': json({ context_servers: servers }) });
    const report = await readConfig(join(dir.path, 'x.json'));
    expect(Object.keys(report.servers)).toEqual(['d']);
    expect(report.left.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(report.faults).toEqual([]);
  });

  test('readConfig() finds the workspace folder of a file', async () => {
    const content = json({ mcpServers: { a: { command: 'a' } } });
    const names = ['.mcp.json', '.cursor/mcp.json', '.junie/mcp/mcp.json', 'opencode.json', 'mcp.json'];
    await using dir = await folder(Object.fromEntries(names.map((name) => [name, content])));
    const workspace = async (name: string): Promise<unknown> =>
      (await fromConfig(join(dir.path, name)))['a']?.from?.workspaceFolder;
    expect(await workspace('.mcp.json')).toBe(dir.path);
    expect(await workspace('.cursor/mcp.json')).toBe(dir.path);
    expect(await workspace('.junie/mcp/mcp.json')).toBe(dir.path);
    expect(await workspace('opencode.json')).toBe(dir.path);
    expect(await workspace('mcp.json')).toBe(process.cwd());
  });

  test.each([
    ['{\n  "mcpServers": {\n    "a": { "command": "x" }\n    "b": {}\n  }\n}', 4, 'expected , or }'],
    [
      '{\n  "mcpServers": {\n    "a": { "comand": "x" }\n  }\n}',
      3,
      'expected a "command" or a "url" for the server "a"',
    ],
    ['{ "mcpServers": { "a": { "type": "http" } } }', 1, 'expected a "url"'],
    ['{ "mcpServers": { "a": { "type": "stdio", "url": "https://x" } } }', 1, 'expected a "command"'],
    ['{ "mcpServers": { "a": { "type": "carrier-pigeon", "url": "https://x" } } }', 1, '"stdio", "http" or "sse"'],
    ['{ "mcpServers": { "a": { "command": "x", "url": "https://x" } } }', 1, 'choose one with "type"'],
    ['{ "mcpServers": {\n "a": { "command": "x",\n "args": "-y" } } }', 3, '"args" must be a list'],
    ['{ "mcpServers": { "a": { "command": "x", "args": [["-y"]] } } }', 1, 'expected a text'],
    ['{ "mcpServers": { "a": { "command": "x", "env": ["A=1"] } } }', 1, '"env" must be an object'],
    ['{ "mcpServers": { "a": { "url": "ftp://x" } } }', 1, 'http:// or https://'],
    ['{ "mcpServers": { "a": { "command": {} } } }', 1, '"path"'],
    ['{ "mcpServers": { "a": 7 } }', 1, 'must be an object'],
    [
      `{ "mcpServers": { "a": { "command": "x", "args": ["\${command:x}"] } } }`,
      1,
      `unknown placeholder \${command:x}; known are`,
    ],
    [`{ "mcpServers": { "a": { "command": "x", "args": ["\${input:x}"] } } }`, 1, 'unknown input "x"'],
    ['{ "mcp": {} }', 1, 'expected an object with one of "mcpServers", "servers", "mcp.servers", "context_servers"'],
    ['[]', 1, 'expected an object with one of'],
  ])('readConfig() reports file, line and what was expected: %j', async (content, line, why) => {
    await using dir = await folder({ 'mcp.json': content });
    const file = join(dir.path, 'mcp.json');
    const reading = fromConfig(file);
    await expect(reading).rejects.toMatchObject({ code: 'MCP_BAD_CONFIG', details: { file, line } });
    await expect(reading).rejects.toThrow(why);
  });

  test('readConfig() returns the valid entries of a file, and one fault for each of the others', async () => {
    const servers = { a: { command: 'a' }, b: {}, c: { url: 'https://c.test' }, d: { command: [] } };
    await using dir = await folder({ 'mcp.json': json({ mcpServers: servers }) });
    const report = await readConfig(join(dir.path, 'mcp.json'), join(dir.path, 'nothing.json'));
    expect(Object.keys(report.servers)).toEqual(['a', 'c']);
    expect(report.faults.map(({ message }) => message.slice(message.indexOf('line')))).toEqual([
      'line 6: expected a "command" or a "url" for the server "b"',
      'line 11: expected a command in this list',
      'line 1: the file does not exist',
    ]);
    await expect(fromConfig(join(dir.path, 'mcp.json'))).rejects.toThrow(/line 6:[\s\S]*line 11:/);
  });

  test('readConfig() never throws: any content gives servers with valid labels or faults', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom(`\${env:A}`, `\${x:y}`, '~/a', 'https://a.test', 'stdio', 'http'),
    );
    const value = fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.dictionary(fc.string(), text), fc.jsonValue());
    const members = ['command', 'args', 'env', 'url', 'serverUrl', 'type', 'headers', 'cwd', 'disabled', 'source'];
    const entry = fc.dictionary(fc.constantFrom(...members), value);
    const lists = fc.dictionary(fc.string(), fc.oneof(entry, fc.jsonValue()));
    const file = fc.dictionary(fc.constantFrom('mcpServers', 'servers', 'inputs', 'context_servers', 'mcp'), lists);
    await using dir = await folder({});
    await fc.assert(
      fc.asyncProperty(fc.oneof(file.map(json), fc.string()), async (content) => {
        await writeFile(join(dir.path, 'mcp.json'), content);
        const { servers, faults } = await readConfig(join(dir.path, 'mcp.json'));
        for (const label of Object.keys(servers)) expect(label).toMatch(/^[a-z0-9_-]{1,64}$/);
        for (const { details } of faults) expect(details.line).toBeGreaterThan(0);
      }),
      { numRuns: 150 },
    );
  });

  test('readConfig() reads at most 1,000 servers of a file', async () => {
    const servers = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`${'?'.repeat(at)}`, { command: 'a' }]));
    await using dir = await folder({
      'most.json': json({ mcpServers: servers(1_000) }),
      'more.json': json({ mcpServers: servers(1_001) }),
    });
    const [most, more] = ['most', 'more'].map((name) => readConfig(join(dir.path, `${name}.json`)));
    expect(await most).toMatchObject({ faults: [] });
    expect(await more).toMatchObject({
      servers: {},
      faults: [{ message: expect.stringContaining('there are 1001 servers, more than 1000') }],
    });
  });

  test('readConfig() expands ~ as a shell does', async () => {
    const { faults } = await readConfig('~/mooring-no-such-file.json');
    expect(faults[0]?.details.file).toBe(join(homedir(), 'mooring-no-such-file.json'));
  });
});

describe('labels', () => {
  test('labels have a small alphabet, and similar names get different labels', async () => {
    const servers = {
      'My Server': { command: 'a' },
      'my.server': { command: 'b' },
      Ünïcode: { command: 'c' },
      '…': { command: 'd' },
      [`${'x'.repeat(80)}`]: { command: 'e' },
    };
    await using dir = await folder({ 'mcp.json': json({ mcpServers: servers }) });
    const report = await readConfig(join(dir.path, 'mcp.json'));
    expect(Object.keys(report.servers)).toEqual(['my-server', 'my-server-2', 'n-code', 'server', 'x'.repeat(64)]);
    expect(report.notes).toHaveLength(5);
  });

  test('the first file keeps its label, and equal entries are one server', async () => {
    const same = { command: 'a', cwd: '/' };
    await using dir = await folder({
      'mine.json': json({ mcpServers: { github: { command: 'good' }, same } }),
      'theirs.json': json({ servers: { github: { command: 'evil' }, same } }),
    });
    const [mine, theirs] = [join(dir.path, 'mine.json'), join(dir.path, 'theirs.json')];
    const report = await readConfig(mine, theirs);
    expect(report.servers).toMatchObject({ github: { command: 'good' }, 'github-2': { command: 'evil' } });
    expect(Object.keys(report.servers)).toEqual(['github', 'same', 'github-2']);
    expect(report.repeated).toMatchObject([{ label: 'same', file: expect.stringContaining('theirs.json') }]);
    expect(report.notes).toEqual([
      `The server "github" of ${theirs}, line 3, is called "github-2" here: ${mine}, line 3, has another server with this label`,
    ]);
  });
});

test("a project cannot take over a label of the user's own files, whichever file is passed first", async () => {
  const one = (command: string): string => json({ mcpServers: { github: { command } } });
  await using dir = await folder({ '.mcp.json': one('theirs'), 'mine.json': one('mine') });
  const [theirs, mine] = [join(dir.path, '.mcp.json'), join(dir.path, 'mine.json')];
  const home = join(homedir(), '.mcp.json');
  for (const paths of [[theirs, mine] as const, [mine, theirs] as const]) {
    const report = await readConfig(...paths);
    expect(report.servers).toMatchObject({ github: { command: 'mine' }, 'github-2': { command: 'theirs' } });
    expect(report.notes).toEqual([expect.stringContaining('is called "github-2" here')]);
  }
  // A file directly in the home folder belongs to the user, whatever its name.
  expect((await readConfig(theirs, home)).faults[0]?.details.file).toBe(home);
});

describe('writing configuration files', () => {
  const text = `{
  // my servers
  "mcpServers": {
    "a": {
      "command": "npx", // the launcher
      "args": ["-y", "x@1.0.0"],
      "autoApprove": ["y"],
      "env": {
        "A": "1", // keep
        "B": "2"
      }
    },
    "w": { "serverUrl": "https://w.test" },
  },
  "theme": "dark",
}
`;
  const at = (name: string, change: ConfigChange | 'remove', file = '/x/mcp.json'): string =>
    editServer(text, { file, name, change, format });

  test('writeConfig() changes one member of one server', () => {
    expect(at('a', { args: ['-y', 'x@1.1.0'] })).toBe(
      text.replace('["-y", "x@1.0.0"]', '[\n        "-y",\n        "x@1.1.0"\n      ]'),
    );
    expect(at('a', { env: { A: '1', B: { secret: 'b' } } })).toBe(text.replace('"2"', `"\${secret:b}"`));
    expect(at('a', { command: 'npx' })).toBe(text);
    expect(at('w', { url: 'https://v.test', disabled: true })).toBe(
      text.replace('"https://w.test"', '"https://v.test", "disabled": true'),
    );
    expect(at('a', { env: null })).toContain('"autoApprove": ["y"]\n    },');
  });

  test('writeConfig() adds a server in the style of the others, and removes one', () => {
    expect(
      at('n', { url: 'https://n.test', headers: { Authorization: { template: `Bearer \${secret:n}` } } }),
    ).toContain(
      `"w": { "serverUrl": "https://w.test" },\n    "n": {\n      "serverUrl": "https://n.test",\n      "headers": {\n        "Authorization": "Bearer \${secret:n}"\n      }\n    },\n  },`,
    );
    expect(at('w', 'remove')).toBe(text.replace('\n    "w": { "serverUrl": "https://w.test" },', ''));
    expect(at('missing', 'remove')).toBe(text);
  });

  test('writeConfig() writes in the dialect of the application', () => {
    const zed = '{ "context_servers": { "a": { "command": { "path": "x", "args": [] }, "enabled": true } } }';
    expect(
      editServer(zed, { file: '/settings.json', name: 'a', change: { command: 'y', disabled: true }, format }),
    ).toBe('{ "context_servers": { "a": { "command": { "path": "y", "args": [] }, "enabled": false } } }');
    const made = editServer('{}', {
      file: '/p/.vscode/mcp.json',
      name: 'a',
      change: { url: 'https://a.test' },
      format,
    });
    expect(JSON.parse(made)).toEqual({ servers: { a: { type: 'http', url: 'https://a.test' } } });
  });

  test.each([
    ['/home/ada/.config/Code/User/mcp.json', 'servers', { type: 'http', url: 'https://a.test' }],
    ['/Users/ada/Library/Application Support/Code/User/mcp.json', 'servers', { type: 'http', url: 'https://a.test' }],
    ['C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json', 'servers', { type: 'http', url: 'https://a.test' }],
    ['/home/ada/.config/Code/User/profiles/1f/mcp.json', 'servers', { type: 'http', url: 'https://a.test' }],
    ['/home/ada/.codeium/windsurf/mcp_config.json', 'mcpServers', { serverUrl: 'https://a.test' }],
    ['/home/ada/.config/zed/settings.json', 'context_servers', { url: 'https://a.test' }],
    ['C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json', 'context_servers', { url: 'https://a.test' }],
    ['/Users/user/.cursor/mcp.json', 'mcpServers', { type: 'http', url: 'https://a.test' }],
  ])('writeConfig() starts %s in the dialect of its application', (file, servers, entry) => {
    const made = editServer('{}', { file, name: 'a', change: { url: 'https://a.test' }, format });
    expect(JSON.parse(made)).toEqual({ [servers]: { a: entry } });
  });

  test('writeConfig() follows links and keeps the mode of the file', async () => {
    await using dir = await folder({ 'real.json': text });
    const link = join(dir.path, 'link.json');
    await symlink(join(dir.path, 'real.json'), link);
    const { mode } = await stat(join(dir.path, 'real.json'));
    await writeConfig(link, 'a', { command: 'node', args: ['s.js'] });
    expect(await fromConfig(link)).toMatchObject({ a: { command: 'node', args: ['s.js'], env: { A: '1', B: '2' } } });
    expect((await stat(join(dir.path, 'real.json'))).mode).toBe(mode);
    await writeConfig(join(dir.path, 'new.json'), 'a', { command: 'node' });
    expect(await readFile(join(dir.path, 'new.json'), 'utf8')).toBe(
      '{\n  "mcpServers": {\n    "a": {\n      "command": "node"\n    }\n  }\n}\n',
    );
  });

  test('writeConfig() does not change a file that it cannot read', async () => {
    await using dir = await folder({ 'mcp.json': '{ "mcpServers": ' });
    const writing = writeConfig(join(dir.path, 'mcp.json'), 'a', { command: 'x' });
    await expect(writing).rejects.toMatchObject({ code: 'MCP_BAD_CONFIG' });
    expect(await readFile(join(dir.path, 'mcp.json'), 'utf8')).toBe('{ "mcpServers": ');
  });
});
