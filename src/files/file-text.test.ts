import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeLossless, encodeLossless } from './file-text.ts';

test('any bytes survive a round trip through text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      expect(encodeLossless(decodeLossless(Buffer.from(bytes)))).toEqual(Buffer.from(bytes));
    }),
    { numRuns: 500 },
  );
});

test('valid UTF-8 next to invalid bytes is decoded', () => {
  const bytes = Buffer.concat([Buffer.from('a🙂é'), Buffer.of(0xe9, 0xff, 0xf0), Buffer.from('é"')]);
  expect(decodeLossless(bytes)).toBe('a🙂é\udce9\udcff\udcf0é"');
  expect(encodeLossless(decodeLossless(bytes))).toEqual(bytes);
});

test('text without lone surrogates is encoded as plain UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(encodeLossless(text)).toEqual(Buffer.from(text));
      expect(decodeLossless(Buffer.from(text))).toBe(text);
    }),
  );
});
