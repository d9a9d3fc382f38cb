/** Task stores with broken limits, each with the check of `taskStoreChecks` that must fail. */
import type { StoredTask, TaskStore } from '../../src/model/task-record.ts';

export interface Place {
  readonly store: TaskStore;
  readonly given: Map<string, StoredTask>;
  readonly listeners: Set<(id: string) => void>;
}

export type BrokenStore = readonly [check: string, how: string, (store: TaskStore, place: Place) => TaskStore];

export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

export const tasksBy = (store: TaskStore, owner: string): Promise<readonly StoredTask[]> =>
  store.list(owner, undefined, 1_000);

export const brokenLimits: readonly BrokenStore[] = [
  [
    'create, if it takes limits: the name',
    'says only that there is none',
    (store) => ({
      ...store,
      async create(task, limits) {
        const created = await store.create(task, limits);
        return created === 'maxBytes' ? created : created === true;
      },
    }),
  ],
  [
    'create, if it takes limits: the name',
    'stores it all the same',
    (store) => ({
      ...store,
      async create(task, limits) {
        const isNew = await store.create(task, limits);
        if (isNew === 'maxTasks' && limits?.maxTasks === 3) await store.create(task);
        return isNew;
      },
    }),
  ],
  [
    'create, if it takes limits: the name',
    'has no limit where it is 0',
    (store) => ({
      ...store,
      create: (task, limits) => store.create(task, limits?.maxTasksPerCaller === 0 ? undefined : limits),
    }),
  ],
  [
    'create, if it takes limits: a limit that is absent',
    'has one of its own',
    (store) => ({
      ...store,
      create: (task, limits) => store.create(task, limits && { maxTasksPerCaller: 1, ...limits }),
    }),
  ],
  [
    'create, if it takes limits: false',
    'counts before it looks for the id',
    (store) => ({
      ...store,
      async create(task, limits) {
        const isFull = limits?.maxTasks === 1 && (await store.count()) >= 1;
        return isFull ? 'maxTasks' : store.create(task, limits);
      },
    }),
  ],
  [
    'create, if it takes limits: a task that has ended',
    'counts the finished ones',
    (store) => ({
      ...store,
      async create(task, limits) {
        const all = (await tasksBy(store, task.owner)).length;
        return limits?.maxTasks === 2 && all >= (limits.maxTasksPerCaller ?? all + 1)
          ? 'maxTasksPerCaller'
          : store.create(task, limits);
      },
    }),
  ],
  [
    'create, if it takes limits: of many handles',
    'counts first and writes later',
    (store) => ({
      ...store,
      async create(task, limits) {
        const own = limits?.maxTasksPerCaller === 3 ? await store.count(task.owner) : undefined;
        await turn();
        if (own === undefined) return store.create(task, limits);
        return own >= 3 ? 'maxTasksPerCaller' : store.create(task);
      },
    }),
  ],
  [
    'create, if put takes maxBytes: no more large tasks',
    'says only that there is none',
    (store) => ({
      ...store,
      async create(task, limits) {
        const created = await store.create(task, limits);
        return created === 'maxBytes' && task.id === 'third' ? false : created;
      },
    }),
  ],
  [
    'create, if put takes maxBytes: no more large tasks',
    'has a limit of its own',
    (store) => ({
      ...store,
      create: (task, limits) => store.create(task, limits && { maxBytes: 2.5 * 2 ** 20, ...limits }),
    }),
  ],
  [
    'create, if put takes maxBytes: of many handles',
    'measures first and writes later',
    (store) => ({
      ...store,
      async create(task, limits) {
        if (limits?.maxBytes !== 2.5 * 2 ** 20 || !Number.isInteger(Number(task.id))) return store.create(task, limits);
        const isFull = (await store.count()) >= 2;
        await turn();
        return isFull ? 'maxBytes' : store.create(task);
      },
    }),
  ],
  [
    'put, if it takes maxBytes: a task that would grow',
    'has no such limit',
    (store) => ({ ...store, put: (task, expected, _maxBytes) => store.put(task, expected) }),
  ],
  [
    'put, if it takes maxBytes: a task that would grow',
    'writes it all the same',
    (store) => ({
      ...store,
      async put(task, expected, maxBytes) {
        const written = await store.put(task, expected, maxBytes);
        if (written === 'maxBytes') await store.put(task, expected);
        return written;
      },
    }),
  ],
  [
    'put, if it takes maxBytes: a task that would grow',
    'measures before it compares versions',
    (store) => ({
      ...store,
      put: async (task, expected, maxBytes) =>
        expected === 7 && maxBytes !== undefined ? 'maxBytes' : store.put(task, expected, maxBytes),
    }),
  ],
  [
    'put, if it takes maxBytes: a task that does not grow',
    'measures the sum alone',
    (store) => ({
      ...store,
      put: async (task, expected, maxBytes) =>
        task.outcome === undefined && task.isSeen && maxBytes !== undefined
          ? 'maxBytes'
          : store.put(task, expected, maxBytes),
    }),
  ],
  [
    'put, if it takes maxBytes: a task that does not grow',
    'measures outcomes, too',
    (store) => ({
      ...store,
      put: async (task, expected, maxBytes) =>
        task.id === 'second' && task.outcome !== undefined ? 'maxBytes' : store.put(task, expected, maxBytes),
    }),
  ],
  [
    'put, if it takes maxBytes: tasks that have ended',
    'never has room again',
    (store) => ({
      ...store,
      create: async (task, limits) =>
        task.id === 'new' && limits !== undefined ? 'maxBytes' : store.create(task, limits),
    }),
  ],
];
