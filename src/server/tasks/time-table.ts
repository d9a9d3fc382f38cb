/** Tasks by the time when they are due, in boxes of a few milliseconds: to enter or leave one costs the same however many there are. */
import type { StoredTask } from '../../model/task-record.ts';

const BOX_MS = 64;

interface TimedTask {
  readonly task: StoredTask;
  /** Its index in its box. */
  place: number;
}

export class TimeTable<T extends TimedTask> {
  readonly #boxes: Map<number, T[]> = new Map();

  add(one: T): void {
    const at = boxOf(one.task.dueAt);
    const box = this.#boxes.get(at);
    if (box === undefined) this.#boxes.set(at, [one]);
    one.place = box === undefined ? 0 : box.push(one) - 1;
  }

  /** The last one of its box takes its place. */
  delete(one: T): void {
    const at = boxOf(one.task.dueAt);
    const box = this.#boxes.get(at) as T[]; // it was added
    const last = box.pop() as T; // it is one of them
    if (last !== one) {
      box[one.place] = last;
      last.place = one.place;
    } else if (box.length === 0) this.#boxes.delete(at);
  }

  /** Those that are due, the earliest first. */
  first(now: number, limit: number): readonly T[] {
    const last = boxOf(now);
    const boxes = [...this.#boxes.entries()].filter(([at]) => at <= last).sort(([a], [b]) => a - b);
    let due: readonly T[] = [];
    for (const [, box] of boxes) {
      if (due.length >= limit) break;
      due = due.concat(box.filter(({ task }) => task.dueAt <= now).sort(byTime));
    }
    return due.slice(0, limit);
  }
}

const boxOf = (time: number): number => Math.floor(time / BOX_MS);

const byTime = ({ task: a }: TimedTask, { task: b }: TimedTask): number => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1);
