/** A task store in the memory of this process. */
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import { copyTask } from './copy-task.ts';
import { TaskTable } from './task-table.ts';

/** A task store in memory. Its tasks are lost when the process ends. */
export function memoryTasks(): TaskStore {
  return new MemoryTasks();
}

/** Copies every task that it gets and returns. Its methods are own members, so that a spread keeps them. */
class MemoryTasks implements TaskStore {
  readonly #table = new TaskTable();

  /** Undefined for any other store, also for one that was made by spreading this one. */
  static tableOf(store: TaskStore): TaskTable | undefined {
    return #table in store ? store.#table : undefined;
  }

  readonly create: TaskStore['create'] = async (task, limits) => this.#table.create(copyTask(task), limits);
  readonly get: TaskStore['get'] = async (id) => copyFound(this.#table.get(id));
  readonly put: TaskStore['put'] = async (task, expected, maxBytes) =>
    this.#table.put(copyTask(task), expected, maxBytes);
  readonly renew: TaskStore['renew'] = async (id, holder, until) => this.#table.renew(id, holder, until);
  readonly list: TaskStore['list'] = async (...of) => this.#table.list(...of).map(copyTask);
  readonly due: TaskStore['due'] = async (now, limit) => this.#table.due(now, limit).map(copyTask);
  readonly count: TaskStore['count'] = async (owner) => this.#table.count(owner);
  readonly delete: TaskStore['delete'] = async (id) => this.#table.delete(id);
}

const copyFound = (task: StoredTask | undefined): StoredTask | undefined => task && copyTask(task);

/** The tasks of a memory store, without copies and without promises, for code that mutates no record. */
export const tableOf = (store: TaskStore): TaskTable | undefined => MemoryTasks.tableOf(store);
