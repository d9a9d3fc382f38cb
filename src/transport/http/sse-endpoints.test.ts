import { describe, expect, test } from 'vitest';
import { port } from '../../../test/fixtures/port.ts';
import { FakeReply, type FakeRequest, FakeView, knock } from '../../../test/support/fake-http.ts';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { call, note, progressing, request, stateless } from '../../../test/support/http-messages.ts';
import { hello } from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { createServer, tool } from '../../index.ts';
import type { AuthInfo } from '../../model/caller.ts';
import type { Servable } from '../../peer/exchange.ts';
import type { HttpOptions } from './http-settings.ts';
import { HttpService } from './service.ts';
import { SseEndpoints } from './sse-endpoints.ts';

class Old {
  readonly port: ReturnType<typeof port> = port();
  readonly service: HttpService;
  readonly #endpoints: SseEndpoints;

  constructor(options: HttpOptions = {}) {
    this.service = new HttpService(this.port.server, options);
    this.#endpoints = new SseEndpoints(this.port.server, this.service);
  }

  async knock(sent: FakeRequest, query = ''): Promise<FakeReply> {
    const reply = new FakeReply();
    await this.#endpoints.answer(new FakeView({ path: '/sse', query, ...sent }), reply);
    await settled();
    return reply;
  }

  /** Opens a stream, and returns the query string to post with. */
  async open(headers: FakeRequest['headers'] = {}): Promise<{ reply: FakeReply; query: string }> {
    const reply = await this.knock({ method: 'GET', headers });
    const endpoint = reply.sink?.events[0]?.data ?? '';
    return { reply, query: endpoint.split('?')[1] ?? '' };
  }

  close(): void {
    this.#endpoints.close();
  }
}

test('the first event of an HTTP+SSE stream names the URL to post to, on the same origin', async () => {
  verifies('SSE-001', 'SSE-002');
  const { reply } = await new Old().open();
  expect(reply.headers['Content-Type']).toBe('text/event-stream');
  expect(reply.sink?.events).toEqual([
    { event: 'endpoint', data: expect.stringMatching(/^\/sse\?session=[\w-]{36}$/) },
  ]);
});

test('a POST without an HTTP+SSE session is rejected with the path of the stream and of Streamable HTTP', async () => {
  const message = async (endpoint?: string): Promise<string | undefined> => {
    const { server } = port();
    const endpoints = new SseEndpoints(server, new HttpService(server, {}), endpoint);
    const reply = new FakeReply();
    const view = new FakeView({ path: '/sse', body: request(1, 'initialize', hello('2025-11-25')) });
    await endpoints.answer(view, reply);
    expect(reply.status).toBe(404);
    return reply.json.error?.message;
  };
  const opens = 'Session not found: GET /sse opens one, and its first event names the URL to post to';
  expect(await message()).toBe(opens);
  expect(await message('/mcp')).toBe(`${opens}; Streamable HTTP is served at /mcp`);
});

test('a POST over HTTP+SSE gets 202, and its response is sent on the stream', async () => {
  verifies('SSE-001', 'SSE-004');
  const old = new Old();
  const { reply, query } = await old.open();
  const posted = await old.knock({ body: request(1, 'initialize', hello('2024-11-05')) }, query);
  expect([posted.status, posted.body]).toEqual([202, undefined]);
  await old.knock({ body: note('notifications/initialized') }, query);
  await old.knock({ body: progressing(2, 'count', { to: 2 }) }, query);
  const events = reply.sink?.events.slice(1) ?? [];
  expect(events.every(({ event }) => event === 'message')).toBe(true);
  const methods = events.map(({ data }) => JSON.parse(data ?? '')).map(({ method, id }) => method ?? `answer ${id}`);
  expect(methods).toEqual(['answer 1', 'notifications/progress', 'notifications/progress', 'answer 2']);
});

test('change notifications are sent on the HTTP+SSE stream', async () => {
  const old = new Old();
  const { reply, query } = await old.open();
  await old.knock({ body: request(1, 'initialize', hello('2024-11-05')) }, query);
  await old.knock({ body: note('notifications/initialized') }, query);
  old.port.server.add(tool({ name: 'more', run: () => '' }));
  await settled();
  expect(reply.sink?.text).toContain('notifications/tools/list_changed');
});

