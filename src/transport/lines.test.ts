import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { verifies } from '../../test/support/verifies.ts';
import { Lines, type LinesOptions } from './lines.ts';

type Event = string | readonly ['dropped', string, string];

function read(chunks: readonly Uint8Array[], options: Partial<LinesOptions> = {}, end = true): Event[] {
  const events: Event[] = [];
  const lines = new Lines({
    onLine: (line) => events.push(line),
    onDropped: (fault, head) => events.push(['dropped', fault, head]),
    ...options,
  });
  for (const chunk of chunks) lines.push(chunk);
  if (end) lines.end();
  return events;
}

const bytes = (text: string): Buffer => Buffer.from(text);

/** Cuts the bytes into chunks at the given places. */
function cut(whole: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => whole.subarray(from, at[i] ?? whole.length));
}

describe('lines', () => {
  test('lines end with LF or CRLF, and empty lines are skipped', () => {
    verifies('STDIO-003');
    expect(read([bytes('a\n\nb\r\n\r\n\nc\n')])).toEqual(['a', 'b', 'c']);
  });

  test('text after the last newline is emitted when the stream ends', () => {
    expect(read([bytes('a\nb')], {}, false)).toEqual(['a']);
    expect(read([bytes('a\nb')])).toEqual(['a', 'b']);
    expect(read([bytes('a\nb\r')])).toEqual(['a', 'b']);
    expect(read([bytes('a\n')])).toEqual(['a']);
    expect(read([])).toEqual([]);
  });

  test('only 0x0a ends a line', () => {
    const text = 'a\u2028b\u2029c\u0085d\u000be\fg\rh\u0000i';
    expect(read([bytes(`${text}\n`)])).toEqual([text]);
  });

  test('a byte order mark is dropped at the start of the stream and nowhere else', () => {
    const mark = '\ufeff';
    expect(read([bytes(`${mark}a\n${mark}b\n`)])).toEqual(['a', `${mark}b`]);
    expect(read([bytes(`\n${mark}b\n`)])).toEqual([`${mark}b`]);
    expect(read([bytes(`${mark}\nb\n`)])).toEqual(['b']);
    expect(read([bytes(mark).subarray(0, 1), bytes(mark).subarray(1, 2), bytes(`${mark}x`).subarray(2)])).toEqual([
      'x',
    ]);
  });

  test('a character that is cut in two is whole again', () => {
    const whole = bytes('{"a":"Grüße 🙂 – 你好"}\n');
    for (let at = 0; at <= whole.length; at++)
      expect(read([whole.subarray(0, at), whole.subarray(at)])).toEqual(['{"a":"Grüße 🙂 – 你好"}']);
  });

  test('Lines accepts a Buffer and any other view of bytes', () => {
    const backing = new Uint8Array(bytes('xxhello\nworld\nyy'));
    expect(read([backing.subarray(2, 14)])).toEqual(['hello', 'world']);
  });
});

describe('what is not UTF-8', () => {
  const bad = Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]);

  test('a line that is not UTF-8 is dropped and reported, without effect on its neighbors', () => {
    expect(read([bytes('a\n'), bad, bytes('b\n')])).toEqual(['a', ['dropped', 'not UTF-8', '"\ufffd\ufffd"'], 'b']);
  });

  test('with "lossy", a line that is not UTF-8 is decoded with replacement characters', () => {
    expect(read([bad], { lossy: true })).toEqual(['"\ufffd\ufffd"']);
  });

  test('a line that contains U+FFFD itself is valid', () => {
    expect(read([bytes('"\ufffd"\n')])).toEqual(['"\ufffd"']);
  });

  test.each([
    ['overlong', [0xc0, 0x80]],
    ['surrogate', [0xed, 0xa0, 0x80]],
    ['truncated', [0xe2, 0x82]],
    ['too large', [0xf5, 0x80, 0x80, 0x80]],
  ])('%s counts as such', (_, sequence) => {
    expect(read([Buffer.from([0x61, ...sequence, 0x0a])])).toEqual([['dropped', 'not UTF-8', expect.any(String)]]);
  });
});

