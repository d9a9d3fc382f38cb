/** Health, readiness, status and metrics. */
import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type OperationsOptions, operationsHandler } from './operations-handler.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serving(options: Partial<OperationsOptions> = {}) {
  const source = { ready: true, drained: 0 };
  const handler = operationsHandler(
    {
      isReady: () => source.ready,
      status: () => ({ upstreams: [] }),
      metrics: () => 'mooring_gateway_x 1\n',
      drain: async () => void source.drained++,
    },
    { isLoopback: true, ...options },
  );
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const ask = (method: string, path: string, headers: Record<string, string> = {}): Promise<[number, string]> =>
    new Promise((resolve, reject) => {
      httpRequest({ port, host: '127.0.0.1', method, path, headers }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve([response.statusCode ?? 0, text]));
      })
        .on('error', reject)
        .end();
    });
  return { ask, source, port };
}

test('health is always 200, readiness is 503 while the gateway drains, and metrics are text', async () => {
  const { ask, source } = await serving();
  expect(await ask('GET', '/health')).toEqual([200, 'ok\n']);
  expect(await ask('GET', '/ready')).toEqual([200, 'ready\n']);
  source.ready = false;
  expect(await ask('GET', '/ready')).toEqual([503, 'not ready\n']);
  expect(await ask('GET', '/health')).toEqual([200, 'ok\n']);
  expect(await ask('GET', '/metrics?x=1')).toEqual([200, 'mooring_gateway_x 1\n']);
  expect(await ask('GET', '/constructor')).toEqual([404, 'not found\n']);
});

test('a page, and a name that is not of this machine, are told why they are not answered', async () => {
  const { ask } = await serving();
  const host = `gw.example${'x'.repeat(300)}`;
  const shown = `"gw.example${'x'.repeat(90)}"`;
  const why = `Forbidden: the Host ${shown} is not this machine; use 127.0.0.1, or change operations.listen in the file\n`;
  expect(await ask('GET', '/health', { host: `${host}:9090` })).toEqual([403, why]);
  const page = 'Forbidden: requests from web pages are rejected: Origin is "https://a.example"\n';
  expect(await ask('GET', '/health', { origin: 'https://a.example' })).toEqual([403, page]);
});

test('a health check of HTTP/1.0, which names no Host, is answered', async () => {
  const { port } = await serving();
  const socket = connect(port, '127.0.0.1');
  socket.end('GET /ready HTTP/1.0\r\n\r\n');
  let answer = '';
  for await (const chunk of socket.setEncoding('utf8')) answer += chunk;
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
});

test('status and drain need the token where other machines can ask, and are not there without one', async () => {
  const open = await serving({ isLoopback: false });
  expect((await open.ask('GET', '/status'))[0]).toBe(404);
  expect((await open.ask('POST', '/drain'))[0]).toBe(404);
  const guarded = await serving({ isLoopback: false, token: 'hush' });
  expect((await guarded.ask('GET', '/status', { authorization: 'Bearer hus' }))[0]).toBe(401);
  expect((await guarded.ask('POST', '/drain', { authorization: 'Bearer hushh' }))[0]).toBe(401);
  expect((await guarded.ask('POST', '/drain', { authorization: 'Bearer hash' }))[0]).toBe(401);
  expect((await guarded.ask('GET', '/status'))[0]).toBe(401);
  for (const path of ['/health', '/ready', '/metrics']) expect((await guarded.ask('GET', path))[0]).toBe(200);
  expect(await guarded.ask('GET', '/status', { authorization: 'Bearer hush' })).toEqual([200, '{"upstreams":[]}\n']);
  expect([open.source.drained, guarded.source.drained]).toEqual([0, 0]);
  expect((await guarded.ask('POST', '/drain', { authorization: 'Bearer hush' }))[0]).toBe(202);
  expect(guarded.source.drained).toBe(1);
});

test('status and drain need no token where this machine alone can ask', async () => {
  const { ask, source } = await serving();
  expect((await ask('GET', '/status'))[0]).toBe(200);
  expect((await ask('POST', '/drain', { host: 'localhost' }))[0]).toBe(202);
  expect(source.drained).toBe(1);
});

test('where other machines can ask, they do so by any name', async () => {
  const { ask } = await serving({ isLoopback: false });
  expect((await ask('GET', '/health', { host: 'gw.example:9090' }))[0]).toBe(200);
});

test.each([
  'rebound.example',
  '127.0.0.1.rebound.example',
  '127.0.0.1:9090.rebound.example',
  '127.0.0.1:x',
  '127.0.0.1:',
])('the host %s is not this machine', async (host) => {
  expect((await (await serving()).ask('GET', '/health', { host }))[0]).toBe(403);
});

test('what is asked is of this moment, and in no cache', async () => {
  const { port } = await serving();
  const { headers } = await fetch(`http://127.0.0.1:${port}/status`);
  const sent = ['cache-control', 'connection', 'content-type'].map((name) => headers.get(name));
  expect(sent).toEqual(['no-store', 'close', 'application/json']);
});

test('a web page cannot make the gateway drain, neither by its origin nor by a name that resolves to this machine', async () => {
  const { ask, source } = await serving();
  expect((await ask('POST', '/drain', { origin: 'http://localhost:3000' }))[0]).toBe(403);
  expect((await ask('POST', '/drain', { host: 'rebound.example:9090' }))[0]).toBe(403);
  expect((await ask('GET', '/drain'))[0]).toBe(404);
  expect(source.drained).toBe(0);
});
