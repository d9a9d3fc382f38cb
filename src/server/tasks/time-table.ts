/** Index of tasks by their due time, in buckets of 64 ms: adding and deleting a task takes constant time. */
import type { StoredTask } from '../../model/task-record.ts';

const BUCKET_MS = 64;

interface TimedTask {
  readonly task: StoredTask;
  /** The index of the task in its bucket. */
  place: number;
}

export class TimeTable<T extends TimedTask> {
  readonly #buckets: Map<number, T[]> = new Map();
  /** No bucket is before this one. */
  #first = Number.POSITIVE_INFINITY;

  add(one: T): void {
    const at = bucketOf(one.task.dueAt);
    if (at < this.#first) this.#first = at;
    const bucket = this.#buckets.get(at);
    if (bucket === undefined) this.#buckets.set(at, [one]);
    one.place = bucket === undefined ? 0 : bucket.push(one) - 1;
  }

  /** Moves the last task of the bucket to the free place. */
  delete(one: T): void {
    const at = bucketOf(one.task.dueAt);
    const bucket = this.#buckets.get(at) as T[]; // `add` created it
    const last = bucket.pop() as T; // not empty: it contains `one`
    if (last !== one) {
      bucket[one.place] = last;
      last.place = one.place;
    } else if (bucket.length === 0) this.#buckets.delete(at);
  }

  /** The due tasks, earliest first. */
  first(now: number, limit: number): readonly T[] {
    let due: readonly T[] = [];
    for (const at of this.#dueBuckets(bucketOf(now))) {
      if (due.length >= limit) break;
      const bucket = this.#buckets.get(at) ?? [];
      due = due.concat(bucket.filter(({ task }) => task.dueAt <= now).sort(byTime));
    }
    return due.slice(0, limit);
  }

  /** The buckets up to `last`. Walks along the time since the first one, unless there are fewer buckets in all. */
  #dueBuckets(last: number): readonly number[] {
    const buckets = this.#buckets;
    const due: number[] = [];
    if (last - this.#first > buckets.size) {
      for (const [at] of buckets.entries()) if (at <= last) due.push(at);
      due.sort((a, b) => a - b);
    } else for (let at = this.#first; at <= last; at++) if (buckets.has(at)) due.push(at);
    this.#first = due[0] ?? last + 1;
    return due;
  }
}

const bucketOf = (time: number): number => Math.floor(time / BUCKET_MS);

const byTime = ({ task: a }: TimedTask, { task: b }: TimedTask): number => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1);
