/** jsonBytes() never estimates too few bytes for a JSON value. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { jsonBytes } from './json-bytes.ts';

test('the text of a value is never longer than three times its bytes', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 2, stringUnit: anyCharacter }), (value) => {
      expect(JSON.stringify([value]).length).toBeLessThanOrEqual(3 * jsonBytes([value]));
    }),
    { numRuns: 30 },
  );
  expect(jsonBytes({ text: '\u0000'.repeat(1_000) })).toBeGreaterThanOrEqual(2_000);
});

test('what is not plain JSON has no limit, because its text can be anything', () => {
  for (const value of [new Date(0), new Map(), { toJSON: () => 'long' }, [{ a: () => 1 }]])
    expect(jsonBytes(value)).toBe(Number.POSITIVE_INFINITY);
});
