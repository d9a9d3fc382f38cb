import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByNumber } from './numbered.ts';

test('finds what was added by its number, until it is taken out', () => {
  const items = new ByNumber<{ readonly id: number }>();
  const [one, two] = [{ id: 1 }, { id: 2 }];
  items.add(one);
  items.add(two);
  expect(items.get(1)).toBe(one);
  expect(items.delete(one)).toBe(true);
  expect(items.delete(one)).toBe(false);
  expect(items.get(1)).toBeUndefined();
  expect(items.get(2)).toBe(two);
});

test('nothing else finds anything', () => {
  const items = new ByNumber<{ readonly id: number }>();
  expect(items.get(7)).toBeUndefined();
  items.add({ id: 7 });
  for (const other of ['7', 7.5, 7 + 256, 7 + 2 ** 32, -249, Number.NaN, null, undefined, {}, 7n])
    expect(items.get(other)).toBeUndefined();
});

test('does what a Map does, whatever is added and taken out', () => {
  // Few numbers, so that they come again, and many that end in the same bits.
  const number = fc.oneof(
    fc.integer({ min: 0, max: 8 }),
    fc.integer({ min: 0, max: 8 }).map((n) => n * 256),
    fc.integer({ min: 0, max: 3 }).map((n) => n + 2 ** 52),
  );
  fc.assert(
    fc.property(fc.array(number, { maxLength: 200 }), (numbers) => {
      const items = new ByNumber<{ readonly id: number }>();
      const expected = new Map<number, { readonly id: number }>();
      for (const id of numbers) {
        const known = expected.get(id);
        expect(items.get(id)).toBe(known);
        if (known === undefined) {
          const item = { id };
          items.add(item);
          expected.set(id, item);
        } else {
          expect(items.delete(known)).toBe(true);
          expected.delete(id);
        }
      }
      expect(items.clear()).toEqual([...expected.values()].sort((a, b) => a.id - b.id));
      for (const id of expected.keys()) expect(items.get(id)).toBeUndefined();
    }),
  );
});
