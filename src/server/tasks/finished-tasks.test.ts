/** Which finished task is evicted when there are too many. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoredTask } from '../../model/task-record.ts';
import { type FinishedTask, FinishedTasks, MAX_FINISHED, MAX_FINISHED_BYTES } from './finished-tasks.ts';

/** The members of a task that it reads. */
const finished = (owner: string, id: string, outcome: unknown = null): FinishedTask => ({
  task: { owner, id, outcome } as unknown as StoredTask,
  ...{ bytes: 0, older: undefined, newer: undefined },
});

function fill(tasks: FinishedTasks, owner: string, count: number): FinishedTask[] {
  const all = Array.from({ length: count }, (_, at) => finished(owner, `${owner}${at}`));
  for (const one of all) tasks.add(one);
  return all;
}

test('the owner of the most tasks loses the oldest, and only as many as are too many', () => {
  const tasks = new FinishedTasks();
  const few = fill(tasks, 'few', 2);
  const many = fill(tasks, 'many', MAX_FINISHED - 3);
  fill(tasks, 'one', 1);
  expect(tasks.excess).toBeUndefined();
  tasks.add(finished('few', 'last'));
  expect(tasks.excess).toBe('many0');
  for (const one of [many[0], many[1]]) if (one !== undefined) tasks.delete(one);
  expect(tasks.excess).toBeUndefined();
  fill(tasks, 'other', 2);
  expect(tasks.excess).toBe('many2');
  expect(few).toHaveLength(2);
});

test('the order stays right when tasks at both ends and between are deleted', () => {
  const tasks = new FinishedTasks();
  const [first, second, third, ...rest] = fill(tasks, 'a', MAX_FINISHED + 4);
  const last = rest.at(-1);
  for (const one of [second, first, last]) if (one !== undefined) tasks.delete(one);
  expect(tasks.excess).toBe('a2');
  if (third !== undefined) tasks.delete(third);
  expect(tasks.excess).toBeUndefined();
  tasks.add(finished('a', 'new'));
  expect(tasks.excess).toBe('a3');
});

test('the owner of the most bytes loses the oldest where there are too many bytes', () => {
  const tasks = new FinishedTasks();
  // Each character counts as two bytes.
  const half = 'x'.repeat(MAX_FINISHED_BYTES / 4);
  fill(tasks, 'many', 10);
  const larger = finished('larger', 'l2', half);
  for (const task of [finished('large', 'l1', half), larger]) tasks.add(task);
  expect(tasks.excess).toBeUndefined();
  tasks.add(finished('larger', 'l3', 'x'));
  expect(tasks.excess).toBe('l2');
  tasks.delete(larger);
  expect(tasks.excess).toBeUndefined();
  tasks.add(larger);
  expect(tasks.excess).toBe('l3');
});

test('an owner of whom nothing is left is forgotten, and deleting twice changes nothing', () => {
  const tasks = new FinishedTasks();
  const [gone] = fill(tasks, 'a', 1);
  for (let times = 0; times < 2; times++) if (gone !== undefined) tasks.delete(gone);
  fill(tasks, 'b', MAX_FINISHED);
  expect(tasks.excess).toBeUndefined();
  tasks.add(finished('c', 'c0'));
  expect(tasks.excess).toBe('b0');
});

test('whatever was added and deleted before, the task to forget is the oldest of a caller that has the most', () => {
  const step = fc.record({ owner: fc.nat(7).map((n) => `caller ${n}`), isDeleted: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { minLength: 40, maxLength: 80 }), (steps) => {
      const tasks = new FinishedTasks();
      const model = new Map<string, FinishedTask[]>();
      let count = 0;
      const add = (owner: string): void => {
        const one = finished(owner, `${owner}: ${count++}`);
        tasks.add(one);
        model.set(owner, [...(model.get(owner) ?? []), one]);
      };
      const take = (owner: string): void => {
        const [oldest, ...others] = model.get(owner) ?? [];
        if (oldest !== undefined) tasks.delete(oldest);
        model.set(owner, others);
      };
      // One task for each of many callers, so that only the callers of the steps have more.
      for (let n = 0; n < MAX_FINISHED; n++) tasks.add(finished(`alone ${n}`, `alone ${n}`));
      for (const { owner, isDeleted } of steps) {
        if (isDeleted) take(owner);
        else add(owner);
        const most = Math.max(...[...model.values()].map((its) => its.length));
        const holders = [...model].filter(([, its]) => its.length === most && most > 1);
        const excess = tasks.excess;
        if (holders.length > 0) expect(holders.map(([, [oldest]]) => oldest?.task.id)).toContain(excess);
      }
    }),
    { numRuns: 20 },
  );
});
