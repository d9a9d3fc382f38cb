import { describe, expect, test } from 'vitest';
import { port } from '../../../test/fixtures/port.ts';
import { type FakeRequest, knock, started } from '../../../test/support/fake-http.ts';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { call, errorOf, note, opened, request, stateless } from '../../../test/support/http-messages.ts';
import { hello } from '../../../test/support/raw.ts';
import { soon } from '../../../test/support/soon.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { AuthRejection } from '../../model/auth.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { LISTEN } from '../../model/names.ts';
import type { HttpOptions } from './http-settings.ts';
import { HttpService } from './service.ts';

const serve = (options: HttpOptions = {}): HttpService => new HttpService(port().server, options);
const echo = stateless('tools/call', { name: 'echo', arguments: { message: 'hi' } });

describe('before anything is read', () => {
  test.each(['GET', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'HEAD'])(
    'a request of a page of another origin is rejected, with %s',
    async (method) => {
      verifies('HTTP-003', 'HTTP-004', 'HTTP-005');
      const { server, ran } = port();
      const service = new HttpService(server, {});
      const { reply, view, done } = started(service, {
        ...echo,
        method,
        headers: { ...echo.headers, origin: 'https://evil.example' },
      });
      await done;
      expect(errorOf(reply)).toEqual([403, -32600]);
      expect(reply.json).not.toHaveProperty('id');
      expect(view.read).toBe(false);
      expect(ran()).toBe(0);
    },
  );

  test('a request with another Host is rejected', async () => {
    const reply = await knock(serve(), { ...echo, headers: { ...echo.headers, host: 'evil.example' } });
    expect(reply.status).toBe(403);
    expect(reply.json.error?.message).toContain('allowedHosts');
  });

  test.each(['PUT', 'HEAD', 'PATCH', 'OPTIONS'])('%s is not a method of this endpoint', async (method) => {
    const reply = await knock(serve(), { method });
    expect(reply.status).toBe(405);
    expect(reply.headers['Allow']).toBe('POST, GET, DELETE');
  });

  test('GET and DELETE without a session are rejected', async () => {
    verifies('HTTP-041', 'HTTP-066');
    for (const method of ['GET', 'DELETE']) {
      const reply = await knock(serve(), { method });
      expect(reply.status).toBe(405);
      expect(reply.headers['Allow']).toBe('POST');
    }
  });

  test('without sessions, GET and DELETE are rejected and a session id is ignored', async () => {
    verifies('HTTP-119', 'HTTP-120', 'HTTP-121');
    const service = new HttpService(port({ revisions: ['2026-07-28'] }).server, {});
    const headers = { 'mcp-session-id': 'x', 'last-event-id': 'p.1' };
    for (const method of ['GET', 'DELETE']) expect((await knock(service, { method, headers })).status).toBe(405);
    const reply = await knock(service, { ...echo, headers: { ...echo.headers, ...headers } });
    expect(reply.status).toBe(200);
    expect(reply.headers).not.toHaveProperty('Mcp-Session-Id');
    const met = await knock(service, { body: request(1, 'initialize', hello('2025-11-25')) });
    expect(errorOf(met)).toEqual([400, -32602]);
  });

  test('a request without credentials is rejected where they are needed', async () => {
    const auth = (): { status: 401; wwwAuthenticate: string } => ({ status: 401, wwwAuthenticate: 'Bearer' });
    const { reply, view, done } = started(serve({ auth }), echo);
    await done;
    expect(reply.status).toBe(401);
    expect(reply.headers['WWW-Authenticate']).toBe('Bearer');
    expect(view.read).toBe(false);
  });

  test.each(['POST', 'GET', 'DELETE'])(
    '%s without credentials is rejected, with or without a session',
    async (method) => {
      const auth = (): { status: 401; wwwAuthenticate: string } => ({ status: 401, wwwAuthenticate: 'Bearer' });
      for (const headers of [{}, { 'mcp-session-id': 'x' }, { 'mcp-protocol-version': '2026-07-28' }]) {
        for (const given of [auth, () => Promise.resolve(auth())]) {
          const { reply, view, done } = started(serve({ auth: given }), { ...echo, method, headers });
          await done;
          expect([reply.status, reply.headers['WWW-Authenticate'], view.read]).toEqual([401, 'Bearer', false]);
        }
      }
    },
  );

  test('a body of the wrong type, or of a client that accepts no response, is not read', async () => {
    for (const headers of [{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }, { accept: 'text/html' }]) {
      const { view, done } = started(serve(), { ...echo, headers: { ...echo.headers, ...headers } });
      await done;
      expect(view.read).toBe(false);
    }
  });

  test('an authenticator that throws rejects every request', async () => {
    const reply = await knock(serve({ auth: () => Promise.reject(new Error('secret')) }), echo);
    expect(reply.status).toBe(503);
    expect(reply.body).not.toContain('secret');
  });
});

