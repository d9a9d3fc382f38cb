import { describe, expect, test } from 'vitest';
import { port } from '../../../test/fixtures/port.ts';
import { settled } from '../../../test/support/held-clock.ts';
import { call, note, progressing, request, stateless } from '../../../test/support/http-messages.ts';
import { hello } from '../../../test/support/raw.ts';
import { httpHandler } from './handler.ts';
import type { HttpOptions } from './http-settings.ts';
import { memoryEventLog } from './memory-event-log.ts';

const url = 'http://localhost:3000/mcp';
const usual = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

interface Posted {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
  readonly signal?: AbortSignal;
}

function asked({ headers = {}, body, signal }: Posted): Request {
  const all = Object.entries({ ...usual, ...headers }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const text = typeof body === 'string' || body instanceof ReadableStream ? body : JSON.stringify(body);
  // `duplex` is part of fetch, and not of the types.
  const init = {
    method: 'POST',
    headers: all,
    body: text,
    duplex: 'half',
    ...(signal === undefined ? {} : { signal }),
  };
  return new Request(url, init as RequestInit);
}

function serve(
  options: HttpOptions = {},
): ReturnType<typeof port> & { handler: (request: Request) => Promise<Response> } {
  const made = port();
  return { ...made, handler: httpHandler(made.server, options) };
}

const echo = stateless('tools/call', { name: 'echo', arguments: { message: 'Grüße' } });

test('a response without other messages is JSON', async () => {
  const response = await serve().handler(asked(echo));
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(await response.json()).toMatchObject({ result: { content: [{ text: 'Grüße' }] } });
});

test('a notification before the response turns the response into a stream', async () => {
  const { handler } = serve();
  const response = await handler(
    asked(stateless('tools/call', { name: 'count', arguments: { to: 2 }, _meta: { progressToken: 1 } })),
  );
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect((await response.text()).match(/^data: /gm)).toHaveLength(3);
});

test('a session is opened, used and ended', async () => {
  const { handler } = serve();
  const met = await handler(asked({ body: request(1, 'initialize', hello('2025-11-25')) }));
  const headers = { 'mcp-session-id': met.headers.get('mcp-session-id') ?? '' };
  expect((await handler(asked({ headers, body: note('notifications/initialized') }))).status).toBe(202);
  expect((await handler(asked({ headers, body: call(2, 'echo', { message: 'a' }) }))).status).toBe(200);
  const standing = await handler(new Request(url, { headers: { ...headers, accept: 'text/event-stream' } }));
  expect(standing.status).toBe(200);
  expect((await handler(new Request(url, { method: 'DELETE', headers }))).status).toBe(204);
  await standing.text();
  expect((await handler(asked({ headers, body: request(3, 'ping') }))).status).toBe(404);
});

describe('hanging up', () => {
  const waiting = stateless('tools/call', { name: 'wait', _meta: { progressToken: 1 } });

  test('a client disconnects by cancelling the response body', async () => {
    const { handler, aborted } = serve();
    const response = await handler(asked(waiting));
    await response.body?.cancel();
    await settled();
    expect(aborted).toHaveLength(1);
  });

  test('a client disconnects by aborting the request', async () => {
    const { handler, aborted } = serve();
    const controller = new AbortController();
    void handler(asked({ ...stateless('tools/call', { name: 'wait' }), signal: controller.signal }));
    await settled();
    controller.abort();
    await settled();
    expect(aborted).toHaveLength(1);
  });

  test('a disconnect in a session cancels nothing, and the response can be resumed later', async () => {
    const { handler, aborted, go } = serve();
    const met = await handler(asked({ body: request(1, 'initialize', hello('2025-06-18')) }));
    const headers = { 'mcp-session-id': met.headers.get('mcp-session-id') ?? '' };
    const response = await handler(asked({ headers, body: progressing(2, 'wait') }));
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    go();
    await settled();
    expect(aborted).toEqual([]);
    const last = /id: (\S+)/.exec(first)?.[1] ?? '';
    const rest = await handler(new Request(url, { headers: { ...headers, 'last-event-id': last } }));
    expect(await rest.text()).toContain('went on');
  });
});

describe('limits', () => {
  test('a body that is too large is not read to its end', async () => {
    const { handler } = serve({ maxBodyBytes: 1_000 });
    let pulled = 0;
    const body = new ReadableStream({
      pull: (controller) => {
        pulled++;
        controller.enqueue(new Uint8Array(600));
      },
    });
    expect((await handler(asked({ body }))).status).toBe(413);
    expect(pulled).toBeLessThan(10);
    expect((await handler(asked({ body: 'x'.repeat(1_001) }))).status).toBe(413);
  });

  test('a body with a Content-Length above the limit is not read', async () => {
    const { handler } = serve({ maxBodyBytes: 1_000 });
    let isRead = false;
    const body = new ReadableStream(
      {
        pull: (controller) => {
          isRead = true;
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    expect((await handler(asked({ headers: { 'content-length': '1001' }, body }))).status).toBe(413);
    expect(isRead).toBe(false);
  });

  test('a body that is not UTF-8 is rejected', async () => {
    const { handler } = serve();
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new Uint8Array([0x22, 0xff, 0x22]));
        controller.close();
      },
    });
    expect((await handler(asked({ body }))).status).toBe(400);
  });

  test('a client that does not read its stream is cut off', async () => {
    const { handler } = serve({ maxQueueBytes: 100 });
    const params = { name: 'count', arguments: { to: 50 }, _meta: { progressToken: 1 } };
    const response = await handler(asked(stateless('tools/call', params)));
    await settled();
    await expect(response.text()).rejects.toThrow('too slow');
  });

  test('a request with another Host is rejected', async () => {
    const evil = new Request('http://evil.example/mcp', { method: 'POST', headers: usual, body: '{}' });
    expect((await serve().handler(evil)).status).toBe(403);
    expect((await serve({ allowedHosts: ['evil.example'] }).handler(evil)).status).toBe(400);
  });
});

test('a stream whose request fails is aborted, so that its client does not wait for the rest', async () => {
  const log = memoryEventLog();
  // Another process wrote the stream, and whether it is alive is unknown.
  const orphaned = (): Promise<never> => Promise.reject(new Error('away'));
  const { handler } = serve({ eventLog: { ...log, orphaned } });
  const met = await handler(asked({ body: request('hello', 'initialize', hello('2025-11-25')) }));
  const session = met.headers.get('mcp-session-id') ?? '';
  const name = `p${'x'.repeat(12)}`;
  await log.append(`${session}/${name}`, { seq: 1, data: '{}' });
  const headers = { accept: 'text/event-stream', 'mcp-session-id': session, 'last-event-id': `${name}.0` };
  const resumed = await handler(new Request(url, { headers }));
  expect(resumed.status).toBe(200);
  await expect(resumed.text()).rejects.toThrow('The server failed');
});

test('invalid options are rejected before the first request', () => {
  expect(() => httpHandler(port().server, { allowedOrigins: ['*'] })).toThrow('not an origin');
});
