/** Sessions while their store is unavailable. */
import { expect, test } from 'vitest';
import { type Port, port } from '../../../test/fixtures/port.ts';
import { type FakeRequest, knock, started } from '../../../test/support/fake-http.ts';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { call, errorOf, opened, progressing, request } from '../../../test/support/http-messages.ts';
import { hello } from '../../../test/support/raw.ts';
import { soon } from '../../../test/support/soon.ts';
import { resource } from '../../index.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import type { HttpOptions } from './http-settings.ts';
import { HttpService } from './service.ts';
import { memorySessionStore, type SessionStore } from './session-store.ts';

type Operation = 'get' | 'put' | 'touch' | 'delete';

interface Away extends Port {
  readonly service: HttpService;
  readonly clock: HeldClock;
  readonly store: SessionStore;
  /** The operations that currently fail. */
  readonly cut: Set<Operation>;
  /** The operations that reached the store, and the reported failures. */
  readonly asked: Operation[];
  readonly reported: string[];
  /** Holds writes to the store until the returned function is called. */
  hold(): () => void;
}

function away(options: HttpOptions = {}): Away {
  const made = port();
  for (const n of [1, 2]) made.server.add(resource({ uri: `x:${n}`, read: () => '' }));
  const [store, clock] = [memorySessionStore(), new HeldClock()];
  const cut = new Set<Operation>();
  const asked: Operation[] = [];
  const reported: string[] = [];
  let written: Promise<void> | undefined;
  const reach = async <T>(what: Operation, run: () => T): Promise<Awaited<T>> => {
    asked.push(what);
    await ((what === 'put' ? written : undefined) ?? settled());
    if (cut.has(what)) throw new Error('away');
    return await run();
  };
  const sessions: SessionStore = {
    get: (id) => reach('get', () => store.get(id)),
    put: (...args) => reach('put', () => store.put(...args)),
    touch: (...args) => reach('touch', () => store.touch(...args)),
    delete: (id) => reach('delete', () => store.delete(id)),
  };
  const onStoreError = (_error: unknown, what: string): void => void reported.push(what);
  const service = new HttpService(made.server, { sessions, clock, onStoreError, ...options });
  const hold = (): (() => void) => {
    let release = (): void => undefined;
    written = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  };
  return { ...made, service, clock, store, cut, asked, reported, hold };
}

const pinged = async ({ service }: Away, headers: Record<string, string | undefined>): Promise<number> =>
  (await knock(service, { headers, body: request(1, 'ping') })).status;
const setLevel = (level: string): JsonObject => request(1, 'logging/setLevel', { level });
const subscribe = (uri: string, method = 'resources/subscribe'): JsonObject => request(1, method, { uri });

test('a live session continues for thirty seconds without its store, and again once the store is back', async () => {
  const all = away();
  const headers = await opened(all.service, '2025-11-25');
  all.cut.add('get');
  await all.clock.pass(30_000);
  expect(await pinged(all, headers)).toBe(200);
  await all.clock.pass(1);
  expect(await pinged(all, headers)).toBe(503);
  all.cut.clear();
  expect(await pinged(all, headers)).toBe(200);
  all.cut.add('get');
  await all.clock.pass(30_000);
  expect(await pinged(all, headers)).toBe(200);
});

test('a session that has expired, or is not live in this process, does not continue without its store', async () => {
  const all = away({ sessionIdleMs: 10_000 });
  const headers = await opened(all.service, '2025-11-25');
  all.cut.add('get');
  await all.clock.pass(10_000);
  expect(await pinged(all, headers)).toBe(200);
  await all.clock.pass(1);
  expect(await pinged(all, headers)).toBe(503);
  expect(await pinged(all, { 'mcp-session-id': 'unknown' })).toBe(503);
});

test('a session with an open stream also continues for only thirty seconds without its store', async () => {
  const all = away();
  const headers = await opened(all.service, '2025-11-25');
  await started(all.service, { method: 'GET', headers }).done;
  all.cut.add('get');
  // Meanwhile the registry has touched the session, because it is in use.
  await all.clock.pass(61_000);
  expect(all.asked).toContain('touch');
  expect(await pinged(all, headers)).toBe(503);
});

