/** Tests that a binding is equal only for the same act, so that an approval covers no other. */
import { expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import type { Act } from './act.ts';
import { bindingOf, sha256 } from './binding.ts';

const refund: Act = act({ kind: 'tool', server: 'shop', name: 'refund', arguments: { order: 'A-1' } });
const traced: Act = { ...refund, meta: { traceparent: '00-1', tenant: 'a' } };
const shown: Act = { ...traced, view: 'ui://shop/cart' };

test.each<[string, Partial<Act>]>([
  ['arguments', { arguments: { order: 'A-2' } }],
  ['a definition', { definition: 'd1' }],
  ['a fingerprint', { fingerprint: 'f1' }],
  ['a kind', { kind: 'prompt' }],
  ['a server', { server: 'bank' }],
  ['a name', { name: 'buy' }],
  ['metadata', { meta: { tenant: 'b' } }],
  ['a view', { view: 'ui://shop/other' }],
])('with %s of its own, an act is another one: alone, with metadata, and from a view', (_, other) => {
  for (const one of [refund, traced, shown]) expect(bindingOf({ ...one, ...other })).not.toBe(bindingOf(one));
});

test('the definition of one act is not the fingerprint of another', () => {
  expect(bindingOf({ ...refund, definition: 'x' })).not.toBe(bindingOf({ ...refund, fingerprint: 'x' }));
});

test('bindingOf() ignores the id of the trace and the order of members', () => {
  expect(bindingOf({ ...traced, meta: { tenant: 'a', traceparent: '00-2' } })).toBe(bindingOf(traced));
  expect(bindingOf({ ...refund, meta: { traceparent: '00-2' } })).toBe(bindingOf(refund));
  const [one, other] = [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ];
  expect(bindingOf({ ...refund, arguments: one })).toBe(bindingOf({ ...refund, arguments: other }));
});

test('bindingOf() returns the same hash as earlier releases, so that stored approvals stay valid', () => {
  const { definition: _, fingerprint: __, ...plain } = refund;
  expect(bindingOf(plain)).toBe(sha256('[null,null,"tool","shop","refund",{"order":"A-1"}]'));
});
