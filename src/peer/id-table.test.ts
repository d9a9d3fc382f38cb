import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Id } from '../jsonrpc/message.ts';
import { IdTable } from './id-table.ts';

interface Item {
  readonly id: Id;
}

test('an IdTable finds an item by its id until it is deleted', () => {
  const items = new IdTable<Item>();
  const [one, two] = [{ id: 1 }, { id: '1' }];
  items.add(one);
  items.add(two);
  expect(items.get(1)).toBe(one);
  expect(items.delete(one)).toBe(true);
  expect(items.delete(one)).toBe(false);
  expect(items.get(1)).toBeUndefined();
  expect(items.get('1')).toBe(two);
});

test('an IdTable finds no item by a value that only resembles its id', () => {
  const items = new IdTable<Item>();
  expect(items.get(7)).toBeUndefined();
  items.add({ id: 7 });
  for (const other of ['7', 7.5, 7 + 256, 7 + 2 ** 32, -249, Number.NaN, null, undefined, {}, 7n])
    expect(items.get(other)).toBeUndefined();
});

test('an IdTable behaves like a Map, whatever is added and deleted', () => {
  // Few distinct ids, so that they repeat, and many that share their low bits.
  const id = fc.oneof(
    fc.integer({ min: 0, max: 8 }),
    fc.integer({ min: -4, max: 4 }).map((n) => n * 256),
    fc.integer({ min: 0, max: 3 }).map((n) => n + 2 ** 52),
    fc.constantFrom('', '0', 'a'),
  );
  fc.assert(
    fc.property(fc.array(id, { maxLength: 200 }), (ids) => {
      const items = new IdTable<Item>();
      const expected = new Map<Id, Item>();
      for (const one of ids) {
        const known = expected.get(one);
        expect(items.get(one)).toBe(known);
        if (known === undefined) {
          const item = { id: one };
          expect(items.add(item)).toBe(true);
          expected.set(one, item);
        } else {
          expect(items.add({ id: one })).toBe(false);
          expect(items.get(one)).toBe(known);
          expect(items.delete(known)).toBe(true);
          expected.delete(one);
        }
        expect(items.all()).toHaveLength(expected.size);
      }
      expect(new Set(items.clear())).toEqual(new Set(expected.values()));
      expect(items.all()).toEqual([]);
      for (const one of expected.keys()) expect(items.get(one)).toBeUndefined();
    }),
  );
});
