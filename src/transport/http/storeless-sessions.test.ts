import { describe, expect, test } from 'vitest';
import { type Port, port } from '../../../test/fixtures/port.ts';
import { type FakeRequest, knock, started } from '../../../test/support/fake-http.ts';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { call, errorOf, note, opened, progressing, request, stateless } from '../../../test/support/http-messages.ts';
import { hello, withHandshake } from '../../../test/support/raw.ts';
import { soon } from '../../../test/support/soon.ts';
import { resource, tool } from '../../index.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Servable } from '../../peer/exchange.ts';
import type { HttpOptions } from './http-settings.ts';
import { HttpService } from './service.ts';

const key = (fill: number): Uint8Array<ArrayBuffer> => new Uint8Array(32).fill(fill);
const sealed = { sealed: [key(1)] };
const withHeader = withHandshake.filter((id) => id > '2025-03-26');

/** Two processes that share only their configuration. */
function twoProcesses(
  options: HttpOptions,
): readonly [one: HttpService, other: HttpService, ports: readonly [Port, Port]] {
  const ports = [port(), port()] as const;
  for (const { server } of ports) server.add(resource({ uri: 'note://1', name: 'note', read: () => 'text' }));
  return [new HttpService(ports[0].server, options), new HttpService(ports[1].server, options), ports];
}

const meet = (service: HttpService, revision: string, headers: FakeRequest['headers'] = {}) =>
  knock(service, { headers, body: request('hello', 'initialize', hello(revision, { elicitation: {}, sampling: {} })) });

/** Sealed sessions and no sessions, which in common send the client only messages that belong to its requests. */
const kinds = [
  ['sealed', { sessions: sealed }],
  ['none', { sessions: 'none' }],
] as const;

const inBoth = kinds.flatMap(([kind, options]) =>
  (kind === 'none' ? withHeader : withHandshake).map((revision) => [revision, kind, options] as const),
);

/** The headers of a client after a handshake with `service`, for use with any process. */
async function met(service: HttpService, revision: string): Promise<Record<string, string | undefined>> {
  return { ...(await opened(service, revision)), 'mcp-protocol-version': revision };
}

describe.each(inBoth)('%s, sessions %s', (revision, kind, options) => {
  test('any process can serve any request', async () => {
    const [one, other] = twoProcesses(options);
    const headers = await met(one, revision);
    expect(headers['mcp-session-id'] === undefined).toBe(kind === 'none');
    for (const service of [other, one, other]) {
      const reply = await knock(service, { headers, body: call(1, 'echo', { message: 'hi' }) });
      expect(reply.json['result']).toMatchObject({ content: [{ text: 'hi' }] });
    }
  });

  test('unsupported features are neither declared nor served', async () => {
    const [one, other] = twoProcesses(options);
    const { json } = await meet(one, revision);
    const { capabilities } = json['result'] as { capabilities: JsonObject };
    expect(capabilities).toMatchObject({ tools: {}, resources: {} });
    expect(JSON.stringify(capabilities)).not.toMatch(/listChanged|subscribe|logging/);
    const headers = await met(one, revision);
    for (const [method, params] of [
      ['logging/setLevel', { level: 'debug' }],
      ['resources/subscribe', { uri: 'note://1' }],
      ['resources/unsubscribe', { uri: 'note://1' }],
    ] as const) {
      const { json: refused } = await knock(other, { headers, body: request(1, method, params) });
      expect(refused.error?.code).toBe(-32601);
    }
    for (const method of ['GET', 'DELETE']) {
      const rejected = await knock(other, { method, headers });
      expect([...errorOf(rejected), rejected.headers['Allow']]).toEqual([405, -32600, 'POST']);
    }
  });

  test('progress is sent on the stream of its call, without event ids', async () => {
    const [one, other] = twoProcesses(options);
    const headers = await met(one, revision);
    const reply = await knock(other, { headers, body: progressing(1, 'count', { to: 2 }) });
    expect(reply.sink?.messages.map(({ method }) => method)).toEqual([
      'notifications/progress',
      'notifications/progress',
      undefined,
    ]);
    expect(reply.sink?.text).not.toMatch(/^(?:id|retry):/m);
  });

  test('changes of parts are not sent to the client', async () => {
    const [one, other, [, { server, ran, go }]] = twoProcesses(options);
    const headers = await met(one, revision);
    const waiting = started(other, { headers, body: progressing(1, 'wait') });
    await soon(() => expect(ran()).toBe(1));
    server.add(tool({ name: 'new', description: 'New', run: () => '' }));
    go();
    await waiting.done;
    expect(waiting.reply.sink?.messages.map(({ method }) => method)).toEqual([
      'notifications/progress',
      'notifications/progress',
      undefined,
    ]);
  });

  test('a handler that asks a question gets an error', async () => {
    const [one, other] = twoProcesses(options);
    const headers = await met(one, revision);
    const { json } = await knock(other, { headers, body: call(1, 'sure') });
    expect(JSON.stringify(json)).toMatch(/elicitation|cannot be asked/i);
    expect(json['result']).toMatchObject({ isError: true });
  });

  test('notifications are accepted, and responses without a request are rejected', async () => {
    const [one, other] = twoProcesses(options);
    const headers = await met(one, revision);
    for (const method of ['notifications/initialized', 'notifications/cancelled']) {
      expect((await knock(other, { headers, body: note(method, { requestId: 7 }) })).status).toBe(202);
    }
    expect(errorOf(await knock(other, { headers, body: { jsonrpc: '2.0', id: 1, result: {} } }))).toEqual([
      400, -32600,
    ]);
  });
});

