import { expect, test } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { exportName, itemName, labelIn } from './names.ts';

test('a name starts with the label of its server, and no two servers share a name', () => {
  verifies('TOOL-41');
  expect(itemName('shop', 'refund')).toBe('shop.refund');
  expect(itemName('shop', 'orders.list')).toBe('shop.orders.list');
  expect(labelIn('shop.orders.list')).toBe('shop');
  expect(labelIn('refund')).toBeUndefined();
});

/** Names with which one tool could imitate another. */
const tricky: readonly (readonly [string, string])[] = [
  ['good', 'echo'],
  ['good', 'Echo'],
  ['good', 'ECHO'],
  ['evil', 'good.echo'],
  ['evil', 'good__echo'],
  ['good__echo', 'x'],
  ['good', 'echo__x'],
  ['good_', 'echo'],
  ['good', '_echo'],
  ['good__', 'echo'],
  ['good', '__echo'],
  ['_', '_echo'],
  ['good', 'ech\u043e'],
  ['good', 'ec\u200bho'],
  ['good', 'echo\u202e'],
  ['good', 'echo '],
  ['good', ' echo'],
  ['good', 'e\u0301cho'],
  ['good', '\u00e9cho'],
  ['good', 'echo~43e~'],
  ['good', 'ech~43e~'],
  ['good', 'e/cho'],
  ['good', 'e.cho'],
  ['good', 'e_cho'],
  ['good', '__proto__'],
  ['7zip', 'pack'],
  ['-', '-'],
  ['good', 'x'.repeat(128)],
  ['good', `${'x'.repeat(127)}y`],
  ['l'.repeat(64), 'x'.repeat(128)],
  ['l'.repeat(64), `${'x'.repeat(127)}y`],
];

test('names that look alike get different catalogue names and different names for models', () => {
  verifies('TOOL-41', 'TOOL-37');
  const names = tricky.map(([label, key]) => itemName(label, key));
  expect(new Set(names).size).toBe(tricky.length);
  const exported = names.map(exportName);
  expect(new Set(exported).size).toBe(tricky.length);
  for (const name of exported) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
  expect(names.map(labelIn)).toEqual(tricky.map(([label]) => label));
  for (const name of names) expect(name).toMatch(/^[\w.~-]+$/);
});

test('exportName() is readable if possible, and deterministic', () => {
  expect(exportName('shop.refund')).toBe('shop__refund');
  expect(exportName('shop.list-orders')).toBe('shop__list-orders');
  expect(exportName('shop.orders.list')).toMatch(/^shop_orders_list_[a-z2-7]{16}$/);
  expect(exportName('7zip.pack')).toMatch(/^_7zip_pack_[a-z2-7]{16}$/);
  expect(exportName('shop.orders.list')).toBe(exportName('shop.orders.list'));
});

test('exportName() never returns one name for two tools', () => {
  const letters = ['a', '_', '-', '.', '\u0430'];
  const words = [1, 2, 3, 4].flatMap((length) =>
    Array.from({ length: letters.length ** length }, (_, n) =>
      Array.from({ length }, (_unused, i) => letters[Math.floor(n / letters.length ** i) % letters.length]).join(''),
    ),
  );
  const labels = words.filter((word) => /^[a_-]{1,3}$/.test(word));
  const names = labels.flatMap((label) => words.map((word) => itemName(label, word)));
  expect(names.length).toBeGreaterThan(25_000);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(names.map(exportName)).size).toBe(names.length);
});
