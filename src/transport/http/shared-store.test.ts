import { expect, test, vi } from 'vitest';
import { port } from '../../../test/fixtures/port.ts';
import { type FakeSink, knock, started } from '../../../test/support/fake-http.ts';
import { settled } from '../../../test/support/held-clock.ts';
import { call, note, opened, progressing, request, stateless } from '../../../test/support/http-messages.ts';
import { hello, withHandshake } from '../../../test/support/raw.ts';
import { thenable } from '../../../test/support/thenable.ts';
import { LISTEN } from '../../model/names.ts';
import { memoryNewsBus, tool } from '../../server/index.ts';
import { type EventLog, memoryEventLog } from './event-log.ts';
import { HttpService } from './service.ts';
import { memorySessionStore, type SessionStore, type StoredSession } from './session-store.ts';

/** As a store across the network is: it answers later, and gives copies. */
function remote(): { store: SessionStore; log: EventLog } {
  const kept = new Map<string, string>();
  const events = memoryEventLog();
  const later = <T>(value: T): Promise<T> => settled().then(() => value);
  return {
    store: {
      get: (id) => later(kept.has(id) ? (JSON.parse(kept.get(id) ?? '') as StoredSession) : undefined), // what put wrote
      put: (id, stored) => later(void kept.set(id, JSON.stringify(stored))),
      touch: () => later(undefined),
      delete: (id) => later(void kept.delete(id)),
    },
    log: {
      append: (stream, event) => later(undefined).then(() => events.append(stream, event)),
      read: (stream, after) => later(undefined).then(() => events.read(stream, after)),
    },
  };
}

/** As a query builder is: what it returns is a thenable and no `Promise`. */
function built(): { store: SessionStore; log: EventLog } {
  const { store, log } = remote();
  return {
    store: {
      get: (id) => thenable(store.get(id)),
      put: (id, stored) => thenable(store.put(id, stored)),
      touch: (id, usedAt) => thenable(store.touch(id, usedAt)),
      delete: (id) => thenable(store.delete(id)),
    },
    log: {
      append: (stream, event) => thenable(log.append(stream, event)),
      read: (stream, after) => thenable(log.read(stream, after)),
    },
  };
}

const shared = [
  ['in memory', () => ({ store: memorySessionStore(), log: memoryEventLog() })],
  ['across a network', remote],
  ['by a query builder', built],
] as const;

const cases = shared.flatMap(([what, make]) => withHandshake.map((revision) => [revision, what, make] as const));

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
  // Asking is loaded with the first question.
  const id = await vi.waitFor(() => {
    const question = asked.reply.sink?.messages[0]?.['id'];
    expect(question).toBeDefined();
    return question;
  });
  await knock(b, { headers, body: { jsonrpc: '2.0', id, result: { action: 'accept', content: { confirm: true } } } });
  await asked.done;
  expect(asked.reply.sink?.messages.at(-1)).toMatchObject({ id: 2, result: { content: [{ text: 'yes' }] } });
});

test.each(cases.filter(([revision]) => revision !== '2024-11-05'))(
  'streams of %s, kept %s, are taken up by another process',
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
    // Nothing of A is left but what it wrote down.
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

test('a call that another process is still at is asked for again later', async () => {
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

test('what was agreed on in one process holds in the other, and its end too', async () => {
  const both = remote();
  const [one, other] = [port(), port()];
  const [a, b] = [new HttpService(one.server, both), new HttpService(other.server, both)];
  const met = await knock(a, { body: request(1, 'initialize', hello('2025-11-25')) });
  const headers = { 'mcp-session-id': met.headers['Mcp-Session-Id'] };
  // B meets the session before it is ready, and hears of it from the store.
  await knock(b, { headers, body: request(2, 'ping') });
  await knock(a, { headers, body: note('notifications/initialized') });
  const standing = await knock(b, { method: 'GET', headers });
  other.server.add(tool({ name: 'more', run: () => '' }));
  await settled();
  expect(standing.sink?.text).toContain('list_changed');
  expect((await knock(b, { method: 'DELETE', headers })).status).toBe(204);
  expect((await knock(a, { headers, body: request(3, 'ping') })).status).toBe(404);
});

test.each(withHandshake)('news of one process reaches streams of %s in another, once', async (revision) => {
  const [both, news] = [remote(), memoryNewsBus()];
  const [one, other] = [port({ news }), port({ news })];
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

test('a store that fails is not the end of the process', async () => {
  const broken = { ...memorySessionStore(), get: () => Promise.reject(new Error('no store')) };
  const service = new HttpService(port().server, { store: broken });
  const reply = await knock(service, { headers: { 'mcp-session-id': 'x' }, body: request(1, 'ping') });
  expect([reply.status, reply.headers['Retry-After']]).toEqual([503, '1']);
  expect(reply.body).not.toContain('no store');
});

test('a log that fails does not keep events from being sent', async () => {
  const log: EventLog = { append: () => Promise.reject(new Error('no log')), read: () => undefined };
  const service = new HttpService(port().server, { log });
  const headers = await opened(service, '2025-11-25');
  const reply = await knock(service, { headers, body: progressing(1, 'count', { to: 2 }) });
  expect(reply.sink?.messages).toHaveLength(3);
});
