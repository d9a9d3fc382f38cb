import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { JsoncFault, lineOf } from './jsonc.ts';
import { plainValue } from './jsonc-tree.ts';
import { parseToml } from './toml.ts';

const read = (text: string): unknown => plainValue(parseToml(text).root);

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
        born: '1979-05-27T07:32:00.000Z',
        at: '1979-05-27T07:32:00.000',
        a: { b: { c: 1000 } },
        deep: { 'x.y': { list: [1, 2500, 255, [], { p: true, q: { r: ['s'] } }] } },
      },
      items: [{ n: Number.NEGATIVE_INFINITY }, { sub: { k: false } }],
    });
  });

  test.each([
    ['a = ', 1, 'expected a value'],
    ['\na == 1', 2, 'expected a value'],
    ['a = 1 b = 2', 1, 'followed by an end-of-line'],
    ['a = "x', 1, 'unfinished string'],
    ['a = """x', 1, 'unfinished string'],
    ['a = "\\q"', 1, 'escape'],
    ['a = "\\ud800"', 1, 'escape'],
    ['a = [1 2]', 1, 'expected comma'],
    ['a = { b = 1', 1, 'expected comma'],
    ['a = 01', 1, 'leading zero'],
    ['[a', 1, 'end of key'],
    ['[[a]', 1, 'end of table array'],
    ['= 1', 1, 'end of key'],
    ['a = 1\na = 2', 2, 'already defined'],
    ['[a]\n[a]', 2, 'already defined'],
    ['a = 1\n[a]', 2, 'already defined'],
    ['a = { b = 1 }\n[a.c]', 2, 'already defined'],
    ['a = { b = 1, b = 2 }', 1, 'already defined'],
    ['[a]\nb.c = 1\n[a.b]', 3, 'already defined'],
    ['[a.b]\n[a]\nb.c = 1', 3, 'already defined'],
    ['a = []\n[[a]]', 2, 'already defined'],
    [`a = ${'['.repeat(200)}`, 1, 'nested'],
    [`${'a.'.repeat(300)}b = 1`, 1, 'nested'],
    ['[a]\ntoken = secret', 2, 'expected a value: a text in quotes'],
  ])('parseToml() reports the line and what was expected: %j', (text, line, why) => {
    const fault = faultOf(text);
    expect(String(fault)).toContain(why);
    expect(lineOf(text, fault?.offset ?? -1)).toBe(line);
    expect(String(fault)).not.toContain('secret');
  });

  test('parseToml() finds each pair with its path, and where its value is', () => {
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
        if (faultOf(text) !== undefined) return;
        const { root, statements } = parseToml(text);
        const pairs = statements.filter(({ kind }) => kind === 'pair');
        expect(pairs).toHaveLength(lines.filter((line) => line.includes(' = ')).length);
        for (const { path, value } of pairs) {
          const here = parse(`value = ${text.slice(value?.start, value?.end)}`)['value'];
          expect(path.reduce<unknown>((all, key) => Object(all)[key], plainValue(root))).toEqual(here);
        }
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