describe('a sealed session', () => {
  test('a sealed session has the client info and capabilities in every process', async () => {
    const [one, other, [, { server }]] = twoProcesses({ sessions: { ...sealed, questions: 'same-process' } });
    server.add(tool({ name: 'who', description: 'Tells', run: (_input, ctx) => JSON.stringify(ctx.caller) }));
    const capabilities = {
      elicitation: { form: {}, url: {}, more: {} },
      experimental: { secret: {} },
      extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
    };
    const { headers } = await knock(one, { body: request(0, 'initialize', hello('2025-11-25', capabilities)) });
    const id = { 'mcp-session-id': headers['Mcp-Session-Id'] };
    const { json } = await knock(other, { headers: id, body: call(1, 'who') });
    const { content } = json['result'] as { content: [{ text: string }] };
    expect(JSON.parse(content[0].text)).toEqual({
      info: { name: expect.any(String), version: expect.any(String) },
      capabilities: { elicitation: { form: {}, url: {} }, extensions: capabilities.extensions },
    });
  });

  test('a sealed session is bound to its caller, its path, its keys and its lifetime', async () => {
    const clock = new HeldClock();
    const auth: HttpOptions['auth'] = ({ header }) => ({ subject: header('authorization') ?? '', scopes: [] });
    const options = { sessions: sealed, auth, clock, sessionLifeMs: 1_000_000 };
    const service = (more: HttpOptions = {}) => new HttpService(port().server, { ...options, ...more });
    const ada = { authorization: 'ada' };
    const { headers } = await meet(service(), '2025-11-25', ada);
    const id = { 'mcp-session-id': headers['Mcp-Session-Id'] };
    const ping = request(1, 'ping');
    const knocks = async (at: HttpService, who: FakeRequest['headers'], path = '/mcp') =>
      (await knock(at, { headers: { ...id, ...who }, body: ping, path })).status;
    expect(await knocks(service(), ada)).toBe(200);
    expect(await knocks(service(), { authorization: 'eve' })).toBe(404);
    expect(await knocks(service(), {})).toBe(404);
    expect(await knocks(service(), ada, '/mcp/ops')).toBe(404);
    expect(await knocks(service({ sessions: { sealed: [key(2)] } }), ada)).toBe(404);
    expect(await knocks(service({ sessions: { sealed: [key(2), key(1)] } }), ada)).toBe(200);
    const changed = String(id['mcp-session-id']).replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
    expect(await knocks(service(), { ...ada, 'mcp-session-id': changed })).toBe(404);
    expect(await knocks(service(), { ...ada, 'mcp-session-id': 'x'.repeat(5_000) })).toBe(404);
    await clock.pass(1_000_001);
    expect(await knocks(service(), ada)).toBe(404);
  });

  test('a cached sealed session is still bound to its caller, path and lifetime', async () => {
    const clock = new HeldClock();
    const auth: HttpOptions['auth'] = ({ header }) => ({ subject: header('authorization') ?? '', scopes: [] });
    const names = new Set<string>();
    const ended = { add: (name: string) => void names.add(name), has: (name: string) => names.has(name) };
    const sessions = { ...sealed, ended };
    const service = new HttpService(port().server, { sessions, auth, clock, sessionLifeMs: 1_000_000 });
    const [ada, other] = [
      await opened(service, '2025-11-25', { authorization: 'ada' }),
      await opened(service, '2025-11-25', { authorization: 'ada' }),
    ];
    const pinged = async (headers: FakeRequest['headers'], path = '/mcp'): Promise<number> =>
      (await knock(service, { headers: headers ?? {}, body: request(1, 'ping'), path })).status;
    expect([await pinged(ada), await pinged(other)]).toEqual([200, 200]);
    expect(await pinged({ ...ada, authorization: 'eve' })).toBe(404);
    expect(await pinged(ada, '/mcp/ops')).toBe(404);
    expect((await knock(service, { method: 'DELETE', headers: other })).status).toBe(204);
    expect([await pinged(ada), await pinged(other)]).toEqual([200, 404]);
    await clock.pass(1_000_001);
    expect(await pinged(ada)).toBe(404);
  });

  test('a sealed session from a process whose clock is ahead is valid', async () => {
    const [early, late] = [new HeldClock(), new HeldClock()];
    await early.pass(60 * 60_000);
    const { headers } = await meet(new HttpService(port().server, { sessions: sealed, clock: early }), '2025-11-25');
    const id = { 'mcp-session-id': headers['Mcp-Session-Id'] };
    const service = new HttpService(port().server, { sessions: sealed, clock: late });
    expect((await knock(service, { headers: id, body: request(1, 'ping') })).status).toBe(200);
  });

  test('a sealed session of a client with long client info has an id that fits into a header', async () => {
    const [one, other] = twoProcesses({ sessions: sealed });
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`io.example/${n}`, {}]));
    const capabilities = { roots: {}, extensions: many, experimental: { a: { b: 'x'.repeat(9_000) } } };
    const params = {
      ...hello('2025-11-25', capabilities),
      clientInfo: { name: '名'.repeat(900), version: '版'.repeat(900), title: 'x'.repeat(5_000) },
    };
    const { headers } = await knock(one, { body: request(0, 'initialize', params) });
    const id = headers['Mcp-Session-Id'];
    expect(id).toMatch(/^[\w-]{100,1024}$/);
    const reply = await knock(other, { headers: { 'mcp-session-id': id }, body: request(1, 'ping') });
    expect(reply.status).toBe(200);
  });

  test('a sealed session can be ended for every process with a list of ended sessions', async () => {
    const names = new Map<string, number>();
    const ended = {
      add: (name: string, lifeMs: number) => void names.set(name, lifeMs),
      has: (name: string) => names.has(name),
    };
    const [one, other] = twoProcesses({ sessions: { ...sealed, ended } });
    const headers = await opened(one, '2025-11-25');
    expect((await knock(other, { method: 'DELETE', headers })).status).toBe(204);
    expect((await knock(one, { headers, body: request(1, 'ping') })).status).toBe(404);
    expect([...names.values()]).toEqual([48 * 60 * 60_000]);
  });

  test('a sealed session continues while the list of ended sessions is unavailable', async () => {
    const ended = { add: () => undefined, has: () => Promise.reject(new Error('away')) };
    const [one, other] = twoProcesses({ sessions: { ...sealed, ended } });
    const headers = await opened(one, '2025-11-25');
    expect((await knock(other, { headers, body: request(1, 'ping') })).status).toBe(200);
  });

  test('a sealed session can cancel its calls in the same process only', async () => {
    const [one, other, [{ aborted, go }]] = twoProcesses({ sessions: sealed });
    const headers = await opened(one, '2025-11-25');
    const waiting = started(one, { headers, body: progressing(7, 'wait') });
    await soon(() => expect(waiting.reply.sink).toBeDefined());
    const cancel = { headers, body: note('notifications/cancelled', { requestId: 7 }) };
    expect((await knock(other, cancel)).status).toBe(202);
    expect(aborted).toEqual([]);
    expect((await knock(one, cancel)).status).toBe(202);
    expect(aborted).toHaveLength(1);
    go();
    await waiting.done;
  });

  test('with "questions", a sealed session can ask questions within the same process', async () => {
    const [one, other] = twoProcesses({ sessions: { ...sealed, questions: 'same-process' } });
    const headers = await opened(one, '2025-11-25');
    const asking = started(one, { headers, body: call(1, 'sure') });
    await soon(() => expect(asking.reply.sink?.messages[0]).toMatchObject({ method: 'elicitation/create' }));
    const { id } = asking.reply.sink?.messages[0] ?? {};
    const answer = { jsonrpc: '2.0', id, result: { action: 'accept', content: { confirm: true } } };
    expect((await knock(other, { headers, body: answer })).status).toBe(400);
    expect((await knock(one, { headers, body: answer })).status).toBe(202);
    await asking.done;
    expect(asking.reply.sink?.messages.at(-1)).toMatchObject({ result: { content: [{ text: 'yes' }] } });
  });

  test('a sealed session accepts batches if its revision has them', async () => {
    const [one, other] = twoProcesses({ sessions: sealed });
    const headers = await opened(one, '2025-03-26');
    const body = [request(1, 'ping'), call(2, 'echo', { message: 'both' })];
    const reply = await knock(other, { headers, body });
    expect(reply.json).toHaveLength(2);
  });

  test('sealed sessions need keys of 32 bytes', () => {
    const make = (keys: readonly Uint8Array<ArrayBuffer>[]) => () =>
      new HttpService(port().server, { sessions: { sealed: keys } });
    expect(make([])).toThrow('keys of 32 bytes');
    expect(make([new Uint8Array(16)])).toThrow('sessions: "sealed" must be keys of 32 bytes');
    expect(make([new Uint8Array(32), new Uint8Array(16)])).toThrow('keys of 32 bytes');
  });
});

