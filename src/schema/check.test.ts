import { spawnSync } from 'node:child_process';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import { McpError } from '../errors.ts';
import { checker, foreignChecker, type JsonSchema, objectSchema, describe as tell } from './index.ts';

const about = { what: 'the input of tool "buy"', side: 'input' } as const;
const use = (schema: JsonSchema): ReturnType<typeof checker> => checker(schema, about);
const draft07 = 'http://json-schema.org/draft-07/schema#';

describe("an author's JSON Schema", () => {
  test('is published as it was given, and checked', async () => {
    verifies('TOOL-15');
    const schema = { type: 'object', properties: { n: { type: 'integer', default: 1 } }, required: ['n'], 'x-own': 1 };
    const before = structuredClone(schema);
    const { jsonSchema, check } = use(schema);
    expect(jsonSchema).toBe(schema);
    expect(await check({ n: 1 })).toEqual({ ok: true, value: { n: 1 } });
    expect(await check({})).toEqual({ ok: false, issues: [{ path: '', message: "must have required property 'n'" }] });
    expect(schema).toEqual(before);
  });

  test('is checked at once as soon as its validator is there', async () => {
    const own = use({ type: 'number' });
    const first = own.check(1);
    const second = own.check('x');
    expect([first, second]).toEqual([expect.any(Promise), expect.any(Promise)]);
    expect([await first, await second]).toMatchObject([{ ok: true }, { ok: false }]);
    expect(own.check(2)).toEqual({ ok: true, value: 2 });
  });

  test('may be empty', async () => {
    verifies('SEEDF-4');
    expect(await use({}).check({ anything: 1 })).toMatchObject({ ok: true });
    expect(await foreignChecker({}, 'theirs').check({ anything: 1 })).toMatchObject({ ok: true });
    expect(objectSchema({})).toEqual({ type: 'object' });
    expect(objectSchema({ properties: {} })).toEqual({ type: 'object', properties: {} });
  });

  test('keeps an object at its root', () => {
    const schema = { type: 'object', title: 'T' };
    expect(objectSchema(schema)).toBe(schema);
    for (const type of ['string', ['object', 'null'], 5]) {
      expect(() => objectSchema({ type }, 'tool "buy"')).toThrow(
        `The schema of tool "buy" cannot be used: its root must have "type": "object", not ${JSON.stringify(type)}`,
      );
    }
  });

  test('is checked against the value in JSON form: without undefined members, with dates as text', async () => {
    const schema = { properties: { day: { type: 'string' } }, additionalProperties: false };
    for (const extra of [{}, { multipleOf: 0.5 }]) {
      const { check } = use({ ...schema, ...extra });
      const value = { day: new Date(0), note: undefined };
      expect(await check(value)).toEqual({ ok: true, value });
      expect(await check({ day: 5, note: undefined })).toMatchObject({ ok: false });
    }
  });

  test('reports an issue for values that are not JSON, instead of throwing', async () => {
    const { check } = use({ properties: { next: { $ref: '#' } }, required: ['next'] });
    const endless: Record<string, unknown> = {};
    endless['next'] = endless;
    expect(await check(endless)).toMatchObject({ issues: [{ message: expect.stringContaining('cannot be checked') }] });
    for (const value of [10n, undefined]) {
      expect(await use({ type: 'string' }).check(value)).toMatchObject({ issues: [{ message: 'must be string' }] });
    }
  });

  test('is not made to compare a huge list with itself', async () => {
    const { check } = use({ properties: { ids: { uniqueItems: true } } });
    const huge = check({ ids: Array.from({ length: 500_000 }, (_, i) => i) });
    expect(await huge).toMatchObject({ issues: [{ message: expect.stringContaining('cannot be checked') }] });
    expect(await check({ ids: [1, 2, 1] })).toMatchObject({ issues: [{ path: 'ids' }] });
  });

  test('may use the same object, and the same $id, as another', async () => {
    const address = { $id: 'https://a.test/address', type: 'object', required: ['street'] };
    const one = use({ properties: { home: address, work: address } });
    const two = use({ properties: { home: { ...address, required: ['town'] } } });
    expect(await one.check({ home: { street: 1 }, work: { street: 1 } })).toMatchObject({ ok: true });
    expect(await two.check({ home: { street: 1 } })).toMatchObject({ ok: false });
  });
});

