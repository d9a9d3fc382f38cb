/** Notifications of changes in a session: list changes after the handshake, updates of a resource after a subscription. */
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

test.each(withHandshake)('a change of a list is told to every session of %s, once', async (revision) => {
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

test('a change has no params, and is no answer to anything', async () => {
  const server = serverOf();
  const raw = await open(server, { revision: '2025-11-25' });
  server.add(t('t2'));
  await nextTurn();
  expect(raw.pushed).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]);
  expect(raw.heard).toEqual([]);
});

test('nothing is told before the client is ready, nor after the end', async () => {
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

test('a session that is not ready is told nothing', () => {
  verifies('LIFE-007');
  expect(pushFeeds.push({ kind: 'tools' }, { revision: '2025-11-25' })).toBeUndefined();
  expect(pushFeeds.push({ kind: 'tools' }, { revision: '2025-11-25', ready: true })).toBeDefined();
});

test('a session that is taken up again hears on', async () => {
  const server = serverOf();
  const session = { revision: '2025-06-18', ready: true, subscriptions: ['a:b'] };
  const raw = await open(server, { revision: undefined, session });
  server.updated('a:b');
  server.updated('a:c');
  await nextTurn();
  expect(raw.pushed).toEqual([{ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a:b' } }]);
});

test.each(withHandshake)('a resource is watched by those who subscribed to it in %s', async (revision) => {
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

test('a session holds so many subscriptions and no more', async () => {
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

test('a session hears only of what was declared in its handshake', async () => {
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

test('a notification is read as the news it carries', () => {
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
