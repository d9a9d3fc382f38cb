import { expect, test } from 'vitest';
import { meant, suggest } from './near.ts';

test('names a slip away come first, then those with the word in them', () => {
  expect(suggest('refnd', ['refund', 'stocktake'])).toEqual(['refund']);
  expect(suggest('USER', ['get_user', 'user', 'order'])).toEqual(['user', 'get_user']);
  expect(suggest('x', ['y', 'zz'])).toEqual([]);
  expect(suggest('refund', ['x'.repeat(100_000)])).toEqual([]);
});

test('where nothing is near, some of what there is is named', () => {
  expect(meant('zzz', [])).toBe('there are none');
  expect(meant('zzz', ['refund'])).toBe('there is refund');
  expect(meant('zzz', ['refund', 'count'])).toBe('there are refund, count');
  const many = Array.from({ length: 13 }, (_, at) => `tool-${at}`);
  expect(meant('zzz', many)).toMatch(/^there are tool-0, .*tool-9, and 3 more$/);
});
