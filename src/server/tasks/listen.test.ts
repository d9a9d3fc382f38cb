import { expect, test } from 'vitest';
import { begin, handleCaller, settle, taskWorld, update, yes } from '../../../test/support/tasks.ts';
import { LISTEN } from '../../model/names.ts';
import type { TaskStore } from '../../model/task-record.ts';
import { memoryTasks } from './memory-store.ts';

/** A store that announces changes when the test says so, and counts who watches it. */
function announcingStore(memory: TaskStore = memoryTasks()) {
  const listeners = new Set<(id: string) => void>();
  const store: TaskStore = {
    ...memory,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const announce = (id: string): void => {
    for (const listener of listeners) listener(id);
  };
  return { store, announce, watching: () => listeners.size };
}

test('each state of a task is sent once, however often the store announces it', async () => {
  const { store, announce, watching } = announcingStore();
  const { server } = taskWorld(async (ctx) => `Paid ${await ctx.confirm('go', 'Pay?')}`, { store });
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  const stream = raw.start(LISTEN, { notifications: { taskIds: [taskId] } });
  await settle();
  for (let count = 0; count < 3; count++) announce(taskId);
  await settle();
  expect(stream.heard.map(({ jsonrpc, method }) => [jsonrpc, method])).toEqual([
    ['2.0', 'notifications/subscriptions/acknowledged'],
    ['2.0', 'notifications/tasks'],
  ]);
  await update(raw, taskId, { go: yes });
  expect(JSON.stringify(stream.heard.at(-1))).toContain('Paid true');
  // A task that has ended does not change again.
  expect(watching()).toBe(0);
});

test('a stream that its client cancels watches its tasks no longer, and ends without an error', async () => {
  const { store, watching } = announcingStore();
  const { server, errors } = taskWorld(async (ctx) => `Paid ${await ctx.confirm('go', 'Pay?')}`, { store });
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  const stream = raw.start(LISTEN, { notifications: { taskIds: [taskId] } });
  await settle();
  expect(watching()).toBe(1);
  stream.abort();
  await settle();
  expect(watching()).toBe(0);
  expect(errors).toEqual([]);
});

test('a state that was looked up before a newer one was sent is not sent after it', async () => {
  const memory = memoryTasks();
  const { store, announce } = announcingStore(memory);
  const waiting: (() => void)[] = [];
  let waits = false;
  const get: TaskStore['get'] = async (id) => {
    const task = await memory.get(id);
    if (waits) await new Promise<void>((resolve) => waiting.push(resolve));
    return task;
  };
  const { server } = taskWorld(async (ctx) => `Paid ${await ctx.confirm('go', 'Pay?')}`, { store: { ...store, get } });
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  const stream = raw.start(LISTEN, { notifications: { taskIds: [taskId] } });
  await settle();
  const before = stream.heard.length;
  waits = true;
  for (const message of ['first', 'second']) {
    const task = await memory.get(taskId);
    if (task !== undefined) await memory.put({ ...task, message, version: task.version + 1 }, task.version);
    announce(taskId);
    await settle();
  }
  for (const answer of waiting.toReversed()) {
    answer();
    await settle();
  }
  expect(stream.heard.slice(before).map(({ params }) => params?.['statusMessage'])).toEqual(['second']);
});
