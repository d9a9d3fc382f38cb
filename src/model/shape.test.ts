/** Shapes of params: which values are valid, and the error texts for the others. */
import { expect, test } from 'vitest';
import { boolean, either, number, object, oneOf, optional, shape, string, stringList, strings } from './shape.ts';

interface Sample {
  readonly name: string;
  readonly size?: number;
  readonly inner?: { readonly flag: boolean };
}
const sample = shape<Sample>({
  name: string,
  size: optional(number),
  inner: optional(shape<{ readonly flag: boolean }>({ flag: boolean })),
});

test.each<[unknown, string | undefined]>([
  [{ name: 'a' }, undefined],
  [{ name: '', size: 0, inner: { flag: false }, more: 1 }, undefined],
  [{ name: 'a', size: undefined }, undefined],
  [undefined, '"params" must be an object'],
  [null, '"params" must be an object'],
  [[], '"params" must be an object'],
  ['x', '"params" must be an object'],
  [{}, '"params.name" must be a string'],
  [{ name: 1 }, '"params.name" must be a string'],
  [{ name: 'a', size: null }, '"params.size" must be a number'],
  [{ name: 'a', inner: {} }, '"params.inner.flag" must be a boolean'],
  [{ name: 'a', inner: { flag: 0 } }, '"params.inner.flag" must be a boolean'],
])('%j: %j', (value, fault) => {
  expect(sample(value, 'params')).toBe(fault);
});

test.each<[string, (value: unknown, at: string) => string | undefined, unknown, unknown[]]>([
  ['an object', object, {}, [null, [], 'x', 1, undefined]],
  ['an object of strings', strings, { a: 'x' }, [{ a: 1 }, { a: null }, [], 'x']],
  ['a list of strings', stringList, ['a'], [[1], ['a', null], {}, 'a']],
  ['one of a, b', oneOf('a', 'b'), 'b', ['c', '', 1, null, ['a']]],
])('the shape for %s accepts only that type', (what, check, good, bad) => {
  expect(check(good, 'x')).toBeUndefined();
  for (const one of bad) expect(check(one, 'x')).toBe(`"x" must be ${what}`);
});

test('if both shapes of either() fail, the fault of the second is reported', () => {
  const check = either(string, number);
  expect(check('a', 'x')).toBeUndefined();
  expect(check(1, 'x')).toBeUndefined();
  expect(check(true, 'x')).toBe('"x" must be a number');
});
