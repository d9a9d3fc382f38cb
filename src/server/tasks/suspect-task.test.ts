/** Of tasks that may be what ends their process, one runs at a time. */
import { expect, test } from 'vitest';
import type { StoredTask } from '../../model/task-record.ts';
import { SuspectTask } from './suspect-task.ts';

const lease = { holder: 'p', until: 1 };
/** What it reads of a task. */
const task = (id: string, interruptions: number, more: object = { lease }): StoredTask =>
  ({ id, interruptions, ...more }) as unknown as StoredTask;

test('tasks that were cut short less than three times run beside each other', () => {
  const suspect = new SuspectTask();
  expect(['a', 'b', 'c'].map((id) => suspect.mayRun(task(id, 1)))).toEqual([true, true, true]);
});

test('of tasks that were cut short three times, the first runs until it is trusted', () => {
  const suspect = new SuspectTask();
  expect([suspect.mayRun(task('a', 2)), suspect.mayRun(task('b', 2)), suspect.mayRun(task('a', 2))]).toEqual([
    ...[true, false, true],
  ]);
  expect(suspect.mayRun(task('c', 0))).toBe(true);
  suspect.trust('b');
  expect(suspect.mayRun(task('b', 2))).toBe(false);
  suspect.trust('a');
  expect([suspect.mayRun(task('b', 2)), suspect.mayRun(task('a', 2))]).toEqual([true, false]);
});

test('a task that no process was running was not cut short', () => {
  const suspect = new SuspectTask();
  expect(suspect.mayRun(task('a', 2))).toBe(true);
  expect(suspect.mayRun(task('b', 5, {}))).toBe(true);
});
