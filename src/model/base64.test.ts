/** Base64 and base64url: encoding and decoding. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import { fromBase64, fromBase64Url, toBase64, toBase64Url } from './base64.ts';

test('base64 is written as other libraries write it, and read back', () => {
  verifies('RES-32');
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = toBase64(bytes);
      expect(text).toBe(Buffer.from(bytes).toString('base64'));
      expect(fromBase64(text)).toEqual(bytes);
      const url = toBase64Url(bytes);
      expect(url).toBe(Buffer.from(bytes).toString('base64url'));
      expect(fromBase64Url(url)).toEqual(bytes);
    }),
  );
});

test('toBase64() encodes more bytes than a call can have arguments', () => {
  const bytes = new Uint8Array(300_001).map((_, i) => i * 31);
  expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
});

test('fromBase64() returns undefined for text that is not base64', () => {
  expect(fromBase64('****')).toBeUndefined();
  expect(fromBase64('A')).toBeUndefined();
});

test('fromBase64Url() accepts only the canonical encoding', () => {
  for (const text of ['QR', 'QQ==', 'QQ=', 'Q Q', 'QQ\n', '+/8', 'A', 'é', '====']) {
    expect(fromBase64Url(text), text).toBeUndefined();
  }
  expect(fromBase64Url('QQ')).toEqual(new Uint8Array([65]));
  expect(fromBase64Url('-_8')).toEqual(new Uint8Array([251, 255]));
  fc.assert(
    fc.property(fc.string(), (text) => {
      const bytes = fromBase64Url(text);
      expect(bytes === undefined || toBase64Url(bytes) === text).toBe(true);
    }),
  );
});
