/** Event logs and session stores that throw synchronously, lose events or return nothing: calls go on, and failures are reported. */
import { describe, expect, test } from 'vitest';
import { type Port, port } from '../../../test/fixtures/port.ts';
import { type FakeReply, knock, started } from '../../../test/support/fake-http.ts';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { errorOf, opened, progressing, request } from '../../../test/support/http-messages.ts';
import { hello } from '../../../test/support/raw.ts';
import { soon } from '../../../test/support/soon.ts';
import { type Context, tool } from '../../index.ts';
import type { EventLog, LoggedEvent } from './event-log.ts';
import type { HttpOptions } from './http-settings.ts';
import { memoryEventLog } from './memory-event-log.ts';
import { HttpService } from './service.ts';
import { memorySessionStore, type SessionStore } from './session-store.ts';

interface Failing extends Port {
  readonly service: HttpService;
  readonly clock: HeldClock;
  readonly reported: string[];
}

/** Reports failures to an `onStoreError` that throws too. */
function failing(options: HttpOptions): Failing {
  const made = port();
  const run = (_input: unknown, ctx: Context): Promise<never> => {
    ctx.progress(1);
    ctx.progress(2);
    return new Promise(() => undefined);
  };
  made.server.add(tool({ name: 'steps', run }));
  const [clock, reported] = [new HeldClock(), [] as string[]];
  const onStoreError = (error: unknown, what: string): void => {
    reported.push(`${what}: ${error}`);
    throw new Error('The counter is broken too');
  };
  return { ...made, clock, reported, service: new HttpService(made.server, { clock, onStoreError, ...options }) };
}

const disk = (): never => {
  throw new Error('full');
};
const isSecond = ({ seq }: LoggedEvent): boolean => seq === 2;

describe('an event log', () => {
  test.each<[string, Partial<EventLog>, string]>([
    ['throws at each event', { append: disk }, 'append: Error: full'],
    ['rejects each event', { append: async () => disk() }, 'append: Error: full'],
    ['throws where a stream is claimed', { claim: disk }, 'put: Error: full'],
    ['rejects a claim', { claim: async () => disk() }, 'put: Error: full'],
  ])('an event log that %s fails no call, and is reported', async (_what, faults, report) => {
    const { service, reported } = failing({ eventLog: { ...memoryEventLog(), ...faults } });
    const headers = await opened(service, '2025-11-25');
    const { sink } = await knock(service, { headers, body: progressing(1, 'count', { to: 2 }) });
    expect(sink?.messages.map(({ params, result }) => params ?? result)).toMatchObject([
      { progress: 1 },
      { progress: 2 },
      { content: [{ text: 'counted to 2' }] },
    ]);
    expect([sink?.ended, reported[0]]).toEqual([true, report]);
  });

  test('if an append throws, this event and the next have no id', async () => {
    const log = memoryEventLog();
    const append: EventLog['append'] = (stream, event) => (isSecond(event) ? disk() : log.append(stream, event));
    const { service } = failing({ eventLog: { ...log, append } });
    const headers = await opened(service, '2025-11-25');
    const { sink } = await knock(service, { headers, body: progressing(1, 'count', { to: 3 }) });
    expect(sink?.events.map(({ id }) => id?.split('.')[1])).toEqual(['0', '1', undefined, undefined, '4']);
  });

  /** A call whose connection breaks after two events. */
  async function lost(eventLog: EventLog): Promise<Failing & { resume(after: number): Promise<FakeReply> }> {
    const all = failing({ eventLog });
    const headers = await opened(all.service, '2025-11-25');
    const { reply } = started(all.service, { headers, body: progressing(1, 'steps') });
    await soon(() => expect(reply.sink?.messages).toHaveLength(2));
    reply.hangUp();
    const name = reply.sink?.events[0]?.id?.split('.')[0];
    const resume = (after: number): Promise<FakeReply> =>
      knock(all.service, { method: 'GET', headers: { ...headers, 'last-event-id': `${name}.${after}` } });
    return { ...all, resume };
  }

  test.each<[string, (log: EventLog) => Partial<EventLog>]>([
    [
      'did not keep an event',
      (log) => ({ append: async (s, event) => (isSecond(event) ? disk() : log.append(s, event)) }),
    ],
    ['threw at an event', (log) => ({ append: (s, event) => (isSecond(event) ? disk() : log.append(s, event)) })],
    ['has none of the events', () => ({ read: async () => [] })],
    ['has null instead of events', () => ({ read: async () => null as unknown as undefined })],
    ['skips an event', (log) => ({ read: async (s) => (await log.read(s, 0))?.filter((event) => !isSecond(event)) })],
  ])('an event log that %s is read once, and the client learns that events are lost', async (_what, faults) => {
    const log = memoryEventLog();
    let reads = 0;
    const faulty: EventLog = { ...log, ...faults(log) };
    const read: EventLog['read'] = (...args) => {
      reads++;
      return faulty.read(...args);
    };
    const { resume } = await lost({ ...faulty, read });
    expect([errorOf(await resume(1)), reads]).toEqual([[400, -32600], 1]);
  });
});