describe('the body', () => {
  test.each([
    ['is not JSON by its type', { headers: { 'content-type': 'text/plain' }, body: '{}' }, 415, -32600],
    ['is compressed', { headers: { 'content-encoding': 'gzip' }, body: '{}' }, 415, -32600],
    ['is for a client that reads neither', { headers: { accept: 'text/html' }, body: '{}' }, 406, -32600],
    ['is no JSON', { body: '{' }, 400, -32700],
    ['is empty', { body: '' }, 400, -32700],
    ['is no text', { body: '"\ufffd"' }, 400, -32700],
    ['is too deep', { body: `${'['.repeat(5000)}${']'.repeat(5000)}` }, 400, -32700],
    ['is no message', { body: '7' }, 400, -32600],
    ['is an array without a session', { body: [request(1, 'ping')] }, 400, -32600],
    ['has a wrong version of JSON-RPC', { body: { jsonrpc: '1.0', id: 1, method: 'ping' } }, 400, -32600],
  ] as const)('%s', async (_what, sent: FakeRequest, status, code) => {
    verifies('HTTP-016');
    const reply = await knock(serve(), sent);
    expect(errorOf(reply)).toEqual([status, code]);
  });

  test.each([
    [99, 413],
    [100, 413],
    [101, 400],
  ])('with a limit of %i bytes, a body of 101 bytes gets %i', async (maxBodyBytes, status) => {
    const reply = await knock(serve({ maxBodyBytes }), { body: `"${'x'.repeat(99)}"` });
    expect(reply.status).toBe(status);
    if (status === 413) expect(reply.json.error?.message).toContain('maxBodyBytes');
  });

  test('an error response has the id of the message', async () => {
    expect((await knock(serve(), { body: { id: 7, method: 'ping' } })).json['id']).toBe(7);
    expect((await knock(serve(), { body: { jsonrpc: '2.0', id: 'a', method: 5 } })).json['id']).toBe('a');
  });
});

describe('without a session', () => {
  test('a request without a session is rejected', async () => {
    verifies('HTTP-061');
    const reply = await knock(serve(), { body: request(1, 'tools/list') });
    expect(errorOf(reply)).toEqual([400, -32600]);
    expect(reply.json.error?.message).toContain('Mcp-Session-Id is missing');
  });

  test('notifications and responses without a session are rejected', async () => {
    verifies('HTTP-016');
    for (const body of [note('notifications/initialized'), { jsonrpc: '2.0', id: 1, result: {} }])
      expect((await knock(serve(), { body })).status).toBe(400);
  });

  test.each(['unknown', '__proto__', 'constructor', '', 'a, b'])('the session id "%s" is unknown', async (id) => {
    const headers = { 'mcp-session-id': id };
    expect((await knock(serve(), { headers, body: request(1, 'tools/list') })).status).toBe(404);
    expect((await knock(serve(), { headers, method: 'GET' })).status).toBe(404);
    expect((await knock(serve(), { headers, method: 'DELETE' })).status).toBe(404);
  });
});

test('a handshake opens a session, also with the header of a revision without sessions', async () => {
  const headers = { 'mcp-protocol-version': '2026-07-28' };
  const reply = await knock(serve(), { headers, body: request(1, 'initialize', hello('2025-11-25')) });
  expect([reply.status, typeof reply.headers['Mcp-Session-Id']]).toEqual([200, 'string']);
  expect(errorOf(await knock(serve(), { headers, body: request(1, 'ping') }))).toEqual([400, -32602]);
});

test('a client of a revision without a version header is served without the header', async () => {
  verifies('HTTP-076');
  const service = serve();
  const pings = [request(1, 'ping'), request(2, 'ping')];
  const old = await opened(service, '2025-03-26');
  expect(old).not.toHaveProperty('mcp-protocol-version');
  // Only that revision has batches.
  const reply = await knock(service, { headers: old, body: pings });
  expect([reply.status, reply.json]).toMatchObject([200, [{ id: 1 }, { id: 2 }]]);
  expect((await knock(service, { headers: await opened(service, '2025-06-18'), body: pings })).status).toBe(400);
  expect((await knock(service, echo)).status).toBe(200);
});

