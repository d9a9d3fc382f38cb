import { expect, test } from 'vitest';
import { GrowingText } from './growing-text.ts';

test('a text is all of its pieces, in order, and has their length', () => {
  const [growing, pieces] = [new GrowingText(), Array.from({ length: 2_345 }, (_, at) => `${at},`)];
  expect([growing.length, growing.toString()]).toEqual([0, '']);
  for (const piece of pieces) growing.add(piece);
  expect(growing.toString()).toBe(pieces.join(''));
  expect(growing).toHaveLength(pieces.join('').length);
});
