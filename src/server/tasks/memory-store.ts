/** Tasks in the memory of this process, which end with it. */
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import { copyJson } from './copy-json.ts';
import { type FinishedTask, FinishedTasks } from './finished-tasks.ts';
import { IndexedHeap } from './indexed-heap.ts';
import { holderOf, holderText } from './stored-text.ts';

/** Keeps tasks as long as the process lives. */
export function memoryTasks(): TaskStore {
  const kept = new Map<string, KeptTask>();
  const byTime = new IndexedHeap<KeptTask>(
    (a, b) => a.task.id < b.task.id,
    (one, place) => {
      one.place = place;
    },
  );
  const finished = new FinishedTasks();
  const unfinished = new Map<string, number>();
  let total = 0;

  function add(task: StoredTask): void {
    const one = new KeptTask(task);
    kept.set(task.id, one);
    byTime.add(one, task.dueAt);
    enter(one);
  }
  function replace(one: KeptTask, task: StoredTask): void {
    leave(one);
    const { dueAt } = one.task;
    one.task = task;
    if (dueAt !== task.dueAt) byTime.move(one.place, task.dueAt);
    enter(one);
  }
  function forget(id: string): void {
    const one = kept.get(id);
    if (one === undefined) return;
    leave(one);
    byTime.delete(one.place);
    kept.delete(id);
  }
  /** Counts it among those of its owner: the unfinished, or the finished, which have to fit. */
  function enter(one: KeptTask): void {
    if (one.task.outcome === undefined) count(one.task.owner, 1);
    else finished.add(one);
    for (let { excess } = finished; excess !== undefined; { excess } = finished) forget(excess);
  }
  function leave(one: KeptTask): void {
    if (one.task.outcome === undefined) count(one.task.owner, -1);
    else finished.delete(one);
  }
  function count(owner: string, change: number): void {
    total += change;
    const own = (unfinished.get(owner) ?? 0) + change;
    if (own > 0) unfinished.set(owner, own);
    else unfinished.delete(owner);
  }

  return {
    async create(task) {
      if (kept.has(task.id)) return false;
      add(copyTask(task));
      return true;
    },
    async get(id) {
      const one = kept.get(id);
      return one && copyTask(one.task);
    },
    async put(task, expected) {
      const one = kept.get(task.id);
      if (one?.task.version !== expected) return false;
      replace(one, copyTask(task));
      return true;
    },
    async renew(id, holder, until) {
      const one = kept.get(id);
      if (one?.task.lease === undefined || holderOf(one.task) !== holderText(holder)) return false;
      replace(one, { ...one.task, dueAt: until, lease: { ...one.task.lease, until } });
      return true;
    },
    async list(owner, after, limit) {
      const all = Array.from(kept.values(), ({ task }) => task);
      const own = all.filter((task) => task.owner === owner).sort(byCreation);
      const start = after === undefined ? 0 : own.findIndex(({ id }) => id === after) + 1;
      return after !== undefined && start === 0 ? [] : own.slice(start, start + limit).map(copyTask);
    },
    due: async (now, limit) => byTime.leading(now, limit).map(({ task }) => copyTask(task)),
    count: async (owner) => (owner === undefined ? total : (unfinished.get(owner) ?? 0)),
    delete: async (id) => forget(id),
  };
}

class KeptTask implements FinishedTask {
  task: StoredTask;
  /** Among all tasks, by the time when they are due. */
  place = -1;
  bytes = 0;
  older: FinishedTask | undefined;
  newer: FinishedTask | undefined;

  constructor(task: StoredTask) {
    this.task = task;
  }
}

/** What came from code outside of the store, or goes there, is copied. Who the caller says it is, is only ever read. */
function copyTask(task: StoredTask): StoredTask {
  // Members that are named after a spread take longer than these (bench: `task-call`).
  const copy: { -readonly [K in keyof StoredTask]: StoredTask[K] } = { ...task };
  copy.arguments = copyJson(task.arguments);
  if (task.auth !== undefined) copy.auth = copyJson(task.auth);
  if (task.progress !== undefined) copy.progress = { ...task.progress };
  copy.asked = copyList(task.asked);
  copy.questions = copyList(task.questions);
  copy.answers = copyList(task.answers);
  copy.begun = copyList(task.begun);
  copy.steps = copyList(task.steps);
  if (task.outcome !== undefined) copy.outcome = copyJson(task.outcome);
  if (task.lease !== undefined) copy.lease = { ...task.lease };
  return copy;
}

/** Most lists of a task are empty. */
const NONE: readonly never[] = Object.freeze([]);
const copyList = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NONE : copyJson(list));

/** Ties are broken by id, so that pages have one order. */
const byCreation = (a: StoredTask, b: StoredTask): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
