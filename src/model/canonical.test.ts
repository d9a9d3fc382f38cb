/** canonicalJson(): one text for equal values, different texts for different values. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from './canonical.ts';

/** The same value with the keys of every object in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, inner]) => [key, shuffled(inner)]));
}
const json = fc.jsonValue();

test('the order of keys makes no difference, at any depth', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
    }),
  );
});

test('it is JSON for the same value', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('different values have different texts', () => {
  const parsed = json.map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  fc.assert(
    fc.property(parsed, parsed, (a, b) => {
      expect(canonicalJson(a) === canonicalJson(b)).toBe(isDeepStrictEqual(a, b));
    }),
  );
});

test('a key such as __proto__ is an ordinary key', () => {
  const value: unknown = JSON.parse('{"b":1,"__proto__":{"y":1,"x":2},"a":2}');
  expect(canonicalJson(value)).toBe('{"__proto__":{"x":2,"y":1},"a":2,"b":1}');
});

test('similar values have different texts', () => {
  const texts = [1, '1', true, 'true', null, 'null', [], {}, [[]], { a: [] }, { a: {} }, ['a', 'b'], ['a,b']].map(
    canonicalJson,
  );
  expect(new Set(texts).size).toBe(texts.length);
});
