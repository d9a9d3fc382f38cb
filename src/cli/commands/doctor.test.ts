import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, mooring } from '../../../test/support/command-line.ts';
import { createServer, tool } from '../../index.ts';
import { virtualClock } from '../../testing/index.ts';
import { type HttpOptions, serveHttp } from '../../transport/node.ts';

test.each([
  [['doctor'], '<target>: expected a URL, a module, the name of a configured server'],
  [['doctor', 'unknown'], 'not a URL, file or configured server'],
  [['doctor', 'https://'], 'not a valid URL'],
  [['doctor', './nowhere.ts'], 'file not found'],
  [['doctor', 'http://127.0.0.1:1/mcp', 'more'], 'more: unexpected argument'],
])('%j is refused, and nothing is examined: %s', async (args, why) => {
  const { code, stdout, stderr } = await mooring(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(why);
});

test('doctor prints a fault with its name and its fix, and exits with 1', async () => {
  const { code, stdout, stderr } = await mooring(['doctor', '--', 'mooring-no-such-command']);
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout).toBe(`✗ command        program "mooring-no-such-command" not found in PATH (command-not-found)
                 Fix: install it, or give its full path (\`which mooring-no-such-command\` in the terminal where it works)

1 problem found.
`);
});

test('doctor shows a spinner on a terminal, and removes it at the end', async () => {
  const silent = [process.execPath, '-e', 'process.stdin.resume()'];
  const { code, stderr } = await mooring(['doctor', '--timeout', '2', '--', ...silent], { tty: true });
  expect(code).toBe(1);
  const [before, ...drawn] = stderr.split('\r\u001b[2K');
  expect([before, drawn.at(-1)]).toEqual(['', '']);
  expect(drawn[0]).toMatch(/^. Checking \d+(?:\.\d+)? s$/u);
});

test('doctor draws no spinner over the question whether to start a server', async () => {
  await using place = await folder();
  await writeFile(join(place.path, '.mcp.json'), JSON.stringify({ mcpServers: { shop: { command: 'shop-server' } } }));
  const clock = virtualClock();
  const { stderr } = await mooring(['doctor', 'shop'], {
    cwd: place.path,
    tty: true,
    stdin: 'n\n',
    clock,
    onStderr: (text) => void (text.endsWith('[?] explain: ') && clock.advance(2_000)),
  });
  expect(stderr).toContain('you declined, so the server was not opened');
  expect(stderr).not.toContain('Checking');
});

test('doctor prints findings below their checks in 40 columns, and breaks no word', async () => {
  const options = { tty: true, columns: 40, env: { NO_COLOR: '1' } };
  const { stdout } = await mooring(['doctor', '--', 'mooring-no-such-command'], options);
  expect(stdout).toBe(`✗ command
    program "mooring-no-such-command"
    not found in PATH
    (command-not-found)
    Fix: install it, or give its full
    path (\`which
    mooring-no-such-command\` in the
    terminal where it works)

1 problem found.
`);
});

test.each([
  [
    'none',
    { sessions: 'none' },
    'the server has no sessions: in clients of 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, tools that ask the user fail',
  ],
  ['sealed', { sessions: { sealed: [new Uint8Array(32)] } }, 'GET is rejected (HTTP 405), so clients of 2025-11-25'],
  ['store', {}, 'requests, one session\n'],
] as const)(
  'the doctor says what "sessions: %s" takes away from clients of revisions with a handshake',
  async (_, options: HttpOptions, found) => {
    const server = createServer({ name: 'shop', version: '1', parts: [tool({ name: 'hello', run: () => 'hello' })] });
    const listener = await serveHttp(server, { port: 0, ...options });
    try {
      const { code, stdout } = await mooring(['doctor', listener.url]);
      expect(stdout).toContain(found);
      expect(code).toBe(0);
    } finally {
      await listener.close(0);
    }
  },
);

test('doctor ends the session that it opened, also if a later check fails', async () => {
  const seen: string[] = [];
  const server = createHttpServer((request, response) => {
    seen.push(`${request.method} ${request.headers['mcp-session-id'] ?? 'without a session'}`);
    const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'shop', version: '1' } };
    if (seen.length > 1) response.writeHead(request.method === 'DELETE' ? 204 : 500).end();
    else
      response
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'opened' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const { code } = await mooring(['doctor', `http://127.0.0.1:${port}/mcp`]);
  server.close();
  expect(code).toBe(1);
  expect(seen.at(-1)).toBe('DELETE opened');
});
