/** The cost of checks against an author's own JSON Schema: the author is trusted, the sender of the value is not. */
import { describe, expect, test, vi } from 'vitest';
import { costsOf } from './cost.ts';
import { checker, type JsonSchema, describe as tell } from './index.ts';
import { readSchema } from './read.ts';

const use = (schema: JsonSchema): ReturnType<typeof checker> =>
  checker(schema, { what: 'the input of tool "buy"', side: 'input' });
const outcome = async (schema: JsonSchema, value: unknown): Promise<string> => {
  const checked = await use(schema).check(value);
  return checked.ok ? 'ok' : tell(checked.issues);
};
/** Expects `prepare` and `check` to reject alike: no value is checked against a schema that was not proven. */
const rejectsWith = async (schema: JsonSchema, why: string): Promise<void> => {
  await expect(use(schema).prepare?.()).rejects.toThrow(why);
  await expect(use(schema).check({})).rejects.toThrow(why);
};
const chain = (depth: number, end: unknown): unknown => (depth === 0 ? end : { next: chain(depth - 1, end) });
const twice = {
  anyOf: [
    { properties: { next: { $ref: '#' } }, required: ['next'] },
    { properties: { next: { $ref: '#' } }, maxProperties: 1 },
  ],
};
const tooMany = 'cannot be checked: a check could need more than 1000000 evaluations of its parts';

test('what a check would cost is known without a validator', () => {
  const { root } = readSchema(twice, { what: 'x', depth: 9, subschemas: 9 });
  const { excess } = costsOf(root, 'x', { least: 10_000, counts: 1_000 });
  expect(excess(chain(100, 5))).toBe('a check could need more than 10000 evaluations of its parts');
  expect(excess(chain(10, {}))).toBeUndefined();
});

describe("a check against an author's own schema", () => {
  test('that multiplies with the depth of a value ends before it begins', async () => {
    expect(await outcome(twice, chain(18, 5))).toBe(tooMany);
    expect(await outcome(twice, chain(100, 5))).toBe(tooMany);
    expect(await outcome(twice, chain(10, {}))).toBe('ok');
  });

  test('costs in proportion to the value where a required property tells recursive branches apart', async () => {
    const branch = (kind: string): JsonSchema => ({
      properties: { kind: { const: kind }, next: { $ref: '#' } },
      required: ['kind'],
    });
    const tagged = { anyOf: [branch('a'), branch('b'), branch('c')] };
    const deep = (depth: number, end: unknown): unknown =>
      depth === 0 ? end : { kind: 'abc'[depth % 3], next: deep(depth - 1, end) };
    expect(await outcome(tagged, deep(150, { kind: 'a' }))).toBe('ok');
    expect(await outcome(tagged, deep(150, { kind: 'd' }))).toContain('must be equal to one of the allowed values');
  });

  test('does not read the whole value first if the schema is proven to be harmless', async () => {
    let looks = 0;
    const value = {
      n: 1,
      get extra(): number {
        return ++looks;
      },
    };
    const tree = { properties: { n: { type: 'integer' }, left: { $ref: '#' }, right: { $ref: '#' } }, required: ['n'] };
    for (const schema of [{ properties: { n: { type: 'integer' } } }, tree]) {
      expect(await outcome(schema, value)).toBe('ok');
      expect(looks).toBe(0);
    }
    expect(await outcome({ ...twice, properties: { n: { type: 'integer' } } }, value)).not.toContain('cannot');
    expect(looks).toBeGreaterThan(0);
  });

  test('that is too costly for any value is rejected before the first value', async () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `d${i}`,
        { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
      ]),
    );
    await rejectsWith(
      { $ref: '#/$defs/d0', $defs: { ...doubling, d40: { type: 'string' } } },
      'The schema of the input of tool "buy" is rejected: a check could need more than 1000000 evaluations',
    );
  });
});

