/** Masked values in messages: their paths, and restoring secrets in an edited message. */
import { expect, test } from 'vitest';
import { MASK } from '../model/secrets.ts';
import { maskPlaces, restoreMasked, valueAt } from './mask-places.ts';

const original = { a: { password: 'p1', 'b/c~d': 'Bearer t1' }, list: ['x', 's1'], n: 1, z: null };
const shown = { a: { password: MASK, 'b/c~d': `Bearer ${MASK}` }, list: ['x', MASK], n: 1, z: null };

test('masks are found by their paths, and the value behind each is at the same path', () => {
  expect(maskPlaces(shown)).toEqual(['/a/password', '/a/b~1c~0d', '/list/1']);
  expect(maskPlaces(shown).map((path) => valueAt(original, path))).toEqual(['p1', 'Bearer t1', 's1']);
  const [odd] = maskPlaces({ '~1': MASK });
  expect(valueAt({ '~1': 'p1', '/': 'other' }, odd ?? '')).toBe('p1');
  expect(maskPlaces(MASK)).toEqual(['']);
  expect(maskPlaces({ a: null, b: 1, c: 'plain' })).toEqual([]);
});

test('valueAt() returns undefined for unknown paths and for inherited members', () => {
  for (const path of [
    '/b',
    '/z/x',
    '/a/password/0',
    '/a/password/length',
    '/n/x',
    '/constructor',
    '/list/length',
    '/a/toString',
  ])
    expect(valueAt(original, path)).toBeUndefined();
  expect(valueAt(original, '')).toBe(original);
});

test('restoreMasked() restores unchanged masked strings, but not changed or moved ones', () => {
  expect(restoreMasked(shown, shown, original)).toEqual(original);
  const changed = { a: { password: 'new', 'b/c~d': `Bearer ${MASK}!` }, list: [MASK, 'x'], n: 2, more: MASK };
  expect(restoreMasked(changed, shown, original)).toEqual(changed);
  expect(restoreMasked({ a: null, n: false }, shown, original)).toEqual({ a: null, n: false });
  // The second item has moved to the place of the first one, and must not get its secret.
  const [two, masks] = [{ keys: ['k1', 'k2'] }, { keys: [MASK, MASK] }];
  expect(restoreMasked(masks, masks, two)).toEqual(two);
  expect(restoreMasked({ keys: [MASK] }, masks, two)).toEqual({ keys: [MASK] });
});
