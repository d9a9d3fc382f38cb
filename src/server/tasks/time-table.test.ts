import fc from 'fast-check';
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

test('a search for due tasks does not look at the tasks that are due later, however many there are', () => {
  const later = Array.from({ length: 10_000 }, (_, n) => entry(`task ${n}`, 10_000 + n * 1_000));
  const table = tableOf(...later);
  const [entriesOf, has] = [vi.spyOn(Map.prototype, 'entries'), vi.spyOn(Map.prototype, 'has')];
  for (let now = 0; now < 10_000; now += 1_000) table.first(now, 10);
  const looked = [entriesOf.mock.calls.length, has.mock.calls.length];
  entriesOf.mockRestore();
  has.mockRestore();
  expect(looked[0]).toBe(0);
  // One for each 64 ms that have passed.
  expect(looked[1]).toBeLessThan(160);
  expect(dueIn(table, 11_000)).toEqual(['task 0', 'task 1']);
});

test('due tasks are found whatever was searched, added and deleted before, also when the clock is set back', () => {
  const step = fc.record({ id: fc.nat(9), dueAt: fc.nat(900), isDeleted: fc.boolean(), now: fc.nat(1_000) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const table = tableOf();
      const added = new Map<number, Entry>();
      for (const { id, dueAt, isDeleted, now } of steps) {
        const before = added.get(id);
        if (before !== undefined) table.delete(before);
        added.delete(id);
        if (!isDeleted) {
          const one = entry(`${id}`, dueAt);
          added.set(id, one);
          table.add(one);
        }
        const due = [...added.values()].flatMap(({ task }) => (task.dueAt <= now ? [task] : []));
        due.sort((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1));
        expect(dueIn(table, now)).toEqual(due.map(({ id }) => id));
      }
    }),
  );
});
