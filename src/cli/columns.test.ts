import { describe, expect, test } from 'vitest';
import { widthOf } from '../terminal/wrap-line.ts';
import { columns, table, wrap } from './columns.ts';
import type { Shell } from './shell.ts';

const terminal = (width: number): Shell['stdout'] => ({ isTTY: true, columns: width }) as Shell['stdout']; // the members that are read
const pipe = { isTTY: false } as Shell['stdout']; // likewise

const long = `refund(${'argument, '.repeat(30)}last)`;
const rows = [
  ['add(a, b)', 'Adds two numbers and says what they make together, in as many words as it takes.'],
  [long, 'Pays back.'],
  ['list()', ''],
] as const;

describe('two columns', () => {
  test.each([20, 40, 60, 80, 120, 300])('fit a terminal of %i columns, and nothing of them is lost', (width) => {
    const lines = columns(rows, terminal(width));
    expect(lines.filter((line) => widthOf(line) > width)).toEqual([]);
    const words = lines.join(' ').split(/\s+/).join('');
    for (const [name, about] of rows)
      for (const text of [name, about]) expect(words).toContain(text.split(/\s+/).join(''));
  });

  test('are not pushed apart by one long name', () => {
    expect(columns(rows, terminal(100)).filter((line) => line.includes('Adds'))).toEqual([
      '  add(a, b)  Adds two numbers and says what they make together, in as many words as it takes.',
    ]);
    expect(columns(rows, pipe)).toEqual([
      '  add(a, b)  Adds two numbers and says what they make together, in as many words as it takes.',
      `  ${long}  Pays back.`,
      '  list()',
    ]);
  });

  test('stand below each other on a narrow terminal', () => {
    expect(columns(rows.slice(0, 1), terminal(40))).toEqual([
      '  add(a, b)',
      '      Adds two numbers and says what',
      '      they make together, in as many',
      '      words as it takes.',
    ]);
  });
});

test('a word that is longer than a line is broken', () => {
  expect(wrap('ab abcdefgh c', 4)).toEqual(['ab', 'abcd', 'efgh', 'c']);
});

test.each([
  ['abc', 3],
  ['你好', 4],
  ['🙂', 2],
  ['e\u0301', 1],
  ['Grüße', 5],
])('%s is as wide as a terminal shows it', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test('wrap() keeps combining marks with their letter, however many there are', () => {
  const marks = '\u0301'.repeat(300_000);
  expect(wrap(`a${marks}bc de`, 2)).toEqual([`a${marks}b`, 'c', 'de']);
});

test('columns of a table stand below each other where letters are wide', () => {
  expect(
    table(
      [
        ['名前', 'x'],
        ['name', 'y'],
      ],
      '',
    ),
  ).toEqual(['名前  x', 'name  y']);
});
