import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { parse as parseOtherToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { plainValue } from '../../files/jsonc-tree.ts';
import { editServer } from './edit-server.ts';
import { formatOf } from './format-of.ts';
import { readConfig } from './read-config.ts';
import { writeConfig } from './write-config.ts';
import type { ConfigChange } from './write-entry.ts';

async function change(file: string, before: string, name: string, to: ConfigChange | 'remove'): Promise<string> {
  return editServer(before, { file, name, change: to, format: await formatOf(file) });
}

/** Parses with an independent parser, if there is one. */
function parsed(file: string, text: string): Record<string, unknown> {
  if (file.endsWith('.toml')) return parseOtherToml(text) as Record<string, unknown>;
  return (file.endsWith('.yaml') ? parseYaml(text) : JSON.parse(text)) as Record<string, unknown>;
}

const files = {
  codex: '/home/ada/.codex/config.toml',
  gemini: '/home/ada/.gemini/settings.json',
  copilot: '/home/ada/.copilot/mcp-config.json',
  opencode: '/home/ada/.config/opencode/opencode.json',
  cline: '/home/ada/.cline/data/settings/cline_mcp_settings.json',
  continue: '/home/ada/.continue/config.yaml',
  goose: '/home/ada/.config/goose/config.yaml',
  junie: '/home/ada/.junie/mcp/mcp.json',
} as const;

const command: ConfigChange = { command: 'npx', args: ['-y', 'x'], env: { K: 'v' } };
const url: ConfigChange = { url: 'https://a.test/mcp', headers: { 'X-K': 'v' } };
const stdio = { command: 'npx', args: ['-y', 'x'], env: { K: 'v' } };
const http = { url: 'https://a.test/mcp', headers: { 'X-K': 'v' } };
const local = { name: 'Local Config', version: '1.0.0', schema: 'v1' };
const extension = { enabled: true, name: 'a', description: '', timeout: 300 };

test('a server is removed in linear time from a TOML file with 200,000 other lines', async () => {
  // Quadratic work would take minutes.
  const others = `[other]\n${Array.from({ length: 200_000 }, (_, i) => `k${i} = 1\n`).join('')}`;
  const after = await change(files.codex, `[mcp_servers.a]\ncommand = "x"\n\n${others}`, 'a', 'remove');
  expect(after.trimStart() === others).toBe(true);
});

describe('a new server is written as its application reads it', () => {
  test.each([
    ['codex', { mcp_servers: { a: stdio } }, { mcp_servers: { a: { url: http.url, http_headers: http.headers } } }],
    ['gemini', { mcpServers: { a: stdio } }, { mcpServers: { a: { type: 'http', ...http } } }],
    [
      'copilot',
      { mcpServers: { a: { type: 'local', ...stdio, tools: ['*'] } } },
      { mcpServers: { a: { type: 'http', ...http, tools: ['*'] } } },
    ],
    [
      'opencode',
      { mcp: { a: { type: 'local', command: ['npx', '-y', 'x'], environment: { K: 'v' } } } },
      { mcp: { a: { type: 'remote', ...http } } },
    ],
    ['cline', { mcpServers: { a: stdio } }, { mcpServers: { a: { type: 'streamableHttp', ...http } } }],
    [
      'continue',
      { ...local, mcpServers: [{ name: 'a', ...stdio }] },
      {
        ...local,
        mcpServers: [{ name: 'a', type: 'streamable-http', url: http.url, requestOptions: { headers: http.headers } }],
      },
    ],
    [
      'goose',
      { extensions: { a: { ...extension, type: 'stdio', cmd: 'npx', args: ['-y', 'x'], envs: { K: 'v' } } } },
      { extensions: { a: { ...extension, type: 'streamable_http', uri: http.url, headers: http.headers } } },
    ],
    ['junie', { mcpServers: { a: stdio } }, { mcpServers: { a: http } }],
  ] as const)('%s gets a command and a URL in its own words, and both are read again', async (app, started, remote) => {
    const file = files[app];
    expect(parsed(file, await change(file, '', 'a', command))).toEqual(started);
    expect(parsed(file, await change(file, '', 'a', url))).toEqual(remote);
    await using dir = await folder();
    const path = join(dir.path, file);
    await writeConfig(path, 'a', command);
    await writeConfig(path, 'b', url);
    const { servers, faults } = await readConfig(path);
    expect(faults).toEqual([]);
    expect(servers).toMatchObject({ a: stdio, b: http });
  });

  test('changing a server from a command to a URL removes the command, in every dialect', async () => {
    for (const file of Object.values(files)) {
      const before = await change(file, '', 'a', command);
      const to: ConfigChange = { ...url, command: null, args: null, env: null };
      const after = await change(file, before, 'a', to);
      expect([file, readNames(parsed(file, after))]).toEqual([
        file,
        readNames(parsed(file, await change(file, '', 'a', url))),
      ]);
    }
  });

  test('references to variables are written to the members that Codex has for them', async () => {
    const headers = { Authorization: `Bearer \${env:TOKEN}`, 'X-Key': `\${KEY}`, 'X-Plain': 'p' };
    const remote = await change(files.codex, '', 'a', { url: 'https://a.test', headers });
    expect(parseOtherToml(remote)).toEqual({
      mcp_servers: {
        a: {
          url: 'https://a.test',
          bearer_token_env_var: 'TOKEN',
          env_http_headers: { 'X-Key': 'KEY' },
          http_headers: { 'X-Plain': 'p' },
        },
      },
    });
    const started = await change(files.codex, '', 'a', { command: 'x', env: { A: `\${env:A}`, B: '1' } });
    expect(parseOtherToml(started)).toEqual({ mcp_servers: { a: { command: 'x', env: { B: '1' }, env_vars: ['A'] } } });
    await using dir = await folder();
    const path = join(dir.path, 'config.toml');
    await writeFile(path, remote);
    expect((await readConfig(path)).servers).toMatchObject({
      a: {
        headers: {
          Authorization: { template: `Bearer \${env:TOKEN}` },
          'X-Key': { template: `\${env:KEY}` },
          'X-Plain': 'p',
        },
      },
    });
  });
});

describe('reading', () => {
  test.each([
    [
      'a/config.yaml',
      `mcpServers:\n  - name: a\n    type: streamable-http\n    url: https://a.test\n    requestOptions:\n      headers: { K: "\${{ secrets.KEY }}" }\n`,
      { url: 'https://a.test', headers: { K: { template: `\${secret:KEY}` } } },
    ],
    [
      'opencode.jsonc',
      '{ "mcp": { "a": { "type": "local", "command": ["x", "y"], "environment": { "K": "{env:KEY}" } } } }',
      { command: 'x', args: ['y'], env: { K: { template: `\${env:KEY}` } } },
    ],
    [
      'opencode.json',
      '{ "mcp": { "servers": { "a": { "type": "remote", "url": "https://a.test" } } } }',
      { url: 'https://a.test' },
    ],
    [
      'cline_mcp_settings.json',
      '{ "mcpServers": { "a": { "transport": { "type": "stdio", "command": "x", "args": ["y"] } } } }',
      { command: 'x', args: ['y'] },
    ],
    [
      'goose/config.yaml',
      'extensions:\n  a: &x\n    enabled: true\n    type: stdio\n    cmd: x\n    args: [y]\n',
      { command: 'x', args: ['y'] },
    ],
  ])('readConfig() reads %s', async (name, text, entry) => {
    await using dir = await folder();
    const path = join(dir.path, name.replace('a/config', '.continue/config'));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    const { servers, faults } = await readConfig(path);
    expect([faults, servers]).toEqual([[], { a: expect.objectContaining(entry) }]);
  });

  test('readConfig() skips built-in and disabled servers of goose', async () => {
    const text = `extensions:
  developer: { enabled: true, type: builtin, name: developer }
  todo: { enabled: true, type: platform, name: todo }
  off: { enabled: false, type: stdio, cmd: x, args: [] }
  on: { enabled: true, type: stdio, cmd: x, args: [] }
`;
    await using dir = await folder();
    const path = join(dir.path, 'goose/config.yaml');
    await mkdir(dirname(path));
    await writeFile(path, text);
    const report = await readConfig(path);
    expect([Object.keys(report.servers), report.left.map(({ name }) => name)]).toEqual([
      ['on'],
      ['developer', 'todo', 'off'],
    ]);
    expect(report.left[2]).toMatchObject({ line: 4 });
  });

  test.each([
    ['config.toml', '[mcp_servers.a]\ncommand = ', 2],
    ['config.yaml', 'mcpServers:\n  - name: a\n   x: [', 3],
    ['config.yaml', 'a: 1\n---\nb: 2\n', 2],
    ['config.yaml', `a: &a [x]\nb: &b [${'*a, '.repeat(300)}]\nc: [${'*b, '.repeat(300)}]\n`, 1],
  ])('a fault in %s is reported with its line, and the file is not changed', async (name, text, line) => {
    await using dir = await folder();
    const path = join(dir.path, name);
    await writeFile(path, text);
    expect((await readConfig(path)).faults).toMatchObject([{ code: 'MCP_BAD_CONFIG', details: { file: path, line } }]);
    await expect(writeConfig(path, 'a', command)).rejects.toMatchObject({ code: 'MCP_BAD_CONFIG', details: { line } });
    expect(await readFile(path, 'utf8')).toBe(text);
  });
});

/** Realistic files with at least one server. */
const texts: readonly (readonly [file: string, text: string])[] = [
  [
    files.codex,
    '# mine\nmodel = "x"\n\n[mcp_servers.old] # c\ncommand = "y"\nenv = { A = "1" }\n\n[tui]\nx = 1 # end\n',
  ],
  [files.codex, 'model = "x"'],
  [files.codex, '[mcp_servers.old]\r\ncommand = "y"\r\n\r\n\r\n# tail\r\n'],
  [files.codex, 'mcp_servers.old.command = "y"\n[profiles.p]\n'],
  [files.codex, '[mcp_servers]\nold = { command = "y", args = ["]"] }\n'],
  [files.codex, ''],
  [
    files.goose,
    '# mine\nGOOSE_MODEL: x\nextensions:\n  old: # c\n    enabled: true\n    type: builtin\n    # inner\n\n# tail\nother: |\n  text\n\n  more\n',
  ],
  [files.goose, 'extensions:\n    old:\n        args:\n        - a\n    older: {enabled: true, args: []}   # c'],
  [files.goose, 'extensions: { old: { enabled: true }, older: x }\nz: 1\n'],
  [files.goose, 'a: 1\r\nextensions: {}\r\n# end\r\n'],
  [files.continue, 'name: x\nmcpServers:\n  - name: old\n    command: y\n\n  # c\n  - uses: a/b\nrules:\n- r\n'],
  [files.continue, 'mcpServers:\n- name: old\n  command: y\nmodels: [{ name: m }]\n'],
  [files.continue, 'mcpServers: []\n'],
  [files.gemini, '{\n  // c\n  "mcpServers": { "old": { "command": "y" } },\n  "theme": "x"\n}\n'],
  [files.opencode, '{\n\t"mcp": {\n\t\t"old": { "type": "local", "command": ["y"] }, // c\n\t},\n}'],
  [files.junie, '{"mcpServers":{"old":{"command":"y"}}}'],
];

/** Arbitrary names and values of servers. */
const hostile = fc.oneof(
  fc.constantFrom(
    'a',
    '"',
    "'",
    ']',
    '[x]\ny = 1',
    'a"]\n[evil]\ncommand = "x',
    ': x',
    '- x',
    '#',
    '\u0000',
    '\u007f',
    '\u2028',
    '\u0085',
    'yes',
    '~',
    `\${env:X}`,
    '{{',
    '&a',
    '*a',
    '!!js',
    '|',
    '>',
    '%',
    '@',
    '`',
    'a: b',
    ' a ',
    '\\',
    '"""',
    "'''",
    '<<',
    '__proto__',
    'constructor',
    '\ufeff',
    '=',
    '.',
    'a.b',
    '\r\n',
    '\t',
  ),
  fc.string({ maxLength: 12, unit: anyCharacter }),
  fc.string({ maxLength: 12 }),
);

describe('edits of every format', () => {
  test('installing a server and removing it gives the same bytes, and touches nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...texts),
        hostile.filter((name) => name !== 'old' && name !== 'older' && isWellFormed(name)),
        fc.array(hostile, { maxLength: 3 }),
        fc.dictionary(hostile, hostile, { maxKeys: 2 }),
        fc.boolean(),
        async ([file, text], name, words, pairs, remote) => {
          const to: ConfigChange = remote
            ? { url: 'https://a.test', headers: pairs }
            : { command: words[0] ?? 'x', args: words, env: pairs };
          fc.pre([...words, ...Object.entries(pairs).flat()].every(isWellFormed));
          const added = await change(file, text, name, to);
          expect(serversIn(await read(file, added), file)).toEqual(
            [...serversIn(await read(file, text), file), name].toSorted(),
          );
          expect(await change(file, added, name, to)).toBe(added);
          expect(await change(file, added, name, 'remove')).toBe(text);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a changed server keeps its comments and its other members', async () => {
    const codex =
      '[mcp_servers.a] # mine\ncommand = "x" # c\n# why\nstartup_timeout_sec = 9\n\n[mcp_servers.a.env]\nA = "1" # one\nB = "2"\n\n[mcp_servers.a.tools.t]\napproval_mode = "approve"\n';
    expect(await change(files.codex, codex, 'a', { command: 'y', args: ['-z'], env: { A: '1', C: '3' } })).toBe(
      codex
        .replace('"x" # c', '"y" # c')
        .replace('startup_timeout_sec = 9', 'startup_timeout_sec = 9\nargs = ["-z"]')
        .replace('B = "2"', 'C = "3"'),
    );
    const goose =
      'extensions:\n  a: # mine\n    type: stdio\n    cmd: x # c\n    args:\n    - -y\n    timeout: 9\n  b: {}\n';
    expect(await change(files.goose, goose, 'a', { command: 'y', args: ['-z'], env: { A: '1' } })).toBe(
      goose
        .replace('cmd: x', 'cmd: "y"')
        .replace('args:\n    - -y', 'args: ["-z"]')
        .replace('timeout: 9', 'timeout: 9\n    envs:\n      A: "1"'),
    );
  });

  test('a file that cannot be changed in place is left alone, with the reason', async () => {
    const inline = 'mcp_servers = { old = { command = "y" } }\n';
    expect(parseOtherToml(await change(files.codex, inline, 'a', { command: 'x' }))).toEqual({
      mcp_servers: { old: { command: 'y' }, a: { command: 'x' } },
    });
    await expect(change(files.codex, 'mcp_servers = 1\n', 'a', { command: 'x' })).rejects.toMatchObject({
      code: 'MCP_BAD_CONFIG',
    });
    await expect(change(files.goose, 'extensions: [a]\n', 'a', { command: 'x' })).rejects.toMatchObject({
      code: 'MCP_BAD_CONFIG',
    });
    await expect(
      change(files.goose, 'base: &b { x: 1 }\nextensions: *b\n', 'a', { command: 'x' }),
    ).rejects.toMatchObject({ code: 'MCP_BAD_CONFIG' });
    await expect(change(files.goose, '- a\n', 'a', { command: 'x' })).rejects.toThrow('expected an object');
    const lone = { command: 'x', args: ['\ud800'] };
    await expect(change(files.codex, '', 'a', lone)).rejects.toMatchObject({ code: 'MCP_BAD_CONFIG' });
  });
});

/** Excludes lone surrogates, which UTF-8 cannot represent. */
const isWellFormed = (text: string): boolean => Buffer.from(text).toString() === text;

async function read(file: string, text: string): Promise<Record<string, unknown>> {
  const ours = plainValue((await formatOf(file)).parse(text === '' ? (await formatOf(file)).empty : text)) ?? {};
  // The independent parser reads the same value.
  if (file.endsWith('.toml')) expect(ours).toEqual(parseOtherToml(text));
  return ours as Record<string, unknown>;
}

function serversIn(all: Record<string, unknown>, file: string): string[] {
  const key =
    file === files.codex
      ? 'mcp_servers'
      : file === files.goose
        ? 'extensions'
        : file === files.opencode
          ? 'mcp'
          : 'mcpServers';
  const list = all[key] ?? {};
  const names = Array.isArray(list)
    ? list.flatMap(({ name }: { name?: string }) => (name === undefined ? [] : [name]))
    : Object.keys(list);
  return names.toSorted();
}

function readNames(all: unknown): string[] {
  if (Array.isArray(all)) return all.flatMap(readNames);
  if (typeof all !== 'object' || all === null) return [];
  return Object.entries(all)
    .flatMap(([key, value]) => [key, ...readNames(value)])
    .toSorted();
}

async function folder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'mooring-formats-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
