import { expect, test } from 'vitest';
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { limitTaskStore } from './limit-task-store.ts';
import { memoryTasks } from './memory-store.ts';

const whole: StoredTask = {
  ...{ id: 't', owner: '', tool: 'work', status: 'working', form: 'handle', arguments: {}, code: '1' },
  ...{ caller: { capabilities: {} }, resume: true, isSeen: true, ttlMs: 1_100, pollMs: 1, runs: 0, interruptions: 0 },
  ...{ version: 1, createdAt: 0, updatedAt: 0, endsAt: 1_000, dueAt: 0 },
  ...{ asked: [], questions: [], answers: [], begun: [], steps: [] },
};

/** A store that returns this from every method. */
const returning = (value: unknown): TaskStore => {
  const method = async (): Promise<never> => value as never; // as a store without TypeScript can
  return { ...memoryTasks(), get: method, list: method, due: method };
};
const limited = (value: unknown): ReturnType<typeof limitTaskStore> => limitTaskStore(returning(value), virtualClock());

test('a whole task passes, and so does none', async () => {
  expect(await limited(whole).get('t')).toBe(whole);
  expect(await limited(null).get('t')).toBeUndefined();
  expect(await limited(undefined).get('t')).toBeUndefined();
  expect(await limited([whole]).list('', undefined, 1)).toEqual([whole]);
  expect(await limited([]).due(0, 1)).toEqual([]);
});

const members = ['id', 'owner', 'tool', 'status', 'version', 'createdAt', 'endsAt', 'dueAt'] as const;
const lists = ['asked', 'questions', 'answers', 'begun', 'steps'] as const;
test.each([...members, ...lists])(
  'a task whose member "%s" has another type is rejected by every method',
  async (name) => {
    const damaged = { ...whole, [name]: {} };
    await expect(limited(damaged).get('t')).rejects.toThrow(/get of the task store/);
    await expect(limited([whole, damaged]).list('', undefined, 1)).rejects.toThrow(/list of the task store.*list of/);
    await expect(limited([damaged]).due(0, 1)).rejects.toThrow(/due of the task store/);
  },
);

test.each<[unknown, string]>([
  ['text', 'text'],
  [7, '7'],
  [{}, 'an object'],
  [null, 'null'],
  [undefined, 'undefined'],
  [[null], 'a list of something else'],
  [['text'], 'a list of something else'],
])('a store that returns %j instead of a list is rejected, as it returned %s', async (value, what) => {
  const why = `it returned ${what}; return a list of tasks`;
  await expect(limited(value).list('', undefined, 1)).rejects.toThrow(`list of the task store: ${why}`);
  await expect(limited(value).due(0, 1)).rejects.toThrow(`due of the task store: ${why}`);
});

test.each(['create', 'get', 'put', 'renew', 'list', 'due', 'delete'] as const)(
  'a store whose method "%s" never answers fails the request, and says which method',
  async (method) => {
    const clock = virtualClock();
    const store = { ...memoryTasks(), [method]: () => new Promise(() => undefined) } as unknown as TaskStore; // as above
    const calls: Record<typeof method, () => Promise<unknown>> = {
      create: () => limitTaskStore(store, clock).create(whole),
      get: () => limitTaskStore(store, clock).get('t'),
      put: () => limitTaskStore(store, clock).put(whole, 1),
      renew: () => limitTaskStore(store, clock).renew('t', { by: 'a', run: 1 }, 1),
      list: () => limitTaskStore(store, clock).list('', undefined, 1),
      due: () => limitTaskStore(store, clock).due(0, 1),
      delete: () => limitTaskStore(store, clock).delete('t'),
    };
    const outcome = calls[method]().then(
      () => 'an answer',
      (error: unknown) => String(error),
    );
    await clock.advance(60_000);
    expect(await outcome).toContain(`${method} of the task store`);
  },
);
