import { expect, test } from 'vitest';
import { wrapLine, wrapLines } from './wrap-line.ts';

test('a line is broken between words, and continues under its indent', () => {
  expect(wrapLine('  Call the tool of office? ', 14)).toEqual(['  Call the', '  tool of', '  office? ']);
});

test('a line that fits, and one for no width, stay as they are', () => {
  expect(wrapLine('[y]es, [n]o: ', 12)).toEqual(['[y]es, [n]o: ']);
  expect(wrapLine('one  two', 0)).toEqual(['one  two']);
});

test('a word that is longer than the line stays whole, and so do blanks within a line', () => {
  expect(wrapLine('see https://example.com/a/long/path a  b', 10)).toEqual([
    'see',
    'https://example.com/a/long/path',
    'a  b',
  ]);
});

test('letters that take two columns count as two', () => {
  expect(wrapLine('漢字 漢字', 6)).toEqual(['漢字', '漢字']);
});

test('colours take no room', () => {
  expect(wrapLine('\u001b[1mone two\u001b[22m', 7)).toEqual(['\u001b[1mone two\u001b[22m']);
});

test('each line of a text is broken by itself', () => {
  expect(wrapLines('one two\n  three four', 8)).toBe('one two\n  three\n  four');
  expect(wrapLines('one two\nthree', undefined)).toBe('one two\nthree');
});
