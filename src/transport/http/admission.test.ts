/** Authorization over HTTP: missing scopes, identities, public documents, and streams that end with their token. */
import { describe, expect, test } from 'vitest';
import { FakeReply, type FakeSink, FakeView, knock, started } from '../../../test/support/fake-http.ts';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { call, errorOf, opened, request, stateless } from '../../../test/support/http-messages.ts';
import { everyRevision, hello, STATELESS, withHandshake } from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { Authenticator } from '../../model/auth.ts';
import { resource } from '../../server/resource.ts';
import { createServer } from '../../server/server.ts';
import type { Server } from '../../server/server-interface.ts';
import { tool } from '../../server/tool.ts';
import { httpHandler } from './handler.ts';
import { HttpService } from './service.ts';
import { SseEndpoints } from './sse-endpoints.ts';

const ran: string[] = [];
const seen: unknown[] = [];
const parts = [
  tool({ name: 'free', run: (_input, ctx) => String(ctx.auth?.expiresAt) }),
  tool({
    name: 'refund',
    scopes: ['write'],
    run: (_input, ctx) => {
      ran.push('refund');
      seen.push(ctx.auth);
      return 'done';
    },
  }),
  tool({ name: 'audit', scopes: ['audit'], run: () => 'done' }),
  resource({ uri: 'orders://{id}', scopes: ['read'], read: () => 'x' }),
];
const dock = (): Server => createServer({ name: 'dock', version: '1', parts });

const documents = new Map([['/.well-known/oauth-protected-resource/mcp', { resource: 'https://dock.example/mcp' }]]);
/** Authenticates `Authorization: subject scope scope …`, with the time of expiry in its own header. */
const judge: Authenticator = Object.assign(
  ({ header }: Parameters<Authenticator>[0]) => {
    const [subject, ...scopes] = header('authorization')?.split(' ') ?? [];
    if (subject === undefined) return { status: 401, wwwAuthenticate: 'Bearer realm="x"' } as const;
    const until = header('x-until');
    return { subject, scopes, ...(until === undefined ? {} : { expiresAt: Number(until) }) };
  },
  { documents },
);
const challenge = (needed: readonly string[]): { status: 403; wwwAuthenticate: string; headers: { X: string } } => ({
  status: 403,
  wwwAuthenticate: `Bearer own="${needed.join(' ')}"`,
  headers: { X: 'y' },
});
const own: Authenticator = Object.assign((it: Parameters<Authenticator>[0]) => judge(it), { insufficient: challenge });

test.each([400, 401, 403] as const)('an authenticator can reject a caller with status %i', async (status) => {
  const auth: Authenticator = () => ({ status, wwwAuthenticate: 'Bearer error="access_denied"' });
  const refused = await knock(new HttpService(dock(), { auth }), stateless('tools/list'));
  expect([refused.status, refused.headers['WWW-Authenticate']]).toEqual([status, 'Bearer error="access_denied"']);
});

test('the other headers of a rejection do not replace its challenge', async () => {
  const headers = { 'WWW-Authenticate': 'Basic', 'DPoP-Nonce': 'n' };
  const auth: Authenticator = () => ({ status: 401, wwwAuthenticate: 'Bearer', headers });
  const refused = await knock(new HttpService(dock(), { auth }), stateless('tools/list'));
  expect(refused.headers).toMatchObject({ 'WWW-Authenticate': 'Bearer', 'DPoP-Nonce': 'n' });
});

