import { expect, test } from 'vitest';
import { wrapLine, wrapLines } from './wrap-line.ts';

test('wrapLine() breaks between words, and keeps the indentation', () => {
  expect(wrapLine('  Call the tool of office? ', 14)).toEqual(['  Call the', '  tool of', '  office? ']);
});

test('wrapLine() leaves a short line, and any line for a width of 0, unchanged', () => {
  expect(wrapLine('[y]es, [n]o: ', 12)).toEqual(['[y]es, [n]o: ']);
  expect(wrapLine('one  two', 0)).toEqual(['one  two']);
});

test('wrapLine() keeps long words whole, and blanks within a line', () => {
  expect(wrapLine('see https://example.com/a/long/path a  b', 10)).toEqual([
    'see',
    'https://example.com/a/long/path',
    'a  b',
  ]);
});

test('wide characters count as two columns', () => {
  expect(wrapLine('漢字 漢字', 6)).toEqual(['漢字', '漢字']);
});

test('color escape sequences have no width', () => {
  expect(wrapLine('\u001b[1mone two\u001b[22m', 7)).toEqual(['\u001b[1mone two\u001b[22m']);
});

test('wrapLines() wraps each line', () => {
  expect(wrapLines('one two\n  three four', 8)).toBe('one two\n  three\n  four');
  expect(wrapLines('one two\nthree', undefined)).toBe('one two\nthree');
});