describe('closing', () => {
  /** A service with one open call, and several callers of `close`. */
  async function closing(times: number): Promise<{ clock: HeldClock; go: () => void; closed: () => number }> {
    const clock = new HeldClock();
    const { server, go } = port();
    const service = new HttpService(server, { clock });
    started(service, stateless('tools/call', { name: 'wait' }));
    await settled();
    let closed = 0;
    for (let n = 0; n < times; n++) void service.close(60_000).then(() => closed++);
    await settled();
    expect(closed).toBe(0);
    return { clock, go, closed: () => closed };
  }

  test.each([1, 2])('closing resolves with the last call, for each of %i callers', async (times) => {
    const { go, closed } = await closing(times);
    go();
    await settled();
    expect(closed()).toBe(times);
  });

  test('a closing service rejects new requests, and accepts the responses that open calls need', async () => {
    const { server, ran, aborted, go } = port();
    const service = new HttpService(server, {});
    const headers = await opened(service, '2025-03-26');
    const waiting = started(service, { headers, body: call(1, 'wait') });
    await soon(() => expect(ran()).toBe(1));
    const closed = service.close(60_000);
    const statusOf = async (sent: FakeRequest): Promise<number> => (await knock(service, { headers, ...sent })).status;
    for (const sent of [
      { body: request(2, 'ping') },
      { body: [request(2, 'ping')] },
      { body: [note('x')] },
      { body: request(2, 'initialize', hello('2025-03-26')) },
      stateless(LISTEN, { notifications: {} }),
      echo,
      { method: 'GET' },
      { method: 'DELETE' },
    ])
      expect(await statusOf(sent)).toBe(503);
    expect(await statusOf({ body: { jsonrpc: '2.0', id: 'x', result: {} } })).toBe(202);
    expect(await statusOf({ body: note('notifications/cancelled', { requestId: 1 }) })).toBe(202);
    expect(aborted).toHaveLength(1);
    go();
    await waiting.done;
    await closed;
  });

  test('closing does not wait longer than drainMs', async () => {
    const { clock, closed } = await closing(1);
    await clock.pass(59_999);
    expect(closed()).toBe(0);
    await clock.pass(1);
    expect(closed()).toBe(1);
  });
});

describe('too much at once', () => {
  test('calls above the total limit are rejected, until others end', async () => {
    const { server, go } = port();
    const service = new HttpService(server, { maxCalls: 1 });
    const waiting = started(service, stateless('tools/call', { name: 'wait' }));
    await Promise.resolve();
    await knock(service, { body: 'x' });
    const refused = await knock(service, echo);
    expect(refused.status).toBe(429);
    expect(refused.headers['Retry-After']).toBe('1');
    expect(refused.json.error?.message).toContain('maxCalls');
    go();
    await waiting.done;
    expect((await knock(service, echo)).status).toBe(200);
  });

  test('messages other than calls are accepted at the limit of calls', async () => {
    const { server, go } = port();
    const service = new HttpService(server, { maxCalls: 1 });
    const headers = await opened(service, '2025-11-25');
    const waiting = started(service, { headers, body: call(1, 'wait') });
    await knock(service, { body: 'x' });
    expect((await knock(service, { headers, body: request(2, 'ping') })).status).toBe(429);
    expect((await knock(service, { headers, body: note('notifications/x') })).status).toBe(202);
    const listening = started(service, stateless(LISTEN, { notifications: {} }));
    await soon(() => expect(listening.reply.status).toBe(200));
    go();
    await waiting.done;
  });

  test.each([
    [2, 429],
    [3, 200],
  ])(
    'with a total limit of %i calls, a batch of three gets %i, and is no longer counted afterwards',
    async (maxCalls, status) => {
      const service = serve({ maxCalls });
      const headers = await opened(service, '2025-03-26');
      const body = [request(1, 'ping'), note('notifications/x'), request(2, 'ping')];
      for (const _time of [1, 2]) expect((await knock(service, { headers, body })).status).toBe(status);
      expect((await knock(service, { headers, body: request(3, 'ping') })).status).toBe(200);
    },
  );

  test('a batch above the maximum length is rejected as too long, not as too many calls', async () => {
    const service = serve();
    const headers = await opened(service, '2025-03-26');
    const body = Array.from({ length: 1_025 }, (_, id) => request(id, 'ping'));
    expect(errorOf(await knock(service, { headers, body }))).toEqual([400, -32600]);
  });

  test.each([
    [1, 0, 429],
    [1, 1, 200],
    [2, 1, 429],
    [2, 2, 200],
  ])('a batch of %i requests with a limit of %i calls per session gets %i', async (n, maxCallsPerSession, status) => {
    const service = serve({ maxCallsPerSession });
    const headers = await opened(service, '2025-03-26');
    const body = Array.from({ length: n }, (_, id) => request(id, 'ping'));
    const reply = await knock(service, { headers, body: [...body, note('notifications/x')] });
    expect(reply.status).toBe(status);
    if (status === 429) expect(reply.json.error?.message).toContain('maxCallsPerSession');
    else expect(reply.json).toHaveLength(n);
  });

  test.each([
    [0, 429],
    [1, 200],
  ])('a request with a limit of %i calls per session gets %i', async (maxCallsPerSession, status) => {
    const service = serve({ maxCallsPerSession });
    const headers = await opened(service, '2025-11-25');
    expect((await knock(service, { headers, body: request(1, 'ping') })).status).toBe(status);
  });

  test('a batch counts together with the open calls', async () => {
    const { server, go } = port();
    const service = new HttpService(server, { maxCallsPerSession: 2 });
    const headers = await opened(service, '2025-03-26');
    const waiting = started(service, { headers, body: call(1, 'wait') });
    await knock(service, { body: 'x' });
    expect((await knock(service, { headers, body: [request(2, 'ping'), request(3, 'ping')] })).status).toBe(429);
    expect((await knock(service, { headers, body: [request(2, 'ping')] })).status).toBe(200);
    go();
    await waiting.done;
  });

  test('the limit of calls per session does not affect other sessions', async () => {
    const { server, go } = port();
    const service = new HttpService(server, { maxCallsPerSession: 2 });
    const [one, other] = [await opened(service, '2025-11-25'), await opened(service, '2025-11-25')];
    const waiting = [1, 2].map((id) => started(service, { headers: one, body: call(id, 'wait') }));
    await knock(service, { body: 'x' });
    expect((await knock(service, { headers: one, body: request(3, 'ping') })).status).toBe(429);
    expect((await knock(service, { headers: other, body: request(3, 'ping') })).status).toBe(200);
    go();
    await Promise.all(waiting.map(({ done }) => done));
    expect((await knock(service, { headers: one, body: request(3, 'ping') })).status).toBe(200);
  });
});

