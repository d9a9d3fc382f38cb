import { expect, test } from 'vitest';
import { begin, handleCaller, settle, taskWorld, update, yes } from '../../../test/support/tasks.ts';
import { LISTEN } from '../../model/names.ts';
import type { TaskStore } from '../../model/task-record.ts';
import { memoryTasks } from './memory-store.ts';

/** A store that announces changes when the test says so, and counts who watches it. */
function announcingStore() {
  const listeners = new Set<(id: string) => void>();
  const store: TaskStore = {
    ...memoryTasks(),
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
  const { store, announce } = announcingStore();
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