describe('scopes', () => {
  const message = (revision: string, method: string, params: object): object =>
    revision === STATELESS ? stateless(method, { ...params }) : { body: request(1, method, { ...params }) };

  async function sent(revision: string, service: HttpService, authorization: string, what: [string, object]) {
    const as = { authorization };
    const headers = revision === STATELESS ? as : await opened(service, revision, as);
    const { headers: own = {}, ...rest } = message(revision, ...what) as { headers?: object };
    return knock(service, { ...rest, headers: { ...own, ...headers } });
  }

  test.each(everyRevision.filter((id) => id !== '2024-11-05'))(
    'missing scopes get 403 with one challenge before any handler runs, in %s',
    async (revision) => {
      verifies('AUTH-066', 'AUTH-067', 'TOOL-51', 'RES-31', 'RES-33', 'LIFE-057');
      const service = new HttpService(dock(), { auth: judge });
      ran.length = 0;
      const refused = await sent(revision, service, 'ada read', ['tools/call', { name: 'refund' }]);
      expect(errorOf(refused)).toEqual([403, -32600]);
      expect(refused.headers['WWW-Authenticate']).toBe('Bearer error="insufficient_scope", scope="write"');
      expect(refused.sink).toBeUndefined();
      expect(refused.json['id']).toBe(revision === STATELESS ? 'it' : 1);
      const read = await sent(revision, service, 'ada write', ['resources/read', { uri: 'orders://7' }]);
      expect(read.headers['WWW-Authenticate']).toContain('scope="read"');
      expect(ran).toEqual([]);
      expect((await sent(revision, service, 'ada write', ['tools/call', { name: 'refund' }])).status).toBe(200);
      expect(ran).toEqual(['refund']);
    },
  );

  test('the authenticator creates the challenge for missing scopes, with its own headers', async () => {
    const service = new HttpService(dock(), { auth: own });
    const refused = await knock(service, stateless('tools/call', { name: 'refund' }, { authorization: 'ada' }));
    expect(refused.headers).toMatchObject({ 'WWW-Authenticate': 'Bearer own="write"', X: 'y' });
  });

  test('the challenge for a batch names the scopes of all its messages', async () => {
    verifies('AUTH-068');
    const service = new HttpService(dock(), { auth: judge });
    const headers = await opened(service, '2025-03-26', { authorization: 'ada' });
    const body = [call(1, 'refund'), call(2, 'audit'), call(3, 'free'), call(4, 'refund'), 7, null];
    const refused = await knock(service, { headers, body });
    expect(errorOf(refused)).toEqual([403, -32600]);
    expect(refused.headers['WWW-Authenticate']).toContain('scope="write audit"');
    const rest = await knock(service, { headers, body: [call(3, 'free')] });
    expect(rest.status).toBe(200);
  });

  test('every scope of a part is needed, also for the last message of a batch', async () => {
    const server = dock();
    server.add(tool({ name: 'both', scopes: ['read', 'write'], run: (_input, ctx) => String(ctx.auth?.subject) }));
    const service = new HttpService(server, { auth: judge });
    const headers = await opened(service, '2025-03-26', { authorization: 'ada' });
    const statusWith = async (authorization: string, body: unknown): Promise<number> =>
      (await knock(service, { headers: { ...headers, authorization }, body })).status;
    const last = [call(1, 'free'), call(2, 'free'), call(3, 'both')];
    for (const body of [call(1, 'both'), last]) {
      expect([await statusWith('ada read', body), await statusWith('ada write', body)]).toEqual([403, 403]);
      expect(await statusWith('ada write read', body)).toBe(200);
    }
    const { json } = await knock(service, { headers: { ...headers, authorization: 'ada read write' }, body: last });
    expect(JSON.stringify(json)).toContain('"text":"ada"');
  });

  test('the authenticator gets the method, the query, and headers by names in any letter case', async () => {
    const asked: unknown[] = [];
    const auth: Authenticator = ({ method, path, query, header }) => {
      asked.push([method, path, query, header('X-Until')]);
      return { subject: 'ada', scopes: [] };
    };
    const view = Object.assign(new FakeView({ method: 'GET', headers: { 'x-until': '5' } }), { query: 'a=b' });
    await new HttpService(dock(), { auth }).answer(view, new FakeReply());
    expect(asked).toEqual([['GET', '/mcp', 'a=b', '5']]);
  });

  test('a part with scopes is rejected without a challenge if callers are not verified', async () => {
    verifies('TOOL-51', 'RES-31');
    const service = new HttpService(dock(), {});
    const refused = await knock(service, stateless('tools/call', { name: 'refund' }));
    expect(errorOf(refused)).toEqual([403, -32600]);
    expect(refused.json.error?.message).toBe(
      'Forbidden: this needs the scopes write, and callers are not verified here (auth)',
    );
    expect((await knock(service, stateless('tools/call', { name: 'free' }))).status).toBe(200);
  });

  test('over HTTP+SSE, missing scopes reject the POST, and nothing is sent on the stream', async () => {
    verifies('TOOL-51', 'AUTH-066');
    const { post, sink } = await channel({ authorization: 'ada' });
    const refused = await post({ authorization: 'ada' }, call(1, 'refund'));
    expect([refused.status, refused.headers['WWW-Authenticate']]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="write"',
    ]);
    expect((await post({ authorization: 'ada write' }, call(2, 'refund'))).status).toBe(202);
    await new Promise(setImmediate);
    expect(answered(sink())).toEqual(['hello', 2]);
  });

  test('the scopes of a request are looked up once', async () => {
    const service = new HttpService(dock(), { auth: judge });
    const headers = { authorization: 'ada', 'mcp-protocol-version': STATELESS };
    const many = knock(service, { headers, body: Array.from({ length: 300_000 }, () => ({})) });
    expect((await many).status).toBe(400);
    const uris = Array.from({ length: 200_000 }, (_, n) => `x:${n}`);
    const listen = stateless('subscriptions/listen', { notifications: { resourceSubscriptions: uris } }, headers);
    expect(errorOf(await knock(service, listen))).toEqual([200, -32602]);
  });

  test.each<unknown>([
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: null },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: [7] },
    { method: { toString: 1 } },
    [[[]]],
    7,
    null,
  ])('the scopes of the malformed message %j are not looked up', async (body) => {
    const service = new HttpService(dock(), { auth: judge });
    const reply = await knock(service, { headers: { authorization: 'ada' }, body });
    expect(reply.status).toBe(400);
  });
});

