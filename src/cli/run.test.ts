import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, mooring } from '../../test/support/command-line.ts';
import { createServer as createMcpServer } from '../index.ts';
import { serveHttp } from '../transport/node.ts';
import { groups } from './commands.ts';
import { targetOptions } from './target/options.ts';

const commands = groups.flatMap(({ commands: listed }) => listed);

describe('the command line', () => {
  test('says what there is when nothing is asked of it', async () => {
    const { code, stdout } = await mooring([]);
    expect(code).toBe(0);
    for (const { summary } of commands) expect(stdout).toContain(summary);
  });

  test.each(commands)(
    '$name explains itself, by its own name and with examples that name it',
    async ({ name, load }) => {
      const { code, stdout } = await mooring([...name.split(' '), '--help']);
      const { about, examples, name: own } = await load();
      expect([code, own]).toEqual([0, name]);
      const [sentence = ''] = about.split('\n');
      expect(sentence).toMatch(/^[A-Z][a-z]+ \S.*\.$/);
      expect(stdout.startsWith(sentence)).toBe(true);
      expect(stdout).toContain(`mooring ${name}`);
      expect(examples.length).toBeGreaterThan(0);
      expect(await mooring(['help', ...name.split(' ')])).toMatchObject({ code: 0, stdout });
    },
  );

  test.each(commands)('the help of $name fits 40 columns and breaks no word', async ({ name }) => {
    const wide = await mooring([...name.split(' '), '--help'], { tty: true, columns: 1000 });
    const narrow = await mooring([...name.split(' '), '--help'], { tty: true, columns: 40 });
    expect(narrow.stdout.split('\n').filter((line) => line.length > 40)).toEqual([]);
    const words = wide.stdout.split(/\s+/);
    // A word longer than a line must be broken.
    const isWhole = (word: string): boolean =>
      words.some((one) => one === word || (one.length > 34 && one.includes(word)));
    expect(narrow.stdout.split(/\s+/).filter((word) => !isWhole(word))).toEqual([]);
  });

  test('an option of a target has the same sentence in every command that has it', async () => {
    // These two have another meaning in some commands.
    const { yes: _, timeout: __, ...shared } = targetOptions;
    // `dev` starts our own process as a verbose server.
    for (const { name, load } of commands.filter((one) => one.name !== 'dev')) {
      const { options } = await load();
      for (const [option, { about }] of Object.entries(shared))
        expect([name, option, options[option]?.about ?? about]).toEqual([name, option, about]);
    }
  });

  test.each(commands)('$name refuses an option that it does not have, and starts nothing', async ({ name }) => {
    const { code, stdout, stderr } = await mooring([...name.split(' '), '--frobnicate']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--frobnicate: unknown option');
  });

  test('names the option that was probably meant', async () => {
    const { code, stderr } = await mooring(['list', '--revison', '2025-11-25']);
    expect(code).toBe(2);
    expect(stderr).toContain('--revison: unknown option; did you mean --revision?');
  });

  test.each(['--constructor', '--toString'])(
    'knows no option that is named like a member of every object: %s',
    async (option) => {
      const { code, stderr } = await mooring(['list', option]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${option}: unknown option; available: --config`)]);
    },
  );

  test('says of an option with a short form that this option takes no value', async () => {
    const { code, stderr } = await mooring(['list', './server.ts', '--yes=1']);
    expect([code, stderr]).toEqual([2, 'error --yes: this option takes no value\n']);
  });

  test.each([
    ['skills', '--help'],
    ['help', 'skills'],
    ['skills', '-h'],
  ])('lists the commands that begin with a word that is none itself: %s %s', async (...argv) => {
    const { code, stdout } = await mooring(argv);
    expect(code).toBe(0);
    for (const name of ['list', 'show', 'check']) expect(stdout).toContain(`skills ${name} `);
  });

  test.each([
    [['servers', 'ad'], 'servers ad: unknown command; did you mean `mooring servers add`?'],
    [['lock', 'aprove', 'shop'], 'lock aprove: unknown command; did you mean `mooring lock approve`?'],
    [['gateway', 'stats'], 'gateway stats: unknown command; did you mean `mooring gateway status`?'],
    [['skills', 'sho'], 'skills sho: unknown command; did you mean `mooring skills show`?'],
    [['new', 'shop'], 'new shop: unknown command; did you mean `mooring init`?'],
    [['tools', './shop.ts'], 'tools ./shop.ts: unknown command; did you mean `mooring list`?'],
    [['./shop.ts'], './shop.ts: unknown command; to serve this module, write `mooring run ./shop.ts`'],
    [['shop.mjs', '--http'], 'shop.mjs --http: unknown command; to serve this module, write `mooring run shop.mjs`'],
    [['version'], 'version: unknown command; did you mean `mooring --version`?'],
    [['hepl'], 'hepl: unknown command; did you mean `mooring help`?'],
    [['--halp'], '--halp: unknown option; did you mean `mooring --help`?'],
    [
      ['list', 'npx -y shop'],
      'npx -y shop: not a URL, file or configured server (configured: none); a command comes last, after --: -- npx -y shop',
    ],
    [
      ['list', 'node shop.js'],
      `node shop.js: file not found (${resolve('node shop.js')}); a command comes last, after --: -- node shop.js`,
    ],
  ])('names what was probably meant: %j', async (argv, said) => {
    const { code, stderr } = await mooring(argv);
    expect([code, stderr]).toEqual([2, `error ${said}\n`]);
  });

  test('names the option that takes what was typed as an option', async () => {
    const { code, stderr } = await mooring(['run', './server.ts', '--port', '3000']);
    expect(code).toBe(2);
    expect(stderr).toContain('--port: unknown option; did you mean --http <port>?');
  });

  test.each([
    [['--versoin'], 'did you mean `mooring --version`?'],
    [['gateway', 'statuss'], 'did you mean `mooring gateway status`?'],
  ])('names what was probably meant by %j', async (argv, meant) => {
    const { code, stderr } = await mooring(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(meant);
  });

  test('names the command that was probably meant', async () => {
    const { code, stderr } = await mooring(['lsit']);
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean `mooring list`');
  });

  test('tells failures as JSON where JSON is wanted', async () => {
    const { code, stdout } = await mooring(['list', 'unknown', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'MCP_BAD_ARGUMENT', exit: 2 } });
  });
});

describe('a target', () => {
  test('that no user can be asked about is not started from a file', async () => {
    await using project = await folder();
    const servers = { mcpServers: { shop: { command: process.execPath, args: ['shop.js'] } } };
    await writeFile(`${project.path}/.mcp.json`, JSON.stringify(servers));
    const { code, stderr } = await mooring(['list', 'shop'], { cwd: project.path });
    expect(code).toBe(2);
    expect(stderr).toContain('shop.js');
    expect(stderr).toContain('--yes');
  });

  test.each([
    ['--header', 'A: 1', 'HTTP headers are for a URL that you type'],
    ['--env', 'A=1', 'environment variables are for a command or module that you type'],
    ['--cwd', '.', 'a folder is for a command or module that you type'],
  ])('that is configured has its own %s, and the option is rejected', async (option, value, why) => {
    await using dir = await folder();
    const file = join(dir.path, '.mcp.json');
    await writeFile(file, '{ "mcpServers": { "shop": { "command": "node", "args": ["shop.js"] } } }');
    const { code, stderr } = await mooring(['list', 'shop', option, value], { cwd: dir.path });
    expect([code, stderr]).toEqual([2, `error ${option}: ${why}; shop is configured in ${file}, line 1\n`]);
  });

  test('that is missing, malformed or unknown is named', async () => {
    expect((await mooring(['list'])).stderr).toContain(
      '<target>: expected a URL, a module, the name of a configured server',
    );
    expect((await mooring(['list', './nowhere.ts'])).stderr).toContain('file not found');
    expect((await mooring(['list', './'])).stderr).toContain('./: expected a module, not a folder');
    expect((await mooring(['list', 'https://'])).stderr).toContain('not a valid URL');
    expect((await mooring(['list', '--'])).stderr).toContain('expected a command after it');
    expect((await mooring(['list', 'https://a.example', '--header', 'nothing'])).stderr).toContain(
      'expected "name: value"',
    );
    for (const [option, pair, shown] of [
      ['--header', 'Authorization Bearer hunter2', '--header Authorization: expected'],
      ['--header', 'hunter2', '--header …: expected'],
      ['--env', 'API_KEY hunter2', '--env API_KEY: expected'],
      ['--env', '=hunter2', '--env …: expected'],
    ] as const) {
      const target = option === '--env' ? ['--', 'node'] : ['https://a.example'];
      const { stderr } = await mooring(['list', option, pair, ...target]);
      expect(stderr).toContain(shown);
      expect(stderr).not.toContain('hunter2');
    }
    for (const [options, why] of [
      [['./src/index.ts', '--header', 'A: 1'], '--header: HTTP headers are for a URL that you type\n'],
      [['https://a.example', '--cwd', '.'], '--cwd: a folder is for a command or module that you type\n'],
    ] as const) {
      const { code, stderr } = await mooring(['list', ...options]);
      expect([code, stderr]).toEqual([2, `error ${why}`]);
    }
    expect((await mooring(['list', 'https://a.example', '--revision', 'yesterday'])).stderr).toContain(
      'unknown revision',
    );
  });
});

test.each([
  ['localhost:3000', 'http://localhost:3000/mcp'],
  ['localhost:3000/', 'http://localhost:3000/mcp'],
  ['127.0.0.1:3000/mcp', 'http://127.0.0.1:3000/mcp'],
  ['shop:3000/mcp', 'http://shop:3000/mcp'],
  ['mcp.example.com/mcp', 'https://mcp.example.com/mcp'],
  ['http:/localhost:3000/mcp', 'http://localhost:3000/mcp'],
  ['htp://localhost:3000/sse', 'http://localhost:3000/sse'],
  ['ws://localhost:3000/mcp', 'http://localhost:3000/mcp'],
])('a target %s without a scheme, or with a wrong one, leads to the URL %s', async (typed, url) => {
  const { code, stderr } = await mooring(['list', typed]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`did you mean ${url}?`)]);
});

test.each(['shop', 'C:shop', 'shop:', 'a b:3000'])(
  'a target %j does not look like a URL, and leads to none',
  async (typed) => {
    expect((await mooring(['list', typed])).stderr).not.toContain('did you mean');
  },
);

test.each(['call', 'prompt'])(
  'an unknown option of `mooring %s` leads to how arguments are written',
  async (command) => {
    const { stderr } = await mooring([command, 'https://a.example', 'search', '--query', 'milk']);
    expect(stderr).toContain('--query: unknown option; arguments are written as query=value');
  },
);

test('errors name options of the command line, and not settings of the library', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/late') return;
    response.writeHead(401).end();
  }).listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const refused = await mooring(['list', `http://127.0.0.1:${port}/mcp`]);
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('--header "Authorization: Bearer …"')]);
  const late = await mooring(['list', `http://127.0.0.1:${port}/late`, '--timeout', '0.2']);
  expect([late.code, late.stderr]).toEqual([3, expect.stringContaining('--timeout <seconds>')]);
  server.closeAllConnections();
  server.close();
});

test('a URL without the path of its endpoint is named in the error, with the URL to use instead', async () => {
  const shop = createMcpServer({ name: 'shop', version: '1', parts: [] });
  const listener = await serveHttp(shop, { port: 0 });
  const { origin } = new URL(listener.url);
  const { code, stderr } = await mooring(['list', `${origin}/`]);
  await listener.close();
  expect([code, stderr]).toEqual([
    5,
    expect.stringContaining(
      `${origin}/ rejected initialize with status 404 (Not found: MCP is served at /mcp). Check that the URL is an MCP endpoint, which is often ${origin}/mcp`,
    ),
  ]);
});

test('a file that cannot be written is no bug of mooring', async () => {
  const shop = createMcpServer({ name: 'shop', version: '1', parts: [] });
  const listener = await serveHttp(shop, { port: 0 });
  const { code, stderr } = await mooring(['types', listener.url, '--out', '/proc/types.ts', '--json']);
  await listener.close();
  expect(code).toBe(2);
  expect(stderr).toMatch(/^error .*\n$/);
});

test('with --json, an error is one line, because some commands print a line per event', async () => {
  const { code, stdout } = await mooring(['watch', 'unknown', '--json']);
  expect([code, stdout.split('\n').length]).toEqual([2, 2]);
});