describe('the limit', () => {
  const maxBytes = 10;

  test.each([
    [9, true],
    [10, true],
    [11, false],
  ])('a line of %i bytes passes: %s, in one chunk or in many', (length, passes) => {
    const line = 'x'.repeat(length);
    const wanted = [passes ? line : ['dropped', 'too long', expect.stringMatching(/^x+$/)], 'next'];
    const whole = bytes(`${line}\nnext\n`);
    expect(read([whole], { maxBytes })).toEqual(wanted);
    expect(
      read(
        [...whole].map((byte) => Uint8Array.of(byte)),
        { maxBytes },
      ),
    ).toEqual(wanted);
  });

  test('the limit counts the bytes of a line, not of a chunk', () => {
    expect(read([bytes('aaaaaaaa\n'.repeat(1000))], { maxBytes })).toHaveLength(1000);
    expect(read([bytes('aaaaaaaa'), bytes('\naaaaaaaa\naaaaaaaa'), bytes('\n')], { maxBytes })).toHaveLength(3);
  });

  test('the limit counts bytes, not characters', () => {
    expect(read([bytes('🙂🙂aa\n')], { maxBytes })).toEqual(['🙂🙂aa']);
    expect(read([bytes('🙂🙂aaa\n')], { maxBytes })).toEqual([['dropped', 'too long', expect.any(String)]]);
  });

  test('an endless line is reported once, with its beginning', () => {
    const reports = read(
      Array.from({ length: 100 }, (_, i) => bytes(`${i} and so on `)),
      { maxBytes: 300 },
    );
    expect(reports).toEqual([['dropped', 'too long', expect.stringMatching(/^0 and so on 1 and so on /)]]);
    expect(reports[0]?.[2]).toHaveLength(200);
  });

  test('an unfinished line of 10 MB takes no more memory than its length, in any chunks', () => {
    const limit = 10 * 1024 * 1024;
    const lines = new Lines({ onLine: () => undefined, onDropped: () => undefined, maxBytes: limit });
    const before = process.memoryUsage().arrayBuffers;
    const chunk = Buffer.alloc(1000, 0x78);
    for (let sent = 0; sent < limit - 1000; sent += 1000) lines.push(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(limit + 2 * 64 * 1024);
    for (let sent = 0; sent < 5 * limit; sent += 1000) lines.push(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(limit + 2 * 64 * 1024);
  });

  test('a line of several chunks is joined, without effect on the next line', () => {
    const long = 'y'.repeat(200_000);
    const whole = bytes(`${long}\nshort\n${long}z\n`);
    expect(read(cut(whole, [65_535, 65_536, 131_072, 200_000, 200_001, 300_000]))).toEqual([long, 'short', `${long}z`]);
  });
});

test('however the bytes are cut, the same lines come out', () => {
  const piece = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\ufeff', '\u2028', '🙂', '{"jsonrpc":"2.0"}', 'x'.repeat(40)),
  );
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => bytes(pieces.join('')));
  const raw = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
  const places = fc.array(fc.nat(), { maxLength: 20 });
  fc.assert(
    fc.property(fc.oneof(text, raw), places, fc.integer({ min: 1, max: 60 }), (whole, at, maxBytes) => {
      const dropped = (events: Event[]): Event[] => events.map((e) => (typeof e === 'string' ? e : `${e[0]} ${e[1]}`));
      expect(dropped(read(cut(whole, at), { maxBytes }))).toEqual(dropped(read([whole], { maxBytes })));
    }),
    { numRuns: 3000 },
  );
});

test('valid UTF-8 gives the same lines as splitting its text', () => {
  const text = fc
    .array(fc.constantFrom('a', 'ü', '🙂', '\n', '\r\n', ' ', '"'), { maxLength: 60 })
    .map((p) => p.join(''));
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 5 }), (whole, at) => {
      const wanted = whole.split('\n').map((line) => line.replace(/\r$/, ''));
      expect(read(cut(bytes(whole), at))).toEqual(wanted.filter((line) => line !== ''));
    }),
  );
});