test('pages of a configured origin get CORS headers with every response, also with errors', async () => {
  const service = serve({ allowedOrigins: ['https://app.example'] });
  const origin = { origin: 'https://app.example' };
  const replies = [
    await knock(service, { ...echo, headers: { ...echo.headers, ...origin } }),
    await knock(service, { headers: origin, body: '{' }),
    await knock(service, { headers: { ...origin, 'content-type': 'text/plain' } }),
    await knock(service, { headers: origin, body: request(1, 'initialize', hello('2025-11-25')) }),
    await knock(service, { headers: origin, body: request(1, 'ping') }),
    await knock(service, { headers: origin, method: 'PUT' }),
  ];
  for (const { headers } of replies) expect(headers['Access-Control-Allow-Origin']).toBe('https://app.example');
  expect(replies.map(({ status }) => status)).toEqual([200, 400, 415, 200, 400, 405]);
  const preflight = await knock(service, {
    method: 'OPTIONS',
    headers: { ...origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'mcp-method' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers).toMatchObject({
    'Access-Control-Allow-Origin': 'https://app.example',
    'Access-Control-Allow-Methods': 'POST, GET, DELETE',
    'Access-Control-Max-Age': '7200',
    Vary: 'Origin',
  });
  expect(preflight.headers['Access-Control-Allow-Headers']).toBe('mcp-method');
});

test('a session belongs to the caller that opened it, and its id is no credential', async () => {
  verifies('SEC-025', 'SEC-028', 'SEC-055');
  const auth = ({ header }: { header(name: string): string | undefined }): AuthInfo | AuthRejection => {
    const subject = header('authorization');
    return subject === undefined ? { status: 401, wwwAuthenticate: 'Bearer' } : { subject, scopes: [] };
  };
  const service = serve({ auth });
  const ada = await opened(service, '2025-11-25', { authorization: 'ada' });
  const eve = { ...ada, authorization: 'eve' };
  const unverified = { ...ada, authorization: undefined };
  expect((await knock(service, { headers: ada, body: request(1, 'ping') })).status).toBe(200);
  expect((await knock(service, { headers: eve, body: request(1, 'ping') })).status).toBe(404);
  expect((await knock(service, { headers: unverified, body: request(1, 'ping') })).status).toBe(401);
  expect((await knock(service, { headers: eve, method: 'GET' })).status).toBe(404);
  expect((await knock(service, { headers: eve, method: 'DELETE' })).status).toBe(404);
  expect((await knock(service, { headers: ada, body: request(1, 'ping') })).status).toBe(200);
});
