import { describe, expect, test, vi } from 'vitest';
import { type Port, port } from '../../../test/fixtures/port.ts';
import { type FakeReply, type FakeSink, knock, started } from '../../../test/support/fake-http.ts';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { call, note, opened, progressing, request, stateless } from '../../../test/support/http-messages.ts';
import { hello, withHandshake } from '../../../test/support/raw.ts';
import { soon } from '../../../test/support/soon.ts';
import { thenable } from '../../../test/support/thenable.ts';
import { memoryChangeBus, resource, tool } from '../../index.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { LISTEN } from '../../model/names.ts';
import type { EventLog } from './event-log.ts';
import { memoryEventLog } from './memory-event-log.ts';
import { HttpService } from './service.ts';
import { memorySessionStore, type SessionStore, type VersionedSession } from './session-store.ts';

/** A store as across a network: asynchronous, and returning copies. */
function remote(): { sessions: SessionStore; eventLog: EventLog } {
  const kept = new Map<string, string>();
  const events = memoryEventLog();
  const later = <T>(value: T): Promise<T> => settled().then(() => value);
  const read = (id: string): VersionedSession | undefined => JSON.parse(kept.get(id) ?? 'null') ?? undefined;
  let versions = 0;
  return {
    sessions: {
      get: (id) => later(undefined).then(() => read(id)),
      put: (id, stored, { expected }) =>
        later(undefined).then(() => {
          if (read(id)?.version !== expected) return undefined;
          kept.set(id, JSON.stringify({ ...stored, version: `v${++versions}` }));
          return `v${versions}`;
        }),
      touch: (id, usedAt) =>
        later(undefined).then(() => {
          const stored = read(id);
          if (stored !== undefined) kept.set(id, JSON.stringify({ ...stored, usedAt }));
        }),
      delete: (id) => later(void kept.delete(id)),
    },
    eventLog: {
      append: (stream, event) => later(undefined).then(() => events.append(stream, event)),
      read: (stream, after) => later(undefined).then(() => events.read(stream, after)),
    },
  };
}

/** A store like a query builder: it returns thenables that are no `Promise`. */
function built(): { sessions: SessionStore; eventLog: EventLog } {
  const { sessions: store, eventLog: log } = remote();
  return {
    sessions: {
      get: (id) => thenable(store.get(id)),
      put: (id, stored, options) => thenable(store.put(id, stored, options)),
      touch: (id, usedAt, ttlMs) => thenable(store.touch(id, usedAt, ttlMs)),
      delete: (id) => thenable(store.delete(id)),
    },
    eventLog: {
      append: (stream, event) => thenable(log.append(stream, event)),
      read: (stream, after) => thenable(log.read(stream, after)),
    },
  };
}

const shared = [
  ['in memory', () => ({ sessions: memorySessionStore(), eventLog: memoryEventLog() })],
  ['across a network', remote],
  ['by a query builder', built],
] as const;

const cases = shared.flatMap(([what, make]) => withHandshake.map((revision) => [revision, what, make] as const));

test.each(shared)(
  'a session kept %s does not exist for a process without its revision, and goes on in others',
  async (_what, make) => {
    const both = make();
    const old = new HttpService(port().server, both);
    const headers = await opened(old, '2025-03-26');
    const newer = new HttpService(port({ revisions: ['2025-06-18', '2025-11-25', '2026-07-28'] }).server, both);
    for (const version of ['2025-03-26', '2025-11-25', undefined]) {
      const sent = { ...headers, 'mcp-protocol-version': version };
      const { status, json } = await knock(newer, { headers: sent, body: request('it', 'ping') });
      expect([status, json['id']]).toEqual([404, 'it']);
      expect((await knock(newer, { method: 'GET', headers: sent })).status).toBe(404);
    }
    expect((await knock(old, { headers, body: request(1, 'ping') })).status).toBe(200);
  },
);

test.each(cases)('a session of %s, kept %s, is served by another process', async (revision, _what, make) => {
  const both = make();
  const [one, other] = [port(), port()];
  const [a, b] = [new HttpService(one.server, both), new HttpService(other.server, both)];
  const headers = await opened(a, revision);
  await a.close(0);
  const reply = await knock(b, { headers, body: call(1, 'echo', { message: 'still here' }) });
  expect(reply.json['result']).toMatchObject({ content: [{ text: 'still here' }] });
  const standing = started(b, { method: 'GET', headers });
  await standing.done;
  other.server.add(tool({ name: 'more', run: () => '' }));
  await settled();
  expect(standing.reply.sink?.text).toContain('list_changed');
  if (revision < '2025-06-18') return;
  const asked = started(b, { headers, body: call(2, 'sure') });
  // The code for questions is loaded with the first one.
  const id = await soon(() => {
    const question = asked.reply.sink?.messages[0]?.['id'];
    expect(question).toBeDefined();
    return question;
  });
  await knock(b, { headers, body: { jsonrpc: '2.0', id, result: { action: 'accept', content: { confirm: true } } } });
  await asked.done;
  expect(asked.reply.sink?.messages.at(-1)).toMatchObject({ id: 2, result: { content: [{ text: 'yes' }] } });
});

