/** Reads and changes records in a store (optimistic concurrency). Changes of one task in this process are serialized, so only processes race. */
import { McpError } from '../../errors.ts';
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import type { Clock } from '../../peer/clock.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { Deferred, onAbort } from '../../peer/wait.ts';
import { copyChangedMembers, type WritableTask } from './copy-task.ts';
import { jsonBytes } from './json-bytes.ts';
import { limitError } from './limit-error.ts';
import { type LimitedTaskStore, limitTaskStore } from './limit-task-store.ts';
import { tableOf } from './memory-store.ts';
import type { NowOrLater } from './now-or-later.ts';
import type { TaskChange } from './record.ts';
import { TaskTable } from './task-table.ts';

/** Retries after lost races. If more are lost, the store is faulty. */
const MAX_TRIES = 1_000;
/** The polling interval for watched tasks, if the store has no `watch`. */
const POLL_MS = 1_000;
/** The maximum length of answers, steps and outcome of one task, as JSON. */
export const MAX_RECORD_LENGTH: number = 1024 * 1024;

/** Call `next` before a read, so that no change is missed. */
interface TaskChanges {
  /** Resolves with the next change, or when the signal aborts. */
  next(): Promise<void>;
  /** Whether the task has changed since the last call of `next`: what was read meanwhile can be outdated. */
  readonly hasChanged: boolean;
  stop(): void;
}

type TaskWatcher = (task: StoredTask | undefined) => void;

export class TaskRecords {
  /** The memory store is a `TaskTable`, which is accessed synchronously: promises would cost each task a turn. */
  readonly store: LimitedTaskStore | TaskTable;
  readonly #watch: TaskStore['watch'];
  readonly #clock: Clock;
  readonly #maxBytes: number;
  /** Tasks that are being changed, each with the queue (FIFO) of the changes that wait. */
  readonly #changing: Map<string, (() => void)[]> = new Map();
  readonly #listeners: Map<string, Set<TaskWatcher>> = new Map();
  #stopWatching: (() => void) | undefined;

  /** `maxBytes` limits the size of all unfinished tasks. */
  constructor(store: TaskStore, clock: Clock, maxBytes: number) {
    this.store = tableOf(store) ?? limitTaskStore(store, clock);
    this.#watch = store.watch?.bind(store);
    this.#clock = clock;
    this.#maxBytes = maxBytes;
  }

  /**
   * Applies a change by compare-and-swap: retries until it succeeds, or until `makeNext` returns undefined. With `known`, tries the change
   * on that record first, which saves a read. Not for a change that keeps the lease, because renewals do not change the version.
   */
  change(id: string, makeNext: TaskChange, known?: StoredTask): NowOrLater<StoredTask | undefined> {
    const { store } = this;
    return store instanceof TaskTable
      ? this.#changeAtOnce(store, id, makeNext)
      : this.#change(store, id, makeNext, { known });
  }

  /** Applies a change that adds answers or steps. Throws if the unfinished tasks would exceed their limit of bytes. */
  grow(id: string, makeNext: TaskChange): NowOrLater<StoredTask | undefined> {
    const { store } = this;
    const maxBytes = this.#maxBytes;
    return store instanceof TaskTable
      ? this.#changeAtOnce(store, id, makeNext, maxBytes)
      : this.#change(store, id, makeNext, { maxBytes });
  }

