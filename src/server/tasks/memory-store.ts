/** Tasks in the memory of this process, which end with it. */
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import { copyTask } from './copy-task.ts';
import { TaskTable } from './task-table.ts';

/** Keeps tasks as long as the process lives. */
export function memoryTasks(): TaskStore {
  return new MemoryTasks();
}

/** What code outside gives and gets is copied. The methods are members of their own, so that a spread keeps them. */
class MemoryTasks implements TaskStore {
  readonly #table = new TaskTable();

  /** Undefined for another store, and for one that was made from this one. */
  static tableOf(store: TaskStore): TaskTable | undefined {
    return #table in store ? store.#table : undefined;
  }

  readonly create: TaskStore['create'] = async (task, limits) => this.#table.create(copyTask(task), limits);
  readonly get: TaskStore['get'] = async (id) => copied(this.#table.get(id));
  readonly put: TaskStore['put'] = async (task, expected) => this.#table.put(copyTask(task), expected);
  readonly renew: TaskStore['renew'] = async (id, holder, until) => this.#table.renew(id, holder, until);
  readonly list: TaskStore['list'] = async (...of) => this.#table.list(...of).map(copyTask);
  readonly due: TaskStore['due'] = async (now, limit) => this.#table.due(now, limit).map(copyTask);
  readonly count: TaskStore['count'] = async (owner) => this.#table.count(owner);
  readonly delete: TaskStore['delete'] = async (id) => this.#table.delete(id);
}

const copied = (task: StoredTask | undefined): StoredTask | undefined => task && copyTask(task);

/** The tasks of a memory store, for code that changes no record: without copies, and without waiting. */
export const tableOf = (store: TaskStore): TaskTable | undefined => MemoryTasks.tableOf(store);
