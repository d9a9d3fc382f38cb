/** Pushed change notifications in a session: list changes after the handshake, updates of a resource after a subscription. */
import { expect, test } from 'vitest';
import { hello, open, type Raw, withHandshake } from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { nextTurn } from '../../peer/runtime.ts';
import type { Part } from '../../server/part.ts';
import { prompt } from '../../server/prompt.ts';
import { resource } from '../../server/resource.ts';
import { createServer } from '../../server/server.ts';
import type { Server } from '../../server/server-interface.ts';
import { tool } from '../../server/tool.ts';
import { pushFeeds } from './push.ts';
import { toChange } from './to-change.ts';

const t = (name: string): Part => tool({ name, run: () => 'x' });
const p = (name: string): Part => prompt({ name, render: () => 'x' });
const r = (uri: string): Part => resource({ uri, read: () => 'x' });
const serverOf = (parts: readonly Part[] = [t('t'), p('p'), r('a:b')]): Server =>
  createServer({ name: 'dock', version: '1', parts });
const told = (raw: Raw): string[] => raw.pushed.splice(0).map(({ method }) => method.replace('notifications/', ''));

test.each(withHandshake)('a list change is pushed once to every session of %s', async (revision) => {
  verifies('TOOL-7', 'RES-7', 'PROMPT-5', 'SEEDF-2');
  const server = serverOf();
  const [one, other] = [await open(server, { revision }), await open(server, { revision })];
  server.add(t('t2'));
  server.add(t('t3'));
  server.remove('t3');
  server.add(p('p2'));
  server.remove('a:b');
  await nextTurn();
  const all = ['tools/list_changed', 'prompts/list_changed', 'resources/list_changed'];
  expect([told(one), told(other)]).toEqual([all, all]);
  server.remove('unknown');
  await nextTurn();
  expect(told(one)).toEqual([]);
});

test('the notification of a list change has no params', async () => {
  const server = serverOf();
  const raw = await open(server, { revision: '2025-11-25' });
  server.add(t('t2'));
  await nextTurn();
  expect(raw.pushed).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]);
  expect(raw.heard).toEqual([]);
});

test('changes are pushed only between the handshake and the end of the session', async () => {
  verifies('LIFE-007');
  const server = serverOf();
  const raw = await open(server, { revision: undefined });
  server.add(t('t2'));
  await nextTurn();
  await raw.result('initialize', hello('2025-11-25'));
  server.add(t('t3'));
  await nextTurn();
  expect(told(raw)).toEqual([]);
  await raw.say('notifications/initialized');
  await raw.say('notifications/initialized');
  server.add(t('t4'));
  await nextTurn();
  expect(told(raw)).toEqual(['tools/list_changed']);
  raw.close();
  server.add(t('t5'));
  await nextTurn();
  expect(told(raw)).toEqual([]);
});

test('a session that is not ready gets no notifications', () => {
  verifies('LIFE-007');
  expect(pushFeeds.push({ kind: 'tools' }, { revision: '2025-11-25' })).toBeUndefined();
  expect(pushFeeds.push({ kind: 'tools' }, { revision: '2025-11-25', ready: true })).toBeDefined();
});

test('a resumed session still gets its notifications', async () => {
  const server = serverOf();
  const session = { revision: '2025-06-18', ready: true, subscriptions: ['a:b'] };
  const raw = await open(server, { revision: undefined, session });
  server.updated('a:b');
  server.updated('a:c');
  await nextTurn();
  expect(raw.pushed).toEqual([{ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a:b' } }]);
});

test.each(withHandshake)('only sessions that subscribed to a resource get its updates in %s', async (revision) => {
  verifies('RES-9', 'RES-10', 'RES-11', 'SEEDF-8');
  const server = serverOf();
  const [one, other] = [await open(server, { revision }), await open(server, { revision })];
  server.updated('a:b');
  await nextTurn();
  expect(await one.result('resources/subscribe', { uri: 'a:b' })).toEqual({});
  expect(await one.result('resources/subscribe', { uri: 'a:b' })).toEqual({});
  server.updated('a:b');
  server.updated('a:b');
  server.updated('a:other');
  await nextTurn();
  expect(one.pushed.splice(0)).toEqual([
    { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a:b' } },
  ]);
  expect(await one.result('resources/unsubscribe', { uri: 'a:b' })).toEqual({});
  expect(await one.result('resources/unsubscribe', { uri: 'a:never' })).toEqual({});
  server.updated('a:b');
  await nextTurn();
  expect([one.pushed, other.pushed]).toEqual([[], []]);
});

test('a session rejects more subscriptions than the limit', async () => {
  const raw = await open(serverOf(), { revision: '2025-11-25' });
  for (let i = 0; i < 1_024; i++) await raw.result('resources/subscribe', { uri: `a:${i}` });
  expect(await raw.error('resources/subscribe', { uri: 'a:more' })).toEqual({
    code: -32603,
    message: 'A session holds at most 1024 subscriptions',
  });
  expect(await raw.result('resources/subscribe', { uri: 'a:7' })).toEqual({});
  await raw.result('resources/unsubscribe', { uri: 'a:7' });
  expect(await raw.result('resources/subscribe', { uri: 'a:more' })).toEqual({});
});

test('a session gets only changes that were declared in its handshake', async () => {
  verifies('RES-9', 'LIFE-016', 'LIFE-018');
  const server = serverOf([t('t')]);
  const early = await open(server, { revision: '2025-06-18' });
  server.add(p('p'));
  server.add(r('a:b'));
  const late = await open(server, { revision: '2025-06-18' });
  await late.result('resources/subscribe', { uri: 'a:b' });
  await nextTurn();
  expect([told(early), told(late)]).toEqual([[], []]);
  server.updated('a:b');
  server.add(p('p2'));
  server.add(t('t2'));
  await nextTurn();
  expect(told(early)).toEqual(['tools/list_changed']);
  expect(told(late)).toEqual(['resources/updated', 'prompts/list_changed', 'tools/list_changed']);
});

test('toChange() decodes change notifications', () => {
  const read = (method: string, params?: object): unknown =>
    toChange({
      jsonrpc: '2.0',
      method: `notifications/${method}`,
      ...(params === undefined ? {} : { params: { ...params } }),
    });
  expect(read('tools/list_changed')).toEqual({ kind: 'tools' });
  expect(read('prompts/list_changed', { _meta: {} })).toEqual({ kind: 'prompts' });
  expect(read('resources/list_changed')).toEqual({ kind: 'resources' });
  expect(read('resources/updated', { uri: 'a:b' })).toEqual({ kind: 'resource', uri: 'a:b' });
  for (const [method, params] of [['resources/updated', { uri: 7 }], ['resources/updated'], ['progress']] as const) {
    expect(read(method, params)).toBeUndefined();
  }
});
