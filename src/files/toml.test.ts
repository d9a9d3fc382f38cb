import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { JsoncFault, lineOf } from './jsonc.ts';
import { plainValue } from './jsonc-tree.ts';
import { parseToml } from './toml.ts';

const read = (text: string): unknown => plainValue(parseToml(text).root);

/** The result of another TOML parser, with dates as strings. */
const other = (text: string): unknown => JSON.parse(JSON.stringify(parse(text)));

const ours = (text: string): unknown => JSON.parse(JSON.stringify(read(text)));

describe('parseToml()', () => {
  test('parseToml() reads every kind of value and table', () => {
    const text = `# c
title = "a \\"b\\" \\u00e9 \\t" # d
'quoted key' = 'C:\\path'
long = """
one \\
    two"""
raw = '''
x'y'''
[owner]
born = 1979-05-27T07:32:00Z
at = 1979-05-27 07:32:00
a.b.c = 1_000
[owner.deep."x.y"]
list = [ 1, # one
  2.5e3, 0xff, [], { p = true, q.r = [ "s" ] }, ]
[[items]]
n = -inf
[[items]]
[items.sub]
k = false
`;
    expect(read(text)).toEqual({
      title: 'a "b" é \t',
      'quoted key': 'C:\\path',
      long: 'one two',
      raw: "x'y",
      owner: {
        born: '1979-05-27T07:32:00Z',
        at: '1979-05-27 07:32:00',
        a: { b: { c: 1000 } },
        deep: { 'x.y': { list: [1, 2500, 255, [], { p: true, q: { r: ['s'] } }] } },
      },
      items: [{ n: Number.NEGATIVE_INFINITY }, { sub: { k: false } }],
    });
  });

  test.each([
    ['a = ', 1, 'expected a value'],
    ['\na == 1', 2, 'expected a value'],
    ['a = 1 b = 2', 1, 'expected the end of the line'],
    ['a = "x', 1, 'never closed'],
    ['a = """x', 1, 'never closed'],
    ['a = "\\q"', 1, 'escape'],
    ['a = "\\ud800"', 1, 'escape'],
    ['a = [1 2]', 1, 'expected , or ]'],
    ['a = { b = 1', 1, 'expected , or }'],
    ['a = 01', 1, 'expected a value'],
    ['[a', 1, 'expected ]'],
    ['[[a]', 1, 'expected ]]'],
    ['= 1', 1, 'expected a key'],
    ['a = 1\na = 2', 2, '"a" is there already'],
    ['[a]\n[a]', 2, '"a" is there already'],
    ['a = 1\n[a]', 2, '"a" is there already'],
    ['a = { b = 1 }\n[a.c]', 2, '"a" is there already'],
    ['a = { b = 1, b = 2 }', 1, 'there twice'],
    ['[a]\nb.c = 1\n[a.b]', 3, '"b" is there already'],
    ['[a.b]\n[a]\nb.c = 1', 3, '"b" is there already'],
    ['a = []\n[[a]]', 2, '"a" is there already'],
    [`a = ${'['.repeat(200)}`, 1, 'nested'],
  ])('parseToml() reports the line and what was expected: %j', (text, line, why) => {
    const fault = faultOf(text);
    expect(String(fault)).toContain(why);
    expect(lineOf(text, fault?.offset ?? -1)).toBe(line);
    expect(() => parse(text)).toThrow();
  });

  test('parseToml() agrees with another reader on every text, well-formed or not', () => {
    const key = fc.constantFrom('a', 'b', '"a b"', "'c'", 'a.b', 'b."c.d"', '');
    const value = fc.constantFrom(
      '1',
      '"x"',
      "'y'",
      '"""m\nn"""',
      "'''\no'''",
      '[1, "z"]',
      '[\n1, # c\n]',
      '{ a = 1 }',
      '{ a.b = 1, a.c = "]" }',
      'true',
      '1.5',
      '0x1F',
      '"\\u0041\\""',
      '[',
      '"',
      'x y',
      '{}',
      '[[1], []]',
    );
    const statement = fc.oneof(
      { weight: 4, arbitrary: fc.tuple(key, value).map(([k, v]) => `${k} = ${v}`) },
      { weight: 2, arbitrary: key.map((k) => `[${k}]`) },
      fc.constantFrom('[[list]]', '[[a]]', '# c', '', '   ', ']', 'a'),
    );
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 6 }), fc.constantFrom('\n', '\r\n'), (lines, newline) => {
        const text = lines.join(newline);
        const expected = attempt(() => other(text));
        const fault = faultOf(text);
        expect([text, fault === undefined]).toEqual([text, expected !== undefined]);
        if (expected !== undefined) expect(ours(text)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });
});

function faultOf(text: string): JsoncFault | undefined {
  try {
    parseToml(text);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof JsoncFault) return thrown;
    throw thrown;
  }
}

function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch {
    return undefined;
  }
}
