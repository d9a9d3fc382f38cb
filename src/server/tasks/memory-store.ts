/** Tasks in the memory of this process, which end with it. */
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import { copyJson } from './copy-json.ts';
import { holderOf, holderText } from './stored-text.ts';

/** Tasks that are due within the same span are looked at together. */
const SPAN_MS = 1_000;

/** Keeps tasks as long as the process lives. */
export function memoryTasks(): TaskStore {
  const tasks = new Map<string, StoredTask>();
  /** Ids by the span in which they are due: looking at every task each second would cost more than the tasks. */
  const spans = new Map<number, Set<string>>();
  const unfinished = new Map<string, number>();
  let total = 0;

  function write(task: StoredTask, before: StoredTask | undefined): void {
    tasks.set(task.id, task);
    count(task.owner, Number(isOpen(task)) - Number(isOpen(before)));
    const span = spanOf(task);
    if (before !== undefined && spanOf(before) === span) return;
    leaveSpan(before);
    const ids = spans.get(span);
    if (ids === undefined) spans.set(span, new Set([task.id]));
    else ids.add(task.id);
  }
  function leaveSpan(task: StoredTask | undefined): void {
    const ids = task && spans.get(spanOf(task));
    if (task === undefined || ids === undefined) return;
    ids.delete(task.id);
    if (ids.size === 0) spans.delete(spanOf(task));
  }
  function count(owner: string, change: number): void {
    if (change === 0) return;
    total += change;
    const own = (unfinished.get(owner) ?? 0) + change;
    if (own > 0) unfinished.set(owner, own);
    else unfinished.delete(owner);
  }

  return {
    async create(task) {
      if (tasks.has(task.id)) return false;
      write(copyTask(task), undefined);
      return true;
    },
    async get(id) {
      const task = tasks.get(id);
      return task && copyTask(task);
    },
    async put(task, expected) {
      const before = tasks.get(task.id);
      if (before?.version !== expected) return false;
      write(copyTask(task), before);
      return true;
    },
    async renew(id, holder, until) {
      const task = tasks.get(id);
      if (task?.lease === undefined || holderOf(task) !== holderText(holder)) return false;
      write({ ...task, dueAt: until, lease: { ...task.lease, until } }, task);
      return true;
    },
    async list(owner, after, limit) {
      const own = [...tasks.values()].filter((task) => task.owner === owner).sort(by('createdAt'));
      const start = after === undefined ? 0 : own.findIndex(({ id }) => id === after) + 1;
      return after !== undefined && start === 0 ? [] : own.slice(start, start + limit).map(copyTask);
    },
    async due(now, limit) {
      const due: StoredTask[] = [];
      for (const [span, ids] of spans) {
        if (span * SPAN_MS > now) continue;
        for (const id of ids) {
          const task = tasks.get(id);
          if (task !== undefined && task.dueAt <= now) due.push(task);
        }
      }
      return due.sort(by('dueAt')).slice(0, limit).map(copyTask);
    },
    count: async (owner) => (owner === undefined ? total : (unfinished.get(owner) ?? 0)),
    async delete(id) {
      const task = tasks.get(id);
      if (isOpen(task)) count(task.owner, -1);
      leaveSpan(task);
      tasks.delete(id);
    },
  };
}

const spanOf = ({ dueAt }: StoredTask): number => Math.floor(dueAt / SPAN_MS);

const isOpen = (task: StoredTask | undefined): task is StoredTask => task !== undefined && task.outcome === undefined;

/** What came from code outside of the store, or goes there, is copied. Who the caller says it is, is only ever read. */
const copyTask = (task: StoredTask): StoredTask => ({
  ...task,
  arguments: copyJson(task.arguments),
  auth: task.auth && copyJson(task.auth),
  progress: task.progress && { ...task.progress },
  asked: copyList(task.asked),
  questions: copyList(task.questions),
  answers: copyList(task.answers),
  begun: copyList(task.begun),
  steps: copyList(task.steps),
  outcome: task.outcome && copyJson(task.outcome),
  lease: task.lease && { ...task.lease },
});

/** Most lists of a task are empty. */
const NONE: readonly never[] = Object.freeze([]);
const copyList = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NONE : copyJson(list));

/** Ties are broken by id, so that pages have one order. */
const by =
  (moment: 'createdAt' | 'dueAt') =>
  (a: StoredTask, b: StoredTask): number =>
    a[moment] - b[moment] || (a.id < b.id ? -1 : 1);