describe("a pattern in an author's own schema", () => {
  test.each([
    ['a loop in a loop', '^(a+)+$'],
    ['words with optional blanks', '^(\\w+\\s?)*$'],
    ['a backreference', '^(.+)\\1$'],
    ['lookbehind', '(?<=a)b'],
    ['too many loops in a row', `^${'.*'.repeat(12)}!$`],
  ])('that can take too long is rejected before the first value: %s', async (_, pattern) => {
    await rejectsWith(
      { properties: { p: { pattern } } },
      `cannot be used: at #/properties/p: the pattern ${JSON.stringify(pattern)} can take too long: repeat nothing`,
    );
    await rejectsWith({ patternProperties: { [pattern]: true } }, 'can take too long');
  });

  test('that is no regular expression is rejected when the schema is declared', () => {
    expect(() => use({ properties: { p: { pattern: '(' } } })).toThrow(
      'at #/properties/p: the pattern "(" cannot be used',
    );
    expect(() => use({ patternProperties: { '(': true } })).toThrow('the pattern "(" cannot be used');
  });

  test('that is linear is tried on text of any length', async () => {
    const schema = { pattern: '^[a-z]+(-[a-z]+)*$' };
    expect(await outcome(schema, 'ab-'.repeat(100_000))).toContain('must match pattern');
    expect(await outcome(schema, `${'ab-'.repeat(100_000)}a`)).toBe('ok');
  });

  test.each([
    ['by the validator that generates code', {}],
    ['by the validator that does not', { unevaluatedProperties: true }],
  ])('that is slow on long text is tried on 256 characters at most, %s', async (_, more) => {
    const schema = { properties: { file: { pattern: '^.+\\.pdf$' } }, ...more };
    expect(await outcome(schema, { file: 'a.pdf' })).toBe('ok');
    expect(await outcome(schema, { file: 'a.txt' })).toMatch(/match pattern/);
    expect(await outcome(schema, { file: `${'a'.repeat(252)}.pdf` })).toBe('ok');
    expect(await outcome(schema, { file: `${'a'.repeat(253)}.pdf` })).toMatch(/256/);
    // Another member can be a long text.
    expect(await outcome(schema, { file: 'a.pdf', body: 'x'.repeat(1_000_000) })).toBe('ok');
    expect(await outcome(schema, { file: 7 })).toBe('ok');
  });

  test('has the bound that its author gives, up to what is quick', async () => {
    const bounded = (maxLength: number): JsonSchema => ({ type: 'string', maxLength, pattern: '^.+\\.pdf$' });
    expect(await outcome(bounded(1_000), `${'a'.repeat(900)}.pdf`)).toBe('ok');
    await rejectsWith(
      bounded(1_000_000),
      'cannot be used: the pattern "^.+\\\\.pdf$" can take too long on long texts: add a "maxLength" of at most 2529',
    );
  });

  test('costs in all what many texts cost together', async () => {
    const schema = { items: { pattern: '^.+\\.pdf$', maxLength: 2_000 } };
    const files = Array.from({ length: 1_000 }, () => `${'a'.repeat(1_990)}`);
    expect(await outcome(schema, files)).toBe(tooMany);
    expect(await outcome(schema, files.slice(0, 2).fill('a.pdf'))).toBe('ok');
  });

  test('of a property name must be linear', async () => {
    await rejectsWith(
      { patternProperties: { '.*b.*c$': true } },
      'the pattern ".*b.*c$" can take too long on long names: begin it with ^',
    );
    await expect(use({ patternProperties: { '^x-': true } }).prepare?.()).resolves.toBeUndefined();
  });
});

test("an author's schema can have 200,000 counts of evaluations, and not one more", async () => {
  // 408 schemas apply to one value, and count its 488 properties and themselves; each property adds one.
  const entangled = (last: JsonSchema): JsonSchema => {
    const names = Array.from({ length: 488 }, (_, i) => [`p${i}`, i === 487 ? last : true]);
    let schema: JsonSchema = { properties: Object.fromEntries(names) };
    for (let i = 1; i < 408; i++) schema = { allOf: [schema] };
    return schema;
  };
  expect(await outcome(entangled({}), 7)).toBe('ok');
  await rejectsWith(entangled({ not: {} }), 'is rejected: its parts refer to each other in too many combinations');
});

test("an author's schema of 200 subschemas becomes generated code, and a larger one is interpreted", async () => {
  const sized = (subschemas: number): JsonSchema => {
    const names = Array.from({ length: subschemas - 1 }, (_, i) => [`p${i}`, true]);
    return { properties: Object.fromEntries(names), required: ['p0'] };
  };
  expect(await outcome(sized(200), {})).toBe("must have required property 'p0'");
  expect(await outcome(sized(201), {})).toBe('Instance does not have required property "p0".');
});

test('a recursive schema is proven to be harmless without going down all levels', () => {
  const tree = { properties: { left: { $ref: '#' }, right: { $ref: '#' } } };
  const { root } = readSchema(tree, { what: 'x', depth: 9, subschemas: 9 });
  const looks = vi.spyOn(root.lists, 'get');
  expect(costsOf(root, 'x', { least: 1_000, counts: 1_000 }).harmless).toBe(true);
  // A few for each of 200 levels.
  expect(looks.mock.calls.length).toBeLessThan(100);
});
