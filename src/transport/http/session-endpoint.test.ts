/** The session endpoint: identities, cleanup after failures, and resumed streams. */
import { describe, expect, test } from 'vitest';
import { port } from '../../../test/fixtures/port.ts';
import { type FakeReply, knock, started } from '../../../test/support/fake-http.ts';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { call, note, opened, progressing, request, stateless } from '../../../test/support/http-messages.ts';
import { hello } from '../../../test/support/raw.ts';
import { soon } from '../../../test/support/soon.ts';
import { createServer, type Layer, tool, use } from '../../index.ts';
import type { Authenticator } from '../../model/auth.ts';
import type { Servable } from '../../peer/exchange.ts';
import type { EventLog } from './event-log.ts';
import type { HttpOptions } from './http-settings.ts';
import { memoryEventLog } from './memory-event-log.ts';
import { HttpService } from './service.ts';
import { memorySessionStore } from './session-store.ts';

/** Authenticates `Authorization: subject scope …`, with the time of expiry in its own header. */
const auth: Authenticator = ({ header }) => {
  const [subject = '', ...scopes] = header('authorization')?.split(' ') ?? [];
  const until = header('x-until');
  return { subject, scopes, ...(until === undefined ? {} : { expiresAt: Number(until) }) };
};
const ada = { authorization: 'ada read' };
const sealed = { sealed: [new Uint8Array(32)] };

describe('a layer of the server learns', () => {
  function recorded(): { service: HttpService; heard: unknown[] } {
    const heard: unknown[] = [];
    const layer: Layer = (next) => (message, link) => {
      const what = 'method' in message ? message.method : 'a response';
      heard.push([what, link.auth?.subject, link.auth?.scopes, link.revision]);
      return next(message, link);
    };
    return { heard, service: new HttpService(use(port().server, layer), { auth }) };
  }

  test('a layer gets the identity and scopes of the message’s own token, and the revision of the session', async () => {
    const { service, heard } = recorded();
    const headers = await opened(service, '2025-03-26', ada);
    const more = { ...headers, authorization: 'ada read write' };
    await knock(service, { headers: more, body: call(1, 'echo', { message: 'x' }) });
    await knock(service, { headers: more, body: note('notifications/roots/list_changed') });
    await knock(service, { headers: more, body: [request(2, 'ping'), note('notifications/roots/list_changed')] });
    const [read, both] = [['read'], ['read', 'write']];
    expect(heard).toEqual([
      ['initialize', 'ada', read, undefined],
      ['notifications/initialized', 'ada', read, undefined],
      ['tools/call', 'ada', both, '2025-03-26'],
      ['notifications/roots/list_changed', 'ada', both, undefined],
      ['ping', 'ada', both, '2025-03-26'],
      ['notifications/roots/list_changed', 'ada', both, undefined],
    ]);
  });

  test.each<[string, HttpOptions['sessions']]>([
    ['in memory', memorySessionStore()],
    ['in their ids', sealed],
    ['nowhere', 'none'],
  ])(
    'a message of a batch that claims its own protocol version is rejected, with sessions kept %s',
    async (_where, sessions) => {
      const service = new HttpService(port().server, { sessions, maxCalls: 2 });
      const headers = await opened(service, '2025-03-26');
      const listening = stateless('subscriptions/listen', { notifications: { toolsListChanged: true } }).body;
      const { json } = await knock(service, { headers, body: [listening, request(2, 'ping')] });
      expect(json).toEqual([
        { jsonrpc: '2.0', id: 'it', error: { code: -32600, message: expect.stringContaining('comes alone') } },
        { jsonrpc: '2.0', id: 2, result: {} },
      ]);
      expect((await knock(service, { headers, body: [request(3, 'ping'), request(4, 'ping')] })).status).toBe(200);
    },
  );
});

test.each([
  ['a request', (body: object) => body],
  ['an array', (body: object) => [body]],
])('%s to a server without a "scopes" function is checked by the server itself', async (_what, wrap) => {
  let ran = 0;
  const refund = tool({ name: 'refund', scopes: ['write'], run: () => `${++ran}` });
  const server = createServer({ name: 'dock', version: '1', parts: [refund] });
  const silent: Servable = { open: (push, session) => server.open(push, session) };
  const service = new HttpService(silent, { auth });
  const headers = await opened(service, '2025-03-26', ada);
  const denied = await knock(service, { headers, body: wrap(call(1, 'refund')) });
  expect([ran, denied.body]).toEqual([0, expect.stringContaining('"error"')]);
  await knock(service, { headers: { ...headers, authorization: 'ada write' }, body: wrap(call(2, 'refund')) });
  expect(ran).toBe(1);
});

describe('no conversation is left open', () => {
  /** One conversation stays: that of all requests without a session. */
  function counted(options: HttpOptions): { service: HttpService; open: () => number } {
    const { server } = port();
    let open = -1;
    const servable: Servable = {
      open: (push, session) => {
        open++;
        const served = server.open(push, session);
        return { exchange: (message, link) => served.exchange(message, link), close: () => void open-- };
      },
    };
    return { service: new HttpService(servable, options), open: () => open };
  }

  test.each<[string, HttpOptions['sessions']]>([
    ['in memory', memorySessionStore()],
    ['in their ids', sealed],
    ['nowhere', 'none'],
  ])('a failed handshake leaves no conversation open, with sessions kept %s', async (_where, sessions) => {
    const { service, open } = counted({ sessions });
    const failed = await knock(service, { body: request(1, 'initialize', {}) });
    expect([failed.status, failed.headers['Mcp-Session-Id'], open()]).toEqual([400, undefined, 0]);
  });

  test('a handshake whose session cannot be stored leaves no conversation open', async () => {
    const sessions = { ...memorySessionStore(), put: () => Promise.reject(new Error('away')) };
    const { service, open } = counted({ sessions, onStoreError: () => undefined });
    expect((await knock(service, { body: request(1, 'initialize', hello('2025-11-25')) })).status).toBe(503);
    expect(open()).toBe(0);
  });

  test('a request of a sealed session with an unsupported version leaves no conversation open', async () => {
    const { service, open } = counted({ sessions: sealed });
    const headers = { ...(await opened(service, '2025-11-25')), 'mcp-protocol-version': '1999-01-01' };
    for (const body of [request(1, 'ping'), note('x')])
      expect((await knock(service, { headers, body })).status).toBe(400);
    expect(open()).toBe(0);
  });
});

