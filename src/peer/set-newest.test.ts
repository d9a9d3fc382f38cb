import { expect, test } from 'vitest';
import { setNewest } from './set-newest.ts';

test('setNewest evicts the oldest entry beyond the limit, and an entry that is set again is the newest', () => {
  const map = new Map<string, number>();
  for (const [at, key] of ['a', 'b', 'c', 'a', 'd'].entries()) {
    setNewest(map, key, at, 3);
    expect(map.size).toBe(Math.min(at + 1, 3));
  }
  expect([...map]).toEqual([
    ['c', 2],
    ['a', 3],
    ['d', 4],
  ]);
});