/** The ids of the responses on an HTTP+SSE stream. */
const answered = ({ events }: FakeSink): unknown[] =>
  events.filter(({ event }) => event === 'message').map(({ data }) => JSON.parse(data ?? '').id);

/** An open HTTP+SSE stream, after the handshake. */
async function channel(headers: Record<string, string>, clock = new HeldClock()) {
  const server = dock();
  const service = new HttpService(server, { auth: judge, clock });
  const sse = new SseEndpoints(server, service);
  const stream = new FakeReply();
  await sse.answer(new FakeView({ method: 'GET', path: '/sse', headers }), stream);
  const query = /\?(session=.+)/.exec(stream.sink?.text ?? '')?.[1] ?? '';
  const post = async (as: Record<string, string>, body: unknown): Promise<FakeReply> => {
    const reply = new FakeReply();
    await sse.answer(new FakeView({ path: '/sse', query, headers: as, body }), reply);
    return reply;
  };
  await post(headers, request('hello', 'initialize', hello('2024-11-05')));
  const sink = (): FakeSink => {
    if (stream.sink === undefined) throw new Error('no stream was opened');
    return stream.sink;
  };
  return { post, sink, clock };
}

describe('who is calling', () => {
  test('the identity in a handler is that of its own message, over HTTP+SSE too', async () => {
    verifies('LIFE-057', 'SEC-024');
    const { post } = await channel({ authorization: 'ada' });
    seen.length = 0;
    await post({ authorization: 'ada write' }, call(1, 'refund'));
    await post({ authorization: 'ada write more' }, call(2, 'refund'));
    await new Promise(setImmediate);
    expect(seen).toEqual([
      { subject: 'ada', scopes: ['write'] },
      { subject: 'ada', scopes: ['write', 'more'] },
    ]);
  });

  test('only the caller that opened an HTTP+SSE stream can post to it', async () => {
    verifies('SEC-024');
    const { post, sink } = await channel({ authorization: 'ada' });
    expect((await post({ authorization: 'eve' }, call(1, 'free'))).status).toBe(404);
    expect((await post({}, call(1, 'free'))).status).toBe(401);
    await new Promise(setImmediate);
    expect(answered(sink())).toEqual(['hello']);
  });

  test('a session does not remember the identity of an earlier request', async () => {
    verifies('LIFE-057', 'SEC-024');
    const service = new HttpService(dock(), { auth: judge });
    const session = await opened(service, '2025-11-25', { authorization: 'ada write' });
    seen.length = 0;
    const asked = async (authorization: string): Promise<number> =>
      (await knock(service, { headers: { ...session, authorization }, body: call(1, 'refund') })).status;
    expect([await asked('ada write'), await asked('ada'), await asked('ada write x')]).toEqual([200, 403, 200]);
    expect(seen).toEqual([
      { subject: 'ada', scopes: ['write'] },
      { subject: 'ada', scopes: ['write', 'x'] },
    ]);
  });

  test('two concurrent calls in a session each have their own identity', async () => {
    const service = new HttpService(dock(), { auth: judge });
    const session = await opened(service, '2025-11-25', { authorization: 'ada' });
    const answers = await Promise.all(
      [10, 20, 30].map((until) =>
        knock(service, { headers: { ...session, 'x-until': String(until) }, body: call(until, 'free') }),
      ),
    );
    expect(answers.map(({ json }) => json['result'])).toMatchObject(
      ['10', '20', '30'].map((text) => ({ content: [{ text }] })),
    );
  });
});

