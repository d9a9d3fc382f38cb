/** copyJson() returns what a JSON round trip returns, and shares nothing with its original. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { copyJson } from './copy-json.ts';

/** Values that code can pass as JSON, including those that JSON changes or omits. */
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    // Without −0, which JSON writes as 0.
    fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown),
    fc.constantFrom<unknown>(undefined, Number.NaN, Number.POSITIVE_INFINITY, () => 1, Symbol('none')),
    fc.date({ noInvalidDate: true }),
    fc.constant({ toJSON: () => 'written' }),
    fc.constant(new Map([['a', 1]])),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('value'), { maxKeys: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: false }),
  ),
})).value;

const written = (value: unknown): unknown => JSON.parse(JSON.stringify({ value }));

test('a copy equals the value after a JSON round trip', () => {
  fc.assert(
    fc.property(anything, (value) => {
      const copy = copyJson({ value });
      expect(copy).toStrictEqual(written(value));
      expect(JSON.stringify(copy)).toBe(JSON.stringify({ value }));
    }),
  );
});

test('a copy shares no object with its original', () => {
  const objectsIn = (value: unknown): unknown[] =>
    typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const originals = new Set(objectsIn(value));
      expect(objectsIn(copyJson(value)).some((one) => originals.has(one))).toBe(false);
    }),
  );
});

test('an array with holes is copied with nulls, and a member named __proto__ stays a member', () => {
  const holes: unknown[] = [1];
  holes[2] = 3;
  expect(copyJson(holes)).toStrictEqual([1, null, 3]);
  const copy = copyJson(JSON.parse('{"__proto__":{"a":1}}') as object);
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":1}}');
});