test.each([
  ['sealed', { sealed: [key(1)], ended: { add: () => Promise.reject(new Error('away')), has: () => false } }, 503],
  ['none', 'none', 405],
] as const)('sessions %s leave no conversation open behind their requests', async (_kind, sessions, status) => {
  const { server } = port();
  let open = 0;
  const counted: Servable = {
    open: (push, session) => {
      open++;
      const served = server.open(push, session);
      return { exchange: (message, link) => served.exchange(message, link), close: () => void open-- };
    },
  };
  const service = new HttpService(counted, { sessions });
  // The conversation of all requests without a session.
  expect(open).toBe(1);
  const headers = await opened(service, '2025-03-26');
  const sent: [FakeRequest, number][] = [
    [{ body: request(1, 'ping') }, 200],
    [{ body: [request(1, 'ping'), note('x')] }, 200],
    [{ body: note('x') }, 202],
    [{ body: { jsonrpc: '2.0', id: 1, result: {} } }, 400],
    [{ method: 'DELETE' }, status],
  ];
  for (const [one, expected] of sent) {
    expect((await knock(service, { headers, ...one })).status).toBe(expected);
    expect(open).toBe(1);
  }
});

describe('without sessions', () => {
  const open = () => new HttpService(port().server, { sessions: 'none' });

  test('without sessions, a request is served in the revision of its header, by any process', async () => {
    for (const revision of withHeader) {
      const reply = await knock(open(), {
        headers: { 'mcp-protocol-version': revision, 'mcp-session-id': 'of another server' },
        body: request(1, 'tools/list'),
      });
      const { tools } = reply.json['result'] as { tools: readonly JsonObject[] };
      expect([reply.status, tools.length > 5]).toEqual([200, true]);
    }
  });

  test('without sessions, a request without a version header is of 2025-03-26, and can be a batch', async () => {
    const reply = await knock(open(), { body: [request(1, 'ping'), request(2, 'ping')] });
    expect(reply.json).toHaveLength(2);
    const headers = { 'mcp-protocol-version': '2025-06-18' };
    expect((await knock(open(), { headers, body: [request(1, 'ping')] })).status).toBe(400);
  });

  test('without sessions, a client of 2024-11-05 is offered 2025-03-26, and a client of a future revision the newest', async () => {
    for (const [asked, offered] of [
      ['2024-11-05', '2025-03-26'],
      ['2025-06-18', '2025-06-18'],
      ['2099-01-01', '2025-11-25'],
    ] as const) {
      const { json, headers } = await meet(open(), asked);
      expect(json['result']).toMatchObject({ protocolVersion: offered });
      expect(headers['Mcp-Session-Id']).toBeUndefined();
    }
  });

  test('requests of 2026-07-28 are not affected by the option "sessions"', async () => {
    expect((await knock(open(), stateless('tools/list'))).json['result']).toMatchObject({ resultType: 'complete' });
    const headers = { 'mcp-protocol-version': '2026-07-28' };
    expect(errorOf(await knock(open(), { headers, body: request(1, 'tools/list') }))).toEqual([400, -32602]);
  });
});