describe('dialects', () => {
  test.each([
    'https://json-schema.org/draft/2020-12/schema',
    'https://json-schema.org/draft/2020-12/schema#',
    'http://json-schema.org/draft-07/schema',
    draft07,
  ])('%s is understood', async ($schema) => {
    verifies('BASE-066', 'TOOL-12');
    expect(await use({ $schema, type: 'number' }).check(1)).toMatchObject({ ok: true });
  });

  test('without $schema it is 2020-12, with it what it says', async () => {
    verifies('BASE-064', 'BASE-065', 'BASE-069', 'TOOL-12', 'TOOL-13');
    const schema = { prefixItems: [{ type: 'number' }] };
    expect(await use(schema).check(['x'])).toMatchObject({ ok: false });
    expect(await use({ $schema: draft07, ...schema }).check(['x'])).toMatchObject({ ok: true });
  });

  test.each([
    'http://json-schema.org/draft-04/schema#',
    'https://json-schema.org/draft/2019-09/schema',
    'https://example.test/own',
  ])('%s is refused by name, with what is supported', ($schema) => {
    verifies('BASE-070', 'TOOL-14');
    expect(() => use({ $schema })).toThrow(
      `cannot be used: its dialect is "${$schema}"; supported are JSON Schema 2020-12 and draft-07`,
    );
    expect(() => use({ $schema: draft07, definitions: { a: { $schema } } })).toThrow(McpError);
  });
});

describe('what is wrong with a schema is said when it is declared', () => {
  test.each([
    [{ type: 'strnig' }, 'at #/type: must be the name of a type, or a list of such names, not "strnig"'],
    [{ properties: { a: { minimum: '1' } } }, 'at #/properties/a/minimum: must be a number, not "1"'],
    [{ exclusiveMinimum: true }, 'at #/exclusiveMinimum: must be a number, not true'],
    [{ required: ['a', 'a'] }, 'at #/required: must be a list of different strings, not ["a","a"]'],
    [{ required: true }, 'at #/required: must be a list of different strings, not true'],
    [{ properties: { a: 'string' } }, 'at #/properties/a: a schema is an object, true or false, not "string"'],
    [{ properties: [] }, 'at #/properties: must hold schemas by name'],
    [{ items: [{}] }, 'at #/items: is a list: write "prefixItems", or declare "$schema" as draft-07'],
    [{ anyOf: [] }, 'at #/anyOf: must be a list of at least one schema'],
    [{ enum: [] }, 'at #/enum: must be a list of at least one value, not []'],
    [{ minLength: -1 }, 'at #/minLength: must be a whole number that is not negative, not -1'],
    [{ multipleOf: 0 }, 'at #/multipleOf: must be a number above zero, not 0'],
    [{ pattern: '(' }, 'the pattern "(" cannot be used: Invalid regular expression'],
    [{ patternProperties: { '[': {} } }, 'the pattern "[" cannot be used: Invalid regular expression'],
    [{ description: 5 }, 'at #/description: must be a string, not 5'],
    [{ $id: 'http://' }, '"$id" "http://" is not a URI'],
    [{ $anchor: '#x' }, '"$anchor" must be a plain name'],
    [{ dependentRequired: { a: 'b' } }, 'at #/dependentRequired: must be lists of different strings by name'],
    [{ allOf: [{ $anchor: 'a' }, { $anchor: 'a' }] }, 'at #/allOf/1: the name "schema://here/#a" is given twice'],
    [
      { $ref: '#/$defs/gone' },
      'at #/$ref: "#/$defs/gone" does not refer to a part of this schema; correct it, or add that part',
    ],
    [{ $ref: '#gone' }, '"#gone" does not refer to a part of this schema'],
    [{ $ref: '#/a%zz' }, 'does not refer to a part of this schema'],
    [{ $ref: 'other.json' }, '"other.json" does not refer to a part of this schema'],
    [{ $ref: '#/properties/hasOwnProperty', properties: {} }, 'does not refer to a part of this schema'],
    [{ $ref: '#/allOf/length', allOf: [{}] }, 'does not refer to a part of this schema'],
    [JSON.parse('{"properties":{"__proto__":{}}}'), 'a property cannot be called "__proto__"'],
    [{ allOf: [{ $ref: '#' }] }, 'refers to itself without going deeper'],
    [{ default: 1n }, 'Do not know how to serialize a BigInt'],
  ])('case %#', (schema, why) => {
    verifies('BASE-071', 'TOOL-15');
    expect(() => use(schema)).toThrow(McpError);
    expect(() => use(schema)).toThrow(why);
    expect(() => use(schema)).toThrow(/^The schema of the input of tool "buy" cannot be used: /);
  });

  test('a schema that is no object is refused', () => {
    for (const schema of [null, undefined, 'string', true, []]) {
      // The compiler forbids it; JavaScript does not.
      expect(() => use(schema as unknown as JsonSchema)).toThrow('a Standard Schema or a JSON Schema object');
    }
  });

  test('a schema too deep for the stack is rejected in words, of an author and of a peer', () => {
    let schema: JsonSchema = {};
    for (let depth = 0; depth < 100_000; depth++) schema = { not: schema };
    // Newer engines serialize any depth, so our own limit applies first.
    for (const read of [use, (given: JsonSchema) => foreignChecker(given, 'a form')])
      expect(() => read(schema)).toThrow(
        /: it is (nested too deeply|nested deeper than 500 subschemas|larger than 65536 bytes)$/,
      );
  });

  test('a schema at a URL is never fetched', () => {
    verifies('BASE-072', 'BASE-073', 'TOOL-26', 'TOOL-27', 'TOOL-29');
    const fetch = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('asked'));
    for (const $ref of ['https://a.test/s.json', 'http://127.0.0.1/s#/$defs/a', 'file:///etc/passwd']) {
      expect(() => use({ properties: { a: { $ref } } })).toThrow(
        `"${$ref}" does not refer to a part of this schema; remote schemas are not fetched: put it under "$defs"`,
      );
    }
    expect(fetch).not.toHaveBeenCalled();
    fetch.mockRestore();
  });

  test('schemas that are accepted are valid by the meta-schema of their dialect', () => {
    verifies('BASE-071', 'TOOL-15');
    const [modern, old] = [new Ajv2020({ strict: false, logger: false }), new Ajv({ strict: false, logger: false })];
    const odd = fc.oneof(
      fc.constantFrom('a', 'string', true, 1, -1, 0.5, null, [], ['a', 'b'], ['string'], {}),
      fc.string(),
    );
    const some = (keywords: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
      fc.dictionary(fc.constantFrom(...keywords.split(' ')), value, { maxKeys: 3 });
    const plain =
      'type enum const multipleOf minimum exclusiveMaximum maxLength minItems pattern uniqueItems required minContains ' +
      'dependentRequired $id $anchor $comment title format readOnly deprecated examples';
    const { schema: schemas } = fc.letrec<{ schema: unknown }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        some(plain, odd),
        fc.boolean(),
        some('not if items contains additionalProperties unevaluatedItems propertyNames', tie('schema')),
        some('allOf anyOf prefixItems items', fc.array(tie('schema'), { maxLength: 3 })),
        some('properties patternProperties $defs definitions dependentSchemas', some('a b', tie('schema'))),
      ),
    }));
    let passed = 0;
    fc.assert(
      fc.property(schemas, fc.boolean(), (schema, modernly) => {
        if (typeof schema !== 'object' || schema === null) return;
        const full = modernly ? { ...schema } : { ...schema, $schema: draft07 };
        try {
          use(full);
        } catch (error) {
          expect(error).toBeInstanceOf(McpError);
          return;
        }
        passed++;
        expect((modernly ? modern : old).validateSchema(full), JSON.stringify(full)).toBe(true);
      }),
      { numRuns: 1_000, seed: 11 },
    );
    expect(passed).toBeGreaterThan(200);
  });
});