test('closing the HTTP+SSE stream ends the conversation', async () => {
  verifies('SSE-008');
  const old = new Old();
  const { reply, query } = await old.open();
  await old.knock({ body: request(1, 'initialize', hello('2024-11-05')) }, query);
  await old.knock({ body: call(2, 'wait') }, query);
  reply.hangUp();
  expect(old.port.aborted).toHaveLength(1);
  expect((await old.knock({ body: request(3, 'ping') }, query)).status).toBe(404);
});

test('closing the server ends the HTTP+SSE stream', async () => {
  verifies('SSE-008');
  const old = new Old();
  const { reply } = await old.open();
  old.close();
  expect(reply.sink?.ended).toBe(true);
});

test('closing waits for open calls over HTTP+SSE, accepts responses for them, and rejects new ones', async () => {
  const old = new Old();
  const { reply, query } = await old.open();
  await old.knock({ body: request('hello', 'initialize', hello('2024-11-05')) }, query);
  await old.knock({ body: call(1, 'wait') }, query);
  let isClosed = false;
  const closed = old.service.close(60_000).then(() => {
    isClosed = true;
    old.close();
  });
  expect((await old.knock({ body: request(2, 'ping') }, query)).status).toBe(503);
  expect((await old.knock({ body: [request(2, 'ping')] }, query)).status).toBe(503);
  expect((await old.knock({ body: { jsonrpc: '2.0', id: 3, result: {} } }, query)).status).toBe(202);
  expect((await old.knock({ body: note('notifications/x') }, query)).status).toBe(202);
  expect(isClosed).toBe(false);
  old.port.go();
  await closed;
  expect(JSON.parse(reply.sink?.events.at(-1)?.data ?? '')).toMatchObject({
    id: 1,
    result: { content: [{ text: 'went on' }] },
  });
  expect(reply.sink?.ended).toBe(true);
});

