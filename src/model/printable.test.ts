import { describe, expect, test } from 'vitest';
import {
  displayUrl,
  networkReason,
  printable,
  printableJson,
  printableLines,
  removeUnprintable,
  replaceUnseen,
} from './printable.ts';

test('printable text keeps every other character', () => {
  expect(printable('Grüße 🙂 你好 "x" \\ \u009b1m\n')).toBe('Grüße 🙂 你好 "x" \\ \\u009b1m\\u000a');
});

test('what cannot be printed is removed, or only what is not seen is replaced', () => {
  expect(removeUnprintable('a\u001b[31m\u200bb\n👍🏽')).toBe('a[31mb👍🏽');
  expect(replaceUnseen('a\u001b\u200bb', () => '?')).toBe('a\u001b?b');
  expect(replaceUnseen('👨‍👩‍👧 plain', () => '?')).toBe('👨‍👩‍👧 plain');
});

test('a URL is shown without what may be secret', () => {
  expect(displayUrl(new URL('https://ada:pass@example.test/a%0a?code=1#token'))).toBe('https://example.test/a%0a');
});

test('the reason of a failed request is found wherever it hides', () => {
  expect(networkReason(new TypeError('fetch failed', { cause: new Error('connect\nrefused') }))).toBe(
    'fetch failed: connect refused',
  );
  const stderr = 'it ended; the end of its stderr:\n  | one\r\n  | two\u001b';
  expect(networkReason(new Error(stderr))).toBe('it ended; the end of its stderr: | one | two\\u001b');
  const refused = new Error('connect ECONNREFUSED 127.0.0.1:9');
  expect(networkReason(new Error(`a.test cannot be reached: ${refused.message}`, { cause: refused }))).toBe(
    'a.test cannot be reached: connect ECONNREFUSED 127.0.0.1:9',
  );
  expect(networkReason(new AggregateError([new Error('no route'), new Error('refused')]))).toBe('no route');
  expect(networkReason(new AggregateError([new Error('refused')]))).toBe('refused');
  expect(networkReason(new AggregateError([], 'all failed'))).toBe('all failed');
  expect(networkReason(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))).toBe('connect');
  expect(networkReason(new Error('x'.repeat(301)))).toBe('x'.repeat(300));
  expect(networkReason(new RangeError(''))).toBe('RangeError');
  expect(networkReason('gone')).toBe('gone');
  const tls = Object.assign(new Error('write EPROTO 80BC:error:0A00010B'), { code: 'ERR_SSL_WRONG_VERSION_NUMBER' });
  expect(networkReason(new TypeError('fetch failed', { cause: tls }))).toBe(
    'fetch failed: the port does not use TLS; try http:',
  );
});

describe('text from elsewhere', () => {
  const classes: readonly (readonly [what: string, first: number, last: number])[] = [
    ['C0 controls', 0x00, 0x1f],
    ['delete and C1 controls', 0x7f, 0x9f],
    ['the soft hyphen', 0xad, 0xad],
    ['the combining grapheme joiner', 0x34f, 0x34f],
    ['the Arabic letter mark', 0x61c, 0x61c],
    ['Hangul fillers', 0x115f, 0x1160],
    ['Mongolian selectors and the vowel separator', 0x180b, 0x180f],
    ['zero-width characters and directional marks', 0x200b, 0x200f],
    ['the line separator, the paragraph separator and bidirectional embeddings', 0x2028, 0x202e],
    ['invisible operators, bidirectional isolates and deprecated format characters', 0x2060, 0x206f],
    ['the other Hangul filler', 0x3164, 0x3164],
    ['variation selectors', 0xfe00, 0xfe0f],
    ['the byte order mark', 0xfeff, 0xfeff],
    ['interlinear annotations', 0xfff9, 0xfffb],
    ['lone surrogates', 0xd800, 0xdfff],
    ['musical format characters', 0x1d173, 0x1d17a],
    ['tag characters', 0xe0000, 0xe007f],
    ['more variation selectors', 0xe0100, 0xe01ef],
  ];

  test.each(classes)('has %s written out (U+%#x to U+%#x), in text and in JSON', (_what, first, last) => {
    const codes = Array.from({ length: last - first + 1 }, (_, at) => first + at);
    const texts = codes.map((code) => `a${String.fromCodePoint(code)}b`);
    const written = codes.map((code) =>
      code > 0xffff ? `a\\u{${code.toString(16)}}b` : `a\\u${code.toString(16).padStart(4, '0')}b`,
    );
    expect(texts.map(printable)).toEqual(written);
    const json = texts.map((text) => printableJson(JSON.stringify(text)));
    expect(json.filter((one) => !/^[\x20-\x7e]+$/.test(one))).toEqual([]);
    expect(json.map((one) => JSON.parse(one) as unknown)).toEqual(texts);
  });

  test('keeps what scripts and emoji are made of', () => {
    for (const text of [
      'می\u200cخواهم',
      'क्\u200dष',
      '👨\u200d👩\u200d👧',
      '👩🏽\u200d🚀',
      '❤\ufe0f\u200d🔥',
      '✔\ufe0e 1\ufe0f⃣',
      'ﷺ ߷ é',
    ])
      expect([printable(text), printableLines(text), printableJson(text)]).toEqual([text, text, text]);
  });

  test.each(['\u061c', '\u17b4', '\u17b5'])('has joiners after the invisible letter %j written out', (letter) => {
    const hidden = `${letter}\u200d${letter}\u200c`.repeat(2);
    const written = printable(letter);
    for (const visible of ['م', 'ក', 'क'])
      expect(printable(`${hidden}${visible}`)).toBe(`${`${written}\\u200d${written}\\u200c`.repeat(2)}${visible}`);
    expect(replaceUnseen(`${hidden}م`, () => '')).toBe('م');
  });

  test('keeps its lines and tabs where lines are shown, and nothing else of the kind', () => {
    expect(printableLines('a\tb\r\nc\rd\u2028e\u0085f\n')).toBe('a\tb\nc\\u000dd\\u2028e\\u0085f\n');
  });

  test('keeps the lines of a JSON document', () => {
    const json = JSON.stringify({ a: 'x\ny\u202e' }, null, 2);
    expect(printableJson(json)).toBe('{\n  "a": "x\\ny\\u202e"\n}');
  });
});
