/** taskStoreChecks(): correct stores pass all checks, and each broken store fails only the check that names its fault. */
import { describe, expect, test } from 'vitest';
import { type BrokenStore, brokenLimits, type Place, tasksBy, turn } from '../../test/support/broken-limits.ts';
import type { StoredTask, TaskStore } from '../model/task-record.ts';
import { memoryTasks } from '../server/tasks/memory-store.ts';
import { type OpenTaskStore, taskStoreChecks } from './task-store-checks.ts';

/** Handles of the same name share one store. */
function shared(wrap: (store: TaskStore, place: Place) => TaskStore = (store) => store): OpenTaskStore {
  const places = new Map<string, Place>();
  return (name) => {
    const place = places.get(name) ?? { store: memoryTasks(), given: new Map(), listeners: new Set() };
    places.set(name, place);
    return wrap({ ...place.store }, place);
  };
}

async function failing(open: OpenTaskStore): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of taskStoreChecks(open)) await run().catch(() => failed.push(name));
  return failed;
}

/** A store whose handles notify each other of writes. */
function watched(store: TaskStore, { listeners }: Place, isStopped = true): TaskStore {
  return {
    ...store,
    async put(task, expected) {
      const isWritten = await store.put(task, expected);
      if (isWritten) for (const listener of listeners) listener(task.id);
      return isWritten;
    },
    watch(listener) {
      listeners.add(listener);
      return () => void (isStopped && listeners.delete(listener));
    },
  };
}

describe('a correct task store passes', () => {
  for (const { name, run } of taskStoreChecks(shared())) test(name, run);
  for (const { name, run } of taskStoreChecks(shared(watched))) test(`with watch: ${name}`, run);
  const unlimited = shared((store) => ({ ...store, create: (task) => store.create(task) }));
  for (const { name, run } of taskStoreChecks(unlimited)) test(`with limits left to the server: ${name}`, run);
});

test('taskStoreChecks() returns checks with unique names', () => {
  const names = taskStoreChecks(shared()).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(20);
});

test('a failed check reports the expected and the actual value', async () => {
  const open = shared((store) => ({ ...store, count: async () => 7 }));
  const count = taskStoreChecks(open).find(({ name }) => name.startsWith('count'));
  await expect(count?.run()).rejects.toThrow('counts of two tasks: expected [1,1,0,2], got [7,7,7,7]');
});

