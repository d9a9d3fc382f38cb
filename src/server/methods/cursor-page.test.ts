/** pageOf(): a cursor holds a place, and the next page begins after it, even if the list has changed. */
import { expect, test } from 'vitest';
import { pageOf, writeCursor } from './cursor-page.ts';

const list = [1, 2, 4, 8].map((place) => ({ place }));
const places = (cursor: string | undefined, size: number): readonly (number | string)[] => {
  const { items, nextCursor } = pageOf('tools', list, cursor, size);
  return [...items.map(({ place }) => place), ...(nextCursor === undefined ? [] : ['more'])];
};
const after = (place: number): string => writeCursor('tools', place);

test('a page has as many as fit, and a cursor where more follow', () => {
  expect([places(undefined, 3), places(undefined, 4), places(undefined, 5)]).toEqual([
    [1, 2, 4, 'more'],
    [1, 2, 4, 8],
    [1, 2, 4, 8],
  ]);
  expect([places(after(2), 1), places(after(2), 2), places(after(4), 9)]).toEqual([[4, 'more'], [4, 8], [8]]);
});

test('a page begins after the place of its cursor, whether or not anything is still there', () => {
  expect([places(after(3), 9), places(after(5), 9), places(after(8), 9), places(after(99), 9)]).toEqual([
    [4, 8],
    [8],
    [],
    [],
  ]);
});

test('the cursor of a page leads to the next', () => {
  const { nextCursor } = pageOf('tools', list, undefined, 2);
  expect(places(nextCursor, 2)).toEqual([4, 8]);
});

test('a whole list is not copied', () => {
  expect(pageOf('tools', list, undefined, 4).items).toBe(list);
});

test.each<[string, unknown]>([
  ['of another list', writeCursor('prompts', 2)],
  ['without a place', writeCursor('tools', '')],
  ['before the first', writeCursor('tools', 0)],
  ['with a place that no list has', writeCursor('tools', '1234567890123456')],
  ['with something behind', writeCursor('tools', '2 x')],
  ['with something before', writeCursor('x tools', 2)],
  ['with a name of two lines', writeCursor('tools\n2', 2)],
  ['that is no base64', '§'],
  ['that is no text', 7],
  ['that is longer than any client takes', `${after(2)}${'A'.repeat(65_536)}`],
])('a cursor %s is rejected', (_, cursor) => {
  expect(() => pageOf('tools', list, cursor, 2)).toThrow('Invalid cursor: use the nextCursor of an earlier page');
});
