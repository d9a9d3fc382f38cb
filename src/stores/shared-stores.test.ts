/** Sessions of sharedStores(), for a caller that passes the session that it has cached. */
import { expect, test } from 'vitest';
import type { StoredSession, VersionedSession } from '../transport/http/session-store.ts';
import type { KeyedEntry } from './backend.ts';
import { memoryBackend } from './memory-backend.ts';
import { type SharedStores, sharedStores } from './shared-stores.ts';

const ttlMs = 60_000;
const first: StoredSession = { session: { revision: '2025-11-25' }, principal: 'ann', createdAt: 1, usedAt: 1 };

/** Two processes on one backend, which omits a value whose version is known, and a session that both have cached. */
async function twoProcesses(): Promise<{ one: SharedStores; other: SharedStores; known: VersionedSession }> {
  const backend = memoryBackend();
  const get = async (key: string, known?: KeyedEntry): Promise<KeyedEntry | undefined> => {
    const entry = await backend.keyed.get(key);
    return entry && known?.version === entry.version ? { ...entry, value: known.value } : entry;
  };
  const [one, other] = [0, 1].map(() => sharedStores({ ...backend, keyed: { ...backend.keyed, get } }));
  if (one === undefined || other === undefined) throw new Error('There are two');
  const version = await one.sessions.put('s', first, { expected: undefined, ttlMs });
  return { one, other, known: { ...first, version: `${version}` } };
}

test('get() returns the cached object for an unchanged session', async () => {
  const { one, known } = await twoProcesses();
  const again = await one.sessions.get('s', known);
  expect(again).toEqual(known);
  expect(again?.session).toBe(known.session);
});

test('get() returns the newest time of use of a cached session', async () => {
  const { one, other, known } = await twoProcesses();
  await other.sessions.touch('s', 7, ttlMs);
  expect(await one.sessions.get('s', known)).toEqual({ ...known, usedAt: 7 });
});

test('a session that another process changed is read again', async () => {
  const { one, other, known } = await twoProcesses();
  const changed: StoredSession = { ...first, session: { ...first.session, logLevel: 'error' }, shared: true };
  const version = await other.sessions.put('s', changed, { expected: known.version, ttlMs });
  expect(await one.sessions.get('s', known)).toEqual({ ...changed, version });
});

test('get() returns undefined for a cached session that another process ended', async () => {
  const { one, other, known } = await twoProcesses();
  await other.sessions.delete('s');
  expect(await one.sessions.get('s', known)).toBeUndefined();
});

test.each(['', 'null', '7', '{'])(
  'what another program publishes on the channel of changes is ignored: %j',
  async (data) => {
    const backend = memoryBackend();
    const heard: unknown[] = [];
    const stop = sharedStores(backend).changes.subscribe((shared) => heard.push(shared));
    // A Redis client calls the subscriber from its parser, where an exception would end the process.
    await backend.channel.publish('changes', data);
    await sharedStores(backend).changes.publish({ from: 'b', changes: [] });
    stop();
    expect(heard).toEqual([{ from: 'b', changes: [] }]);
  },
);
