/** Requests whose store or authenticator never settles, or returns an invalid value. */
import { expect, test, vi } from 'vitest';
import { port } from '../../../test/fixtures/port.ts';
import { type FakeReply, type FakeRequest, knock, started } from '../../../test/support/fake-http.ts';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { errorOf, opened, progressing, request, stateless } from '../../../test/support/http-messages.ts';
import { hello } from '../../../test/support/raw.ts';
import { soon } from '../../../test/support/soon.ts';
import { type Context, tool } from '../../index.ts';
import type { Authenticator } from '../../model/auth.ts';
import type { LoggedEvent } from './event-log.ts';
import type { HttpOptions } from './http-settings.ts';
import { limitEventLog } from './limit-stores.ts';
import { memoryEventLog } from './memory-event-log.ts';
import { HttpService } from './service.ts';
import { memorySessionStore, type SessionStore, type StoreOperation } from './session-store.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const echo: FakeRequest = stateless('tools/call', { name: 'echo', arguments: { message: 'hi' } });

interface Limited {
  readonly clock: HeldClock;
  readonly service: HttpService;
  /** Operations that never settle from now on. */
  readonly stuck: Set<StoreOperation>;
  readonly reported: string[];
}

function limited(options: HttpOptions = {}): Limited {
  const [store, clock, stuck] = [memorySessionStore(), new HeldClock(), new Set<StoreOperation>()];
  const reported: string[] = [];
  const ask = <T>(what: StoreOperation, run: () => T): T | Promise<never> => (stuck.has(what) ? never() : run());
  const sessions: SessionStore = {
    get: (id) => ask('get', () => store.get(id)),
    put: (...args) => ask('put', () => store.put(...args)),
    touch: (...args) => ask('touch', () => store.touch(...args)),
    delete: (id) => ask('delete', () => store.delete(id)),
  };
  const onStoreError = (error: unknown, what: string): void => void reported.push(`${what}: ${error}`);
  const { server } = port();
  const run = (_input: unknown, ctx: Context): Promise<never> => {
    ctx.progress(1);
    ctx.progress(2);
    return never();
  };
  server.add(tool({ name: 'steps', run }));
  return {
    clock,
    stuck,
    reported,
    service: new HttpService(server, { sessions, clock, onStoreError, ...options }),
  };
}

/** Expects the reply after thirty seconds, and not a moment earlier. */
async function replyAtLimit({ service, clock }: Limited, sent: FakeRequest): Promise<FakeReply> {
  const { reply, done } = started(service, sent);
  await clock.pass(29_999);
  expect(reply.status).toBe(0);
  await clock.pass(1);
  await done;
  return reply;
}

test.each<[StoreOperation, FakeRequest]>([
  ['put', { body: request(0, 'initialize', hello('2025-11-25')) }],
  ['put', { body: request(1, 'logging/setLevel', { level: 'debug' }) }],
  ['delete', { method: 'DELETE' }],
])(
  'a request whose session store does not settle at %s is answered with 503 after thirty seconds',
  async (what, sent) => {
    // By default a call would become a stream earlier, and its error an event.
    const all = limited({ keepAliveMs: 60_000 });
    const headers = await opened(all.service, '2025-11-25');
    all.stuck.add(what);
    const isFirst = JSON.stringify(sent).includes('initialize');
    const reply = await replyAtLimit(all, isFirst ? sent : { ...sent, headers });
    expect(errorOf(reply)).toEqual([503, -32603]);
    expect(all.reported).toEqual([
      expect.stringContaining(`${what}: McpError: ${what} of the session store took longer than 30000 ms`),
    ]);
  },
);

test('while its store does not settle, a live session goes on, and any other gets 503', async () => {
  const all = limited();
  const headers = await opened(all.service, '2025-11-25');
  all.stuck.add('get');
  expect((await replyAtLimit(all, { headers, body: request(1, 'ping') })).status).toBe(200);
  const unknown = { headers: { 'mcp-session-id': 'unknown' }, body: request(1, 'ping') };
  expect((await replyAtLimit(all, unknown)).status).toBe(503);
});

test('a request whose authenticator does not settle is answered with 503 after thirty seconds, and the operator learns why', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const reply = await replyAtLimit(limited({ auth: never }), echo);
  expect([...errorOf(reply), reply.json['error']]).toEqual([503, -32603, { code: -32603, message: 'Internal error' }]);
  expect(warned.mock.calls.map(([warning]) => String(warning))).toEqual([
    expect.stringContaining('The function "auth" took longer than 30000 ms'),
  ]);
  warned.mockRestore();
});

