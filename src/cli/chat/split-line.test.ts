import { expect, test } from 'vitest';
import { splitLine } from './console.ts';

test.each([
  ['', []],
  ['   ', []],
  ['/call shop.refund order=A-1', ['/call', 'shop.refund', 'order=A-1']],
  ['text="two words" next', ['text=two words', 'next']],
  ['text=\'it is "so"\'', ['text=it is "so"']],
  ['"a \\"quoted\\" word" b', ['a "quoted" word', 'b']],
  ['tags=["a","b"] x={"y":1}', ['tags=["a","b"]', 'x={"y":1}']],
  ["it's fine", ["it's", 'fine']],
  ['a=b=c', ['a=b=c']],
  ['text="never closed', ['text="never', 'closed']],
  ['text=', ['text=']],
])('%j has the words %j', (line, words) => {
  expect(splitLine(line)).toEqual(words);
});

test('splitLine() takes linear time for unclosed quotes and backslashes', () => {
  expect(splitLine(`x="${'\\'.repeat(100_000)}`)).toHaveLength(1);
  expect(splitLine('"'.repeat(20_000))).toHaveLength(1);
});
