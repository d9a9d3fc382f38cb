/** Tasks while their store fails or is away. */
import { expect, test } from 'vitest';
import { begin, get, handleCaller, settle, taskWorld, textOfTask, update, yes } from '../../../test/support/tasks.ts';
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
// Loaded here, because loading takes real time.
import '../protocol-result.ts';
import { memoryTasks } from './memory-store.ts';

test.each<[string, (task: StoredTask) => boolean]>([
  ['its questions', ({ questions, lease }) => questions.length > 0 && lease !== undefined],
  ['that it waits', ({ questions, lease }) => questions.length > 0 && lease === undefined],
  ['its answer', ({ answers, lease }) => answers.length > 0 && lease !== undefined],
])('a task that asks is not cut short by a store that fails for a moment when it stores %s', async (_, isHit) => {
  const store = { ...memoryTasks() };
  const { put } = store;
  let faults = 3;
  store.put = (task, expected) =>
    isHit(task) && faults-- > 0 ? Promise.reject(new Error('10.0.0.5 is down')) : put(task, expected);
  const { server, clock } = taskWorld(async (ctx) => `Paid ${await ctx.confirm('go', 'Pay?')}`, {
    store,
    effects: 'write',
  });
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  const pass = async (): Promise<void> => {
    for (let second = 0; second < 5; second++) {
      await clock.advance(1_000);
      await settle(10);
    }
  };
  await pass();
  expect(await get(raw, taskId)).toMatchObject({ status: 'input_required' });
  await update(raw, taskId, { go: yes });
  await pass();
  expect(textOfTask(await get(raw, taskId))).toBe('Paid true');
});

test('a step is not lost if the store fails for a moment when it is recorded, and runs once', async () => {
  const store = { ...memoryTasks() };
  const { put } = store;
  let faults = 3;
  store.put = async (task, expected) => {
    if (task.outcome !== undefined || task.steps.length === 0 || faults-- <= 0) return put(task, expected);
    // The last failed write has taken effect.
    if (faults === 0) await put(task, expected);
    throw new Error('10.0.0.5 is down');
  };
  let charges = 0;
  const { server, clock, errors } = taskWorld((ctx) => ctx.once('charge', () => `charge ${++charges}`), { store });
  const raw = await handleCaller(server);
  const kept: unknown[] = [];
  const taskId = await begin(raw);
  for (let second = 0; second < 5; second++) {
    await clock.advance(1_000);
    await settle(10);
    kept.push((await store.get(taskId))?.steps.length);
  }
  expect(textOfTask(await get(raw, taskId))).toBe('charge 1');
  expect([charges, errors, Math.max(...kept.map(Number))]).toEqual([1, [], 1]);
  faults = 10;
  const lost = await begin(raw);
  for (let second = 0; second < 10; second++) {
    await clock.advance(1_000);
    await settle(10);
  }
  expect(textOfTask(await get(raw, lost))).toMatch(/^Internal error \(\w+\)$/);
});

test.each([
  ['run again in the same process', 'read', 'done'],
  ['failed', 'write', 'Interrupted by a restart'],
] as const)(
  'a task whose lease ended while its store was away is %s, although its first run ignores its signal',
  async (_, effects, text) => {
    const kept = memoryTasks();
    let isDown = false;
    const store: TaskStore = {
      ...kept,
      renew: (...args) => (isDown ? Promise.reject(new Error('down')) : kept.renew(...args)),
    };
    let runs = 0;
    const run = (): unknown => (++runs === 1 ? new Promise(() => undefined) : 'done');
    const { server, clock } = taskWorld(run, { store, effects });
    const raw = await handleCaller(server);
    const taskId = await begin(raw);
    await get(raw, taskId);
    const pass = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second++) {
        await clock.advance(1_000);
        await settle(5);
      }
    };
    isDown = true;
    await pass(28);
    expect(await get(raw, taskId)).toMatchObject({ status: 'working' });
    await pass(12);
    isDown = false;
    await pass(40);
    expect(textOfTask(await get(raw, taskId))).toBe(text);
  },
);

test('the lease of a run that was stopped is not renewed when the store is back', async () => {
  const kept = memoryTasks();
  let isDown = false;
  const down = (): Promise<never> => Promise.reject(new Error('down'));
  const store: TaskStore = {
    ...kept,
    renew: (...args) => (isDown ? down() : kept.renew(...args)),
    // This process cannot take the task again.
    due: (...args) => (isDown ? down() : kept.due(...args)),
  };
  const { server, clock } = taskWorld(() => new Promise(() => undefined), { store, maxRunning: 1 });
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  isDown = true;
  for (let second = 0; second < 45; second++) {
    await clock.advance(1_000);
    await settle(5);
  }
  isDown = false;
  const until = (await kept.get(taskId))?.lease?.until ?? 0;
  expect(until).toBeLessThan(clock.wall());
  for (let second = 0; second < 15; second++) {
    await clock.advance(1_000);
    await settle(5);
  }
  expect((await kept.get(taskId))?.lease?.until).toBe(until);
});

test('the leases of running tasks are renewed while the store takes long to find due tasks', async () => {
  const kept = memoryTasks();
  const store: TaskStore = { ...kept, due: () => new Promise(() => undefined) };
  const { server, clock } = taskWorld(() => new Promise(() => undefined), { store });
  const taskId = await begin(await handleCaller(server));
  const left: number[] = [];
  for (let second = 0; second < 90; second++) {
    await clock.advance(1_000);
    await settle(5);
    left.push(((await kept.get(taskId))?.lease?.until ?? 0) - clock.wall());
  }
  // A third of a lease of 30 s passes between two renewals.
  expect(Math.min(...left)).toBeGreaterThanOrEqual(18_000);
});
