/** Of the tasks that may crash their process, only one runs at a time. */
import { expect, test } from 'vitest';
import type { StoredTask } from '../../model/task-record.ts';
import { SuspectTask } from './suspect-task.ts';

const lease = { holder: 'p', until: 1 };
/** The members of a task that SuspectTask reads. */
const task = (id: string, interruptions: number, more: object = { lease }): StoredTask =>
  ({ id, interruptions, ...more }) as unknown as StoredTask;

test('tasks that were interrupted less than three times run concurrently', () => {
  const suspect = new SuspectTask();
  expect(['a', 'b', 'c'].map((id) => suspect.canRun(task(id, 1)))).toEqual([true, true, true]);
});

test('of tasks that were interrupted three times, the first runs until it is trusted', () => {
  const suspect = new SuspectTask();
  expect([suspect.canRun(task('a', 2)), suspect.canRun(task('b', 2)), suspect.canRun(task('a', 2))]).toEqual([
    ...[true, false, true],
  ]);
  expect(suspect.canRun(task('c', 0))).toBe(true);
  suspect.trust('b');
  expect(suspect.canRun(task('b', 2))).toBe(false);
  suspect.trust('a');
  expect([suspect.canRun(task('b', 2)), suspect.canRun(task('a', 2))]).toEqual([true, false]);
});

test('a task that no process was running was not interrupted', () => {
  const suspect = new SuspectTask();
  expect(suspect.canRun(task('a', 2))).toBe(true);
  expect(suspect.canRun(task('b', 5, {}))).toBe(true);
});
