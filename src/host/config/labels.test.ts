/** Labels made of names in files. */
import { expect, test } from 'vitest';
import { labelFor } from './labels.ts';

test('a label is made of any name, and is like no other', () => {
  expect(labelFor('  My Shop! ', new Set())).toBe('my-shop');
  expect(labelFor('shop', new Set(['shop', 'shop-2']))).toBe('shop-3');
  expect(labelFor('ｓhop', new Set(['shop']))).toBe('shop-2');
  expect(labelFor('--', new Set())).toBe('server');
});

test('of a name that is longer than any label, no more is read than it takes', () => {
  // All of it would take the square of its length: minutes.
  expect(labelFor(`a${'-'.repeat(1_000_000)}b`, new Set())).toBe('a');
});