test.each(cases.filter(([revision]) => revision !== '2024-11-05'))(
  'a stream of %s, with sessions kept %s, is resumed by another process',
  async (revision, _what, make) => {
    const both = make();
    const [one, other] = [port(), port()];
    const [a, b] = [new HttpService(one.server, both), new HttpService(other.server, both)];
    const headers = await opened(a, revision);
    const posted = await knock(a, { headers, body: progressing(1, 'count', { to: 3 }) });
    const standing = started(a, { method: 'GET', headers });
    await standing.done;
    one.server.add(tool({ name: 'first', run: () => '' }));
    await settled();
    const seen = standing.reply.sink?.lastId;
    standing.reply.hangUp();
    one.server.add(tool({ name: 'second', run: () => '' }));
    for (let n = 0; n < 5; n++) await settled();
    // Only what process A has stored is left of it.
    const [, second] = (posted.sink?.events ?? []).filter(({ data }) => data?.includes('progress'));
    const rest = await knock(b, { method: 'GET', headers: { ...headers, 'last-event-id': second?.id } });
    expect(rest.sink?.messages.map(({ method, id }) => method ?? id)).toEqual(['notifications/progress', 1]);
    expect(rest.sink?.ended).toBe(true);
    const news = await knock(b, { method: 'GET', headers: { ...headers, 'last-event-id': seen } });
    const told = (sink: FakeSink | undefined): number => sink?.text.match(/list_changed/g)?.length ?? 0;
    expect(told(news.sink)).toBe(1);
    other.server.add(tool({ name: 'third', run: () => '' }));
    await settled();
    expect(told(news.sink)).toBe(2);
  },
);

test('the stream of a call that another process still handles is retried later', async () => {
  const both = remote();
  const [one, other] = [port(), port()];
  const [a, b] = [new HttpService(one.server, both), new HttpService(other.server, both)];
  const headers = await opened(a, '2025-11-25');
  const { reply, done } = started(a, { headers, body: progressing(1, 'wait') });
  for (let n = 0; n < 9; n++) await settled();
  const last = reply.sink?.lastId;
  reply.hangUp();
  const early = await knock(b, { method: 'GET', headers: { ...headers, 'last-event-id': last } });
  expect([early.sink?.messages, early.sink?.events.at(-1), early.sink?.ended]).toEqual([[], { retry: '1000' }, true]);
  one.go();
  await done;
  for (let n = 0; n < 9; n++) await settled();
  const late = await knock(b, { method: 'GET', headers: { ...headers, 'last-event-id': last } });
  expect(late.sink?.messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'went on' }] } });
});

test('changes and the end of a session in one process apply in the other', async () => {
  const both = remote();
  const [one, other] = [port(), port()];
  const [a, b] = [new HttpService(one.server, both), new HttpService(other.server, both)];
  const met = await knock(a, { body: request(1, 'initialize', hello('2025-11-25')) });
  const headers = { 'mcp-session-id': met.headers['Mcp-Session-Id'] };
  // B gets the session before it is ready, and learns of that from the store.
  await knock(b, { headers, body: request(2, 'ping') });
  await knock(a, { headers, body: note('notifications/initialized') });
  const standing = await knock(b, { method: 'GET', headers });
  other.server.add(tool({ name: 'more', run: () => '' }));
  await settled();
  expect(standing.sink?.text).toContain('list_changed');
  expect((await knock(b, { method: 'DELETE', headers })).status).toBe(204);
  expect((await knock(a, { headers, body: request(3, 'ping') })).status).toBe(404);
});

test('a session that two processes serve is not ready before its client says so', async () => {
  const both = remote();
  const [one, other] = [port(), port()];
  const [a, b] = [new HttpService(one.server, both), new HttpService(other.server, both)];
  const met = await knock(a, { body: request(1, 'initialize', hello('2025-11-25')) });
  const headers = { 'mcp-session-id': met.headers['Mcp-Session-Id'] };
  // B marks the session as shared, and A merges that.
  await knock(b, { headers, body: request(2, 'ping') });
  for (let n = 0; n < 5; n++) await settled();
  const standing = await knock(a, { method: 'GET', headers });
  one.server.add(tool({ name: 'early', run: () => '' }));
  for (let n = 0; n < 5; n++) await settled();
  expect(standing.sink?.text).not.toContain('list_changed');
  await knock(a, { headers, body: note('notifications/initialized') });
  one.server.add(tool({ name: 'more', run: () => '' }));
  await settled();
  expect(standing.sink?.text).toContain('list_changed');
});

