/** Wraps the task store of an application: bounds the time of its methods, and validates what they return. */
import { badDefinition } from '../../errors.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { decidesLimits, type StoredTask, type TaskStore } from '../../model/task-record.ts';
import { valueKind } from '../../model/value-kind.ts';
import type { Clock } from '../../peer/clock.ts';
import { TimeLimit } from '../../peer/time-limit.ts';
import { countBeforeCreate } from './count-before-create.ts';

/** The methods that requests wait for; `count` only as part of `create`. */
export type LimitedTaskStore = Omit<TaskStore, 'count' | 'watch' | 'close'>;

export function limitTaskStore(store: TaskStore, clock: Clock): LimitedTaskStore {
  const limit = new TimeLimit(clock);
  const within = async <T>(promise: Promise<T>, method: keyof TaskStore): Promise<T> =>
    limit.bound(promise, `${method} of the task store`);
  const create: TaskStore['create'] = (task, limits) => within(store.create(task, limits), 'create');
  const count: TaskStore['count'] = (owner) => within(store.count(owner), 'count');
  return {
    create: decidesLimits(store) ? create : countBeforeCreate({ create, count }),
    get: async (id) => checkTask(await within(store.get(id), 'get')),
    put: (task, expected, maxBytes) => within(store.put(task, expected, maxBytes), 'put'),
    renew: (id, holder, until) => within(store.renew(id, holder, until), 'renew'),
    list: async (owner, after, max) => checkTasks(await within(store.list(owner, after, max), 'list'), 'list'),
    due: async (now, max) => checkTasks(await within(store.due(now, max), 'due'), 'due'),
    delete: (id) => within(store.delete(id), 'delete'),
  };
}

/** Also accepts null, which databases return for a missing row. */
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

/** Whether a store returned a task. A store without TypeScript can return anything, such as a row with the task as text. */
const isTask = (task: unknown): boolean =>
  isObject(task) &&
  ['id', 'owner', 'tool', 'status'].every((name) => typeof task[name] === 'string') &&
  ['version', 'createdAt', 'endsAt', 'dueAt'].every((name) => typeof task[name] === 'number') &&
  ['asked', 'questions', 'answers', 'begun', 'steps'].every((name) => Array.isArray(task[name]));