test('callers that are not verified cannot open more sessions than their address allows', async () => {
  const service = new HttpService(port().server, { maxSessionsPerCaller: 1 });
  const body = request(1, 'initialize', hello('2025-11-25'));
  const from = (address: string): Promise<FakeReply> => knock(service, { address, body });
  const first = await from('192.0.2.1');
  const headers = { 'mcp-session-id': first.headers['Mcp-Session-Id'] };
  await started(service, { method: 'GET', headers, address: '192.0.2.1' }).done;
  expect([(await from('192.0.2.1')).status, (await from('192.0.2.2')).status]).toEqual([429, 200]);
});

test('a stream claims the requests that it answers, so that another process can answer for this one', async () => {
  const claimed: unknown[] = [];
  const eventLog: EventLog = {
    ...memoryEventLog(),
    claim: async (_stream, requests) => void claimed.push(requests),
  };
  const service = new HttpService(port().server, { eventLog });
  const headers = await opened(service, '2025-03-26');
  const counting = (id: string | number) => progressing(id, 'count', { to: 1 });
  for (const body of [counting(7), [counting('a'), note('x'), 1, request(2, 'ping')]])
    await knock(service, { headers, body });
  expect(claimed).toEqual([[7], ['a', 2]]);
});

test('a handshake in a batch is rejected, and the other messages are answered', async () => {
  const service = new HttpService(port().server, {});
  const headers = await opened(service, '2025-03-26');
  const { json } = await knock(service, {
    headers,
    body: [request(1, 'initialize', hello('2025-03-26')), request(2, 'ping')],
  });
  expect(json).toEqual([
    { jsonrpc: '2.0', id: 1, error: { code: -32600, message: expect.stringContaining('comes alone') } },
    { jsonrpc: '2.0', id: 2, result: {} },
  ]);
});

describe('a stream that is taken up again', () => {
  const revision = '2025-11-25';
  const sessions = memorySessionStore();

  /** A token that expires after 100 seconds. */
  async function endsWithItsToken(
    service: HttpService,
    clock: HeldClock,
    headers: Record<string, string | undefined>,
  ): Promise<boolean[]> {
    const until = { 'x-until': String(clock.wall() + 100_000) };
    const { reply, done } = started(service, { method: 'GET', headers: { ...headers, ...until } });
    await done;
    const ended: boolean[] = [];
    for (const ms of [159_999, 1]) {
      await clock.pass(ms);
      ended.push(reply.sink?.ended === true);
    }
    return ended;
  }

  test.each(['of a call', 'of the session'])(
    'a resumed stream %s ends with the token of the request that resumes it',
    async (which) => {
      const clock = new HeldClock();
      const { server, go } = port();
      const service = new HttpService(server, { auth, clock, sessions });
      const headers = await opened(service, revision, ada);
      const { reply, done } = started(service, {
        headers,
        ...(which === 'of a call' ? { body: progressing(1, 'wait') } : { method: 'GET' }),
      });
      await soon(() => expect(reply.sink?.lastId).not.toBe(''));
      reply.hangUp();
      const last = { ...headers, 'last-event-id': reply.sink?.lastId };
      expect(await endsWithItsToken(service, clock, last)).toEqual([false, true]);
      go();
      await done;
    },
  );

  test('a stream that another process opened ends with the token of the request that resumes it', async () => {
    const clock = new HeldClock();
    const [one, other] = [port(), port()].map(({ server }) => new HttpService(server, { auth, clock, sessions }));
    if (one === undefined || other === undefined) throw new Error('There are two');
    const headers = await opened(one, revision, ada);
    const { reply } = started(one, { method: 'GET', headers });
    await settled();
    reply.hangUp();
    const last = { ...headers, 'last-event-id': reply.sink?.lastId };
    expect(await endsWithItsToken(other, clock, last)).toEqual([false, true]);
  });

  test('in a revision without resumption, Last-Event-ID is ignored and a new stream opens', async () => {
    const service = new HttpService(port().server, {});
    const headers = { ...(await opened(service, '2024-11-05')), 'last-event-id': 'pAAAAAAAAAAAA.1' };
    const { reply, done } = started(service, { method: 'GET', headers });
    await done;
    expect([reply.status, reply.sink?.ended]).toEqual([200, false]);
  });

  test.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
    'an empty Last-Event-ID opens a new stream in %s',
    async (revision) => {
      const service = new HttpService(port().server, {});
      const headers = { ...(await opened(service, revision)), 'last-event-id': '' };
      const { reply, done } = started(service, { method: 'GET', headers });
      await done;
      expect([reply.status, reply.sink?.ended]).toEqual([200, false]);
    },
  );
});

test.each<[string, unknown]>([
  ['a word that is not "none"', 'memory'],
  ['an object that is no store', {}],
  ['a number', 7],
])('the option "sessions" with the value %s is rejected when the service is created', (_what, sessions) => {
  const options = { sessions } as HttpOptions; // what JavaScript can pass
  expect(() => new HttpService(port().server, options)).toThrow("expected a store, { sealed: keys } or 'none'");
});