describe('guards and limits are those of the other endpoint', () => {
  test('calls over both HTTP transports count together until they are answered', async () => {
    const old = new Old({ maxCalls: 1 });
    const { query } = await old.open();
    await old.knock({ body: request('hello', 'initialize', hello('2024-11-05')) }, query);
    expect((await old.knock({ body: call(1, 'wait') }, query)).status).toBe(202);
    expect((await old.knock({ body: request(2, 'ping') }, query)).status).toBe(429);
    expect((await old.knock({ body: note('notifications/x') }, query)).status).toBe(202);
    expect((await knock(old.service, stateless('tools/list'))).status).toBe(429);
    old.port.go();
    await settled();
    expect((await old.knock({ body: request(2, 'ping') }, query)).status).toBe(202);
    expect((await knock(old.service, stateless('tools/list'))).status).toBe(200);
  });

  test('an HTTP+SSE request of a page of another origin is rejected', async () => {
    verifies('SSE-005', 'SEED-20');
    const headers = { origin: 'https://evil.example' };
    const old = new Old();
    const { query } = await old.open();
    expect((await old.knock({ method: 'GET', headers })).status).toBe(403);
    expect((await old.knock({ headers, body: request(1, 'ping') }, query)).status).toBe(403);
    expect((await old.knock({ method: 'GET', headers: { host: 'evil.example' } })).status).toBe(403);
  });

  test.each([
    ['another media type', { headers: { 'content-type': 'text/plain' }, body: '{}' }, 415],
    ['no JSON', { body: '{' }, 400],
    ['too much', { body: `"${'x'.repeat(2_000)}"` }, 413],
  ] as const)('an HTTP+SSE POST with %s is rejected', async (_what, sent, status) => {
    const old = new Old({ maxBodyBytes: 1_000 });
    const { query } = await old.open();
    expect((await old.knock(sent, query)).status).toBe(status);
  });

  test('HTTP+SSE accepts only GET and POST', async () => {
    expect((await new Old().knock({ method: 'DELETE' })).headers['Allow']).toBe('GET, POST');
    expect((await new Old().knock({ method: 'PUT' })).status).toBe(405);
  });

  test('an HTTP+SSE session that does not exist or belongs to another caller is not found', async () => {
    const auth = ({ header }: { header(name: string): string | undefined }): AuthInfo => ({
      subject: header('authorization') ?? '',
      scopes: [],
    });
    const old = new Old({ auth });
    const { query } = await old.open({ authorization: 'ada' });
    const ping = request(1, 'ping');
    expect((await old.knock({ headers: { authorization: 'ada' }, body: ping }, query)).status).toBe(202);
    expect((await old.knock({ headers: { authorization: 'eve' }, body: ping }, query)).status).toBe(404);
    for (const other of ['', 'session=', 'session=__proto__', 'session=x'])
      expect((await old.knock({ headers: { authorization: 'ada' }, body: ping }, other)).status).toBe(404);
  });

  test('over HTTP+SSE, a server without a "scopes" function checks scopes itself', async () => {
    let ran = 0;
    const refund = tool({ name: 'refund', scopes: ['write'], run: () => `${++ran}` });
    const server = createServer({ name: 'dock', version: '1', parts: [refund] });
    const silent: Servable = { open: (push, session) => server.open(push, session) };
    const auth = ({ header }: { header(name: string): string | undefined }): AuthInfo => ({
      ...{ subject: 'ada', scopes: [header('authorization') ?? ''] },
    });
    const endpoints = new SseEndpoints(silent, new HttpService(silent, { auth }));
    const send = async (sent: FakeRequest, query = ''): Promise<FakeReply> => {
      const reply = new FakeReply();
      await endpoints.answer(new FakeView({ path: '/sse', query, ...sent }), reply);
      await settled();
      return reply;
    };
    const { sink } = await send({ method: 'GET' });
    const query = sink?.events[0]?.data?.split('?')[1] ?? '';
    await send({ body: request('hello', 'initialize', hello('2024-11-05')) }, query);
    for (const authorization of ['read', 'write'])
      await send({ headers: { authorization }, body: call(authorization, 'refund') }, query);
    // The first event names the endpoint, the second is the response to the handshake.
    const [denied, served] = (sink?.events ?? []).slice(2).map(({ data }) => JSON.parse(data ?? ''));
    expect([denied, served, ran]).toMatchObject([{ id: 'read', error: {} }, { id: 'write', result: {} }, 1]);
  });

  test('the number of HTTP+SSE sessions is limited', async () => {
    const old = new Old({ maxSessions: 1 });
    const { reply } = await old.open();
    expect((await old.knock({ method: 'GET' })).status).toBe(429);
    reply.hangUp();
    expect((await old.knock({ method: 'GET' })).status).toBe(200);
  });

  test('an HTTP+SSE stream ends with the token that opened it, or with the newest of its messages', async () => {
    const clock = new HeldClock();
    const auth = ({ header }: { header(name: string): string | undefined }): AuthInfo => ({
      ...{ subject: 'ada', scopes: [], expiresAt: Number(header('authorization')) },
    });
    const old = new Old({ clock, auth });
    const [quiet, busy] = [await old.open({ authorization: '11000' }), await old.open({ authorization: '11000' })];
    await old.knock({ headers: { authorization: '31000' }, body: request(1, 'ping') }, busy.query);
    await clock.pass(70_000);
    expect([quiet.reply.sink?.ended, busy.reply.sink?.ended]).toEqual([true, false]);
    await clock.pass(20_000);
    expect(busy.reply.sink?.ended).toBe(true);
  });

  test('the number of open calls in an HTTP+SSE session is limited', async () => {
    const old = new Old({ maxCallsPerSession: 1 });
    const { reply, query } = await old.open();
    await old.knock({ body: request('hello', 'initialize', hello('2024-11-05')) }, query);
    for (const id of [1, 2]) await old.knock({ body: call(id, 'wait') }, query);
    expect(JSON.parse(reply.sink?.events.at(-1)?.data ?? '')).toMatchObject({
      id: 2,
      error: { message: expect.stringContaining('1 are open') },
    });
  });

  test('a client that does not read its HTTP+SSE stream is cut off', async () => {
    const old = new Old({ maxQueueBytes: 100 });
    const { reply, query } = await old.open();
    if (reply.sink !== undefined) reply.sink.queued = 101;
    await old.knock({ body: request(1, 'ping') }, query);
    expect(reply.sink?.wasCut).toBe(true);
    expect((await old.knock({ body: request(2, 'ping') }, query)).status).toBe(404);
  });

  test('an idle HTTP+SSE stream gets keep-alive comments', async () => {
    const clock = new HeldClock();
    const old = new Old({ clock });
    const { reply } = await old.open();
    await clock.pass(15_000);
    expect(reply.sink?.text).toMatch(/\n:\n\n$/);
  });
});