test('a promise that settles after the limit has no effect', async () => {
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  let settle = (_caller: { scopes: string[] }): void => undefined;
  const auth: Authenticator = () => new Promise((resolve) => (settle = resolve));
  const all = limited({ auth });
  const reply = await replyAtLimit(all, echo);
  settle({ scopes: [] });
  await all.clock.pass(60_000);
  expect(reply.status).toBe(503);
  vi.restoreAllMocks();
});

test('stores and authenticators that return at once need no timer, and many promises share one', async () => {
  const atOnce = limited({ auth: () => ({ scopes: [] }) });
  await started(atOnce.service, echo).done;
  expect(atOnce.clock.waits).not.toContain(30_000);
  const later = limited({ auth: async () => ({ scopes: [] }) });
  for (let i = 0; i < 20; i++) await started(later.service, echo).done;
  expect(later.clock.waits.filter((ms) => ms === 30_000)).toHaveLength(1);
});

/** A call whose connection breaks after two events, and a way to resume its stream after the first. */
async function lostStream(all: Limited): Promise<FakeRequest> {
  const headers = await opened(all.service, '2025-11-25');
  const { reply } = started(all.service, { headers, body: progressing(1, 'count', { to: 2 }) });
  await soon(() => expect(reply.sink?.ended).toBe(true));
  const name = reply.sink?.events[0]?.id?.split('.')[0];
  return { method: 'GET', headers: { ...headers, 'last-event-id': `${name}.1` } };
}

test('a stream whose event log does not settle is not resumed: 503 after thirty seconds, and it is reported', async () => {
  const log = memoryEventLog();
  const all = limited({ eventLog: { ...log, read: never } });
  const resume = await lostStream(all);
  expect(errorOf(await replyAtLimit(all, resume))).toEqual([503, -32603]);
  expect(all.reported).toEqual([expect.stringContaining('read: McpError: read of the event log took longer than')]);
});

test('events that an event log does not store within thirty seconds count as lost, however many', async () => {
  const all = limited({ eventLog: { ...memoryEventLog(), append: never } });
  const headers = await opened(all.service, '2025-11-25');
  const { reply } = started(all.service, { headers, body: progressing(1, 'steps') });
  await soon(() => expect(reply.sink?.messages).toHaveLength(2));
  reply.hangUp();
  const name = reply.sink?.events[0]?.id?.split('.')[0];
  const lost = { method: 'GET', headers: { ...headers, 'last-event-id': `${name}.0` } };
  expect(errorOf(await replyAtLimit(all, lost))).toEqual([400, -32600]);
  expect(all.reported).toEqual(Array(2).fill(expect.stringContaining('append: McpError: append of the event log')));
});

test.each<[string, unknown]>([
  ['text', '[]'],
  ['an object', { events: [] }],
])('an event log that returns %s is reported, and the client can retry', async (what, returned) => {
  const log = memoryEventLog();
  const all = limited({ eventLog: { ...log, read: async () => returned as readonly LoggedEvent[] } });
  const resume = await lostStream(all);
  expect(errorOf(await knock(all.service, resume))).toEqual([503, -32603]);
  expect(all.reported).toEqual([expect.stringContaining(`read of the event log: it returned ${what}`)]);
});

test('an event log that returns null has no such stream, and one that returns anything else fails', async () => {
  const failed: unknown[] = [];
  const reading = (found: unknown): ReturnType<typeof limitEventLog> => {
    const read = (): LoggedEvent[] => found as LoggedEvent[]; // as a log without TypeScript can return
    const log = { ...memoryEventLog(), read, orphaned: async () => found as number[] };
    return limitEventLog(log, new HeldClock(), (_thrown, operation) => failed.push(operation));
  };
  for (const none of [null, undefined]) {
    expect(await reading(none).read('a', 0)).toBeUndefined();
    expect(await reading(none).orphaned?.('a')).toBeUndefined();
  }
  expect(await reading([]).read('a', 0)).toEqual([]);
  expect(failed).toEqual([]);
  for (const wrong of ['text', 7, {}, false]) await expect(reading(wrong).read('a', 0)).rejects.toThrow(/event log/);
  expect(failed).toEqual(['read', 'read', 'read', 'read']);
});
