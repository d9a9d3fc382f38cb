import { writeFile } from 'node:fs/promises';
import { createServer as createListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, mooring } from '../../../test/support/command-line.ts';
import { connect } from '../../connect/index.ts';

const greeter = 'test/fixtures/cli/greeter.ts';
const several = 'test/fixtures/cli/several.ts';
const initialize = (name = 'test'): string => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name, version: '1' } };
  return `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`;
};

test('run serves the export of a module over stdio, and writes only protocol messages to stdout', async () => {
  const { code, stdout } = await mooring(['run', greeter], { stdin: initialize() });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { serverInfo: { name: 'greeter' } } });
});

test('run serves the export that --export names, also if it is a function that returns a server', async () => {
  for (const name of ['second', 'third']) {
    const { stdout } = await mooring(['run', several, '--export', name], { stdin: initialize() });
    expect(JSON.parse(stdout)).toMatchObject({ result: { serverInfo: { name } } });
  }
});

test('run serves a server over stdio although its module calls serveHttp()', async () => {
  const { code, stdout } = await mooring(['run', 'test/fixtures/cli/serves-http.ts'], { stdin: initialize() });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ result: { serverInfo: { name: 'serves-http' } } });
});

test.each([
  [['run'], '<module>: expected the path of a .ts or .js file'],
  [['run', './nowhere.ts'], 'file not found'],
  [['run', 'src'], 'this is a folder'],
  [['run', 'README.md'], 'expected a .js, .mjs, .cjs, .ts or .mts file'],
  [['run', greeter, 'more'], 'more: unexpected argument'],
  [['run', greeter, '--', 'node'], 'expected a module, not a command'],
  [['run', greeter, '--host', '::1'], '--host: this option requires --http'],
  [['run', greeter, '--json'], '--json: standard output carries protocol messages'],
  [['run', greeter, '--http', '70000'], '--http 70000: expected a port'],
  [['run', greeter, '--http=x'], '--http x: expected a port'],
  [['run', greeter, '--http', '--host', '0.0.0.0'], 'other machines could reach the server'],
  [['run', greeter, '--http', '--path', 'mcp'], 'write /mcp'],
  [['run', several], 'the module exports several servers; choose one with --export: first, second'],
  [['run', several, '--export', 'fourth'], 'exports no server with this name; it exports first, second, third'],
])('%j is refused: %s', async (args, why) => {
  const { code, stdout, stderr } = await mooring(args);
  expect([code, stdout.includes('jsonrpc')]).toEqual([2, false]);
  expect(stderr).toContain(why);
});

test.each([
  ['throws.mjs', 'const a = 1;\nthrow new TypeError("no " + a);\n', 'throws.mjs:2:7: TypeError: no 1'],
  [
    'nothing.mjs',
    'export const a = 1;\n',
    'expected a server made with Mooring, but it exports a; write `export const server = createServer({ … })`',
  ],
  [
    'part.mjs',
    "export const a = 1;\nexport const book = { kind: 'tool', name: 'book' };\n",
    'but it exports a, book; write `export const server = createServer({ name, version, parts: [book] })`',
  ],
  [
    'sdk.mjs',
    "// import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\nexport const server = {};\n",
    'it exports server; start a server of another SDK, and give its URL, or its command if it serves stdio: -- npx tsx sdk.mjs',
  ],
])('run names the place and the reason if a module cannot be served: %s', async (name, text, why) => {
  await using project = await folder();
  await writeFile(join(project.path, name), text);
  const { code, stderr } = await mooring(['run', name], { cwd: project.path });
  expect(code).toBe(2);
  expect(stderr).toContain(why);
});

test('run --http prints its URL, and serves until it is aborted', async () => {
  const over = new AbortController();
  let heard: (url: string) => void = () => undefined;
  const url = new Promise<string>((resolve) => {
    heard = resolve;
  });
  const running = mooring(['run', greeter, '--http', '0', '--json'], {
    signal: over.signal,
    onStdout: (text) => heard((JSON.parse(text) as { url: string }).url),
  });
  {
    await using client = await connect(await url);
    expect((await client.call('greet')).text).toBe('Hello');
  }
  over.abort();
  const { code, stdout, stderr } = await running;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ event: 'listening', url: await url });
  expect(stderr).toContain(`Serving at ${await url}`);
});

test('run --http rejects a port that is in use, with advice', async () => {
  const other = createListener().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo; // it listens on a port
  const { code, stderr } = await mooring(['run', greeter, '--http', String(port)]);
  other.close();
  expect(code).toBe(2);
  expect(stderr).toContain(`another process listens on 127.0.0.1:${port}; give another port, or 0 for a free one`);
});

test('run explains stdio to a user who starts it in a terminal', async () => {
  const over = new AbortController();
  const onStderr = (text: string): void => {
    if (text.includes('Ctrl-C to stop')) over.abort();
  };
  const { code, stdout, stderr } = await mooring(['run', greeter], { tty: true, signal: over.signal, onStderr });
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain('which is for a client that starts this command');
  expect(stderr).toContain(`mooring list ${greeter}`);
});