describe('a stream that stays open', () => {
  const until = (clock: HeldClock, ms: number): Record<string, string> => ({
    authorization: 'ada',
    'x-until': String(clock.wall() + ms),
  });

  test('the GET stream ends with its token, and the session goes on', async () => {
    const clock = new HeldClock();
    const server = dock();
    const service = new HttpService(server, { auth: judge, clock });
    const session = await opened(service, '2025-11-25', { authorization: 'ada' });
    const standing = async (ms: number): Promise<FakeReply> => {
      const headers = { ...session, ...until(clock, ms) };
      const { reply } = started(service, { method: 'GET', headers });
      await new Promise(setImmediate);
      return reply;
    };
    const first = await standing(100_000);
    await clock.pass(159_999);
    expect(first.sink?.ended).toBe(false);
    await clock.pass(1);
    expect(first.sink?.ended).toBe(true);
    // Messages are held until the client reconnects.
    server.add(tool({ name: 'late', run: () => 'x' }));
    await new Promise(setImmediate);
    const second = await standing(100_000);
    expect(second.sink?.messages).toMatchObject([{ method: 'notifications/tools/list_changed' }]);
    // The token of an older connection does not end a newer one.
    await clock.pass(50_000);
    const third = await standing(100_000);
    await clock.pass(110_000);
    expect([second.sink?.ended, third.sink?.ended]).toEqual([true, false]);
  });

  test('a subscription ends with its token, and its listener is removed', async () => {
    const clock = new HeldClock();
    const server = dock();
    const service = new HttpService(server, { auth: judge, clock });
    const listen = stateless(
      'subscriptions/listen',
      { notifications: { toolsListChanged: true } },
      until(clock, 5_000),
    );
    const { reply, done } = started(service, listen);
    await clock.pass(64_999);
    server.add(tool({ name: 'late', run: () => 'x' }));
    await new Promise(setImmediate);
    expect(reply.sink?.messages).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged' },
      { method: 'notifications/tools/list_changed' },
    ]);
    await clock.pass(1);
    await done;
    expect(reply.sink?.ended).toBe(true);
    expect(reply.sink?.messages).toHaveLength(2);
  });

  test('an HTTP+SSE stream ends with the newest token of its messages', async () => {
    const clock = new HeldClock();
    const { post, sink } = await channel(until(clock, 10_000), clock);
    await post(until(clock, 100_000), call(1, 'free'));
    await clock.pass(100_000);
    expect(sink().ended).toBe(false);
    await clock.pass(60_000);
    expect(sink().ended).toBe(true);
    expect((await post(until(clock, 100_000), call(2, 'free'))).status).toBe(404);
  });

  test('a stream stays open if its token has no expiry, or one beyond the longest timer', async () => {
    const clock = new HeldClock();
    const service = new HttpService(dock(), { auth: judge, clock });
    const session = await opened(service, '2025-11-25', { authorization: 'ada' });
    for (const more of [{}, { 'x-until': String(2 ** 40) }]) {
      const { reply } = started(service, { method: 'GET', headers: { ...session, ...more } });
      await clock.pass(3_600_000);
      expect(reply.sink?.ended).toBe(false);
    }
  });

  test('a stream that has ended leaves no timer behind', async () => {
    const clock = new HeldClock();
    const service = new HttpService(dock(), { auth: judge, clock });
    const listening = stateless('subscriptions/listen', { notifications: {} }, until(clock, 5_000));
    const { reply, done } = started(service, listening);
    await new Promise(setImmediate);
    reply.hangUp();
    await done;
    await clock.pass(100_000);
    expect(reply.sink?.ended).toBe(false);
  });
});

describe('a document', () => {
  const path = '/.well-known/oauth-protected-resource/mcp';
  const handler = httpHandler(dock(), { auth: judge });
  const ask = (to: string, init: RequestInit = {}): Promise<Response> =>
    handler(new Request(`http://localhost:3000${to}`, init));

  test('a metadata document is readable by pages of any origin, and can be cached', async () => {
    verifies('AUTH-024', 'AUTH-028');
    const response = await ask(path, { headers: { origin: 'https://any.example' } });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ resource: 'https://dock.example/mcp' });
    expect(Object.fromEntries(response.headers)).toEqual({
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=3600',
      'content-type': 'application/json',
    });
    const head = await ask(path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(response.headers));
    const preflight = await ask(path, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, '*']);
  });

  test('a metadata document cannot be changed', async () => {
    const response = await ask(path, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp/', '/mcp'])(
    'there is no metadata document at %s',
    async (other) => {
      const response = await ask(other);
      expect(response.status).toBe(401);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    },
  );
});

test.each(withHandshake)('a caller that is rejected opens no session, in %s', async (revision) => {
  verifies('AUTH-007', 'SEC-024');
  const service = new HttpService(dock(), { auth: judge });
  const reply = await knock(service, { body: request(1, 'initialize', hello(revision)) });
  expect([reply.status, reply.headers['WWW-Authenticate']]).toEqual([401, 'Bearer realm="x"']);
  expect(reply.headers['Mcp-Session-Id']).toBeUndefined();
});
