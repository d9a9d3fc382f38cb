/** The session store in memory, and the merging of concurrent changes. */
import { describe, expect, test } from 'vitest';
import { port } from '../../../test/fixtures/port.ts';
import { knock } from '../../../test/support/fake-http.ts';
import { opened, request } from '../../../test/support/http-messages.ts';
import { resource } from '../../index.ts';
import type { PeerSession } from '../../peer/session.ts';
import { HttpService } from './service.ts';
import { isChanged, memorySessionStore, mergeSession, type StoredSession, undoChanges } from './session-store.ts';

describe('the store in memory', () => {
  const stored: StoredSession = { session: { revision: '2025-11-25' }, principal: 'ada', createdAt: 1, usedAt: 2 };
  const options = { expected: undefined, ttlMs: 1_000 };

  test('the memory store keeps all members of a session', async () => {
    const store = memorySessionStore();
    for (const one of [stored, { ...stored, shared: true }]) {
      await store.delete('a');
      const version = await store.put('a', one, options);
      expect(await store.get('a')).toStrictEqual({ ...one, version });
    }
  });

  test('the memory store writes nothing if another version is stored than expected', async () => {
    const store = memorySessionStore();
    expect(await store.put('a', stored, { ...options, expected: '1' })).toBeUndefined();
    expect(await store.get('a')).toBeUndefined();
    const first = await store.put('a', stored, options);
    for (const expected of [undefined, `${first}0`])
      expect(await store.put('a', { ...stored, principal: 'eve' }, { ...options, expected })).toBeUndefined();
    expect(await store.get('a')).toEqual({ ...stored, version: first });
    expect(await store.put('a', stored, { ...options, expected: first })).not.toBe(first);
  });

  test('the memory store never reuses a version, not even after delete', async () => {
    const store = memorySessionStore();
    const versions = new Set<unknown>();
    for (let n = 0; n < 3; n++) {
      versions.add(await store.put('a', stored, options));
      await store.delete('a');
    }
    expect([versions.size, versions.has(undefined)]).toEqual([3, false]);
  });

  test('touch updates an existing session, and creates none', async () => {
    const store = memorySessionStore();
    const version = await store.put('a', stored, options);
    for (const id of ['a', 'b']) await store.touch(id, 9, 1_000);
    expect([await store.get('a'), await store.get('b')]).toEqual([{ ...stored, usedAt: 9, version }, undefined]);
  });
});

test.each<[string, PeerSession, PeerSession, boolean]>([
  ['nothing', { ready: true, logLevel: 'info' }, { ready: true, logLevel: 'info' }, false],
  ['the end of the handshake', { ready: true }, {}, true],
  ['the end of the handshake, which another process was told', {}, { ready: true }, false],
  ['a level', { logLevel: 'info' }, { logLevel: 'error' }, true],
  ['subscriptions', { subscriptions: ['x:1'] }, {}, true],
])('a change of %s from the base: %j after %j counts as a change: %s', (_what, ours, base, expected) => {
  expect(isChanged(ours, base)).toBe(expected);
});

test.each<[string, PeerSession, PeerSession, PeerSession, PeerSession]>([
  [
    'what each side changed',
    { logLevel: 'error', subscriptions: ['x:1', 'x:2'] },
    { subscriptions: ['x:1'] },
    { ready: true, subscriptions: ['x:1', 'x:3'] },
    { ready: true, logLevel: 'error', subscriptions: ['x:1', 'x:2', 'x:3'] },
  ],
  ['what this side changed last', { logLevel: 'error' }, {}, { logLevel: 'info' }, { logLevel: 'info' }],
  [
    'what the other side changed, where this side did not',
    { ready: true, logLevel: 'error', subscriptions: [] },
    { logLevel: 'info', subscriptions: ['x:1'] },
    { logLevel: 'info' },
    { ready: true, logLevel: 'error', subscriptions: [] },
  ],
  [
    'what the other side has, where this side has nothing any more',
    { logLevel: 'error' },
    { logLevel: 'info', subscriptions: ['x:1'] },
    { subscriptions: ['x:1', 'x:2'] },
    { logLevel: 'error', subscriptions: ['x:2'] },
  ],
  [
    'no subscription that either side ended, and none twice',
    { subscriptions: ['x:2', 'x:3', 'x:4'] },
    { subscriptions: ['x:1', 'x:2', 'x:3'] },
    { subscriptions: ['x:1', 'x:3', 'x:4'] },
    { subscriptions: ['x:3', 'x:4'] },
  ],
  [
    'first subscriptions of both',
    { subscriptions: ['x:1'] },
    {},
    { subscriptions: ['x:2'] },
    { subscriptions: ['x:1', 'x:2'] },
  ],
])('merging two states of a session keeps %s', (_what, theirs, base, ours, merged) => {
  expect(mergeSession(theirs, base, ours)).toEqual(merged);
});

test('merging returns the stored list if nothing changed, so that it is not written again', () => {
  const stored = ['x:1', 'x:2'];
  for (const ours of [['x:1'], ['x:1', 'x:2']]) {
    const merged = mergeSession({ subscriptions: stored }, { subscriptions: ['x:1'] }, { subscriptions: ours });
    expect(merged.subscriptions).toBe(stored);
  }
});

test('undoChanges rolls back changes, except the end of the handshake', () => {
  const ours: PeerSession = { ready: true, logLevel: 'info', subscriptions: ['x:1'] };
  undoChanges(ours, { logLevel: 'error', subscriptions: [] });
  expect(ours).toEqual({ ready: true, logLevel: 'error', subscriptions: [] });
  undoChanges(ours, {});
  expect(Object.keys(ours)).toEqual(['ready']);
});

test('each change of a session is written to the store once', async () => {
  const store = memorySessionStore();
  let writes = 0;
  const put: typeof store.put = (...args) => {
    writes++;
    return store.put(...args);
  };
  const { server } = port();
  for (const n of [1, 2]) server.add(resource({ uri: `x:${n}`, read: () => '' }));
  const service = new HttpService(server, { sessions: { ...store, put } });
  const headers = await opened(service, '2025-11-25');
  for (const [method, params] of [
    ['resources/subscribe', { uri: 'x:1' }],
    ['resources/subscribe', { uri: 'x:2' }],
    ['resources/unsubscribe', { uri: 'x:1' }],
    ['logging/setLevel', { level: 'error' }],
  ] as const) {
    writes = 0;
    await knock(service, { headers, body: request(1, method, params) });
    expect([method, params, writes]).toEqual([method, params, 1]);
  }
});