test.each(withHandshake)('a change in one process reaches streams of %s in another, once', async (revision) => {
  const [both, news] = [remote(), memoryChangeBus()];
  const [one, other] = [port({ changes: news }), port({ changes: news })];
  const [a, b] = [new HttpService(one.server, both), new HttpService(other.server, both)];
  const headers = await opened(a, revision);
  const standing = await knock(b, { method: 'GET', headers });
  const listening = started(b, stateless(LISTEN, { notifications: { toolsListChanged: true } }));
  for (let n = 0; n < 5; n++) await settled();
  const told = (): unknown[] =>
    [standing, listening.reply].map(({ sink }) => sink?.text.match(/tools\/list_changed/g)?.length);
  one.server.add(tool({ name: 'more', run: () => '' }));
  for (let n = 0; n < 5; n++) await settled();
  expect(told()).toEqual([1, 1]);
  other.server.add(tool({ name: 'more', run: () => '' }));
  for (let n = 0; n < 5; n++) await settled();
  expect(told()).toEqual([2, 2]);
});

describe.each(shared)('of two processes that share sessions %s', (_what, make) => {
  /** Two services on one store, a session of the first, and a clock. */
  async function two(options: { maxSessions?: number } = {}): Promise<Two> {
    const clock = new HeldClock();
    const both = { ...make(), clock, ...options };
    const [one, other] = [port(), port()];
    for (const { server } of [one, other])
      for (const n of [1, 2, 3, 4]) server.add(resource({ uri: `x:${n}`, read: () => '' }));
    const [a, b] = [new HttpService(one.server, both), new HttpService(other.server, both)];
    return { a, b, clock, one, other, store: both.sessions, headers: await opened(a, '2025-11-25') };
  }
  const pinged = async (service: HttpService, headers: Headers): Promise<number> =>
    (await knock(service, { headers, body: request(1, 'ping') })).status;

  test('a process does not end a session that another one uses', async () => {
    const { a, b, clock, headers } = await two();
    for (let minutes = 0; minutes < 90; minutes += 5) {
      await clock.pass(5 * 60_000);
      expect([minutes, await pinged(b, headers)]).toEqual([minutes, 200]);
    }
    expect(await pinged(a, headers)).toBe(200);
  });

  test('a process does not end a session whose stream is open in another one', async () => {
    const { a, b, clock, headers } = await two();
    const standing = await knock(b, { method: 'GET', headers });
    await clock.pass(95 * 60_000);
    expect(standing.sink?.ended).toBe(false);
    expect(await pinged(a, headers)).toBe(200);
  });

  test('a session that no process uses ends in all processes and in the store', async () => {
    const { a, b, clock, store, headers } = await two();
    expect(await pinged(b, headers)).toBe(200);
    await clock.pass(32 * 60_000);
    expect(await store.get(headers['mcp-session-id'] ?? '')).toBeUndefined();
    expect([await pinged(a, headers), await pinged(b, headers)]).toEqual([404, 404]);
  });

  test('a process that evicts does not end a session that another one may use', async () => {
    const { a, b, clock, headers } = await two({ maxSessions: 1 });
    const standing = await knock(b, { method: 'GET', headers });
    await clock.pass(70_000);
    expect(await pinged(a, headers)).toBe(200);
    const newer = await opened(a, '2025-11-25');
    expect(standing.sink?.ended).toBe(false);
    expect(await pinged(b, headers)).toBe(200);
    expect(await pinged(b, newer)).toBe(200);
  });

  test('a process that evicts ends an own or long-idle session for all processes', async () => {
    const { a, b, clock, store, headers } = await two({ maxSessions: 1 });
    const ended = async (one: Headers): Promise<boolean> =>
      (await store.get(one['mcp-session-id'] ?? '')) === undefined;
    const second = await opened(a, '2025-11-25');
    expect(await ended(headers)).toBe(true);
    expect(await pinged(b, second)).toBe(200);
    await clock.pass(3 * 60_000);
    const third = await opened(a, '2025-11-25');
    expect([await ended(second), await ended(third)]).toEqual([true, false]);
  });

  test('a process that evicts ends a shared session that was idle for two minutes', async () => {
    for (const [quietMs, isEnded] of [
      [119_000, false],
      [121_000, true],
    ] as const) {
      const { a, b, clock, store, headers } = await two({ maxSessions: 1 });
      expect(await pinged(b, headers)).toBe(200);
      await clock.pass(quietMs);
      await opened(a, '2025-11-25');
      expect((await store.get(headers['mcp-session-id'] ?? '')) === undefined).toBe(isEnded);
    }
  });

  test('concurrent changes of two processes are both stored, in either order', async () => {
    const { a, b, headers, store } = await two();
    const agreed = async (): Promise<unknown> => (await store.get(headers['mcp-session-id'] ?? ''))?.session;
    const subscribe = (service: HttpService, uri: string, method = 'resources/subscribe'): Promise<FakeReply> =>
      knock(service, { headers, body: request(uri, method, { uri }) });
    await Promise.all([pinged(a, headers), pinged(b, headers)]);
    const level = knock(b, { headers, body: request('level', 'logging/setLevel', { level: 'error' }) });
    const done = await Promise.all([subscribe(a, 'x:1'), subscribe(b, 'x:2'), subscribe(a, 'x:3'), level]);
    expect(done.map(({ json }) => json['result'])).toEqual([{}, {}, {}, {}]);
    expect(await agreed()).toMatchObject({ logLevel: 'error', ready: true });
    expect(await agreed()).toHaveProperty('subscriptions', expect.arrayContaining(['x:1', 'x:2', 'x:3']));
    const gone = subscribe(a, 'x:2', 'resources/unsubscribe');
    await Promise.all([gone, subscribe(b, 'x:4')]);
    expect(await agreed()).toHaveProperty('subscriptions', expect.not.arrayContaining(['x:2']));
    expect(await agreed()).toHaveProperty('subscriptions', expect.arrayContaining(['x:1', 'x:3', 'x:4']));
  });

  test('a change of a session that another process has just ended does not recreate it', async () => {
    const { a, b, headers, store } = await two();
    await pinged(b, headers);
    const change = knock(a, { headers, body: request(1, 'logging/setLevel', { level: 'error' }) });
    await Promise.all([change, knock(b, { method: 'DELETE', headers })]);
    for (let n = 0; n < 9; n++) await settled();
    expect(await store.get(headers['mcp-session-id'] ?? '')).toBeUndefined();
  });
});

