import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import { McpError } from '../errors.ts';
import { type Checked, foreignChecker, type JsonSchema, describe as tell } from './index.ts';

const what = 'tool "theirs"';
const foreign = (schema: JsonSchema): ReturnType<typeof foreignChecker> => foreignChecker(schema, what);
const check = async (schema: JsonSchema, value: unknown): Promise<Checked> => foreign(schema).check(value);
const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return 'fine';
  } catch (error) {
    expect(error).toBeInstanceOf(McpError);
    return (error as McpError).code;
  }
};
const nested = (depth: number, wrap: (inner: unknown) => unknown, inner: unknown = 1): unknown =>
  depth === 0 ? inner : nested(depth - 1, wrap, wrap(inner));
const inX = (inner: unknown): unknown => ({ x: inner });
const list = <T>(length: number, item: (i: number) => T): T[] => Array.from({ length }, (_, i) => item(i));
/** A rejection must be fast. The limit only distinguishes fast from endless. */
const quickly = { timeout: 60_000 };

describe("a peer's schema", () => {
  test('is checked, and kept as it came, with unknown keywords', async () => {
    verifies('TOOL-25', 'TOOL-31');
    const text =
      '{"type":"object","$defs":{"n":{"$anchor":"n","type":"number"}},"properties":{"a":{"$ref":"#n"}},' +
      '"if":{"required":["a"]},"then":{"required":["b"]},"x-theirs":{"__proto__":1},"title":5,"format":"odd"}';
    const schema = JSON.parse(text);
    const { jsonSchema, check } = foreign(schema);
    expect(jsonSchema).toBe(schema);
    expect(await check({ a: 1, b: 2 })).toMatchObject({ ok: true });
    expect(await check({ a: 'x', b: 2 })).toMatchObject({ issues: [{ path: 'a', message: 'must be number' }] });
    expect(await check({ a: 1 })).toMatchObject({ ok: false });
    expect(JSON.stringify(schema)).toBe(text);
  });

  test.each([null, undefined, true, 'x', 7, []])('that is %j is refused', (schema) => {
    // The types forbid it; the wire does not.
    expect(() => foreign(schema as unknown as JsonSchema)).toThrow(
      'The schema of tool "theirs" cannot be used: it is not an object',
    );
  });

  test('is served up to its largest size, and not one byte more', () => {
    const sized = (bytes: number): JsonSchema => ({ description: 'x'.repeat(bytes - '{"description":""}'.length) });
    expect(() => foreign(sized(65_536))).not.toThrow();
    expect(() => foreign(sized(65_537))).toThrow('it is larger than 65536 bytes');
  });

  test('gets an eighth of the evaluations where code cannot be generated', async () => {
    const twice = {
      anyOf: [{ properties: { x: { $ref: '#' } } }, { properties: { x: { $ref: '#' } }, minProperties: 1 }],
    };
    const deep = nested(18, inX, {});
    await expect(async () => check(twice, deep)).rejects.toThrow('more than 1000000 evaluations');
    await expect(async () => check({ ...twice, unevaluatedProperties: true }, deep)).rejects.toThrow(
      'more than 125000 evaluations',
    );
  });

  test('does not share names ($id) with another schema', async () => {
    const one = { $id: 'https://a.test/s', $defs: { x: { $id: 'n', type: 'number' } }, $ref: 'n' };
    const two = { ...one, $defs: { x: { $id: 'n', type: 'string' } } };
    const checkers = [foreign(one), foreign(two), foreign(one)];
    const results = await Promise.all(checkers.map(async (checker) => checker.check(1)));
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true]);
  });

  test('in an unknown dialect is refused by name', () => {
    verifies('BASE-070', 'TOOL-14');
    expect(() => foreign({ $schema: 'https://a.test/dialect' })).toThrow(
      'The schema of tool "theirs" cannot be used: its dialect is "https://a.test/dialect"; supported are',
    );
  });

  test('that refers to the network, or to nothing, is refused and nothing is fetched', () => {
    verifies('BASE-072', 'BASE-073', 'BASE-075', 'TOOL-26', 'TOOL-27', 'TOOL-29', 'TOOL-31');
    const fetch = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('asked'));
    for (const $ref of ['https://a.test/s', 'http://169.254.169.254/', '//a.test/s', 'gone', '#/gone', '#gone']) {
      expect(() => foreign({ properties: { a: { $ref } } })).toThrow('does not refer to a part of this schema');
    }
    expect(fetch).not.toHaveBeenCalled();
    fetch.mockRestore();
  });
});

