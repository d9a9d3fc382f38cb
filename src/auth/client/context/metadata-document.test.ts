/** Members of another type than the expected one count as absent. */
import { expect, test } from 'vitest';
import { MAX_TEXT_LENGTH, MetadataDocument, parseDocument } from './metadata-document.ts';

const of = (value: unknown): MetadataDocument => new MetadataDocument({ value });

test.each([undefined, null, 7, true, '', {}, ['a']])('text() returns undefined for %j', (value) => {
  expect(of(value).text('value')).toBeUndefined();
});

test('a text of more than 16 KiB counts as absent, also in a list', () => {
  const longest = 'x'.repeat(16 * 1024);
  expect(MAX_TEXT_LENGTH).toBe(longest.length);
  expect(of(longest).text('value')).toBe(longest);
  expect(of(`${longest}x`).text('value')).toBeUndefined();
  expect(of(['a', longest, `${longest}x`]).texts('value')).toEqual(['a', longest]);
});

test('a list has only the texts or the objects that are in it', () => {
  const list = of(['a', 7, null, { a: 'x' }, ['b'], 'c']);
  expect(list.texts('value')).toEqual(['a', 'c']);
  expect(list.documents('value').map((one) => one.text('a'))).toEqual(['x']);
  expect(list.document('value')).toBeUndefined();
});

test.each([undefined, null, 'a', { length: 1, 0: 'a' }])('texts() returns undefined for %j', (value) => {
  expect(of(value).texts('value')).toBeUndefined();
  expect(of(value).documents('value')).toEqual([]);
});

test.each([
  [60, 60],
  [-1, -1],
  ['60', 60],
  ['999999999999999', 999_999_999_999_999],
])('%j is the number %j', (value, number) => {
  expect(of(value).number('value')).toBe(number);
});

test.each([undefined, null, '', ' ', ' 60', '6e1', '0x10', '-1', '1'.repeat(16), [60], true, Number.POSITIVE_INFINITY])(
  '%j is no number',
  (value) => {
    expect(of(value).number('value')).toBeUndefined();
  },
);

test('only true is a set flag', () => {
  expect([true, 'true', 1, undefined].map((value) => of(value).flag('value'))).toEqual([true, false, false, false]);
});

test.each(['', '[]', 'null', '"text"', '{'])('parseDocument() returns undefined for %j', (text) => {
  expect(parseDocument(text)).toBeUndefined();
});