describe('a session store', () => {
  const failingStore = (faults: (store: SessionStore) => Partial<SessionStore>): Failing & { fail(): void } => {
    const store = memorySessionStore();
    const sessions = { ...store };
    return { ...failing({ sessions }), fail: () => void Object.assign(sessions, faults(store)) };
  };
  const ping = request(1, 'ping');

  test('while "get" of a session store throws, a live session goes on for thirty seconds', async () => {
    const { service, fail, clock, reported } = failingStore(() => ({ get: disk }));
    const headers = await opened(service, '2025-11-25');
    fail();
    expect((await knock(service, { headers, body: ping })).status).toBe(200);
    await clock.pass(30_001);
    expect((await knock(service, { headers, body: ping })).status).toBe(503);
    expect(reported).toEqual(['get: Error: full', 'get: Error: full']);
  });

  test('a session store whose "touch" throws fails no call, and no timer', async () => {
    const { service, fail, clock, reported } = failingStore(() => ({ touch: disk }));
    const headers = await opened(service, '2025-11-25');
    await started(service, { method: 'GET', headers }).done;
    fail();
    await clock.pass(1_000);
    expect((await knock(service, { headers, body: ping })).status).toBe(200);
    expect(reported).toEqual(['touch: Error: full']);
    // The registry touches a session with an open stream.
    await clock.pass(60_000);
    expect(reported).toHaveLength(2);
  });

  test.each<[string, Partial<SessionStore>]>([
    ['null', { get: () => null as unknown as undefined }],
    ['null later', { get: async () => null as unknown as undefined }],
  ])('a session store that returns %s has no such session', async (_what, faults) => {
    const { service, fail } = failingStore(() => faults);
    const headers = await opened(service, '2025-11-25');
    fail();
    expect(errorOf(await knock(service, { headers, body: ping }))).toEqual([404, -32600]);
  });

  test.each<[string, unknown]>([
    ['text', '{"session":{}}'],
    ['a list', []],
    ['an object', {}],
    ['an object', { session: '{}', principal: '', createdAt: 1, usedAt: 1, version: '1' }],
    ['an object', { session: {}, principal: '', createdAt: '1', usedAt: 1, version: '1' }],
    ['an object', { session: {}, principal: null, createdAt: 1, usedAt: 1, version: 1 }],
    ['true', true],
  ])(
    'a session store that returns %s counts as unavailable and is named in the report: no client loses its session',
    async (what, returned) => {
      for (const get of [() => returned, async () => returned] as SessionStore['get'][]) {
        const { service, fail, reported } = failingStore(() => ({ get }));
        const headers = await opened(service, '2025-11-25');
        fail();
        expect((await knock(service, { headers, body: ping })).status).toBe(200);
        const other = { headers: { ...headers, 'mcp-session-id': 'of-another-process' }, body: ping };
        expect(errorOf(await knock(service, other))).toEqual([503, -32603]);
        expect(reported).toEqual(
          Array(2).fill(expect.stringContaining(`get of the session store: it returned ${what}`)),
        );
      }
    },
  );

  test('a session store that cannot add or delete a session is reported', async () => {
    const { service, fail, reported } = failingStore(() => ({ put: disk, delete: disk }));
    const headers = await opened(service, '2025-11-25');
    fail();
    expect((await knock(service, { method: 'DELETE', headers })).status).toBe(503);
    expect((await knock(service, { body: request(0, 'initialize', hello('2025-11-25')) })).status).toBe(503);
    expect(reported).toEqual(['delete: Error: full', 'put: Error: full']);
  });
});
