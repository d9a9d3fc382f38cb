import { expect, test } from 'vitest';
import { nearestNames, suggest } from './suggest.ts';

test('names within a typo come first, then names that contain the word', () => {
  expect(nearestNames('refnd', ['refund', 'stocktake'])).toEqual(['refund']);
  expect(nearestNames('USER', ['get_user', 'user', 'order'])).toEqual(['user', 'get_user']);
  expect(nearestNames('x', ['y', 'zz'])).toEqual([]);
  expect(nearestNames('refund', ['x'.repeat(100_000)])).toEqual([]);
});

test('up to two typos of any kind are a similar name, and three are none', () => {
  const close = ['refund', 'efund', 'reefund', 'xefund', 'erfund', 'efun', 'rexfuxnd', 'erfudn', 'fund', 'r😀fund'];
  for (const word of close) expect([word, nearestNames(word, ['refund'])]).toEqual([word, ['refund']]);
  for (const word of ['efnud_', 'xxxund', 'rxexfxund', 'dnufer', '😀'])
    expect(nearestNames(word, ['refund'])).toEqual([]);
  expect(nearestNames('ab', ['ba', 'abcd', 'cd', 'abcde'])).toEqual(['ba', 'abcd']);
});

test('a word that is much longer than any name is compared with none', () => {
  const long = (length: number): string => 'refund'.padEnd(length, '-');
  expect(nearestNames(long(160), ['refund'])).toEqual(['refund']);
  expect(nearestNames(long(161), ['refund'])).toEqual([]);
  expect(suggest(long(1_000_000), ['refund'])).toBe('available: refund');
});

test('without a similar name, suggest() lists some of the available names', () => {
  expect(suggest('zzz', [])).toBe('none are available');
  expect(suggest('zzz', ['refund'])).toBe('available: refund');
  expect(suggest('zzz', ['refund', 'count'])).toBe('available: refund, count');
  const many = Array.from({ length: 13 }, (_, at) => `tool-${at}`);
  expect(suggest('zzz', many)).toMatch(/^available: tool-0, .*tool-9, and 3 more$/);
});
