import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { mooring } from '../../../test/support/command-line.ts';

/** The operations server of a gateway with this status. */
const operationsThatSay = (status: object, code = 200): Promise<string> =>
  listening((response) => void response.writeHead(code).end(JSON.stringify(status)));

async function listening(respond: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => respond(response));
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

const idle = { conversations: 0, calls: { open: 0, waiting: 0 } };

test('gateway status shows an upstream that was never reached, and fails', async () => {
  const upstreams = [
    { label: 'shop', state: 'ready', revision: '2026-07-28', circuit: 'closed', ...idle, tools: 2 },
    { label: 'bank', state: 'unknown', circuit: 'open', ...idle, lastFailure: 'connect ECONNREFUSED' },
  ];
  const url = await operationsThatSay({ name: 'gateway', version: '1', state: 'ready', waitingCalls: 0, upstreams });
  const { code, stdout } = await mooring(['gateway', 'status', url]);
  expect(stdout.split('\n')).toEqual([
    'gateway 1 ready, 0 waiting calls',
    '  shop: ready 2026-07-28, 0 conversations, 0 calls, 0 waiting, 2 tools',
    '  bank: not connected, circuit open, 0 conversations, 0 calls, 0 waiting',
    '    connect ECONNREFUSED',
    '',
  ]);
  expect(code).toBe(1);
});

test.each([
  [401, '/status requires the token of "operations" (HTTP 401); pass it with --token'],
  [404, '/status is not served at this URL (HTTP 404); use the URL of "operations" in the gateway file'],
])('gateway status says what to do where the response is HTTP %i', async (code, why) => {
  const url = await operationsThatSay({}, code);
  const ran = await mooring(['gateway', 'status', url]);
  expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(why)]);
});

test.each([403, 500, 503])(
  'gateway drain does not say that a gateway drains which responded with HTTP %i',
  async (code) => {
    const url = await operationsThatSay({ why: 'not token-1234567890' }, code);
    const { stdout, ...ran } = await mooring(['gateway', 'drain', url, '--token', 'token-1234567890']);
    expect(stdout).toBe('');
    expect(ran).toEqual({
      code: 3,
      stderr: `error ${url} answered /drain with status ${code} ({"why":"not [masked]"}); check the URL of "operations" in the gateway file\n`,
    });
  },
);

test('a gateway that ends in the middle of its response is unreachable, and no bug of mooring', async () => {
  const url = await listening((response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"upstreams": [');
    setImmediate(() => response.destroy());
  });
  const { code, stderr } = await mooring(['gateway', 'status', url]);
  expect(stderr).toMatch(/^error http.* cannot be reached: /);
  expect(code).toBe(3);
});
