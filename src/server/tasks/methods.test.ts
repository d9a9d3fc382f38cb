/** The methods of tasks do not return expired tasks that the store still has, and work with a slow store. */
import { expect, test } from 'vitest';
import { open } from '../../../test/support/raw.ts';
import {
  accept,
  begin,
  callerNamed,
  get,
  handleCaller,
  nameForm,
  settle,
  taskWorld,
} from '../../../test/support/tasks.ts';
import type { StoredTask } from '../../model/task-record.ts';
import { memoryTasks } from './memory-store.ts';

const unknown = { code: -32602, message: 'Unknown task' };

test('a task that has expired is unknown, also while the store still has it', async () => {
  const kept = { ...memoryTasks(), delete: async () => undefined };
  const { server, clock } = taskWorld(() => 'done', { store: kept });
  const auth = callerNamed('ada');
  const [raw, older] = [await handleCaller(server, { auth }), await open(server, { revision: '2025-11-25', auth })];
  const taskId = await begin(raw);
  const { ttlMs } = await get(raw, taskId);
  await clock.advance(Number(ttlMs) - 1);
  expect(await older.result('tasks/list')).toMatchObject({ tasks: [{ taskId }] });
  await clock.advance(1);
  expect(await kept.get(taskId)).toBeDefined();
  expect(await raw.error('tasks/get', { taskId })).toMatchObject(unknown);
  expect(await older.result('tasks/list')).toMatchObject({ tasks: [] });
});

test.each<[string, Partial<StoredTask>]>([
  ['that never expires', { ttlMs: null }],
  ['of a tool that the server no longer has', { tool: 'gone' }],
])('a task %s is read after it ended', async (_what, stored) => {
  const memory = memoryTasks();
  const get = async (id: string): Promise<StoredTask | undefined> => {
    const task = await memory.get(id);
    return task === undefined ? undefined : { ...task, ...stored };
  };
  const raw = await handleCaller(taskWorld(() => 'done', { store: { ...memory, get } }).server);
  const taskId = await begin(raw);
  expect(await raw.result('tasks/get', { taskId })).toMatchObject({ taskId, status: 'completed' });
});

test('callers that cannot be told apart get no list of tasks', async () => {
  const { server } = taskWorld(() => 'done');
  const raw = await open(server, { revision: '2025-11-25' });
  const taskId = await begin(raw, { task: {} });
  expect(await get(raw, taskId)).toMatchObject({ status: 'completed' });
  expect(await raw.result('tasks/list')).toEqual({ tasks: [] });
});

test('an answer is acknowledged once the store has it', async () => {
  const store = memoryTasks();
  const held: (() => void)[] = [];
  let isSlow = false;
  const slow = {
    ...store,
    put: async (...args: Parameters<typeof store.put>) => {
      if (isSlow) await new Promise<void>((resolve) => void held.push(resolve));
      return store.put(...args);
    },
  };
  const ask = { store: slow };
  const { server } = taskWorld(async (ctx) => (await ctx.ask('a', 'A?', nameForm)).value?.['name'], ask);
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  isSlow = true;
  let isAcknowledged = false;
  const sent = raw.result('tasks/update', { taskId, inputResponses: { a: accept({ name: 'Ada' }) } }).then(() => {
    isAcknowledged = true;
  });
  await settle();
  expect([held.length, isAcknowledged]).toEqual([1, false]);
  isSlow = false;
  held[0]?.();
  await sent;
  expect((await get(raw, taskId))['inputRequests']).toBeUndefined();
});

test('a question that is called like a member of every object is open until it is answered', async () => {
  const { server } = taskWorld(async (ctx) => (await ctx.ask('toString', 'A?', nameForm)).value?.['name']);
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  await raw.result('tasks/update', { taskId, inputResponses: {} });
  expect(await get(raw, taskId)).toMatchObject({ status: 'input_required' });
});

test.each([undefined, 7, null, ['a']])('the id %j of a task is rejected', async (taskId) => {
  const raw = await handleCaller(taskWorld(() => 'done').server);
  for (const method of ['tasks/get', 'tasks/cancel'])
    expect(await raw.error(method, { taskId })).toMatchObject({
      ...{ code: -32602, message: expect.stringContaining('"params.taskId" must be a string') },
    });
});