  #changeAtOnce(table: TaskTable, id: string, makeNext: TaskChange, maxBytes?: number): StoredTask | undefined {
    const task = table.get(id);
    const next: WritableTask | undefined = task && makeNext(task);
    if (task === undefined || next === undefined) return undefined;
    next.version = task.version + 1;
    copyChangedMembers(next, task);
    if (table.put(next, task.version, maxBytes) === 'maxBytes') throw limitError('maxBytes', maxBytes);
    this.#notify(id, next);
    return next;
  }

  async #change(
    store: LimitedTaskStore,
    id: string,
    makeNext: TaskChange,
    { known, maxBytes }: { readonly known?: StoredTask | undefined; readonly maxBytes?: number },
  ): Promise<StoredTask | undefined> {
    const waiting = this.#changing.get(id);
    const own = waiting ?? [];
    if (waiting === undefined) this.#changing.set(id, own);
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const task = tries === 0 && known !== undefined ? known : await store.get(id);
        // A new record, so its version can be set in place.
        const next: WritableTask | undefined = task && makeNext(task);
        if (task === undefined || next === undefined) return undefined;
        next.version = task.version + 1;
        const written = await store.put(next, task.version, maxBytes);
        if (typeof written === 'string') throw limitError(written, maxBytes);
        if (written) {
          this.#notify(id, next);
          return next;
        }
        await nextTurn();
      }
      throw new Error(
        `The record of a task lost ${MAX_TRIES} races in a row. Check that the task store compares versions`,
      );
    } finally {
      const first = own.shift();
      if (first === undefined) this.#changing.delete(id);
      else first();
    }
  }

  /** Reads a record, for code that needs a promise in any case. */
  async find(id: string): Promise<StoredTask | undefined> {
    return this.store.get(id);
  }

  /** Calls back when the task changes, with the record if this process changed it. Returns a function that stops it. */
  watch(id: string, listener: TaskWatcher): () => void {
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(listener));
    this.#stopWatching ??= this.#watch?.((changed) => this.#notify(changed, undefined)) ?? this.#poll();
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#listeners.get(id) !== listeners) return;
      this.#listeners.delete(id);
      if (this.#listeners.size > 0) return;
      this.#stopWatching?.();
      this.#stopWatching = undefined;
    };
  }

  /** Waits for changes of a task, one after the other, until the signal aborts. Call `stop` at the end. */
  changes(id: string, signal: AbortSignal): TaskChanges {
    let changed = new Deferred<void>();
    const changes = {
      hasChanged: false,
      next(): Promise<void> {
        changes.hasChanged = false;
        changed = new Deferred();
        if (signal.aborted) changed.resolve();
        return changed.promise;
      },
      stop(): void {
        stopWatching();
        stopWaiting();
      },
    };
    const stopWatching = this.watch(id, () => {
      changes.hasChanged = true;
      changed.resolve();
    });
    const stopWaiting = onAbort(signal, () => changed.resolve());
    return changes;
  }

  /** Calls the watchers of this task although its record did not change. */
  wake(id: string): void {
    this.#notify(id, undefined);
  }

  #notify(id: string, task: StoredTask | undefined): void {
    const listeners = this.#listeners.get(id);
    if (listeners !== undefined) for (const listener of [...listeners]) listener(task);
  }

  /** Calls all watchers at an interval: another process may have changed their tasks. */
  #poll(): () => void {
    let stop = (): void => undefined;
    const poll = (): void => {
      for (const id of [...this.#listeners.keys()]) this.#notify(id, undefined);
      stop = this.#clock.after(POLL_MS, poll, { idle: true });
    };
    stop = this.#clock.after(POLL_MS, poll, { idle: true });
    return () => stop();
  }
}

/** Whether a record has at most its maximum length. */
export function hasRecordSize({ answers, steps, outcome }: StoredTask): boolean {
  // Fast path for most records: the JSON is at most 3 times as long. An escaped character has length 6, and counts 2 bytes.
  const bytes = jsonBytes(answers) + jsonBytes(steps) + jsonBytes(outcome);
  return 3 * bytes <= MAX_RECORD_LENGTH || JSON.stringify([answers, steps, outcome]).length <= MAX_RECORD_LENGTH;
}

/** Throws if a record exceeds its maximum length. */
export function requireRecordSize(task: StoredTask | undefined): StoredTask | undefined {
  if (task === undefined || hasRecordSize(task)) return task;
  const setting = 'keep less in ctx.once, and return less';
  throw new McpError('MCP_TOO_LARGE', {
    what: `The record of a task of tool "${task.tool}"`,
    limit: MAX_RECORD_LENGTH,
    setting,
  });
}
