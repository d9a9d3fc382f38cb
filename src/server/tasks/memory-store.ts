/** Tasks in the memory of this process, which end with it. */
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import { holderOf, holderText, readTask } from './stored-text.ts';

/** A task as text, so that readers get a copy, and what the store looks at. */
interface TaskRow {
  readonly id: string;
  readonly owner: string;
  readonly version: number;
  readonly createdAt: number;
  readonly dueAt: number;
  readonly holder: string;
  readonly text: string;
  readonly renewedUntil?: number;
}

/** Keeps tasks as long as the process lives. */
export function memoryTasks(): TaskStore {
  const rows = new Map<string, TaskRow>();
  const unfinished = new Map<string, Set<string>>();
  const all = new Set<string>();

  function write(task: StoredTask): void {
    rows.set(task.id, toRow(task));
    if (task.outcome === undefined) {
      all.add(task.id);
      unfinished.set(task.owner, (unfinished.get(task.owner) ?? new Set()).add(task.id));
    } else forget(task);
  }
  function forget({ id, owner }: { readonly id: string; readonly owner: string }): void {
    all.delete(id);
    const own = unfinished.get(owner);
    own?.delete(id);
    if (own?.size === 0) unfinished.delete(owner);
  }

  return {
    async create(task) {
      if (rows.has(task.id)) return false;
      write(task);
      return true;
    },
    async get(id) {
      const row = rows.get(id);
      return row && readRow(row);
    },
    async put(task, expected) {
      if (rows.get(task.id)?.version !== expected) return false;
      write(task);
      return true;
    },
    async renew(id, holder, until) {
      const row = rows.get(id);
      if (row?.holder !== holderText(holder)) return false;
      rows.set(id, { ...row, dueAt: until, renewedUntil: until });
      return true;
    },
    async list(owner, after, limit) {
      const own = [...rows.values()].filter((row) => row.owner === owner).sort(by('createdAt'));
      const start = after === undefined ? 0 : own.findIndex(({ id }) => id === after) + 1;
      return after !== undefined && start === 0 ? [] : own.slice(start, start + limit).map(readRow);
    },
    async due(now, limit) {
      const due = [...rows.values()].filter(({ dueAt }) => dueAt <= now).sort(by('dueAt'));
      return due.slice(0, limit).map(readRow);
    },
    count: async (owner) => (owner === undefined ? all.size : (unfinished.get(owner)?.size ?? 0)),
    async delete(id) {
      const row = rows.get(id);
      if (row !== undefined) forget(row);
      rows.delete(id);
    },
  };
}

const readRow = ({ text, renewedUntil }: TaskRow): StoredTask => readTask(text, renewedUntil);

const toRow = (task: StoredTask): TaskRow => ({
  id: task.id,
  owner: task.owner,
  version: task.version,
  createdAt: task.createdAt,
  dueAt: task.dueAt,
  holder: holderOf(task),
  text: JSON.stringify(task),
});

/** Ties are broken by id, so that pages have one order. */
const by =
  (moment: 'createdAt' | 'dueAt') =>
  (a: TaskRow, b: TaskRow): number =>
    a[moment] - b[moment] || (a.id < b.id ? -1 : 1);
