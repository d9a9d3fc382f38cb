import { expect, test, vi } from 'vitest';
import type { StoredTask } from '../../model/task-record.ts';
import { TimeTable } from './time-table.ts';

interface Entry {
  readonly task: StoredTask;
  place: number;
}

const entry = (id: string, dueAt = 0): Entry => ({ task: { id, dueAt } as StoredTask, place: -1 }); // the members that are read

function tableOf(...entries: Entry[]): TimeTable<Entry> {
  const table = new TimeTable<Entry>();
  for (const one of entries) table.add(one);
  return table;
}

const dueIn = (table: TimeTable<Entry>, now = 0): string[] => table.first(now, 10).map(({ task }) => task.id);

test('deleting a task from a TimeTable deletes no other task, in any order', () => {
  const [a, b, c, d] = [entry('a'), entry('b'), entry('c'), entry('d')] as const;
  const table = tableOf(a, b, c, d);
  table.delete(b);
  expect(dueIn(table)).toEqual(['a', 'c', 'd']);
  // It is at the place of b.
  table.delete(d);
  expect(dueIn(table)).toEqual(['a', 'c']);
  table.delete(a);
  expect(dueIn(table)).toEqual(['c']);
  table.delete(c);
  expect(dueIn(table)).toEqual([]);
  table.add(a);
  table.add(b);
  table.delete(b);
  expect(dueIn(table)).toEqual(['a']);
});

test('a task is due from its time on, to the millisecond', () => {
  const table = tableOf(entry('0', 130), entry('b', 129), entry('early', 1), entry('a', 129));
  expect(dueIn(table, 0)).toEqual([]);
  expect(dueIn(table, 128)).toEqual(['early']);
  expect(dueIn(table, 129)).toEqual(['early', 'a', 'b']);
  expect(dueIn(table, 1_000)).toEqual(['early', 'a', 'b', '0']);
  expect(table.first(1_000, 2)).toHaveLength(2);
  expect(table.first(1_000, 0)).toEqual([]);
});

test('an empty bucket of a TimeTable takes no memory', () => {
  const entries = Array.from({ length: 50 }, (_, n) => entry(`task ${n}`, n * 1_000));
  const table = tableOf(...entries);
  for (const one of entries) table.delete(one);
  const entriesOf = vi.spyOn(Map.prototype, 'entries');
  expect(table.first(100_000, 10)).toEqual([]);
  const [boxes] = entriesOf.mock.contexts as Map<number, unknown>[];
  entriesOf.mockRestore();
  expect(boxes?.size).toBe(0);
});
