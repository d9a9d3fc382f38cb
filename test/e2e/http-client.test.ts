/** Our client and our server over real HTTP, beyond requests and responses. */
import { once } from 'node:events';
import { createServer as listenRaw } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { connect } from '../../src/connect/connect.ts';
import { createServer, tool } from '../../src/index.ts';
import { nodeHandler, serveHttp } from '../../src/transport/node.ts';
import { verifies } from '../support/verifies.ts';

const sessions = ['2025-11-25', '2025-06-18', '2025-03-26'];
const eras = ['2026-07-28', ...sessions, '2024-11-05'];

describe.each(eras)('in %s', (revision) => {
  test('a call that is cancelled is cancelled on the server too', async () => {
    verifies('CANCEL-013', 'HTTP-035');
    const aborted: Promise<unknown>[] = [];
    let begun = (): void => undefined;
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow = tool({
      name: 'slow',
      run: async (_, { signal }) => {
        aborted.push(once(signal, 'abort'));
        begun();
        await aborted[0];
        return 'too late';
      },
    });
    const listener = await serveHttp(createServer({ name: 's', version: '1', parts: [slow] }), { port: 0 });
    const client = await connect(listener.url, { revisions: [revision] });
    const control = new AbortController();
    const call = client.call('slow', {}, { signal: control.signal });
    await started;
    control.abort();
    await expect(call).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    await aborted[0];
    await client.close();
    await listener.close();
  });

  test('fifty calls at once get fifty answers, each its own', async () => {
    const echo = tool({
      name: 'echo',
      input: z.object({ n: z.number() }),
      run: ({ n }, ctx) => {
        ctx.progress(1);
        return String(n);
      },
    });
    const listener = await serveHttp(createServer({ name: 's', version: '1', parts: [echo] }), { port: 0 });
    const client = await connect(listener.url, { revisions: [revision] });
    const calls = Array.from({ length: 50 }, (_, n) =>
      client.call('echo', { n }, n % 2 === 0 ? { onProgress: () => undefined } : {}),
    );
    expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(calls.map((_, n) => String(n)));
    await client.close();
    await listener.close();
  });
});

test('a server may end the connection of a call, and the client comes back for the answer', async () => {
  verifies('HTTP-031', 'HTTP-032', 'HTTP-052');
  const later = tool({
    name: 'later',
    run: async (_, ctx) => {
      ctx.progress(1);
      ctx.http?.release(60);
      await new Promise((resolve) => setTimeout(resolve, 30));
      ctx.progress(2);
      return 'here';
    },
  });
  const handler = nodeHandler(createServer({ name: 's', version: '1', parts: [later] }));
  const gets: (string | undefined)[] = [];
  const raw = listenRaw((request, response) => {
    if (request.method === 'GET') gets.push(request.headers['last-event-id'] as string | undefined); // one such header
    handler(request, response);
  });
  raw.listen(0, '127.0.0.1');
  await once(raw, 'listening');
  const { port } = raw.address() as AddressInfo; // it listens on a port
  const client = await connect(`http://127.0.0.1:${port}/`, { revisions: ['2025-11-25'] });
  const seen: number[] = [];
  const { text } = await client.call('later', {}, { onProgress: ({ progress }) => seen.push(progress) });
  expect(text).toBe('here');
  expect(seen).toEqual([1, 2]);
  expect(gets.filter((id) => id !== undefined)).toHaveLength(1);
  await client.close();
  await handler.close();
  raw.closeAllConnections();
  raw.close();
});

test('arguments are repeated in headers, also for a client that has not looked at the tools', async () => {
  verifies('HTTP-088', 'HTTP-104', 'TOOL-81', 'TOOL-85');
  const input = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) });
  const where = tool({ name: 'where', input, run: ({ region }) => region });
  const listener = await serveHttp(createServer({ name: 's', version: '1', parts: [where] }), { port: 0 });
  const client = await connect(listener.url, { revisions: ['2026-07-28'] });
  for (const region of ['eu-1', 'größer', ' padded ', ''])
    expect((await client.call('where', { region })).text).toBe(region);
  await client.close();
  await listener.close();
});

test('HTTP+SSE is found behind its own address', async () => {
  verifies('SSE-003', 'SSE-011', 'SSE-012');
  const listener = await serveHttp(
    createServer({ name: 's', version: '1', parts: [tool({ name: 't', run: () => 'hi' })] }),
    { port: 0, sse: '/sse' },
  );
  const client = await connect(new URL('/sse', listener.url));
  expect((await client.call('t')).text).toBe('hi');
  await client.close();
  await listener.close();
});

test('fetch serves as well as our own connections', async () => {
  const listener = await serveHttp(
    createServer({ name: 's', version: '1', parts: [tool({ name: 't', run: () => 'hi' })] }),
    { port: 0 },
  );
  for (const revision of eras) {
    const client = await connect(listener.url, { revisions: [revision], fetch });
    expect((await client.call('t')).text).toBe('hi');
    await client.close();
  }
  await listener.close();
});
