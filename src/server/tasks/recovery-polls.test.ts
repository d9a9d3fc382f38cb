/** When a process looks for due tasks, and when it stops looking. */
import { expect, test } from 'vitest';
import { begin, get, handleCaller, mortalStore, settle, taskWorld, textOfTask } from '../../../test/support/tasks.ts';
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import type { VirtualClock } from '../../testing/virtual-clock.ts';
import { memoryTasks } from './memory-store.ts';

const never = (): Promise<never> => new Promise(() => undefined);

async function pass(clock: VirtualClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await clock.advance(1_000);
    await settle(3);
  }
}

test('the lease of a running task is renewed three times while it lasts, not with each poll', async () => {
  const memory = memoryTasks();
  let [renewals, polls] = [0, 0];
  const store: TaskStore = {
    ...memory,
    renew: async (...given) => {
      renewals++;
      return memory.renew(...given);
    },
    due: async (...given) => {
      polls++;
      return memory.due(...given);
    },
  };
  const { server, clock } = taskWorld(never, { store, leaseMs: 30_000 });
  await begin(await handleCaller(server));
  await pass(clock, 60);
  expect([renewals, polls]).toEqual([6, 60]);
});

test('a server that closes while its store looks for due tasks looks no more, and leaves what was found alone', async () => {
  const memory = memoryTasks();
  const asked: ((due: readonly StoredTask[]) => void)[] = [];
  const store: TaskStore = { ...memory, due: () => new Promise((resolve) => asked.push(resolve)) };
  const { server, clock } = taskWorld(never, { store });
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  await get(raw, taskId);
  await pass(clock, 1);
  expect(asked).toHaveLength(1);
  server.close();
  await settle();
  const left = await memory.get(taskId);
  asked[0]?.(left === undefined ? [] : [left]);
  await pass(clock, 10);
  expect(asked).toHaveLength(1);
  expect(await memory.get(taskId)).toEqual(left);
});

test('a server that closes between two polls looks no more', async () => {
  const memory = memoryTasks();
  let polls = 0;
  const store: TaskStore = {
    ...memory,
    due: async (...given) => {
      polls++;
      return memory.due(...given);
    },
  };
  const { server, clock } = taskWorld(never, { store });
  await begin(await handleCaller(server));
  await pass(clock, 2);
  expect(polls).toBe(2);
  server.close();
  await pass(clock, 10);
  expect(polls).toBe(2);
});

test('a task whose time is up fails in a process without its tool, too', async () => {
  const memory = memoryTasks();
  const mortal = mortalStore(memory);
  const first = taskWorld(never, { store: mortal, task: { runMs: 60_000 } });
  const raw = await handleCaller(first.server);
  const taskId = await begin(raw);
  await get(raw, taskId);
  mortal.die();
  const other = taskWorld(never, { store: memory, clock: first.clock });
  other.server.remove('work');
  const caller = await handleCaller(other.server);
  await pass(first.clock, 58);
  expect(await get(caller, taskId)).toMatchObject({ status: 'working' });
  await pass(first.clock, 3);
  expect(textOfTask(await get(caller, taskId))).toBe('The task took too long');
});

test('a task whose caller never used its id is put aside once, and takes no place among those that are due', async () => {
  const memory = memoryTasks();
  const mortal = mortalStore(memory);
  const first = taskWorld(never, { store: mortal });
  const taskId = await begin(await handleCaller(first.server));
  mortal.die();
  await handleCaller(taskWorld(never, { store: memory, clock: first.clock }).server);
  await pass(first.clock, 32);
  const left = await memory.get(taskId);
  expect(left?.dueAt).toBe(left?.endsAt);
  expect(await memory.due(first.clock.wall(), 10)).toEqual([]);
});

test('of two tasks that were interrupted often, the second runs once the first has not ended its process', async () => {
  const memory = memoryTasks();
  const mortal = mortalStore(memory);
  const first = taskWorld(never, { store: mortal });
  const raw = await handleCaller(first.server);
  for (let count = 0; count < 2; count++) {
    const taskId = await begin(raw);
    await get(raw, taskId);
    const task = await memory.get(taskId);
    if (task !== undefined) await memory.put({ ...task, interruptions: 2, version: task.version + 1 }, task.version);
  }
  mortal.die();
  let runs = 0;
  const run = (): Promise<never> => {
    runs++;
    return never();
  };
  await handleCaller(taskWorld(run, { store: memory, clock: first.clock }).server);
  await pass(first.clock, 34);
  expect(runs).toBe(1);
  await pass(first.clock, 15);
  expect(runs).toBe(2);
});
