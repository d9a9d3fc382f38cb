import { expect, test } from 'vitest';
import { fillIn, findDifference, parseTranscript, restoreNames, writeTranscript } from './transcript.ts';

test('a transcript survives a round trip', () => {
  const text = '# A remark\n\n> {"id":1}\n< [{"id":1},{"id":2}]\n';
  const lines = parseTranscript(text);
  expect(lines.map(({ number, side }) => [number, side])).toEqual([
    [1, '#'],
    [2, '#'],
    [3, '>'],
    [4, '<'],
  ]);
  expect(writeTranscript(lines)).toBe(text);
});

test('parseTranscript() names the line that is not valid', () => {
  expect(() => parseTranscript('# ok\n{"id":1}')).toThrow('Transcript line 2 begins with none of > < #');
  expect(() => parseTranscript('> {"id":')).toThrow('Transcript line 1 is not JSON');
});

test('findDifference() returns the path of the first difference', () => {
  const at = (expected: unknown, actual: unknown): string | undefined => findDifference(expected, actual, new Map());
  expect(at({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toBeUndefined();
  expect(at({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] })).toBe('a.1.b');
  expect(at({ a: 1 }, { a: 1, more: 2 })).toBe('more');
  expect(at({ a: 1, more: 2 }, { a: 1 })).toBe('more');
  expect(at([1, 2], [1])).toBe('.length');
  expect(at({ a: null }, { a: {} })).toBe('a');
  expect(at({ a: {} }, { a: [] })).toBe('a');
});

test('a name captures the first value that it matches, and $_ matches any value', () => {
  const captured = new Map();
  expect(findDifference({ state: '$s', id: '$_' }, { state: 'abc', id: 7 }, captured)).toBeUndefined();
  expect(captured).toEqual(new Map([['$s', 'abc']]));
  expect(findDifference({ state: '$s' }, { state: 'abc' }, captured)).toBeUndefined();
  expect(findDifference({ state: '$s' }, { state: 'other' }, captured)).toBe('state');
  expect(findDifference({ state: '$_' }, {}, captured)).toBe('state');
});

test('fillIn() replaces a name by its captured value, or leaves it', () => {
  const captured = new Map([['$s', ['x']]]);
  expect(fillIn({ a: '$s', b: ['$s'], c: '$other', d: 'costs $s' }, captured)).toEqual({
    a: ['x'],
    b: [['x']],
    c: '$other',
    d: 'costs $s',
  });
});

test('restoreNames() writes the names of the transcript in place of recorded values', () => {
  const captured = new Map();
  const before = { id: '$id', gone: '$gone', list: ['$first'] };
  expect(restoreNames({ id: 7, list: ['a', 'b'], more: 1 }, before, captured)).toEqual({
    id: '$id',
    list: ['$first', 'b'],
    more: 1,
  });
  expect([...captured]).toEqual([
    ['$id', 7],
    ['$first', 'a'],
  ]);
});