test('nothing is written to a store that was unavailable when the request arrived', async () => {
  const all = away();
  const headers = await opened(all.service, '2025-11-25');
  all.cut.add('get');
  all.asked.length = 0;
  expect(errorOf(await knock(all.service, { headers, body: setLevel('debug') }))).toEqual([503, -32603]);
  expect(all.asked).not.toContain('put');
  all.cut.clear();
  expect((await knock(all.service, { headers, body: setLevel('info') })).status).toBe(200);
  expect((await all.store.get(headers['mcp-session-id'] ?? ''))?.session.logLevel).toBe('info');
});

test.each<[string, JsonObject[], JsonObject, object]>([
  ['a first level', [], setLevel('debug'), {}],
  ['another level', [setLevel('error')], setLevel('debug'), { logLevel: 'error' }],
  ['a first subscription', [], subscribe('x:1'), {}],
  ['another subscription', [subscribe('x:1')], subscribe('x:2'), { subscriptions: ['x:1'] }],
  ['its end', [subscribe('x:1')], subscribe('x:1', 'resources/unsubscribe'), { subscriptions: ['x:1'] }],
])('%s that cannot be stored is rolled back and reported', async (_what, before, body, left) => {
  const all = away();
  const headers = await opened(all.service, '2025-11-25');
  for (const one of before) await knock(all.service, { headers, body: one });
  all.cut.add('put');
  const failed = await knock(all.service, { headers, body });
  expect([...errorOf(failed), failed.headers['Retry-After'], failed.json['id']]).toEqual([503, -32603, '1', 1]);
  expect(all.reported).toEqual(['put']);
  all.cut.clear();
  // It is not stored later, together with another change.
  expect(await pinged(all, headers)).toBe(200);
  const { logLevel, subscriptions } = (await all.store.get(headers['mcp-session-id'] ?? ''))?.session ?? {};
  expect({ ...(logLevel && { logLevel }), ...(subscriptions && { subscriptions }) }).toEqual(left);
  expect((await knock(all.service, { headers, body })).status).toBe(200);
});

test('in a batch, only the change that cannot be stored fails, and the batch is answered once', async () => {
  const { service, clock, cut, ran, go } = away();
  const headers = await opened(service, '2025-03-26');
  cut.add('put');
  const { reply, done } = started(service, { headers, body: [setLevel('debug'), call(2, 'wait')] });
  await soon(() => expect(ran()).toBe(1));
  go();
  await done;
  const byId = (a: JsonObject, b: JsonObject): number => Number(a['id']) - Number(b['id']);
  expect((reply.json as unknown as JsonObject[]).toSorted(byId)).toMatchObject([
    { id: 1, error: { code: -32603, data: { retryAfterMs: 1_000 } } },
    { id: 2, result: { content: [{ text: 'went on' }] } },
  ]);
  // No keep-alive listener is left that would turn the response into a stream.
  await clock.pass(60_000);
});

test('a change that cannot be stored does not affect a concurrent call', async () => {
  const { service, cut, asked, hold, go } = away();
  const headers = await opened(service, '2025-11-25');
  const calling = started(service, { headers, body: progressing(2, 'wait') });
  await soon(() => expect(calling.reply.sink?.messages).toHaveLength(1));
  const setting = started(service, { headers, body: setLevel('debug') });
  cut.add('put');
  asked.length = 0;
  const release = hold();
  await soon(() => expect(asked.filter((one) => one === 'put')).toHaveLength(1));
  // The level is being stored when the call ends, which also sees a change to be stored.
  go();
  await soon(() => expect(asked.filter((one) => one === 'put')).toHaveLength(2));
  release();
  await Promise.all([calling.done, setting.done]);
  expect(setting.reply.status).toBe(503);
  expect(calling.reply.sink?.messages.at(-1)).toMatchObject({ id: 2, result: { content: [{ text: 'went on' }] } });
  expect(calling.reply.sink?.ended).toBe(true);
});

test('a handshake that cannot be stored opens no session, and does not count towards limits', async () => {
  const { service, cut } = away({ maxSessions: 1 });
  const headers = await opened(service, '2025-11-25');
  cut.add('put');
  const failed = await knock(service, { body: request(0, 'initialize', hello('2025-11-25')) });
  expect([failed.status, failed.headers['Mcp-Session-Id']]).toEqual([503, undefined]);
  cut.clear();
  expect((await knock(service, { headers, body: request(1, 'ping') })).status).toBe(200);
});

