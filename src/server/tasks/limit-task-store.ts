/** A task store of the application, with the time limit for its methods and a look at what they return. */
import { badDefinition } from '../../errors.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import { valueKind } from '../../model/value-kind.ts';
import type { Clock } from '../../peer/clock.ts';
import { TimeLimit } from '../../peer/time-limit.ts';

/** Requests wait for neither of these. */
export type LimitedTaskStore = Omit<TaskStore, 'watch' | 'close'>;

export function limitTaskStore(store: TaskStore, clock: Clock): LimitedTaskStore {
  const limit = new TimeLimit(clock);
  const within = async <T>(promise: Promise<T>, method: keyof LimitedTaskStore): Promise<T> =>
    limit.bound(promise, `${method} of the task store`);
  return {
    create: (task) => within(store.create(task), 'create'),
    get: async (id) => checkTask(await within(store.get(id), 'get')),
    put: (task, expected) => within(store.put(task, expected), 'put'),
    renew: (id, holder, until) => within(store.renew(id, holder, until), 'renew'),
    list: async (owner, after, max) => checkTasks(await within(store.list(owner, after, max), 'list'), 'list'),
    due: async (now, max) => checkTasks(await within(store.due(now, max), 'due'), 'due'),
    count: (owner) => within(store.count(owner), 'count'),
    delete: (id) => within(store.delete(id), 'delete'),
  };
}

/** Databases have null for nothing. */
function checkTask(task: StoredTask | null | undefined): StoredTask | undefined {
  if (task === null || task === undefined) return undefined;
  if (isTask(task)) return task;
  throw badDefinition('get of the task store', `it returned ${valueKind(task)}; return the task, or undefined`);
}

function checkTasks(tasks: readonly StoredTask[], method: 'list' | 'due'): readonly StoredTask[] {
  if (Array.isArray(tasks) && tasks.every(isTask)) return tasks;
  const what = Array.isArray(tasks) ? 'a list of something else' : valueKind(tasks);
  throw badDefinition(`${method} of the task store`, `it returned ${what}; return a list of tasks`);
}

/** A store that no compiler has checked can return anything, such as a row with the task as text in it. */
const isTask = (task: unknown): boolean =>
  isObject(task) &&
  ['id', 'owner', 'tool', 'status'].every((name) => typeof task[name] === 'string') &&
  ['version', 'createdAt', 'endsAt', 'dueAt'].every((name) => typeof task[name] === 'number') &&
  ['asked', 'questions', 'answers', 'begun', 'steps'].every((name) => Array.isArray(task[name]));
