/**
 * Limits the finished tasks in memory. Callers may never fetch them, so one caller could fill the memory of the process: evicts the
 * oldest task of the owner that has the most, never a task of another owner.
 */
import type { StoredTask } from '../../model/task-record.ts';
import { jsonBytes } from './json-bytes.ts';

/** The maximum number of finished tasks of all callers. */
export const MAX_FINISHED = 10_000;
/** The maximum memory of finished tasks of all callers, roughly: more than a hundred of the largest records. */
export const MAX_FINISHED_BYTES: number = 256 * 1024 * 1024;

/** An entry in the linked list of an owner's finished tasks, in the order in which they ended. */
export interface FinishedTask {
  readonly task: StoredTask;
  bytes: number;
  older: FinishedTask | undefined;
  newer: FinishedTask | undefined;
}

class TaskOwner {
  count = 0;
  bytes = 0;
  oldest: FinishedTask | undefined;
  newest: FinishedTask | undefined;
}

export class FinishedTasks {
  readonly #owners: Map<string, TaskOwner> = new Map();
  #count = 0;
  #bytes = 0;
  /** No owner has more tasks than this, so a search ends at the first owner that has as many. */
  #most = 0;
  /** The last owner that reached `#most`. It usually still has as many, so thousands of callers that take turns need no search. */
  #leader: TaskOwner = new TaskOwner();

  add(one: FinishedTask): void {
    const { owner: name, outcome } = one.task;
    const owner = this.#owners.get(name) ?? new TaskOwner();
    this.#owners.set(name, owner);
    // endTask emptied all other members that can be large.
    one.bytes = jsonBytes(outcome);
    one.older = owner.newest;
    if (owner.newest !== undefined) owner.newest.newer = one;
    owner.newest = one;
    owner.oldest ??= one;
    this.#change(owner, 1, one.bytes);
    if (owner.count < this.#most) return;
    this.#most = owner.count;
    this.#leader = owner;
  }

  delete(one: FinishedTask): void {
    const owner = this.#owners.get(one.task.owner);
    if (owner === undefined) return;
    const { older, newer } = one;
    if (older === undefined) owner.oldest = newer;
    else older.newer = newer;
    if (newer === undefined) owner.newest = older;
    else newer.older = older;
    one.older = undefined;
    one.newer = undefined;
    this.#change(owner, -1, -one.bytes);
    if (owner.count === 0) this.#owners.delete(one.task.owner);
  }

  /** The id of the task to evict next; undefined if all tasks fit. */
  get excess(): string | undefined {
    if (this.#count > MAX_FINISHED) return this.#withMost().oldest?.task.id;
    if (this.#bytes <= MAX_FINISHED_BYTES) return undefined;
    let largest = new TaskOwner();
    for (const owner of this.#owners.values()) if (owner.bytes > largest.bytes) largest = owner;
    return largest.oldest?.task.id;
  }

  #withMost(): TaskOwner {
    if (this.#leader.count === this.#most) return this.#leader;
    let leader = new TaskOwner();
    for (const owner of this.#owners.values()) {
      if (owner.count > leader.count) leader = owner;
      if (leader.count === this.#most) break;
    }
    this.#most = leader.count;
    this.#leader = leader;
    return leader;
  }

  #change(owner: TaskOwner, count: number, bytes: number): void {
    this.#count += count;
    this.#bytes += bytes;
    owner.count += count;
    owner.bytes += bytes;
  }
}
