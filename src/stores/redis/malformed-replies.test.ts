/** Malformed replies of Redis: each is an error of the store, never "no such session" or "not used before". */
import { expect, test } from 'vitest';
import type { Backend } from '../backend.ts';
import { sharedStores } from '../shared-stores.ts';
import { redisBackend } from './redis-backend.ts';
import { redisTasks } from './redis-tasks.ts';

/** A backend whose Redis sends this reply to every command except `INFO`. */
function backendWith(reply: unknown): Backend {
  const send = async ([name]: string[]): Promise<unknown> => (name === 'INFO' ? 'maxmemory:0' : reply);
  return redisBackend({ send, subscribe: () => () => undefined, onWarning: () => undefined });
}

test.each<[string, unknown]>([
  ['text', 'OK'],
  ['a number', 1],
  ['nothing', null],
  ['a list that is too short', ['v1']],
  ['a list that is too long', ['v1', 'd', null, null]],
  ['a version without a value', ['v1', null, null]],
  ['an object', { v: 'v1' }],
])('a session that is read as %s is an error of the store', async (_what, reply) => {
  const { sessions } = sharedStores(backendWith(reply));
  await expect(sessions.get('a')).rejects.toMatchObject({ code: 'MCP_BAD_RESULT' });
  const both = await Promise.allSettled([sessions.get('a'), sessions.get('b')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a cluster that was not announced and then sends text is an error of the store', async () => {
  const send = async ([name]: string[]): Promise<unknown> => {
    if (name === 'EVALSHA') throw new Error('CROSSSLOT');
    return name === 'INFO' ? 'maxmemory:0' : 'OK';
  };
  const { keyed } = redisBackend({ send, subscribe: () => () => undefined, onWarning: () => undefined });
  const both = await Promise.allSettled([keyed.get('a'), keyed.get('b')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test.each<[string, (backend: Backend) => Promise<unknown>]>([
  ['put', ({ keyed }) => keyed.put('k', 'v', { ttlMs: 1 })],
  ['touch', ({ keyed }) => keyed.touch('k', 1)],
  ['delete', ({ keyed }) => keyed.delete('k')],
  ['spend', ({ once }) => once.spend('k', 1)],
  ['take', ({ count }) => count.take('k', { limit: 1, perMs: 1 })],
  ['append', ({ log }) => log.append('k', { seq: 1, data: '' }, { ttlMs: 1, keep: 1 })],
  ['read', ({ log }) => log.read('k', 0)],
])('%s fails if the reply is an object', async (_what, run) => {
  await expect(run(backendWith({}))).rejects.toMatchObject({ code: 'MCP_BAD_RESULT' });
});

test('a log entry without its data is an error of the store', async () => {
  await expect(backendWith([['1-0', []]]).log.read('k', 0)).rejects.toThrow('XRANGE of Redis is malformed');
});

test('tasks that are read as text are an error of the store', async () => {
  const tasks = redisTasks({ send: async () => 'OK' });
  await expect(tasks.get('a')).rejects.toThrow(
    'HMGET of Redis is malformed: expected a list, not a value of type string',
  );
  await expect(tasks.due(0, 1)).rejects.toMatchObject({ code: 'MCP_BAD_RESULT' });
  await expect(tasks.count()).rejects.toMatchObject({ code: 'MCP_BAD_RESULT' });
});
