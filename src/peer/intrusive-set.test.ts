import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IntrusiveSet } from './intrusive-set.ts';

test('an intrusive set holds what a Set would hold, whatever is added and deleted', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 100 }), (steps) => {
      const items = Array.from({ length: 10 }, (_, name) => ({ name, place: -1 }));
      const crowd = new IntrusiveSet<{ readonly name: number; place: number }>();
      const expected = new Set<number>();
      for (const step of steps) {
        const item = items[step] ?? { name: step, place: -1 };
        if (expected.delete(step)) expect(crowd.delete(item)).toBe(true);
        else {
          expect(crowd.delete(item)).toBe(false);
          crowd.add(item);
          expected.add(step);
        }
        expect(new Set(crowd.all.map(({ name }) => name))).toEqual(expected);
        expect(crowd.all).toHaveLength(expected.size);
      }
      expect(crowd.clear()).toHaveLength(expected.size);
      expect(crowd.all).toEqual([]);
      expect(items.every(({ place }) => place === -1)).toBe(true);
    }),
  );
});