/** Broken stores, by the check that must fail. */
const broken: BrokenStore[] = [
  [
    'create: another handle',
    'remembers that there was none',
    (store) => {
      const missing = new Set<string>();
      return {
        ...store,
        async get(id) {
          const task = missing.has(id) ? undefined : await store.get(id);
          if (task === undefined) missing.add(id);
          return task;
        },
      };
    },
  ],
  [
    'create: false for an id',
    'overwrites',
    (store) => ({
      ...store,
      async create(task) {
        const isNew = await store.create(task);
        if (!isNew && task.message === 'second') await store.put(task, 1);
        return isNew;
      },
    }),
  ],
  [
    'create: of many handles',
    'looks first and writes later',
    (store) => ({
      ...store,
      async create(task) {
        const before = await store.get(task.id);
        await turn();
        if (before === undefined) await store.delete(task.id);
        return before === undefined && store.create(task);
      },
    }),
  ],
  ...brokenLimits,
  [
    'get: undefined for an unknown id',
    'null',
    (store) => ({
      ...store,
      get: async (id) => (id === 'unknown' ? (null as unknown as undefined) : store.get(id)),
    }),
  ],
  [
    'put: writes the whole task',
    'merges with what there was',
    (store) => ({
      ...store,
      put: async (task, expected) => store.put({ ...(await store.get(task.id)), ...task }, expected),
    }),
  ],
  [
    'put: false where the version is another one',
    'takes whatever is newer',
    (store) => ({
      ...store,
      put: async (task) => store.put(task, Math.min((await store.get(task.id))?.version ?? 0, task.version - 1)),
    }),
  ],
  [
    'put: false for a task that is not there',
    'makes one',
    (store) => ({
      ...store,
      put: async (task, expected) =>
        (await store.get(task.id)) ? store.put(task, expected) : (await store.create(task)) === true,
    }),
  ],
  [
    'put: of many handles',
    'looks first and writes later',
    (store) => ({
      ...store,
      async put(task, expected) {
        const before = await store.get(task.id);
        await turn();
        const now = await store.get(task.id);
        return before?.version === expected && store.put(task, now?.version ?? 0);
      },
    }),
  ],
  ...(['version', 'dueAt', 'lease', 'updatedAt'] as const).map(
    (member): BrokenStore => [
      'renew: moves lease.until and dueAt',
      `wrong ${member}`,
      (store) => ({
        ...store,
        async get(id) {
          const task = await store.get(id);
          if (task?.lease?.until !== 900 || task.dueAt !== 900) return task;
          const wrong = { version: 2, dueAt: 500, lease: { by: 'a', until: 500 }, updatedAt: 900 };
          return { ...task, [member]: wrong[member] };
        },
      }),
    ],
  ),
  ...(['by', 'run'] as const).map(
    (member): BrokenStore => [
      'renew: false unless this run holds',
      `does not look at ${member}`,
      (store) => ({
        ...store,
        async renew(id, holder, until) {
          const task = await store.get(id);
          const right = { by: task?.lease?.by ?? '', run: task?.runs ?? 0 };
          return store.renew(id, { ...holder, [member]: right[member] }, until);
        },
      }),
    ],
  ),
  ...['idle', 'ended', 'unknown'].map(
    (which): BrokenStore => [
      'renew: false unless this run holds',
      `true for a task that is ${which}`,
      (store) => ({ ...store, renew: async (id, ...rest) => id === which || store.renew(id, ...rest) }),
    ],
  ),
  [
    'renew: due follows it',
    'an index that is not moved',
    (store, { given }) => ({
      ...store,
      async create(task) {
        given.set(task.id, task);
        return store.create(task);
      },
      async put(task, expected) {
        given.set(task.id, task);
        return store.put(task, expected);
      },
      due: async (now, limit) =>
        (await store.due(Number.MAX_SAFE_INTEGER, limit)).filter(({ id }) => (given.get(id)?.dueAt ?? 0) <= now),
    }),
  ],
  [
    'renew: a later put',
    'the later of both',
    (store) => ({
      ...store,
      async put(task, expected) {
        const before = await store.get(task.id);
        const dueAt = task.dueAt === 600 ? Math.max(before?.dueAt ?? 0, task.dueAt) : task.dueAt;
        return store.put({ ...task, dueAt }, expected);
      },
    }),
  ],
  [
    'renew: a put at the same time',
    'rewrites what it read',
    (store) => ({
      ...store,
      async renew(id, holder, until) {
        const before = await store.get(id);
        const isHeld = await store.renew(id, holder, until);
        if (!isHeld || before?.lease === undefined) return false;
        await turn();
        const now = await store.get(id);
        const renewed = { ...before, dueAt: until, lease: { ...before.lease, until } };
        return (await store.put(renewed, now?.version ?? 0)) === true;
      },
    }),
  ],
  [
    'list: tasks of this owner',
    'keys that are cut at a brace',
    (store) => ({
      ...store,
      list: async (owner, after, limit) =>
        owner.includes('}')
          ? [...(await tasksBy(store, owner)), ...(await tasksBy(store, 'p:'))]
          : store.list(owner, after, limit),
    }),
  ],
  [
    'list: oldest first',
    'newest first',
    (store) => ({
      ...store,
      list: async (owner, after, limit) =>
        [...(await store.list(owner, after, limit))].sort((a, b) => b.createdAt - a.createdAt),
    }),
  ],
  [
    'list: oldest first',
    'in the order of the last writes',
    (store) => ({
      ...store,
      list: async (owner, after, limit) =>
        [...(await store.list(owner, after, limit))].sort((a, b) => a.version - b.version),
    }),
  ],
  [
    'list: pages have every task once',
    'goes on after the moment of a task',
    (store) => ({
      ...store,
      async list(owner, after, limit) {
        const start = after === undefined ? undefined : await store.get(after);
        if (start === undefined || start.owner !== owner) return store.list(owner, after, limit);
        return (await tasksBy(store, owner)).filter(({ createdAt }) => createdAt > start.createdAt).slice(0, limit);
      },
    }),
  ],
  [
    'list: pages have every task once',
    'has the last one again',
    (store) => ({
      ...store,
      async list(owner, after, limit) {
        const own = await tasksBy(store, owner);
        const start = own.findIndex(({ id }) => id === after);
        return after === undefined || start === -1 ? store.list(owner, after, limit) : own.slice(start, start + limit);
      },
    }),
  ],
  [
    'list: pages have every task once',
    'ignores the limit',
    (store) => ({ ...store, list: (owner, after) => store.list(owner, after, 1_000) }),
  ],
  [
    'list: none after an id',
    'begins again',
    (store) => ({
      ...store,
      list: async (owner, after, limit) =>
        store.list(owner, after !== undefined && (await store.get(after)) === undefined ? undefined : after, limit),
    }),
  ],
  [
    'list: none after an id',
    'looks at the moment of a stranger’s task',
    (store) => ({
      ...store,
      list: async (owner, after, limit) => store.list(owner, after === 'theirs' ? undefined : after, limit),
    }),
  ],
  [
    'due: those with dueAt <= now',
    'before now alone',
    (store) => ({
      ...store,
      due: async (now, limit) => (await store.due(now, limit)).filter(({ id, dueAt }) => id === 'task' || dueAt < now),
    }),
  ],
  [
    'due: the earliest first',
    'the latest first',
    (store) => ({ ...store, due: async (now, limit) => [...(await store.due(now, limit))].reverse() }),
  ],
  ['due: the earliest first', 'ignores the limit', (store) => ({ ...store, due: (now) => store.due(now, 1_000) })],
  [
    'due: follows what was put',
    'as it was created',
    (store, { given }) => ({
      ...store,
      async create(task) {
        given.set(task.id, task);
        return store.create(task);
      },
      async due(now, limit) {
        const all = await store.due(Number.MAX_SAFE_INTEGER, limit);
        return all.filter((task) => ((task.version === 1 ? task.dueAt : given.get(task.id)?.dueAt) ?? 0) <= now);
      },
    }),
  ],
  [
    'count: unfinished tasks',
    'counts finished ones',
    (store) => ({
      ...store,
      count: async (owner) => (owner === undefined ? store.count() : (await tasksBy(store, owner)).length),
    }),
  ],
  ['count: unfinished tasks', 'counts all for everyone', (store) => ({ ...store, count: () => store.count() })],
  [
    'count: unfinished tasks',
    'counts only those of an owner',
    (store) => ({ ...store, count: async (owner) => (owner === undefined ? 0 : store.count(owner)) }),
  ],
  ...['\u0000', '\ud800', '🌊'].map(
    (text): BrokenStore => [
      'keeps JSON as it is: all texts',
      `loses ${JSON.stringify(text)}`,
      (store) => ({
        ...store,
        create: (task) =>
          store.create(JSON.parse(JSON.stringify(task).replaceAll(JSON.stringify(text).slice(1, -1), '?'))),
      }),
    ],
  ),
  [
    'keeps JSON as it is: all texts',
    'rounds numbers',
    (store) => ({
      ...store,
      create: (task) =>
        store.create(JSON.parse(JSON.stringify(task), (_, one) => (typeof one === 'number' ? Math.fround(one) : one))),
    }),
  ],
  [
    'keeps JSON as it is: all texts',
    'assigns keys',
    (store) => ({
      ...store,
      async get(id) {
        const task = await store.get(id);
        return task && assignKeys(task);
      },
    }),
  ],
  [
    'keeps JSON as it is: a member that is undefined',
    'has it',
    (store) => ({
      ...store,
      async get(id) {
        const task = await store.get(id);
        return task && { ...task, arguments: { a: undefined, ...task.arguments } };
      },
    }),
  ],
  [
    'keeps a task of 1 MiB',
    'cuts long texts',
    (store) => ({
      ...store,
      create: (task) =>
        store.create(
          JSON.parse(JSON.stringify(task), (_, one) => (typeof one === 'string' ? one.slice(0, 65_535) : one)),
        ),
    }),
  ],
  [
    'keeps a copy',
    'keeps what it was given',
    (store, { given }) => ({
      ...store,
      async create(task) {
        given.set(task.id, task);
        return store.create(task);
      },
      async get(id) {
        const task = await store.get(id);
        return task && { ...task, steps: given.get(id)?.steps ?? task.steps };
      },
    }),
  ],
  [
    'keeps a copy',
    'hands out what it keeps',
    (store) => {
      const known = new Map<string, StoredTask>();
      return {
        ...store,
        async get(id) {
          const task = await store.get(id);
          const before = known.get(id);
          if (
            task !== undefined &&
            (before === undefined || before.version !== task.version || before.dueAt !== task.dueAt)
          )
            known.set(id, task);
          return task && known.get(id);
        },
      };
    },
  ],
  ['delete: the task is gone', 'marks it', (store, { given }) => forgetting(store, given, 'get')],
  ['delete: the task is gone', 'stays in lists', (store, { given }) => forgetting(store, given, 'list')],
  ['delete: the task is gone', 'stays due', (store, { given }) => forgetting(store, given, 'due')],
  ['delete: the task is gone', 'is still counted', (store, { given }) => forgetting(store, given, 'count')],
  [
    'delete: an unknown id',
    'throws',
    (store) => ({
      ...store,
      async delete(id) {
        if ((await store.get(id)) === undefined) throw new Error('There is none');
        await store.delete(id);
      },
    }),
  ],
  [
    'delete: an unknown id',
    'deletes another',
    (store) => ({ ...store, delete: async (id) => store.delete(id === 'unknown' ? 'task' : id) }),
  ],
  ['close: the tasks stay', 'takes them along', (store) => ({ ...store, close: () => store.delete('task') })],
  ['watch, if there is one', 'never stops', (store, place) => watched(store, place, false)],
];

