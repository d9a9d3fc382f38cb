/** `mooring doctor` with faulty setups: it names each fault and the remedy. Real processes and sockets. */
import { chmod, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addresses } from '../fixtures/doctor/addresses.ts';
import { folder, mooring, type Ran } from '../support/command-line.ts';

interface Diagnosis {
  readonly ok: boolean;
  readonly findings: readonly { check: string; holds: boolean; found: string; fault?: string; fix?: string }[];
}

const script = resolve('test/fixtures/doctor/command.mjs');

function faultsIn({ stdout }: Ran): readonly string[] {
  const { ok, findings } = JSON.parse(stdout) as Diagnosis; // the documented format
  const faults = findings.filter(({ holds }) => !holds);
  expect(ok).toBe(faults.length === 0);
  for (const { found, fix } of faults) expect([found, fix]).not.toContain('');
  for (const { found } of findings) expect(found).not.toMatch(/^its? /i);
  return faults.map(({ check, fault, found, fix }) => `${check}: ${fault}: ${found}: ${fix}`);
}

const doctor = (args: readonly string[], cwd = process.cwd()): Promise<Ran> =>
  mooring(['doctor', '--json', ...args], { cwd, env: { PATH: process.env['PATH'] ?? '' } });

describe.concurrent('a command', () => {
  test.each([
    ['exits', 'start: exits', 'the database is locked'],
    ['variable', 'start: missing-variable', 'SHOP_TOKEN is required'],
    ['module', 'start: missing-module', 'a-package-that-nobody-has'],
    ['not-a-server', 'start: bad-messages', 'usage: shop [--help]'],
    ['revision', 'revision: no-common-revision', '1999-12-31'],
    ['refuses', 'revision: refuses-to-open', 'no licence'],
    ['list', 'lists: list-failed', 'the shelf fell over'],
    ['duplicate', 'lists: duplicate-name', '"count" appears twice'],
    ['nameless', 'lists: malformed-item', 'item 2 has no "name"'],
    ['large', 'lists: too-large', 'split long lists into pages'],
    ['schema', 'schemas: bad-schema', 'strnig'],
    ['root', 'schemas: bad-schema', 'no "type": "object" at its root'],
    ['result', 'results: output-mismatch', 'count'],
    ['banner', 'output: stray-output', 'Shop server v1.2 running on stdio'],
    ['among', 'output: stray-output', 'counting'],
    ['slow', 'start: slow-start', 'ready in '],
  ])('that has the fault "%s" gets %s', async (fault, name, words) => {
    const ran = await doctor(['--', process.execPath, script, fault]);
    expect(ran.code).toBe(1);
    const [first, ...more] = faultsIn(ran);
    expect(first).toContain(name);
    expect(first).toContain(words);
    expect(more).toEqual([]);
  });

  test.each([
    ['silent', 'start: silent', 'runs but does not respond'],
    ['garbage', 'start: bad-messages', '[Object]'],
  ])('that has the fault "%s" gets %s, when time is up', async (fault, name, words) => {
    const ran = await doctor(['--timeout', '2', '--', process.execPath, script, fault]);
    expect(ran.code).toBe(1);
    const [first] = faultsIn(ran);
    expect(first).toContain(name);
    expect(first).toContain(words);
  });

  test('that is written for another Node is told with what Node said', async () => {
    const ran = await doctor(['--', process.execPath, '-e', 'const shop = ?? 1;']);
    expect(faultsIn(ran)[0]).toMatch(/start: wrong-runtime: .*SyntaxError.*node --version/);
  });

  test('that is a module is told what is wrong in it', async () => {
    await using place = await folder();
    await writeFile(join(place.path, 'server.mjs'), 'export const a = 1;\nthrow new TypeError("no database");\n');
    const [first] = faultsIn(await doctor(['./server.mjs'], place.path));
    expect(first).toMatch(/start: bad-module: .*server\.mjs:2:7: TypeError: no database/);
  });

  test('that is not there, may not be run, or has no folder is not started', async () => {
    await using place = await folder();
    const file = join(place.path, 'server.sh');
    await writeFile(file, '#!/bin/sh\n');
    await chmod(file, 0o644);
    const cases = [
      [['--', 'mooring-no-such-command'], 'command: command-not-found'],
      [['--', join(place.path, 'nothing.sh')], 'command: command-not-found'],
      [['--', file], 'command: not-executable'],
      [['--cwd', join(place.path, 'gone'), '--', process.execPath], 'command: missing-folder'],
    ] as const;
    for (const [args, name] of cases) {
      const ran = await doctor(args);
      expect(ran.code).toBe(1);
      expect(faultsIn(ran)).toEqual([expect.stringContaining(name)]);
    }
  });

  test.each([
    ['templates', 'lists', '0 resource templates'],
    ['costly', 'schemas', 'larger than 65536 bytes'],
    ['tool-error', 'results', 'count returns an error: set SHOP_REGION first'],
    ['wants-arguments', 'results', 'called count'],
    ['wants-more', 'results', 'count requires arguments: expected one of a, b'],
  ])('is not blamed for "%s"', async (innocent, check, words) => {
    const ran = await doctor(['--', process.execPath, script, innocent]);
    expect(faultsIn(ran)).toEqual([]);
    expect(ran.code).toBe(0);
    const { findings } = JSON.parse(ran.stdout) as Diagnosis; // the documented format
    expect(findings.filter((one) => one.check === check).map(({ found }) => found)).toContainEqual(
      expect.stringContaining(words),
    );
  });

  test('one of whose lists is not implemented is examined further', async () => {
    const ran = await doctor(['--', process.execPath, script, 'unlisted']);
    expect(faultsIn(ran)).toEqual([expect.stringContaining('lists: list-failed: prompts/list')]);
    const { findings } = JSON.parse(ran.stdout) as Diagnosis; // the documented format
    expect(findings.map(({ check }) => check)).toContain('results');
  });

  test('that exports a server and serves nothing is told how to be served', async () => {
    await using place = await folder();
    const index = JSON.stringify(resolve('src/index.ts'));
    await writeFile(
      join(place.path, 'server.mjs'),
      `// import { createServer } from ${index};\nexport const server = {};\n`,
    );
    const [first, ...more] = faultsIn(await doctor(['--', process.execPath, 'server.mjs'], place.path));
    expect(first).toContain('start: serves-nothing: ');
    expect(first).toContain('`mooring run server.mjs`');
    expect(more).toEqual([]);
    const [other] = faultsIn(await doctor(['--', process.execPath, '-e', '0'], place.path));
    expect(other).toContain('start: exits: exits immediately (code 0) without output');
    expect(other).toContain('a server must run until its standard input ends');
  });

  test.each(['none', 'repeats'])(
    'that is well passes every check, also where a response comes twice: %s',
    async (fault) => {
      const ran = await doctor(['--', process.execPath, script, fault]);
      expect(faultsIn(ran)).toEqual([]);
      expect(ran.code).toBe(0);
      const { findings } = JSON.parse(ran.stdout) as Diagnosis; // the documented format
      const passed = ['command', 'start', 'revision', 'lists', 'schemas', 'results', 'output'];
      expect(findings.map(({ check }) => check)).toEqual(passed);
    },
  );
});