type Headers = Record<string, string | undefined>;
interface Two {
  readonly a: HttpService;
  readonly b: HttpService;
  readonly one: Port;
  readonly other: Port;
  readonly clock: HeldClock;
  readonly store: SessionStore;
  readonly headers: Headers;
}

test('a session is touched at most once per second', async () => {
  const clock = new HeldClock();
  const store = memorySessionStore();
  const touched = vi.spyOn(store, 'touch');
  const service = new HttpService(port().server, { sessions: store, clock, sessionIdleMs: 5_000 });
  const headers = await opened(service, '2025-11-25');
  for (let tenths = 0; tenths < 30; tenths++) {
    await clock.pass(100);
    await knock(service, { headers, body: request(tenths, 'ping') });
  }
  expect(touched).toHaveBeenCalledTimes(3);
  expect(touched).toHaveBeenLastCalledWith(headers['mcp-session-id'], clock.wall(), 5_000);
});

test('a session in use is touched also after the clock was set back, so that its store does not expire it', async () => {
  const clock = new HeldClock();
  const store = { ...memorySessionStore(), hasExpiry: true };
  const service = new HttpService(port().server, { sessions: store, clock, sessionIdleMs: 5_000 });
  const headers = await opened(service, '2025-11-25');
  const touched = vi.spyOn(store, 'touch');
  vi.spyOn(clock, 'wall').mockImplementation(() => clock.now() - 3_600_000);
  for (let seconds = 0; seconds < 3; seconds++) {
    await clock.pass(1_000);
    await knock(service, { headers, body: request(seconds, 'ping') });
  }
  expect(touched).toHaveBeenCalledTimes(3);
});

test('a failing store does not crash the process', async () => {
  const broken = { ...memorySessionStore(), get: () => Promise.reject(new Error('no store')) };
  const service = new HttpService(port().server, { sessions: broken });
  const reply = await knock(service, { headers: { 'mcp-session-id': 'x' }, body: request(1, 'ping') });
  expect([reply.status, reply.headers['Retry-After']]).toEqual([503, '1']);
  expect(reply.body).not.toContain('no store');
});