/** A store in which one query still finds deleted tasks. */
function forgetting(
  store: TaskStore,
  given: Map<string, StoredTask>,
  way: 'get' | 'list' | 'due' | 'count',
): TaskStore {
  const ghosts = (): StoredTask[] => [...given.values()];
  const ghostly: Partial<TaskStore> = {
    get: async (id) => (await store.get(id)) ?? given.get(id),
    list: async (...args) => [...(await store.list(...args)), ...ghosts()],
    due: async (...args) => [...(await store.due(...args)), ...ghosts()],
    count: async (owner) => (await store.count(owner)) + given.size,
  };
  return {
    ...store,
    async delete(id) {
      const task = await store.get(id);
      if (task !== undefined) given.set(id, task);
      await store.delete(id);
    },
    [way]: ghostly[way],
  };
}

/** Loses a key named `__proto__`, as a copy by assignment does. */
function assignKeys<T>(value: T): T {
  if (Array.isArray(value)) return value.map(assignKeys) as T;
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, one] of Object.entries(value)) copy[key] = assignKeys(one);
  return copy as T;
}

test.each(broken)('“%s” alone fails with a store in which this is wrong: %s', async (check, _, wrap) => {
  const failed = await failing(shared(wrap));
  expect(failed.map((name) => name.slice(0, check.length))).toEqual([check]);
});

test('every check is failed by some broken store', () => {
  const names = taskStoreChecks(shared()).map(({ name }) => name);
  expect(names.filter((name) => !broken.some(([check]) => name.startsWith(check)))).toEqual([]);
});
