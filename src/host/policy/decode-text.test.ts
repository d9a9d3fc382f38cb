import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { decodeText } from './decode-text.ts';

const SECRET = 'The meeting about the merger is on Thursday at nine, in the small room of the second floor.';
const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString('base64');
const finds = (text: string, secret = SECRET): boolean =>
  decodeText({ text, fresh: 0 }).some((reading) => reading.text.includes(secret));

describe('decodeText', () => {
  test('decodeText() decodes two nested encodings, and no third', () => {
    const once = base64(SECRET);
    expect([finds(once), finds(base64(once)), finds(base64(base64(once)))]).toEqual([true, true, false]);
  });

  test.each(['', 'x', 'xx', 'xxx', 'xxxx'])('decodeText() decodes base64 directly after "%s"', (before) => {
    expect(finds(before + base64(SECRET))).toBe(true);
  });

  test('decodeText() decodes text between binary bytes', () => {
    const noise = Buffer.alloc(300, 0x01);
    expect(finds(base64(Buffer.concat([noise, Buffer.from(SECRET.repeat(2)), noise])))).toBe(true);
  });

  test('decodeText() accepts decoded text if less than a fifth of it is binary', () => {
    const half = (strange: number): string => '\x01'.repeat(strange) + 'a'.repeat(36 - strange);
    const [text, noise] = [half(6) + half(7), half(7) + half(8)];
    expect([finds(base64(text), text), finds(base64(noise), noise)]).toEqual([true, false]);
  });

  test('decodeText() decodes character references up to the last code point, and leaves others unchanged', () => {
    const shown = (text: string): string | undefined => decodeText({ text, fresh: 0 })[1]?.text;
    expect([shown('&#x41;&#66;'), shown('&#x10ffff;'), shown('&#x110000;'), shown('&#9999999;')]).toEqual([
      ...['AB', '\u{10ffff}'],
      ...[undefined, undefined],
    ]);
  });
});