describe.concurrent('an address', () => {
  test.each([
    ['self-signed', 'certificate: certificate-untrusted', 'NODE_EXTRA_CA_CERTS'],
    ['expired', 'certificate: certificate-expired', 'renew'],
    ['for-another', 'certificate: certificate-name', 'shop.example'],
    ['plain-on-https', 'certificate: plain-http', 'use http://127.0.0.1'],
    ['tls-on-http', 'transport: tls-expected', 'use https://127.0.0.1'],
    ['at-mcp', 'transport: wrong-path', '/mcp, which '],
    ['at-sse', 'transport: wrong-path', '/sse, which '],
    ['nowhere', 'transport: wrong-path', 'there is no MCP endpoint at /mcp, /sse, / either'],
    ['get-only', 'transport: method-not-allowed', 'POST'],
    ['page', 'transport: not-mcp', 'a web page'],
    ['text', 'transport: not-mcp', 'application/json'],
    ['moved', 'transport: redirect', 'https://shop.example/mcp'],
    ['gateway-down', 'transport: server-error', '502'],
    ['locked', 'authorization: no-resource-metadata', 'RFC 9728'],
    ['locked-and-described', 'authorization: sign-in-needed', 'https://auth.example'],
    ['locked-for-another', 'authorization: wrong-resource', 'https://other.example/mcp'],
    ['other-hosts-only', 'authorization: host-refused', 'allowedHosts'],
    ['forbidden', 'authorization: forbidden', 'access denied (HTTP 403'],
    ['old-transport', 'transport: old-transport', 'HTTP+SSE'],
    ['old-beside-new', 'transport: old-transport', '/mcp, which '],
    ['unsticky', 'session: session-lost', 'sticky sessions'],
    ['buffering', 'streams: buffered-stream', 'proxy_buffering off'],
  ] as const)('that has the fault "%s" gets %s', async (fault, name, words) => {
    await using address = await addresses[fault]();
    const ran = await doctor([address.url]);
    expect(ran.code).toBe(1);
    const [first, ...more] = faultsIn(ran);
    expect(first).toContain(name);
    expect(first).toContain(words);
    expect(more).toEqual([]);
  });

  test('with an unknown host name, or a port without a server, is not asked further', async () => {
    expect(faultsIn(await doctor(['https://shop.invalid/mcp']))[0]).toContain('name: name-not-found');
    let { url } = { url: '' };
    {
      await using gone = await addresses.well();
      ({ url } = gone);
    }
    expect(faultsIn(await doctor([url]))[0]).toContain('connection: connection-refused');
  });

  test('that refuses a token says so', async () => {
    await using address = await addresses.locked();
    const ran = await doctor([address.url, '--header', 'Authorization: Bearer tok-3141']);
    expect(faultsIn(ran)[0]).toContain('authorization: token-refused');
    expect(ran.stdout + ran.stderr).not.toContain('tok-3141');
  });

  test('that is well passes every check', async () => {
    await using address = await addresses.well();
    const { code, stdout } = await mooring(['doctor', address.url]);
    expect(code).toBe(0);
    expect(stdout).toContain('✓ session');
    expect(stdout).toContain('✓ streams');
    expect(stdout).toContain('All checks passed.');
  });
});

describe('a configured server', () => {
  test.each([
    ['bad JSON', '{\n  "mcpServers": {\n    "shop": { "command": "node" },,\n  }\n}\n', 'bad-configuration', 'line 3'],
    ['a wrong key', '{\n  "mcpServers": {\n    "shop": { "comand": "node" }\n  }\n}\n', 'bad-configuration', 'line 3'],
    [
      'a variable that is not set',
      `{ "mcpServers": { "shop": { "command": "node", "env": { "TOKEN": "\${env:SHOP_TOKEN}" } } } }\n`,
      'missing-variable',
      'SHOP_TOKEN',
    ],
    [
      'a folder that is gone',
      `{ "mcpServers": { "shop": { "command": "node", "cwd": "gone" } } }\n`,
      'missing-folder',
      'gone',
    ],
  ])('with %s', async (_what, text, fault, words) => {
    await using place = await folder();
    const file = join(place.path, '.mcp.json');
    await writeFile(file, text);
    const ran = await doctor(['shop', '--yes', '--config', file], place.path);
    expect(ran.code).toBe(1);
    const [first] = faultsIn(ran);
    expect(first).toContain(`: ${fault}: `);
    expect(first).toContain(words);
  });
});
