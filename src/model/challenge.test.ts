import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { formatChallenge, parseChallenges } from './challenge.ts';

/** The challenges as plain data, for comparisons. */
const read = (header: string): unknown[] =>
  parseChallenges(header).map(({ scheme, params, token68 }) => [scheme, token68 ?? Object.fromEntries(params)]);

describe('reading challenges', () => {
  test.each<[string, unknown[]]>([
    ['', []],
    ['Bearer', [['bearer', {}]]],
    ['BEARER Realm="x"', [['bearer', { realm: 'x' }]]],
    ['Bearer realm=x,scope="a b"', [['bearer', { realm: 'x', scope: 'a b' }]]],
    ['Bearer realm = "x" , scope\t=\ty', [['bearer', { realm: 'x', scope: 'y' }]]],
    ['Bearer realm=""', [['bearer', { realm: '' }]]],
    ['Bearer realm="a \\"b\\" \\\\ c, d=e"', [['bearer', { realm: 'a "b" \\ c, d=e' }]]],
    [',, Bearer a=1 ,, b=2,', [['bearer', { a: '1', b: '2' }]]],
    [
      'Negotiate, Bearer a=1',
      [
        ['negotiate', {}],
        ['bearer', { a: '1' }],
      ],
    ],
    [
      'Basic YWRhOnBhc3M=, Bearer a=1',
      [
        ['basic', 'YWRhOnBhc3M='],
        ['bearer', { a: '1' }],
      ],
    ],
    [
      'Newauth realm="apps", type=1, title="Login to \\"apps\\"", Basic realm="simple"',
      [
        ['newauth', { realm: 'apps', type: '1', title: 'Login to "apps"' }],
        ['basic', { realm: 'simple' }],
      ],
    ],
    ['DPoP algs="ES256", error="use_dpop_nonce"', [['dpop', { algs: 'ES256', error: 'use_dpop_nonce' }]]],
    [
      'Bearer __proto__="x", constructor=y',
      [
        [
          'bearer',
          Object.fromEntries([
            ['__proto__', 'x'],
            ['constructor', 'y'],
          ]),
        ],
      ],
    ],
  ])('%s', (header, expected) => {
    expect(read(header)).toEqual(expected);
  });

  test.each<[string, string, unknown[]]>([
    ['a value without quotes that goes on', 'Bearer scope=a b, realm=x', [['bearer', { scope: 'a', realm: 'x' }]]],
    ['a parameter without a value', 'Bearer b=1, a=, realm=x', [['bearer', { b: '1', realm: 'x' }]]],
    ['a quoteText without an end', 'Bearer realm=x, scope="a, Basic realm=y', [['bearer', { realm: 'x' }]]],
    ['a backslash at the end', 'Bearer realm=x, scope="a\\', [['bearer', { realm: 'x' }]]],
    ['a parameter before any scheme', 'realm=x, Bearer scope=y', [['bearer', { scope: 'y' }]]],
    ['the second of two values', 'Bearer scope=a, SCOPE=b', [['bearer', { scope: 'a' }]]],
    ['signs that mean nothing', '=, "a, b", (x), Bearer realm=x', [['bearer', { realm: 'x' }]]],
    ['a challenge without a comma before it', 'Bearer Basic realm=x, a=1', [['bearer', { a: '1' }]]],
  ])('parseChallenges() skips %s', (_, header, expected) => {
    expect(read(header)).toEqual(expected);
  });

  test('never throws, and finds the challenge behind any other field', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const quotes = text.replace(/["\\]/g, '');
        expect(read(`${quotes}, Bearer realm="x"`).at(-1)).toEqual(['bearer', { realm: 'x' }]);
        expect(() => parseChallenges(text)).not.toThrow();
      }),
    );
  });

  test('ignores what lies beyond 16 KiB, and never takes half a value', () => {
    const padding = `Bearer realm="${'x'.repeat(16_000)}"`;
    expect(read(`${padding}, scope=${'y'.repeat(1_000)}`)).toEqual([['bearer', { realm: 'x'.repeat(16_000) }]]);
    expect(read(`${padding}, scope=z, error=${'y'.repeat(1_000)}`)).toMatchObject([['bearer', { scope: 'z' }]]);
  });

  test.each<[string, string]>([
    ['commas', ','],
    ['quotes', '"'],
    ['escapes', '"\\'],
    ['schemes', 'a '],
    ['token characters', 'a'],
    ['blanks', ' '],
    ['what might be a token68', 'a b=='],
    ['schemes with what might be a token68', 'a b==x,'],
    ['parameters', 'a=1,'],
    ['equals signs', '='],
  ])('parseChallenges takes linear time for a megabyte of %s', (_, unit) => {
    const hostile = `${unit.repeat(16 * 1024).slice(0, 16 * 1024 - 1)},${unit.repeat(1024 * 1024)}`;
    const spent = [1, 2, 3].map(() => {
      const before = process.cpuUsage();
      parseChallenges(hostile);
      return process.cpuUsage(before).user;
    });
    // Microseconds of CPU time, which other processes do not change. Quadratic work on 16 KiB takes far longer.
    expect(Math.min(...spent)).toBeLessThan(50_000);
  });
});

describe('writing a challenge', () => {
  const token = fc.stringMatching(/^[a-z][a-z0-9_-]{0,20}$/);
  const ascii = fc.string({ unit: 'grapheme-ascii' });

  test('gives back what was written', () => {
    fc.assert(
      fc.property(token, fc.uniqueArray(fc.tuple(token, ascii), { selector: ([name]) => name }), (scheme, params) => {
        expect(parseChallenges(formatChallenge(scheme, Object.fromEntries(params)))).toEqual([
          { scheme, params: new Map(params) },
        ]);
      }),
    );
  });

  test('stays within its line and its quotes, whatever a value holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (value) => {
        const header = formatChallenge('Bearer', { realm: value, scope: 'a' });
        expect(header).toMatch(/^[\x20-\x7e]*$/);
        expect(read(header)).toEqual([['bearer', { realm: value.replace(/[^\x20-\x7e]/g, ''), scope: 'a' }]]);
      }),
    );
    const attack = '"\r\nSet-Cookie: a=b\r\n\r\n, Basic realm="';
    expect(read(formatChallenge('Bearer', { scope: attack }))).toEqual([
      ['bearer', { scope: '"Set-Cookie: a=b, Basic realm="' }],
    ]);
  });

  test('leaves out what is undefined', () => {
    expect(formatChallenge('Bearer', { scope: undefined })).toBe('Bearer');
    expect(formatChallenge('DPoP', { error: 'invalid_token', scope: undefined })).toBe('DPoP error="invalid_token"');
  });

  test.each(['', 'a b', 'a\r\n', 'ä', 'a"'])('refuses %j as a name', (name) => {
    expect(() => formatChallenge(name)).toThrow('must be HTTP tokens');
    expect(() => formatChallenge('Bearer', { [name]: 'x' })).toThrow('must be HTTP tokens');
  });
});
