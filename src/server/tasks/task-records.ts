/** Reads and changes the records of a store. Changes of this process to one task wait for each other, so only processes race. */
import { McpError } from '../../errors.ts';
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import type { Clock } from '../../peer/clock.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { ownMembers, type WritableTask } from './copy-task.ts';
import { jsonBytes } from './json-bytes.ts';
import { type LimitedTaskStore, limitTaskStore } from './limit-task-store.ts';
import { tableOf } from './memory-store.ts';
import type { NowOrLater } from './now-or-later.ts';
import type { TaskChange } from './record.ts';
import { TaskTable } from './task-table.ts';

/** More races than this are lost only if something is wrong with the store. */
const MAX_TRIES = 1_000;
/** How often watched tasks are looked at, where the store cannot tell what other processes changed. */
const LOOK_MS = 1_000;
/** Answers, steps and outcome of one task, as JSON. */
const MAX_RECORD_LENGTH: number = 1024 * 1024;

type TaskWatcher = (task: StoredTask | undefined) => void;

export class TaskRecords {
  /** What is in memory is read and written at once: waiting for it would cost each task a turn. */
  readonly store: LimitedTaskStore | TaskTable;
  readonly #watch: TaskStore['watch'];
  readonly #clock: Clock;
  /** Tasks that are being changed, and the changes that wait for that, the first one first. */
  readonly #changing: Map<string, (() => void)[]> = new Map();
  readonly #listeners: Map<string, Set<TaskWatcher>> = new Map();
  #stopWatching: (() => void) | undefined;

  constructor(store: TaskStore, clock: Clock) {
    this.store = tableOf(store) ?? limitTaskStore(store, clock);
    this.#watch = store.watch?.bind(store);
    this.#clock = clock;
  }

  /**
   * Applies a change until it wins, or until it says no. Tries it on the record as this process knows it, where one is given: the
   * store takes it only if the version is still the same. Not for a change that keeps the lease, which is renewed without a version.
   */
  change(id: string, makeNext: TaskChange, known?: StoredTask): NowOrLater<StoredTask | undefined> {
    const { store } = this;
    return store instanceof TaskTable
      ? this.#changeAtOnce(store, id, makeNext)
      : this.#change(store, id, makeNext, known);
  }

  #changeAtOnce(table: TaskTable, id: string, makeNext: TaskChange): StoredTask | undefined {
    const task = table.get(id);
    const next: WritableTask | undefined = task && makeNext(task);
    if (task === undefined || next === undefined) return undefined;
    next.version = task.version + 1;
    ownMembers(next, task);
    table.put(next, task.version);
    this.#tell(id, next);
    return next;
  }

  async #change(
    store: LimitedTaskStore,
    id: string,
    makeNext: TaskChange,
    known: StoredTask | undefined,
  ): Promise<StoredTask | undefined> {
    const waiting = this.#changing.get(id);
    const own = waiting ?? [];
    if (waiting === undefined) this.#changing.set(id, own);
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const task = tries === 0 && known !== undefined ? known : await store.get(id);
        // A record of its own, and the only one that is made.
        const next: WritableTask | undefined = task && makeNext(task);
        if (task === undefined || next === undefined) return undefined;
        next.version = task.version + 1;
        if (await store.put(next, task.version)) {
          this.#tell(id, next);
          return next;
        }
        await nextTurn();
      }
      throw new Error(`The record of a task lost ${MAX_TRIES} races in a row: does the store compare versions?`);
    } finally {
      const first = own.shift();
      if (first === undefined) this.#changing.delete(id);
      else first();
    }
  }

  /** For code that waits in any case. */
  async find(id: string): Promise<StoredTask | undefined> {
    return this.store.get(id);
  }

  /** Calls back when the task changes: with the task if this process changed it. Returns the way to stop. */
  watch(id: string, listener: TaskWatcher): () => void {
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(listener));
    this.#stopWatching ??= this.#watch?.((changed) => this.#tell(changed, undefined)) ?? this.#look();
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#listeners.get(id) !== listeners) return;
      this.#listeners.delete(id);
      if (this.#listeners.size > 0) return;
      this.#stopWatching?.();
      this.#stopWatching = undefined;
    };
  }

  /** Resolves with the next change, or when the signal aborts. */
  next(id: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        stop();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const stop = this.watch(id, done);
      if (signal.aborted) done();
      else signal.addEventListener('abort', done, { once: true });
    });
  }

  /** Wakes who waits for this task, though its record did not change. */
  wake(id: string): void {
    this.#tell(id, undefined);
  }

  #tell(id: string, task: StoredTask | undefined): void {
    const listeners = this.#listeners.get(id);
    if (listeners !== undefined) for (const listener of [...listeners]) listener(task);
  }

  #look(): () => void {
    let stop = (): void => undefined;
    const look = (): void => {
      for (const id of [...this.#listeners.keys()]) this.#tell(id, undefined);
      stop = this.#clock.after(LOOK_MS, look, { idle: true });
    };
    stop = this.#clock.after(LOOK_MS, look, { idle: true });
    return () => stop();
  }
}

/** Throws where a record would grow beyond its limit. */
export function withinLimit(task: StoredTask | undefined): StoredTask | undefined {
  if (task === undefined) return undefined;
  const { answers, steps, outcome } = task;
  // The text of most is far below: no character takes more than six, and no member more than its bytes.
  const bytes = jsonBytes(answers) + jsonBytes(steps) + jsonBytes(outcome);
  if (3 * bytes <= MAX_RECORD_LENGTH) return task;
  if (JSON.stringify([answers, steps, outcome]).length <= MAX_RECORD_LENGTH) return task;
  const setting = 'keep less in ctx.once, and return less';
  throw new McpError('MCP_TOO_LARGE', {
    what: `The record of a task of tool "${task.tool}"`,
    limit: MAX_RECORD_LENGTH,
    setting,
  });
}
