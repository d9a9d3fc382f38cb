/** Tasks in memory, with their indexes. Does not copy or mutate records, so callers must not mutate a record that they passed in. */
import type { StoredTask, TaskHolder, TaskLimits } from '../../model/task-record.ts';
import { type FinishedTask, FinishedTasks } from './finished-tasks.ts';
import { jsonBytes } from './json-bytes.ts';
import { holderOf, holderText } from './stored-text.ts';
import { TimeTable } from './time-table.ts';

export class TaskTable {
  readonly #entries: Map<string, TableEntry> = new Map();
  readonly #byTime: TimeTable<TableEntry> = new TimeTable();
  readonly #finished: FinishedTasks = new FinishedTasks();
  readonly #byOwner: Map<string, Set<TableEntry>> = new Map();
  readonly #unfinished: Map<string, number> = new Map();
  #total = 0;
  /** The memory of all unfinished tasks. */
  #bytes = 0;

  create(task: StoredTask, limits?: TaskLimits): boolean | keyof TaskLimits {
    if (this.#entries.has(task.id)) return false;
    const bytes = task.outcome === undefined ? unfinishedBytes(task) : 0;
    if (limits !== undefined) {
      const { maxTasks, maxTasksPerCaller, maxBytes = Number.POSITIVE_INFINITY } = limits;
      if (this.#total >= maxTasks) return 'maxTasks';
      if (maxTasksPerCaller !== undefined && this.count(task.owner) >= maxTasksPerCaller) return 'maxTasksPerCaller';
      if (this.#bytes + bytes > maxBytes) return 'maxBytes';
    }
    const one = new TableEntry(task);
    this.#entries.set(task.id, one);
    const own = this.#byOwner.get(task.owner) ?? new Set();
    this.#byOwner.set(task.owner, own.add(one));
    this.#index(one, bytes);
    return true;
  }

  get(id: string): StoredTask | undefined {
    return this.#entries.get(id)?.task;
  }

  put(task: StoredTask, expected: number, maxBytes: number = Number.POSITIVE_INFINITY): boolean | 'maxBytes' {
    const one = this.#entries.get(task.id);
    if (one?.task.version !== expected) return false;
    const bytes = task.outcome === undefined ? unfinishedBytes(task) : 0;
    if (bytes > one.bytes && this.#bytes - one.bytes + bytes > maxBytes) return 'maxBytes';
    this.#replace(one, task, bytes);
    return true;
  }

  renew(id: string, holder: TaskHolder, until: number): boolean {
    const one = this.#entries.get(id);
    if (one?.task.lease === undefined || holderOf(one.task) !== holderText(holder)) return false;
    this.#replace(one, { ...one.task, dueAt: until, lease: { ...one.task.lease, until } }, one.bytes);
    return true;
  }

  list(owner: string, after: string | undefined, limit: number): readonly StoredTask[] {
    const own = Array.from(this.#byOwner.get(owner) ?? [], ({ task }) => task).sort(byCreation);
    const start = own.findIndex(({ id }) => id === after) + 1;
    return after !== undefined && start === 0 ? [] : own.slice(start, start + limit);
  }

  due(now: number, limit: number): readonly StoredTask[] {
    return this.#byTime.first(now, limit).map(({ task }) => task);
  }

  count(owner?: string): number {
    return owner === undefined ? this.#total : (this.#unfinished.get(owner) ?? 0);
  }

  delete(id: string): void {
    const one = this.#entries.get(id);
    if (one === undefined) return;
    this.#unindex(one);
    this.#entries.delete(id);
    const own = this.#byOwner.get(one.task.owner);
    own?.delete(one);
    if (own?.size === 0) this.#byOwner.delete(one.task.owner);
  }

  #replace(one: TableEntry, task: StoredTask, bytes: number): void {
    this.#unindex(one);
    one.task = task;
    this.#index(one, bytes);
  }

  /** Adds a task to the indexes and counts. Evicts finished tasks beyond their limits. */
  #index(one: TableEntry, bytes: number): void {
    this.#byTime.add(one);
    if (one.task.outcome === undefined) {
      one.bytes = bytes;
      this.#count(one, 1);
      return;
    }
    this.#finished.add(one);
    for (let { excess } = this.#finished; excess !== undefined; { excess } = this.#finished) this.delete(excess);
  }

  #unindex(one: TableEntry): void {
    this.#byTime.delete(one);
    if (one.task.outcome === undefined) this.#count(one, -1);
    else this.#finished.delete(one);
  }

  #count({ task: { owner }, bytes }: TableEntry, change: 1 | -1): void {
    this.#total += change;
    this.#bytes += change * bytes;
    const own = (this.#unfinished.get(owner) ?? 0) + change;
    if (own > 0) this.#unfinished.set(owner, own);
    else this.#unfinished.delete(owner);
  }
}

/** The memory of an unfinished task, roughly: what comes from its caller. Nothing for objects that a caller in this process shares. */
function unfinishedBytes({ arguments: args, caller, answers, steps }: StoredTask): number {
  let bytes = jsonBytes(args) + 2 * JSON.stringify(caller.capabilities).length;
  if (answers.length + steps.length > 0) bytes += jsonBytes(answers) + jsonBytes(steps);
  return bytes < Number.POSITIVE_INFINITY ? bytes : 0;
}

class TableEntry implements FinishedTask {
  task: StoredTask;
  place = -1;
  bytes = 0;
  older: FinishedTask | undefined;
  newer: FinishedTask | undefined;

  constructor(task: StoredTask) {
    this.task = task;
  }
}

/** Ties are broken by id, so that pages have a stable order. */
const byCreation = (a: StoredTask, b: StoredTask): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