test.each([
  ['twenty times', 20, false],
  ['until it cannot be read what they wrote', 1, true],
])(
  'a change that keeps losing races against other processes is tried %s, and rolled back',
  async (_often, times, fails) => {
    const store = memorySessionStore();
    let [tries, isBusy, version] = [0, false, 0];
    const sessions: SessionStore = {
      ...store,
      get: async (id) => {
        if (fails && tries > 0 && isBusy) throw new Error('away');
        const stored = await store.get(id);
        return stored && isBusy ? { ...stored, version: `other ${version++}` } : stored;
      },
      put: (...args) => {
        if (!isBusy) return store.put(...args);
        tries++;
        return undefined;
      },
    };
    const service = new HttpService(port().server, { sessions });
    const headers = await opened(service, '2025-11-25');
    isBusy = true;
    expect((await knock(service, { headers, body: setLevel('debug') })).status).toBe(503);
    expect(tries).toBe(times);
    isBusy = false;
    expect((await knock(service, { headers, body: request(2, 'ping') })).status).toBe(200);
    expect((await store.get(headers['mcp-session-id'] ?? ''))?.session.logLevel).toBeUndefined();
  },
);

/** A session of another process: a copy of one of this process under another id. */
async function foreign({ store }: Away, headers: Record<string, string | undefined>): Promise<typeof headers> {
  const stored = await store.get(headers['mcp-session-id'] ?? '');
  if (stored !== undefined) await store.put('foreign', stored, { expected: undefined, ttlMs: 1_000 });
  return { ...headers, 'mcp-session-id': 'foreign' };
}

const auth = (): AuthInfo => ({ subject: 'ada', scopes: [] });

test.each<[string, HttpOptions, (all: Away, headers: Record<string, string | undefined>) => Promise<unknown>]>([
  ['that its client ends', {}, ({ service }, headers) => knock(service, { headers, body: request(1, 'shutdown') })],
  [
    'that is found after its end',
    { sessionIdleMs: 1_000 },
    (all, headers) => all.clock.pass(1_001).then(() => pinged(all, headers)),
  ],
  ['that is swept', { sessionIdleMs: 1_000 }, ({ clock }) => clock.pass(60_001)],
  ['of a caller with too many', { auth, maxSessionsPerCaller: 1 }, ({ service }) => opened(service, '2025-11-25')],
  ['of which there are too many', { maxSessions: 1 }, ({ service }) => opened(service, '2025-11-25')],
  [
    'that makes room for one of another process',
    { maxSessions: 1 },
    async (all, headers) => pinged(all, await foreign(all, headers)),
  ],
])('a session %s and cannot be deleted is reported, once', async (_which, options, end) => {
  const all = away(options);
  const headers = await opened(all.service, '2025-11-25');
  all.cut.add('delete');
  await end(all, headers);
  await soon(() => expect(all.asked).toContain('delete'));
  await settled();
  expect(all.reported).toEqual(['delete']);
});

test('a failure to mark a session as shared is reported once', async () => {
  const all = away();
  const headers = await foreign(all, await opened(all.service, '2025-11-25'));
  all.cut.add('put');
  expect(await pinged(all, headers)).toBe(200);
  await soon(() => expect(all.reported).toEqual(['put']));
  await settled();
  expect(all.reported).toHaveLength(1);
});

test('the 503 for an unavailable store has the id of the request, if the body was read', async () => {
  const all = away();
  const headers = await opened(all.service, '2025-11-25');
  all.cut.add('get').add('put');
  await all.clock.pass(30_001);
  const idOf = async (sent: FakeRequest): Promise<unknown> => {
    const reply = await knock(all.service, sent);
    expect(reply.status).toBe(503);
    return reply.json['id'];
  };
  expect(await idOf({ headers, body: request(7, 'ping') })).toBe(7);
  expect(await idOf({ body: request('first', 'initialize', hello('2025-11-25')) })).toBe('first');
  // The id of a response is that of a request of the server.
  expect(await idOf({ headers, body: { jsonrpc: '2.0', id: 7, result: {} } })).toBeUndefined();
  expect(await idOf({ method: 'DELETE', headers })).toBeUndefined();
});
