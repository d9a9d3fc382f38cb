import { expect, test } from 'vitest';
import { nearestNames, suggest } from './suggest.ts';

test('names within a typo come first, then names that contain the word', () => {
  expect(nearestNames('refnd', ['refund', 'stocktake'])).toEqual(['refund']);
  expect(nearestNames('USER', ['get_user', 'user', 'order'])).toEqual(['user', 'get_user']);
  expect(nearestNames('x', ['y', 'zz'])).toEqual([]);
  expect(nearestNames('refund', ['x'.repeat(100_000)])).toEqual([]);
});

test('without a similar name, suggest() lists some of the available names', () => {
  expect(suggest('zzz', [])).toBe('none are available');
  expect(suggest('zzz', ['refund'])).toBe('available: refund');
  expect(suggest('zzz', ['refund', 'count'])).toBe('available: refund, count');
  const many = Array.from({ length: 13 }, (_, at) => `tool-${at}`);
  expect(suggest('zzz', many)).toMatch(/^available: tool-0, .*tool-9, and 3 more$/);
});
