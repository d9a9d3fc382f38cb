/** Checks of `maxTasks` and `maxTasksPerCaller`, for task stores that enforce these limits themselves. */
import { decidesLimits, type TaskLimits } from '../model/task-record.ts';
import { expectEqual } from './check-support.ts';
import { type CheckBody, createSampleTask, sampleTask } from './task-store-samples.ts';

/** Skips the check for a store that leaves limits to the server. */
const ifEnforced =
  (body: CheckBody): CheckBody =>
  async (store, other) =>
    decidesLimits(store) ? body(store, other) : undefined;

export const limitChecks: Record<string, CheckBody> = {
  'create, if it takes limits: the name of one that has been reached, and nothing is stored': ifEnforced(
    async (store, other) => {
      await createSampleTask(store, { id: 'theirs', owner: 'another' });
      const limits = { maxTasks: 3, maxTasksPerCaller: 1 };
      const create = (id: string, owner: string): Promise<unknown> => store.create(sampleTask({ id, owner }), limits);
      expectEqual('create below both', await create('first', 'owner'), true);
      expectEqual('create beyond maxTasksPerCaller', await create('second', 'owner'), 'maxTasksPerCaller');
      expectEqual('create for an owner that has none', await create('third', 'p:'), true);
      expectEqual('create beyond maxTasks', await create('fourth', 'p:["é"]'), 'maxTasks');
      for (const limit of [{ maxTasks: 0 }, { maxTasks: 9, maxTasksPerCaller: 0 }])
        await other.create(sampleTask({ id: 'fifth', owner: 'new' }), limit);
      for (const id of ['second', 'fourth', 'fifth']) expectEqual(`get of the ${id}`, await other.get(id), undefined);
    },
  ),
  'create, if it takes limits: a limit that is absent or Infinity is none': ifEnforced(async (store) => {
    const some = [{ maxTasks: 9 }, { maxTasks: 9 }, { maxTasks: Infinity, maxTasksPerCaller: Infinity }];
    for (const [i, limits] of some.entries())
      expectEqual('create', await store.create(sampleTask({ id: `${i}` }), limits), true);
  }),
  'create, if it takes limits: false for an id that is there, whatever the limits': ifEnforced(async (store) => {
    await createSampleTask(store);
    expectEqual('create again', await store.create(sampleTask(), { maxTasks: 1, maxTasksPerCaller: 1 }), false);
  }),
  'create, if it takes limits: a task that has ended or is deleted makes room': ifEnforced(async (store, other) => {
    const task = await createSampleTask(store);
    await createSampleTask(store, { id: 'deleted' });
    await store.put({ ...task, version: 2, status: 'cancelled', outcome: { cancelled: true } }, 1);
    await store.delete('deleted');
    const isCreated = async (id: string): Promise<boolean> =>
      (await other.create(sampleTask({ id }), { maxTasks: 2, maxTasksPerCaller: 2 })) === true;
    expectEqual('tasks below the limits', [await isCreated('third'), await isCreated('fourth')], [true, true]);
    expectEqual('a task beyond them', await isCreated('fifth'), false);
  }),
  'create, if it takes limits: of many handles at the same time, as many succeed as there is room': ifEnforced(
    async (store, other) => {
      const create = async (owner: string, limits: TaskLimits): Promise<number> => {
        const tries = Array.from({ length: 10 }, (_, i) =>
          (i % 2 ? store : other).create(sampleTask({ id: `${owner} ${i}`, owner }), limits),
        );
        return (await Promise.all(tries)).filter((isNew) => isNew === true).length;
      };
      expectEqual('tasks of one owner', await create('a', { maxTasks: 100, maxTasksPerCaller: 3 }), 3);
      expectEqual('more tasks of all', await create('b', { maxTasks: 7, maxTasksPerCaller: 100 }), 4);
    },
  ),
};
