import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineDiff, sharedEnds } from './line-diff.ts';

test('a difference has every line of both texts in order', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((all) => all.join('\n'));
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const rows = lineDiff(before.split('\n'), after.split('\n'));
      const side = (sign: '-' | '+') =>
        rows
          .filter((row) => row.sign !== sign)
          .map((row) => row.text)
          .join('\n');
      expect(side('+')).toBe(before);
      expect(side('-')).toBe(after);
    }),
  );
});

test('lines that are the same are shared', () => {
  expect(lineDiff(['a', 'b', 'c'], ['a', 'x', 'c']).map(({ sign, text }) => sign + text)).toEqual([
    ' a',
    '-b',
    '+x',
    ' c',
  ]);
  expect(lineDiff(['same'], ['same'])).toEqual([{ sign: ' ', text: 'same' }]);
});

test('two long texts that share nothing are not compared line by line', () => {
  const lines = (letter: string) => Array.from({ length: 5000 }, (_, at) => letter + String(at));
  expect(lineDiff(lines('a'), lines('b'))).toHaveLength(10_000);
});

test('sharedEnds() returns the lengths of the common prefix and suffix', () => {
  expect(sharedEnds(['say', 'hello', 'now'], ['say', 'good', 'bye', 'now'])).toEqual([1, 1]);
  expect(sharedEnds(['a', 'a'], ['a', 'a', 'a'])).toEqual([2, 0]);
});
