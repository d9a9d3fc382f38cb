/** Reading the file of a gateway, and reporting every mistake with its position. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gatewaySchema } from './gateway-schema.ts';
import { type GatewayFileReport, readGatewayFile } from './read-gateway-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mooring-gateway-file-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function written(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

async function read(text: string, env: Record<string, string> = {}, name = 'gateway.yaml'): Promise<GatewayFileReport> {
  return readGatewayFile(await written(name, text), { env, home: join(folder, 'home'), run });
}

const run = async (command: readonly string[]): Promise<string> => `printed by ${command.join(' ')}`;

const places = ({ findings }: GatewayFileReport, severity: string): readonly string[] =>
  findings
    .filter((one) => one.severity === severity)
    .map(({ line, column, message }) => `${line}:${column} ${message}`);

const key = 'A'.repeat(43);
const whole = `
gateway: { name: acme }
listen: { address: 0.0.0.0:8443, hosts: [mcp.acme.example] }
secrets: { folder: secrets }
auth: { issuer: https://id.acme.example, audience: https://mcp.acme.example/mcp }
upstreams:
  shop:
    url: http://shop.internal:3000/mcp?tenant=\${env:TENANT}
    auth: { static: { headers: { authorization: 'Bearer \${secret:shop-token}' } } }
    circuit: { failures: 3 }
  files: { command: files-server, args: [/srv], circuit: false }
views:
  default: { of: [shop, { files: { tools: ['read_*'] } }] }
keys: { state: ${key} }
lock: mcp.lock
`;

test('a file in YAML and the same in JSON have one meaning, and placeholders are filled in', async () => {
  await written('secrets/shop-token', 's3cret\n');
  const { config, findings } = await read(whole, { TENANT: 'acme' });
  expect(findings).toEqual([]);
  expect(config).toMatchObject({
    upstreams: {
      shop: {
        url: 'http://shop.internal:3000/mcp?tenant=acme',
        auth: { static: { headers: { authorization: 'Bearer s3cret' } } },
      },
      files: { circuit: false },
    },
    lock: { file: join(folder, 'mcp.lock') },
  });
  const { lock: _, ...rest } = config ?? {};
  const json = await read(JSON.stringify(rest), {}, 'gateway.json');
  expect(json).toMatchObject({ findings: [], config: rest });
});

test('the published schema is the one that the file is checked by: an independent validator agrees about it', async () => {
  const validate = new Ajv2020().compile(gatewaySchema);
  for (const [config, isValid] of [
    [{ upstreams: { shop: { url: 'http://a.example' } } }, true],
    [{ upstreams: { shop: { url: 'ftp://a.example' } } }, false],
    [{ upstreams: { Shop: { url: 'http://a.example' } } }, false],
    [{ upstreams: { shop: { url: 'http://a.example', circuit: true } } }, false],
    [{ upstreams: { shop: { url: 'http://a.example', limits: { calls: 0 } } } }, false],
    [{ upstreams: { shop: { url: 'http://a.example' } }, views: { default: { of: [] } } }, false],
    [{ upstreams: { shop: { url: 'http://a.example' } }, polcy: [] }, false],
  ] as const) {
    const { findings } = await read(JSON.stringify(config), {}, 'gateway.json');
    expect([config, findings.every(({ severity }) => severity !== 'error')]).toEqual([config, isValid]);
    expect([config, validate(config)]).toEqual([config, isValid]);
  }
});

test('a file with 20 mistakes gets 20 errors in one run, each with its line, column and the nearest name', async () => {
  const text = `gatway: { name: acme }
listen: { address: 0.0.0.0:99999, sse: sse }
auth: { issuer: https://id.acme.example, audience: mcp.acme.example }
upstreams:
  shop_eu: { url: http://shop.internal:3000/mcp }
  shop:
    url: http://\${env:SHOP_HOST}/mcp
    auth: { static: { headers: { authorization: '\${secret:none}' } } }
    isolate: everyone
    limits: { calls: many, queu: 4 }
    circuit: { failures: 0 }
  files: { command: files-server, url: http://files.internal/mcp }
  clock: { headers: { x: y } }
  mail: { command: mail-server, auth: { static: { headers: {} } } }
views:
  default: { of: [shop, flies] }
  ops: {}
peer: { listen: 0.0.0.0:9443, advertise: http://10.0.0.1:9443 }
names: { style: short }
keys: { peer: abc, state: ${key} }
`;
  const report = await read(text, { SHOP_HOST: 'shop' });
  expect(report.config).toBeUndefined();
  expect(places(report, 'error')).toEqual([
    '1:1 unknown member "gatway"; did you mean "gateway"?',
    '2:9 callers from other machines use a host name; name it in "hosts"',
    '2:20 a port is a number from 0 to 65535',
    '2:40 expected a path such as /sse, not "sse"',
    '3:52 expected a URL that begins with http:// or https://, not "mcp.acme.example"',
    '5:3 expected a label of 1 to 24 of the characters a-z 0-9 - that begins with a letter, not "shop_eu"',
    '7:10 a placeholder can fill path and query, not scheme, host or port; write those out',
    '8:49 unknown secret "none": no variable NONE; add it',
    '9:14 expected shared, principal, session or call, not "everyone"',
    '10:22 expected a whole number, not "many"',
    '10:28 unknown member "queu"; did you mean "queue"?',
    '11:26 expected a whole number from 1 on, not 0',
    '12:10 an upstream has either "url" or "command"; this one has both',
    '13:10 an upstream has either "url" or "command"; this one has neither',
    '14:39 "auth" is for an upstream with "url"; remove it',
    '16:25 unknown upstream "flies"; did you mean files?',
    '17:8 the member "of" is missing; add it',
    '18:7 nodes find each other through "stores.redis"; add it',
    '19:17 expected prefix or bare, not "short"',
    '20:15 expected keys of 32 bytes in base64url, 43 characters each',
  ]);
});

test('an address that other machines can reach needs authorization', async () => {
  const report = await read(
    'listen: { address: 0.0.0.0:8443, hosts: [a.example] }\nupstreams: { shop: { url: http://a.example } }\n',
  );
  expect(places(report, 'error')).toEqual([
    '1:20 other machines can reach this address; set "auth", or listen on 127.0.0.1',
  ]);
});

test('a value that was only named is never shown, however wrong it is', async () => {
  const report = await read(
    `upstreams: { shop: { url: http://a.example } }\nnames: { style: '\${env:STYLE}' }\nkeys: { state: '\${env:KEY}' }\n`,
    {
      STYLE: 'hunter2',
      KEY: 'hunter2',
    },
  );
  expect(places(report, 'error')).toEqual([
    '2:17 expected prefix or bare, not something else (named by a placeholder)',
    '3:16 expected keys of 32 bytes in base64url, 43 characters each',
  ]);
});

test('a secret is looked up in the folder, then in a variable, then by the command, and its name cannot leave the folder', async () => {
  await written('secrets/one', 'from the folder\n');
  const text = `secrets: { folder: secrets, command: [vault, read] }
upstreams: { shop: { command: shop, env: { A: '\${secret:one}', B: '\${secret:two-b}', C: '\${secret:three}' } } }
`;
  const { config, findings } = await read(text, { TWO_B: 'from the variable', ONE: 'not this' });
  expect(findings).toEqual([]);
  expect(config?.upstreams?.['shop']?.env).toEqual({
    A: 'from the folder',
    B: 'from the variable',
    C: 'printed by vault read three',
  });
  const outside = await read(
    `secrets: { folder: secrets }\nupstreams: { shop: { command: '\${secret:../gateway.yaml}' } }\n`,
  );
  expect(places(outside, 'error')).toEqual(['2:31 the name of a secret has letters, digits, dots, - and _ only']);
});

test('servers of an application become upstreams, and entries of the file win', async () => {
  const servers = { my_shop: { command: 'shop', args: [`\${env:ROOT}`] }, clock: { url: 'https://clock.example/mcp' } };
  await written('mcp.json', JSON.stringify({ mcpServers: servers }));
  const { config, findings } = await read('import: mcp.json\nupstreams: { clock: { url: http://own.example/mcp } }\n', {
    ROOT: '/srv',
  });
  expect(findings).toEqual([]);
  expect(config?.upstreams).toMatchObject({
    'my-shop': { command: 'shop', args: ['/srv'] },
    clock: { url: 'http://own.example/mcp' },
  });
  const gone = await read('import: other.json\n');
  expect(places(gone, 'error')).toEqual([
    '1:1 there is no upstream; name at least one',
    expect.stringContaining('other.json, line 1: the file does not exist'),
  ]);
});

test('servers of an application get the variables of their envFile, and start in the folder that their file names', async () => {
  await written('vars.env', 'A=from the file\nB=not this\n');
  const shop = { command: 'shop', envFile: 'vars.env', env: { B: 'own' }, cwd: 'app' };
  await written('.vscode/mcp.json', JSON.stringify({ servers: { shop } }));
  const { config, findings } = await read('import: .vscode/mcp.json\n');
  expect(findings).toEqual([]);
  expect(config?.upstreams?.['shop']).toEqual({
    ...{ command: 'shop', args: [], cwd: join(folder, 'app') },
    env: { A: 'from the file', B: 'own' },
  });
  await written('.vscode/mcp.json', JSON.stringify({ servers: { shop: { ...shop, envFile: 'none.env' } } }));
  expect(places(await read('import: .vscode/mcp.json\n'), 'error')).toContainEqual(
    expect.stringContaining('none.env cannot be used: the file of environment variables does not exist'),
  );
});

test('warnings say what a choice takes away: nodes without peers, bare names, sessions that are not kept', async () => {
  const report = await read(`listen: { sessions: none }
upstreams:
  git: { command: git-server }
  shop: { url: http://shop.internal/mcp }
names: { style: bare }
stores: { redis: redis://redis.internal:6379 }
policy: [{ ask: { server: shop } }, { budget: { calls: 5, per: hour } }, { allow: {} }]
operations: { listen: 0.0.0.0:9090 }
`);
  expect(report.config).toBeDefined();
  expect(places(report, 'warning')).toEqual([
    expect.stringMatching(
      /^1:21 callers of 2025-11-25, .* cannot be asked: tools that ask fail, 1 rule that asks denies;/,
    ),
    expect.stringContaining('3:8 URIs that begin with "git+"'),
    expect.stringContaining('5:17 a view has several upstreams: a name that two of them use is withheld'),
    expect.stringContaining('6:9 several nodes without "peer"'),
    expect.stringContaining('7:47 budgets are counted on each node'),
    expect.stringContaining('8:23 other machines can reach this address'),
  ]);
});

test('a file that is missing, no YAML, or nested without end is an error with a place, and not a crash', async () => {
  const missing = await readGatewayFile(join(folder, 'none.yaml'), { env: {}, home: folder, run });
  expect(places(missing, 'error')).toEqual(['1:1 the file does not exist']);
  expect(places(await read('upstreams: [\n'), 'error')).toHaveLength(1);
  expect(places(await read('[]'), 'error')[0]).toBe('1:1 expected members such as "gateway", not a list');
  expect(places(await read('{"a":'.repeat(500), {}, 'deep.json'), 'error')).toHaveLength(1);
});

test.each([
  ['lists', `a: ${'['.repeat(100_000)}${']'.repeat(100_000)}`, 1],
  ['lists without an end', '['.repeat(100_000), 1],
  ['mappings', Array.from({ length: 2_000 }, (_, level) => `${' '.repeat(level)}a:`).join('\n'), 102],
  ['items', '- '.repeat(100_000), 1],
  ['keys', '? '.repeat(100_000), 1],
])('a YAML file of %s within each other is reported as nested too deeply, with its line', async (_, text, line) => {
  const { findings } = await read(text);
  expect(findings).toEqual([
    expect.objectContaining({ severity: 'error', line, message: 'it is nested more than 100 levels deep' }),
  ]);
});

test('a YAML file of 100 levels is read to its end', async () => {
  const text = `a: ${'['.repeat(99)}x${']'.repeat(99)}`;
  expect(places(await read(text), 'error').join()).not.toContain('nested');
  expect(places(await read(text.replace('x', '[x]')), 'error').join()).toContain('nested');
});

test.each(['https:/', 'https:///', 'https:\\', 'https:/\\'])(
  'a placeholder after %s is the host to URL parsers, and is rejected as one',
  async (start) => {
    const url = `${start}${'$'.concat('{env:HOST}')}/mcp`;
    const report = await read(`upstreams:\n  shop:\n    url: '${url}'\n`, { HOST: 'evil.example' });
    expect(places(report, 'error').join()).toContain('not scheme, host or port');
  },
);

test.each(['', '# later\n', '---\n', 'null', '[]', 'hello', '7', 'upstreams:', 'upstreams: []'])(
  'a file that says nothing of upstreams (%j) has an error at its place, and no meaning',
  async (text) => {
    const { config, findings } = await read(text);
    expect(config).toBeUndefined();
    expect(findings.filter(({ severity }) => severity === 'error')).not.toEqual([]);
    expect((await read(text === '' ? 'null' : text, {}, 'gateway.json')).config).toBeUndefined();
  },
);

test('a file of two documents is told that one was expected', async () => {
  expect(places(await read(`${whole}---\n${whole}`, { TENANT: 'acme' }), 'error')).toEqual([
    expect.stringContaining('it has more than one document; one was expected'),
  ]);
});

test('a mistake in the shape of rule 10 does not hide one in rule 1', async () => {
  const rules = Array.from({ length: 11 }, (_, at) =>
    at === 1 ? '  - deny: { kind: spawn }' : at === 10 ? '  - alow: {}' : '  - allow: { server: shop }',
  );
  const report = await read(`upstreams: { shop: { url: http://a.example } }\npolicy:\n${rules.join('\n')}\n`);
  expect(places(report, 'error')).toEqual([
    '4:19 must be one of tool, prompt, resource',
    '13:5 unknown member "alow"; did you mean "allow"?',
  ]);
});

test.each([
  ['<<<<<<< HEAD', 'it has merge conflicts'],
  ['', 'it is not valid JSON'],
  ['{"lockfile":2}', 'it is not a lock file of version 1'],
])('a lock of %j, which no request could be checked against, is a mistake of the file', async (text, why) => {
  const lock = await written('mcp.lock', text);
  for (const entry of ['mcp.lock', '{ file: mcp.lock }']) {
    const report = await read(`upstreams: { shop: { url: http://127.0.0.1:1/mcp } }\nlock: ${entry}\n`);
    expect(report.config).toBeUndefined();
    expect(places(report, 'error')).toEqual([expect.stringContaining(`2:7 ${lock} cannot be used: ${why}`)]);
  }
  await written('mcp.lock', '{"lockfile":1,"servers":{}}');
  expect((await read('upstreams: { shop: { url: http://127.0.0.1:1/mcp } }\nlock: mcp.lock\n')).config).toBeDefined();
});
