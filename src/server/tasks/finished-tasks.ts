/**
 * How many finished tasks are kept in memory. They wait for a caller that may never come, so one caller could fill the memory of
 * the process: the caller that has the most loses its oldest first, and never those of another.
 */
import type { StoredTask } from '../../model/task-record.ts';
import { jsonBytes } from './json-bytes.ts';

/** Finished tasks of all callers that are kept. */
export const MAX_FINISHED = 10_000;
/** What finished tasks of all callers take, roughly: more than a hundred of the largest records. */
export const MAX_FINISHED_BYTES: number = 256 * 1024 * 1024;

/** A finished task among those of its owner, in the order in which they ended. */
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
  /** No owner has more tasks: a search ends at the first one that has as many. */
  #most = 0;
  /** The last owner that came to have so many. Where thousands of callers take turns, it still has them. */
  #leader: TaskOwner = new TaskOwner();

  add(one: FinishedTask): void {
    const { owner: name, outcome } = one.task;
    const owner = this.#owners.get(name) ?? new TaskOwner();
    this.#owners.set(name, owner);
    // What else it had is gone.
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

  /** The task to forget next; undefined where all have room. */
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