describe('limits', () => {
  test.each([
    ['bytes', { description: 'é'.repeat(32_800) }, 'it is larger than 65536 bytes'],
    ['depth', nested(65, (not) => ({ not }), {}), 'it is nested deeper than 64 subschemas'],
    ['number', { anyOf: list(2_000, () => true) }, 'it has more than 2000 subschemas'],
    ['depth, far beyond', nested(5_000, (not) => ({ not }), {}), 'it is nested deeper than 64 subschemas'],
    ['entanglement', nested(60, (inner) => ({ allOf: [inner], properties: Object.fromEntries(list(30, (i) => [`${i}${JSON.stringify(inner).length}`, true])) }), {}), 'its parts refer to each other in too many combinations'], // biome-ignore format: a row
  ])('%s', (_, schema, why) => {
    verifies('BASE-076', 'TOOL-30');
    // Each row is an object.
    expect(() => foreign(schema as JsonSchema)).toThrow(`The schema of tool "theirs" is rejected: ${why}`);
  });

  test("a peer's schema can have 10,000 counts of evaluations, and not one more", () => {
    // 49 schemas apply to one value, and count its 199 properties and themselves; the properties add 199.
    const entangled = (last: JsonSchema): unknown => {
      const properties = { ...Object.fromEntries(list(198, (i) => [`p${i}`, true])), last };
      return nested(48, (inner) => ({ allOf: [inner] }), { properties });
    };
    // Each is an object.
    expect(() => foreign(entangled({ not: {} }) as JsonSchema)).not.toThrow();
    expect(() => foreign(entangled({ not: { not: {} } }) as JsonSchema)).toThrow(
      'its parts refer to each other in too many combinations',
    );
  });

  test('what stays within them is served', async () => {
    const wide = { properties: Object.fromEntries(list(1_990, (i) => [`p${i}`, { type: 'string' }])) };
    expect(await check(wide, { p1989: 'x' })).toMatchObject({ ok: true });
    expect(await check(wide, { p1989: 1 })).toMatchObject({ issues: [{ path: 'p1989' }] });
    const huge = { enum: list(9_000, (i) => i) };
    expect(await check(huge, 8_999)).toMatchObject({ ok: true });
    const wrong = await check(huge, -1);
    expect(wrong.ok ? '' : tell(wrong.issues)).toMatch(
      /^must be equal to one of the allowed values: \[0,1,2.{150,200}$/,
    );
  });

  test('values too deep, or too many to compare with each other, are refused', quickly, async () => {
    expect(await codeOf(() => check({}, nested(201, inX)))).toBe('MCP_SCHEMA_TOO_COSTLY');
    const unique = { items: { uniqueItems: true } };
    expect(await codeOf(() => check(unique, [list(100_001, (i) => i)]))).toBe('MCP_SCHEMA_TOO_COSTLY');
    expect(await codeOf(() => check(unique, [list(4_000, (i) => ({ i }))]))).toBe('MCP_SCHEMA_TOO_COSTLY');
    expect(await check(unique, [list(5_000, (i) => i)])).toMatchObject({ ok: true });
    expect(
      await check(
        {},
        list(200_000, (i) => i),
      ),
    ).toMatchObject({ ok: true });
  });
});

describe('a schema that multiplies work', quickly, () => {
  test.each([
    ['itself, twice', { allOf: [{ $ref: '#' }, { $ref: '#' }] }],
    [
      'itself, by way of others',
      { $defs: { a: { not: { $ref: '#/$defs/b' } }, b: { if: { $ref: '#/$defs/a' } } }, $ref: '#/$defs/a' },
    ],
    ['itself, dynamically', { $dynamicAnchor: 'a', dependentSchemas: { x: { $dynamicRef: '#a' } } }],
    ['itself, inside', { properties: { x: { $anchor: 'x', oneOf: [{ $ref: '#x' }, true] } } }],
  ])('is refused when it applies %s to the same value', (_, schema) => {
    verifies('BASE-076', 'TOOL-30');
    expect(() => foreign(schema)).toThrow('it refers to itself without going deeper into the value');
  });

  test('is refused when one value is enough', () => {
    verifies('BASE-076', 'TOOL-30');
    const twice = (i: number): JsonSchema => ({ allOf: list(2, () => ({ $ref: `#/$defs/${i + 1}` })) });
    const $defs = { ...Object.fromEntries(list(30, (i) => [i, twice(i)])), 30: {} };
    expect(() => foreign({ $defs, $ref: '#/$defs/0' })).toThrow('a check could need more than 1000000 evaluations');
  });

  test.each([
    ['through a property', { properties: { x: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } }],
    ['through two kinds of property', { patternProperties: { x: { $ref: '#' } }, additionalProperties: { $ref: '#' }, properties: { x: { $ref: '#' } } }], // biome-ignore format: a row
    [
      'through a union',
      { anyOf: [{ properties: { x: { $ref: '#' } }, required: ['y'] }, { properties: { x: { $ref: '#' } } }] },
    ],
    ['past each other', { $defs: { a: { properties: { x: { $ref: '#/$defs/b' } } }, b: { allOf: list(2, () => ({ properties: { x: { $ref: '#/$defs/a' } } })) } }, allOf: [{ $ref: '#/$defs/a' }] }], // biome-ignore format: a row
    ['where tags do not exclude each other', { anyOf: ['a', 'a'].map((t) => ({ properties: { t: { const: t }, x: { $ref: '#' } }, required: ['t'] })) }], // biome-ignore format: a row
    [
      'where tags are not required',
      { anyOf: ['a', 'b'].map((t) => ({ properties: { t: { const: t }, x: { $ref: '#' } } })) },
    ],
  ])('is refused with a deep value: %s', async (_, schema) => {
    verifies('BASE-076', 'TOOL-30');
    const checker = foreign(schema);
    expect(await codeOf(() => checker.check(nested(60, inX)))).toBe('MCP_SCHEMA_TOO_COSTLY');
    expect(await codeOf(() => checker.check(nested(6, inX)))).toBe('fine');
  });

  test('is refused with a deep value when it is no loop but long enough', async () => {
    const twice = (i: number): JsonSchema => ({
      properties: { x: { allOf: list(2, () => ({ $ref: `#/$defs/${i + 1}` })) } },
    });
    const $defs = { ...Object.fromEntries(list(300, (i) => [i, twice(i)])), 300: {} };
    const checker = foreign({ $defs, $ref: '#/$defs/0' });
    expect(await codeOf(() => checker.check(nested(60, inX)))).toBe('MCP_SCHEMA_TOO_COSTLY');
    expect(await codeOf(() => checker.check(nested(10, inX)))).toBe('fine');
  });

  test('is refused with a wide value when each part costs much', async () => {
    const checker = foreign({ items: { allOf: list(150, () => ({ minLength: 1 })) } });
    expect(await codeOf(() => checker.check(list(100_000, () => 'x')))).toBe('MCP_SCHEMA_TOO_COSTLY');
    expect(await codeOf(() => checker.check(list(500, () => 'x')))).toBe('fine');
    const lists = foreign({ items: { enum: list(5_000, (i) => `e${i}`) } });
    expect(await codeOf(() => lists.check(list(100_000, () => 'e4999')))).toBe('MCP_SCHEMA_TOO_COSTLY');
    const long = foreign({ allOf: list(1_000, () => ({ minLength: 1 })) });
    expect(await codeOf(() => long.check('x'.repeat(5_000_000)))).toBe('MCP_SCHEMA_TOO_COSTLY');
  });
});

test('a check can need exactly a million evaluations, and not one more', async () => {
  // The list costs 1 + 2/64, each item 100, and a text 1 for each 64 characters.
  const checker = foreign({ items: { const: 'x'.repeat(6_332) } });
  const items = (characters: number): unknown[] => [...list(9_998, () => 7), 'y'.repeat(characters)];
  expect(await codeOf(() => checker.check(items(6_334)))).toBe('fine');
  expect(await codeOf(() => checker.check(items(6_335)))).toBe('MCP_SCHEMA_TOO_COSTLY');
});

test('a schema with many properties costs more for each object', async () => {
  const sized = (names: number): JsonSchema => ({
    items: { properties: Object.fromEntries(list(names, (i) => [`p${i}`, true])) },
  });
  const objects = list(2_000, () => ({}));
  expect(await codeOf(() => foreign(sized(1_600)).check(objects))).toBe('MCP_SCHEMA_TOO_COSTLY');
  expect(await codeOf(() => foreign(sized(400)).check(objects))).toBe('fine');
});

describe('honest recursion goes through', quickly, () => {
  test('expressions with a tag, as deep as you like', async () => {
    const operators = ['add', 'sub', 'mul', 'div', 'mod', 'pow', 'and', 'or', 'eq', 'lt'];
    const operation = (op: string): JsonSchema => ({
      type: 'object',
      properties: {
        left: { description: `left of ${op}`, anyOf: [{ $ref: '#/$defs/expression' }, { type: 'null' }] },
        right: { $ref: '#/$defs/expression' },
        op: { type: 'string', const: op },
      },
      required: ['op', 'left', 'right'],
      additionalProperties: false,
    });
    const schema = {
      $ref: '#/$defs/expression',
      $defs: { expression: { oneOf: [{ type: 'number' }, { type: 'string' }, ...operators.map(operation)] } },
    };
    const deep = (left: unknown): unknown => ({ op: 'lt', left, right: 1 });
    expect(await check(schema, nested(60, deep))).toMatchObject({ ok: true });
    expect(await check(schema, nested(60, deep, { op: 'add', left: 1 }))).toMatchObject({ ok: false });
    expect(await check(schema, nested(60, deep, { left: 1, right: 2 }))).toMatchObject({ ok: false });
  });

  test('expressions without a tag, at ordinary depth', async () => {
    const binary = (key: string): JsonSchema => ({
      type: 'object',
      properties: { [key]: { type: 'array', items: { $ref: '#' } } },
      required: [key],
    });
    const filter = { anyOf: [binary('and'), binary('or'), binary('not'), { required: ['field'] }] };
    expect(
      await check(
        filter,
        nested(40, (inner) => ({ or: [inner] }), { field: 1 }),
      ),
    ).toMatchObject({ ok: true });
    const pair = (key: string): JsonSchema => ({ properties: { left: { $ref: '#' }, [key]: {} }, required: [key] });
    const shared = { anyOf: [{ type: 'number' }, { type: 'object', ...pair('a') }, { type: 'object', ...pair('b') }] };
    expect(
      await check(
        shared,
        nested(12, (left) => ({ left, b: 1 })),
      ),
    ).toMatchObject({ ok: true });
  });

  test('trees, JSON itself, and tables with many rows', async () => {
    const tree = { properties: { children: { type: 'array', items: { $ref: '#' } } }, required: ['name'] };
    expect(
      await check(
        tree,
        nested(90, (c) => ({ name: 'n', children: [c] }), { name: 'x' }),
      ),
    ).toMatchObject({ ok: true });
    const json = {
      anyOf: [{ type: ['string', 'number'] }, { items: { $ref: '#' } }, { additionalProperties: { $ref: '#' } }],
    };
    expect(
      await check(
        json,
        nested(15, (inner) => ({ a: [inner] })),
      ),
    ).toMatchObject({ ok: true });
    const kinds = list(10, (i) => ({
      properties: { kind: { const: i }, a: { type: 'string' }, b: { type: 'number' } },
    }));
    const table = { items: { anyOf: kinds } };
    expect(
      await check(
        table,
        list(50_000, (i) => ({ kind: i % 10, a: 'x', b: i })),
      ),
    ).toMatchObject({ ok: true });
  });
});

describe('regular expressions', () => {
  const warned = async (schema: JsonSchema, good: readonly unknown[], bad: readonly unknown[]): Promise<string[]> => {
    const warnings: string[] = [];
    const { check } = foreignChecker(schema, what, (warning) => warnings.push(warning));
    for (const value of good) expect(await check(value), JSON.stringify(value)).toMatchObject({ ok: true });
    for (const value of bad) expect(await check(value), JSON.stringify(value)).toMatchObject({ ok: false });
    return warnings;
  };
  const slow = '^(a+)+$';

  test('are used where they are linear', quickly, async () => {
    const long = `${'a-'.repeat(50_000)}!`;
    expect(await warned({ pattern: '^[a-z]+(-[a-z]+)*$' }, ['a-b'], ['A', long])).toEqual([]);
    expect(
      await warned({ patternProperties: { '^x-': { type: 'number' } } }, [{ 'x-a': 1 }], [{ 'x-a': 'b' }]),
    ).toEqual([]);
  });

  test('are left out with a warning if they may not be linear', quickly, async () => {
    verifies('BASE-076', 'TOOL-30');
    const bomb = `${'a'.repeat(100)}!`;
    expect(await warned({ pattern: slow, minLength: 1 }, [bomb, 'b'], [''])).toEqual([
      `In the schema of ${what}, the pattern ${JSON.stringify(slow)} at # is left out: it could take too long`,
    ]);
    const several = (names: readonly string[]): JsonSchema => ({
      properties: Object.fromEntries(names.map((name) => [name, { pattern: slow }])),
    });
    expect(await warned(several(['a', 'b']), [], [])).toEqual([
      `In the schema of ${what}, the pattern ${JSON.stringify(slow)} at #/properties/a, #/properties/b is left out: it could take too long`,
    ]);
    expect(await warned(several(['a', 'b', 'c']), [], [])).toEqual([
      expect.stringContaining('#/properties/b, #/properties/c is left out'),
    ]);
    expect(await warned(several(['a', 'b', 'c', 'd', 'e']), [], [])).toEqual([
      expect.stringContaining('#/properties/c and 2 more is left out'),
    ]);
    expect(await warned({ properties: { x: { patternProperties: { [slow]: {} } } } }, [], [])).toEqual([
      expect.stringContaining('at #/properties/x/patternProperties is left out'),
    ]);
    expect(await warned({ pattern: '\\' }, ['x'], [])).toEqual([expect.stringContaining('Invalid regular expression')]);
    expect(await check({ pattern: slow }, bomb)).toMatchObject({ ok: true });
  });

  test.each([
    ['not', { not: { pattern: slow } }, ['a', 'b'], []],
    ['not, further in', { not: { properties: { x: { allOf: [{ $ref: '#/$defs/p' }] } } }, $defs: { p: { pattern: slow } } }, [{ x: 'a' }], []], // biome-ignore format: a row
    ['if', JSON.parse(`{"if":{"pattern":"${slow}"},"then":{"maxLength":1},"else":{"minLength":9}}`), ['aaa', 'b'], []],
    ['oneOf', { oneOf: [{ pattern: slow, minLength: 2 }, { const: 'bb' }] }, ['aa', 'bb'], ['b']],
    ['additionalProperties', { patternProperties: { [slow]: { type: 'number' }, '^b$': { type: 'string' } }, additionalProperties: false }, [{ a: 1, b: 'x' }], [{ b: 1 }]], // biome-ignore format: a row
    [
      'unevaluatedProperties',
      { allOf: [{ patternProperties: { [slow]: true } }], unevaluatedProperties: false },
      [{ a: 1 }],
      [],
    ],
    ['maxContains', { contains: { pattern: slow }, maxContains: 1 }, [['a', 'b', 'c']], [[]]],
  ])('a pattern that is left out never makes a valid value invalid: %s', async (_, schema, good, bad) => {
    expect(await warned(schema, good, bad)).toHaveLength(1);
  });
});

describe('whatever comes', () => {
  const keyword = fc.constantFrom(
    ...'type enum const minimum maxLength pattern uniqueItems required properties patternProperties items prefixItems'.split(
      ' ',
    ),
    ...'additionalProperties unevaluatedProperties unevaluatedItems allOf anyOf oneOf not if then else contains $ref'.split(
      ' ',
    ),
    ...'$dynamicRef $id $anchor $dynamicAnchor $defs $schema dependentSchemas propertyNames __proto__ constructor'.split(
      ' ',
    ),
  );
  const leaf = fc.oneof(
    fc.constantFrom(
      '#',
      '#/$defs/a',
      '#a',
      'a',
      '^(a|a)*$',
      '^a+$',
      'object',
      'string',
      true,
      false,
      0,
      -1,
      1e308,
      null,
    ),
    fc.string(),
  );
  const { part } = fc.letrec<{ part: unknown }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.dictionary(fc.oneof(keyword, fc.constantFrom('a', 'b')), tie('part'), { maxKeys: 4, noNullPrototype: true }),
      fc.array(tie('part'), { maxLength: 3 }),
    ),
  }));
  const schemas = fc.dictionary(keyword, part, { maxKeys: 5, noNullPrototype: true });

  test('a check ends, and throws nothing but McpError', async () => {
    let served = 0;
    await fc.assert(
      fc.asyncProperty(schemas, fc.array(fc.jsonValue(), { maxLength: 3 }), async (schema, values) => {
        const before = JSON.stringify(schema);
        await codeOf(async () => {
          const { check } = foreign(JSON.parse(before));
          for (const value of [...values, schema]) expect(typeof (await check(value)).ok).toBe('boolean');
          served++;
        });
        expect(JSON.stringify(schema)).toBe(before);
      }),
      { numRuns: 1_500, seed: 3 },
    );
    expect(served).toBeGreaterThan(100);
  });
});

test.each(['additionalProperties', 'unevaluatedProperties'])('evaluations multiply along %s', async (keyword) => {
  const depth = 24;
  const both = (next: string): JsonSchema => ({
    allOf: [{ [keyword]: { $ref: next } }, { [keyword]: { $ref: next } }],
  });
  const $defs = Object.fromEntries(Array.from({ length: depth }, (_, i) => [`d${i}`, both(`#/$defs/d${i + 1}`)]));
  const schema = { $ref: '#/$defs/d0', $defs: { ...$defs, [`d${depth}`]: { type: 'object' } } };
  let value: unknown = {};
  for (let i = 0; i <= depth; i++) value = { a: value };
  await expect(async () => foreignChecker(schema, 'tool "theirs"').check(value)).rejects.toThrow(
    'evaluations of its parts',
  );
});
