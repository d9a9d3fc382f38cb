/** Tests labels derived from names in configuration files. */
import { expect, test } from 'vitest';
import { labelFor } from './labels.ts';

test('labelFor() derives a unique label from any name', () => {
  expect(labelFor('  My Shop! ', new Set())).toBe('my-shop');
  expect(labelFor('shop', new Set(['shop', 'shop-2']))).toBe('shop-3');
  expect(labelFor('ｓhop', new Set(['shop']))).toBe('shop-2');
  expect(labelFor('--', new Set())).toBe('server');
});

test('labelFor() takes bounded time for very long names', () => {
  // Without the limit, the time would be quadratic: minutes.
  expect(labelFor(`a${'-'.repeat(1_000_000)}b`, new Set())).toBe('a');
});
