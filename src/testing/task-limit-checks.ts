/** Checks of `maxTasks`, `maxTasksPerCaller` and `maxBytes`, for task stores that enforce these limits themselves. */
import { decidesLimits, limitsBytes, type StoredTask, type TaskLimits } from '../model/task-record.ts';
import { expectEqual } from './check-support.ts';
import { type CheckBody, createSampleTask, sampleTask } from './task-store-samples.ts';

/** Skips the check for a store that leaves limits to the server. */
const ifEnforced =
  (body: CheckBody): CheckBody =>
  async (store, other) =>
    decidesLimits(store) ? body(store, other) : undefined;

/** Skips the check for a store without a limit of bytes. */
const ifSized =
  (body: CheckBody): CheckBody =>
  async (store, other) =>
    limitsBytes(store) ? body(store, other) : undefined;

const MEBIBYTE = 2 ** 20;
/** A store can count one or two bytes per character. So one large task always fits, and three never do. */
const limits: TaskLimits & { maxBytes: number } = { maxTasks: 100, maxBytes: 2.5 * MEBIBYTE };
const text = 'x'.repeat(MEBIBYTE);
const largeTask = (id: string): StoredTask => sampleTask({ id, owner: id, arguments: { text } });
const answers: StoredTask['answers'] = [['go', { action: 'accept', content: { text } }]];
const outcome: StoredTask['outcome'] = { result: { content: [{ type: 'text', text: text + text + text }] } };

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
  'create, if put takes maxBytes: no more large tasks than fit, and nothing else is stored': ifSized(
    async (store, other) => {
      expectEqual('create the first', await store.create(largeTask('first'), limits), true);
      await other.create(largeTask('second'), limits);
      expectEqual('create one that does not fit', await store.create(largeTask('third'), limits), 'maxBytes');
      expectEqual('get of the third', await other.get('third'), undefined);
      expectEqual('create a small one', await store.create(sampleTask(), limits), true);
      for (const [i, none] of [{ maxTasks: 100 }, { maxTasks: 100, maxBytes: Infinity }].entries())
        expectEqual('create without a limit', await store.create(largeTask(`${i}`), none), true);
    },
  ),
  'create, if put takes maxBytes: of many handles at the same time, as many succeed as fit': ifSized(
    async (store, other) => {
      const ids = Array.from({ length: 6 }, (_, i) => `${i}`);
      await Promise.all(ids.map((id, i) => (i % 2 ? store : other).create(largeTask(id), limits)));
      const found = await Promise.all(ids.map(async (id) => (await store.get(id))?.id));
      const fitting = found.filter((id) => id !== undefined).length;
      expectEqual('at least one and at most two', Math.min(2, Math.max(1, fitting)), fitting);
    },
  ),
  'put, if it takes maxBytes: a task that would grow beyond it stays as it was': ifSized(async (store, other) => {
    for (const id of ['first', 'second']) await store.create(largeTask(id));
    const task = await createSampleTask(store);
    const grown = { ...task, version: 2, answers };
    expectEqual('put', await store.put(grown, 1, limits.maxBytes), 'maxBytes');
    expectEqual('get', await other.get('task'), task);
    expectEqual('put with another version', await store.put(grown, 7, limits.maxBytes), false);
    expectEqual('put without a limit', await store.put(grown, 1), true);
  }),
  'put, if it takes maxBytes: a task that does not grow, and one that ends, are written': ifSized(async (store) => {
    for (const id of ['first', 'second', 'third']) await store.create(largeTask(id));
    const same = { ...largeTask('first'), version: 2, isSeen: true };
    expectEqual('put of the same size', await store.put(same, 1, limits.maxBytes), true);
    const ended: StoredTask = { ...largeTask('second'), version: 2, status: 'completed', outcome };
    expectEqual('put of the outcome', await store.put(ended, 1, limits.maxBytes), true);
  }),
  'put, if it takes maxBytes: tasks that have ended, shrunk or are deleted make room': ifSized(async (store, other) => {
    for (const id of ['ended', 'shrunk', 'deleted']) await store.create(largeTask(id));
    await store.put({ ...largeTask('ended'), version: 2, status: 'completed', outcome }, 1, limits.maxBytes);
    await other.put(sampleTask({ id: 'shrunk', owner: 'shrunk', version: 2 }), 1, limits.maxBytes);
    await store.delete('deleted');
    await store.delete('ended');
    expectEqual('create', await other.create(largeTask('new'), limits), true);
    await store.delete('new');
    const grown = sampleTask({ id: 'shrunk', owner: 'shrunk', version: 3, answers });
    expectEqual('put', await store.put(grown, 2, limits.maxBytes), true);
  }),
};
