/** Limits of tasks for a store that does not enforce them: the process counts before each creation. */
import { expect, test } from 'vitest';
import { settled } from '../../../test/support/held-clock.ts';
import type { StoredTask } from '../../model/task-record.ts';
import { sampleTask } from '../../testing/task-store-samples.ts';
import { countBeforeCreate } from './count-before-create.ts';

/** A store whose creations the test resolves or rejects. */
function slow() {
  const kept: StoredTask[] = [];
  const ends: ((isWell: boolean) => void)[] = [];
  const store = {
    create: (task: StoredTask): Promise<true> =>
      new Promise((resolve, reject) => {
        ends.push((isWell) => {
          if (!isWell) return reject(new Error('away'));
          kept.push(task);
          resolve(true);
        });
      }),
    count: async (owner?: string) => kept.filter((task) => owner === undefined || task.owner === owner).length,
  };
  const create = countBeforeCreate(store);
  const begin = async (owner: string, limits: Parameters<typeof create>[1]) => {
    const outcome: { is?: unknown } = {};
    create(sampleTask({ owner }), limits).then(
      (is) => Object.assign(outcome, { is }),
      () => Object.assign(outcome, { is: 'failed' }),
    );
    await settled();
    return outcome;
  };
  const end = async (at: number, isWell = true): Promise<void> => {
    ends[at]?.(isWell);
    await settled();
  };
  return { begin, end, ends };
}

test('as many tasks are created as there is room for, of all callers and of one', async () => {
  const { begin, end } = slow();
  const limits = { maxTasks: 3, maxTasksPerCaller: 2 };
  for (const owner of ['ada', 'ada']) await begin(owner, limits);
  for (const at of [0, 1]) await end(at);
  expect(await begin('ada', limits)).toEqual({ is: 'maxTasksPerCaller' });
  await begin('bob', limits);
  await end(2);
  expect(await begin('eve', limits)).toEqual({ is: 'maxTasks' });
});

test('pending creations count, and one that waits takes the place of one that fails', async () => {
  const { begin, end, ends } = slow();
  const limits = { maxTasks: 9, maxTasksPerCaller: 2 };
  const [first, second, third] = [await begin('ada', limits), await begin('ada', limits), await begin('ada', limits)];
  expect([first, second, third, ends.length]).toEqual([{}, {}, {}, 2]);
  await begin('bob', limits);
  expect(ends).toHaveLength(3);
  await end(0, false);
  expect([first, ends.length]).toEqual([{ is: 'failed' }, 4]);
  await begin('ada', limits);
  expect(ends).toHaveLength(4);
  await end(1);
  expect(await begin('ada', limits)).toEqual({});
  await end(3);
  expect([second, third]).toEqual([{ is: true }, { is: true }]);
});

test('where callers cannot be told apart, only all of them together have a limit', async () => {
  const { begin, end } = slow();
  for (const at of [0, 1]) {
    await begin('ada', { maxTasks: 2 });
    await end(at);
  }
  expect(await begin('ada', { maxTasks: 2 })).toEqual({ is: 'maxTasks' });
  expect(await begin('ada', undefined)).toEqual({});
});