test('issues are formatted as one truncated line', () => {
  expect(tell([{ path: '', message: 'must be object' }])).toBe('must be object');
  expect(
    tell([
      { path: 'items[0].price', message: 'expected number, received string' },
      { path: 'a', message: 'x' },
    ]),
  ).toBe('items[0].price: expected number, received string; a: x');
  const many = Array.from({ length: 50 }, (_, i) => ({ path: `p${i}`, message: 'is\nwrong\u2028' }));
  expect(tell(many)).toMatch(/^p0: is wrong ; p1: .*; and 30 more$/);
  expect(tell([{ path: 'x'.repeat(5_000), message: '' }])).toHaveLength(1_001);
});

/** Runs lines in a fresh process, with `checker` at hand; returns what they print. */
function fresh(flags: readonly string[], lines: string): unknown {
  const room = JSON.stringify(new URL('./index.ts', import.meta.url).href);
  const code = `import { createRequire } from 'node:module';
    const loaded = () => Object.keys(createRequire(${room}).cache).some((file) => file.includes('/ajv/'));
    const { checker } = await import(${room});
    const { check } = checker({ required: ['a'] }, { what: 'x', side: 'input' });
    ${lines}`;
  const args = [...flags, '--import', 'tsx', '--input-type=module', '-e', code];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test('no validator is loaded before a JSON Schema is first used', () => {
  const lines = 'const before = loaded(); await check({}); console.log(JSON.stringify([before, loaded()]));';
  expect(fresh([], lines)).toEqual([false, true]);
});

test('where code cannot be generated, values are checked all the same', () => {
  const lines = 'console.log(JSON.stringify([await check({ a: 1 }), await check({}), loaded()]));';
  expect(fresh(['--disallow-code-generation-from-strings'], lines)).toEqual([
    { ok: true, value: { a: 1 } },
    { ok: false, issues: [{ path: '', message: 'Instance does not have required property "a".' }] },
    false,
  ]);
});