test('a failing event log does not prevent events from being sent', async () => {
  const log: EventLog = { append: () => Promise.reject(new Error('no log')), read: () => undefined };
  const service = new HttpService(port().server, { eventLog: log });
  const headers = await opened(service, '2025-11-25');
  const reply = await knock(service, { headers, body: progressing(1, 'count', { to: 2 }) });
  expect(reply.sink?.messages).toHaveLength(3);
});

/** A store whose named operations can be made to fail, as on a broken network. */
function cuttable(): { sessions: SessionStore; cut: Set<string> } {
  const { sessions } = remote();
  const cut = new Set<string>();
  const unless = <T>(what: string, run: () => T): T | Promise<never> =>
    cut.has(what) ? Promise.reject(new Error('away')) : run();
  return {
    cut,
    sessions: {
      get: (id) => unless('get', () => sessions.get(id)),
      put: (id, stored, options) => unless('put', () => sessions.put(id, stored, options)),
      touch: (id, usedAt, ttlMs) => unless('touch', () => sessions.touch(id, usedAt, ttlMs)),
      delete: (id) => unless('delete', () => sessions.delete(id)),
    },
  };
}

test.each([
  ['touch', 2_000, 200],
  ['get', 0, 200],
] as const)('a failure of the store to %s is reported, and the request is answered', async (operation, ms, status) => {
  const { sessions, cut } = cuttable();
  const clock = new HeldClock();
  const reported: string[] = [];
  const onStoreError = (error: unknown, what: string): void => void reported.push(`${what}: ${error}`);
  const service = new HttpService(port().server, { sessions, clock, onStoreError });
  const headers = await opened(service, '2025-11-25');
  await clock.pass(ms);
  cut.add(operation);
  const reply = await knock(service, { headers, body: request(1, 'ping') });
  await settled();
  expect([reply.status, reported]).toEqual([status, [`${operation}: Error: away`]]);
});

test('while the store is unavailable, a session is served only to its own caller', async () => {
  const { sessions, cut } = cuttable();
  const auth = (seen: { header(name: string): string | undefined }): AuthInfo => ({
    ...{ token: 't', clientId: 'c', scopes: [] },
    subject: seen.header('authorization') ?? '',
  });
  const service = new HttpService(port().server, { sessions, auth });
  const headers = await opened(service, '2025-11-25', { authorization: 'ada' });
  cut.add('get');
  expect((await knock(service, { headers, body: request(1, 'ping') })).status).toBe(200);
  const other = await knock(service, { headers: { ...headers, authorization: 'bob' }, body: request(2, 'ping') });
  expect(other.status).toBe(503);
});

test('the end of a handshake that cannot be stored is stored with a later message', async () => {
  const { sessions, cut } = cuttable();
  const service = new HttpService(port().server, { sessions });
  const met = await knock(service, { body: request(0, 'initialize', hello('2025-11-25')) });
  const id = met.headers['Mcp-Session-Id'] ?? '';
  const headers = { 'mcp-session-id': id };
  cut.add('put');
  expect((await knock(service, { headers, body: note('notifications/initialized') })).status).toBe(202);
  expect((await sessions.get(id))?.session.ready).not.toBe(true);
  cut.delete('put');
  expect((await knock(service, { headers, body: request(1, 'ping') })).status).toBe(200);
  expect((await sessions.get(id))?.session.ready).toBe(true);
});

const setLevel = request(1, 'logging/setLevel', { level: 'debug' });
const initialized = note('notifications/initialized');

test.each<[string, JsonObject[], unknown, number]>([
  ['a request', [initialized], setLevel, 200],
  ['a request in an array', [initialized], [setLevel, request(2, 'ping')], 200],
  ['a notification', [], initialized, 202],
  ['a notification in an array', [], [initialized], 202],
])('the session change of %s is stored before the response is sent', async (_what, before, body, status) => {
  const { sessions: store, eventLog: log } = remote();
  let write = (): void => undefined;
  const written = new Promise<void>((resolve) => {
    write = resolve;
  });
  let isHeld = false;
  const put: SessionStore['put'] = (...args) => (isHeld ? written : settled()).then(() => store.put(...args));
  const service = new HttpService(port().server, { sessions: { ...store, put }, eventLog: log });
  const met = await knock(service, { body: request(0, 'initialize', hello('2025-03-26')) });
  const headers = { 'mcp-session-id': met.headers['Mcp-Session-Id'] };
  for (const one of before) await knock(service, { headers, body: one });
  isHeld = true;
  const { reply, done } = started(service, { headers, body });
  for (let n = 0; n < 10; n++) await settled();
  expect([reply.status, reply.body]).toEqual([0, undefined]);
  write();
  await done;
  expect(reply.status).toBe(status);
});
