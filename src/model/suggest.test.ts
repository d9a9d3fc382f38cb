import { expect, test } from 'vitest';
import { nearestNames, suggest } from './suggest.ts';

test('names a slip away come first, then those with the word in them', () => {
  expect(nearestNames('refnd', ['refund', 'stocktake'])).toEqual(['refund']);
  expect(nearestNames('USER', ['get_user', 'user', 'order'])).toEqual(['user', 'get_user']);
  expect(nearestNames('x', ['y', 'zz'])).toEqual([]);
  expect(nearestNames('refund', ['x'.repeat(100_000)])).toEqual([]);
});

test('where nothing is near, some of what there is is named', () => {
  expect(suggest('zzz', [])).toBe('none are available');
  expect(suggest('zzz', ['refund'])).toBe('available: refund');
  expect(suggest('zzz', ['refund', 'count'])).toBe('available: refund, count');
  const many = Array.from({ length: 13 }, (_, at) => `tool-${at}`);
  expect(suggest('zzz', many)).toMatch(/^available: tool-0, .*tool-9, and 3 more$/);
});
