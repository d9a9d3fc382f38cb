import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import { costsOf } from './cost.ts';
import { emitSchema } from './emit.ts';
import { readSchema } from './read.ts';
import { compileWithAjv, compileWithInterpreter } from './validators.ts';

const draft07 = 'http://json-schema.org/draft-07/schema#';
const json = (text: string): JsonObject => JSON.parse(text);

/** Name, schema, valid values, invalid values. */
const table: readonly (readonly [string, JsonObject, readonly unknown[], readonly unknown[]])[] = [
  ['nothing asked', {}, [1, 'a', null, [], {}], []],
  ['type', { type: 'integer' }, [1, 1.0, -0], [1.5, '1', null, [], {}, true]],
  ['types', { type: ['string', 'null'] }, ['', null], [0, false, [], {}]],
  ['enum', { enum: [1, 'a', null, { a: [1] }] }, [1, 'a', null, { a: [1] }], ['1', {}, { a: [2] }, false]],
  ['const', { const: { a: 1, b: [null] } }, [{ b: [null], a: 1 }], [{ a: 1 }, { a: 1, b: [null], c: 1 }]],
  ['bounds', { minimum: 1, exclusiveMaximum: 3 }, [1, 2.9, 'x'], [0.9, 3]],
  ['multipleOf', { multipleOf: 0.01 }, [0.3, 1.11, 1234567.89, 0], [0.305, 1.111]],
  ['multipleOf 1', { multipleOf: 1 }, [3, 1e21], [1.5]],
  ['length in characters', { minLength: 2, maxLength: 2 }, ['ab', '💩💩', 5], ['a', 'abc', '💩']],
  ['pattern anywhere', { pattern: 'b.d' }, ['abcd', 'b💩d', 7], ['bd', '']],
  ['format says nothing', { format: 'email' }, ['not an address'], []],
  ['items', { items: { type: 'number' } }, [[], [1, 2], 'x'], [[1, 'a']]],
  ['prefixItems', { prefixItems: [{ type: 'number' }], items: false }, [[], [1]], [['a'], [1, 2]]],
  ['contains', { contains: { const: 1 } }, [[1], [0, 1]], [[], [0]]],
  [
    'contains at least and at most',
    { contains: { const: 1 }, minContains: 2, maxContains: 3 },
    [
      [1, 1],
      [1, 0, 1, 1],
    ],
    [[1], [1, 1, 1, 1], []],
  ],
  ['contains none', { contains: { const: 1 }, minContains: 0, maxContains: 1 }, [[], [0], [1]], [[1, 1]]],
  [
    'unique',
    { uniqueItems: true },
    [[], [1, '1', true], [{ a: 1 }, { a: 2 }]],
    [
      [1, 1],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  ],
  [
    'counts',
    { minItems: 1, maxItems: 2, minProperties: 1, maxProperties: 1 },
    [[1], { a: 1 }],
    [[], [1, 2, 3], {}, { a: 1, b: 2 }],
  ],
  ['required', { required: ['a', 'toString'] }, [{ a: 1, toString: 1 }, 3], [{ a: 1 }, {}]],
  ['properties', { properties: { a: { type: 'string' } } }, [{}, { a: 'x' }, { b: 1 }, []], [{ a: 1 }]],
  [
    'properties named like those of objects',
    { properties: { constructor: { type: 'number' }, valueOf: false } },
    [{}, { constructor: 1 }],
    [{ constructor: 'x' }, { valueOf: 1 }],
  ],
  [
    'additionalProperties',
    { properties: { a: true }, patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
    [{ a: 1, 'x-1': 'y' }],
    [{ b: 1 }, { 'x-1': 1 }],
  ],
  [
    'additionalProperties and a __proto__ in the value',
    { properties: {}, additionalProperties: false },
    [{}],
    [json('{"__proto__":{"a":1}}'), { constructor: 1 }],
  ],
  [
    'additional values',
    { additionalProperties: { type: 'number' } },
    [{ a: 1 }],
    [{ a: 'x' }, json('{"__proto__":"x"}')],
  ],
  ['required and a __proto__', { required: ['__proto__'] }, [json('{"__proto__":1}')], [{}]],
  [
    'const and a __proto__',
    { const: json('{"__proto__":1}') },
    [json('{"__proto__":1}')],
    [{}, json('{"__proto__":2}')],
  ],
  ['propertyNames', { propertyNames: { maxLength: 1 } }, [{ a: 1 }, {}], [{ ab: 1 }]],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, [{}, { b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
  ['dependencies mean nothing', { dependencies: { a: ['b'] } }, [{ a: 1 }], []],
  ['allOf', { allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], [0, 3]],
  ['anyOf', { anyOf: [{ type: 'string' }, { minimum: 2 }] }, ['a', 2, null], [1]],
  ['oneOf', { oneOf: [{ type: 'number' }, { minimum: 2 }] }, [1, 'a'], [2]],
  ['not', { not: { type: 'string' } }, [1], ['a']],
  ['if', json('{"if":{"type":"number"},"then":{"minimum":1},"else":{"minLength":1}}'), [1, 'a'], [0, '']],
  ['true and false inside', { properties: { a: true, b: false } }, [{ a: 1 }], [{ b: 1 }]],
  ['$ref into $defs', { $ref: '#/$defs/n', $defs: { n: { type: 'number' } } }, [1], ['a']],
  ['$ref with siblings', { $ref: '#/$defs/n', maximum: 3, $defs: { n: { type: 'number' } } }, [1], ['a', 4]],
  [
    '$ref to itself',
    { properties: { next: { $ref: '#' } }, required: ['v'] },
    [{ v: 1, next: { v: 2 } }],
    [{ v: 1, next: {} }],
  ],
  ['$ref through escapes', { $ref: '#/$defs/a~1b~0c%20d', $defs: { 'a/b~c d': { type: 'number' } } }, [1], ['a']],
  ['$ref into an unknown keyword', { $ref: '#/components/n', components: { n: { type: 'number' } } }, [1], ['a']],
  [
    '$ref to an item of a list',
    { allOf: [{ type: 'number' }], properties: { a: { $ref: '#/allOf/0' } } },
    [1],
    ['a', { a: 1 }],
  ],
  ['$anchor', { $ref: '#n', $defs: { x: { $anchor: 'n', type: 'number' } } }, [1], ['a']],
  [
    '$id',
    { $id: 'https://a.test/s', $ref: '/n', $defs: { x: { $id: 'https://a.test/n', type: 'number' } } },
    [1],
    ['a'],
  ],
  [
    '$id inside changes where references start',
    { $defs: { x: { $id: 'x', $ref: '#/$defs/y', $defs: { y: { type: 'number' } } }, y: false }, $ref: 'x' },
    [1],
    ['a'],
  ],
  [
    '$id as urn',
    { $id: 'urn:example:s', $ref: 'urn:example:s#/$defs/n', $defs: { n: { type: 'number' } } },
    [1],
    ['a'],
  ],
  [
    '$dynamicRef',
    { $dynamicAnchor: 'node', properties: { next: { $dynamicRef: '#node' } }, required: ['v'] },
    [{ v: 1, next: { v: 1 } }],
    [{ v: 1, next: {} }],
  ],
  [
    'unevaluatedProperties',
    { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    [{ a: 1 }],
    [{ b: 1 }],
  ],
  [
    'unevaluatedProperties past a reference',
    { $ref: '#/$defs/a', unevaluatedProperties: false, $defs: { a: { properties: { a: true } } } },
    [{ a: 1 }],
    [{ b: 1 }],
  ],
  [
    'unevaluatedProperties past a union',
    {
      anyOf: [{ properties: { a: { const: 1 } }, required: ['a'] }, { properties: { b: true } }],
      unevaluatedProperties: false,
    },
    [{ a: 1 }, { b: 1 }, { a: 1, b: 2 }],
    [{ a: 2 }, { c: 1 }],
  ],
  ['unevaluatedItems', { allOf: [{ prefixItems: [true] }], unevaluatedItems: false }, [[1]], [[1, 2]]],
  [
    'tagged union',
    {
      oneOf: [
        { type: 'object', properties: { t: { const: 'a' }, x: { $ref: '#' } }, required: ['t'] },
        {
          type: 'object',
          properties: { t: { enum: ['b', 'c'] }, y: { $ref: '#' } },
          required: ['t'],
          additionalProperties: false,
        },
      ],
    },
    [
      { t: 'a', x: { t: 'b' } },
      { t: 'c', y: { t: 'a', q: 1 } },
    ],
    [{}, { t: 'd' }, { t: 'b', x: 1 }, { t: 'a', x: { t: 'z' } }, 1],
  ],
  [
    'draft-07: items as a list',
    { $schema: draft07, items: [{ type: 'number' }], additionalItems: false },
    [[], [1]],
    [['a'], [1, 2]],
  ],
  ['draft-07: additionalItems alone', { $schema: draft07, additionalItems: false, items: true }, [[1, 2]], []],
  [
    'draft-07: next to $ref nothing counts',
    {
      $schema: draft07,
      definitions: { n: { type: 'number' } },
      properties: { a: { $ref: '#/definitions/n', maximum: 1 } },
    },
    [{ a: 5 }],
    [{ a: 'x' }],
  ],
  [
    'draft-07: $ref at the root',
    { $schema: draft07, $ref: '#/definitions/n', definitions: { n: { type: 'number' } } },
    [1],
    ['a'],
  ],
  [
    'draft-07: dependencies',
    { $schema: draft07, dependencies: { a: ['b'], c: { required: ['d'] } } },
    [{}, { a: 1, b: 1 }, { c: 1, d: 1 }],
    [{ a: 1 }, { c: 1 }],
  ],
  [
    'draft-07: names by $id',
    { $schema: draft07, definitions: { x: { $id: '#n', type: 'number' } }, properties: { a: { $ref: '#n' } } },
    [{ a: 1 }],
    [{ a: 'x' }],
  ],
  [
    'draft-07: knows nothing of later keywords',
    {
      $schema: draft07,
      prefixItems: [false],
      unevaluatedProperties: false,
      dependentRequired: { a: ['b'] },
      contains: true,
      minContains: 5,
    },
    [[1], { a: 1 }],
    [[]],
  ],
];

const validators = [
  ['ajv', compileWithAjv],
  ['the interpreter', compileWithInterpreter],
] as const;

describe.each(validators)('%s', (_, compile) => {
  test.each(table)('%s', async (_name, schema, good, bad) => {
    verifies('BASE-064', 'BASE-066', 'BASE-069', 'TOOL-12', 'TOOL-13', 'TOOL-19');
    const { root } = readSchema(schema, { what: 'a test', depth: 64, subschemas: 2000 });
    // As an author's own, and as a peer's, for which unions are compiled differently.
    for (const tags of [new Map(), costsOf(root, 'a test', { least: 1e6, counts: 10_000 }).tags]) {
      const validate = await compile(emitSchema(root, tags));
      for (const value of good) expect(validate(value), JSON.stringify(value)).toBeUndefined();
      for (const value of bad) expect(validate(value)?.length, JSON.stringify(value)).toBeGreaterThan(0);
    }
  });

  test.each([
    [{ items: { properties: { 'a/b~c é': { type: 'number' } } } }, [{}, { 'a/b~c é': 'x' }], '[1]["a/b~c é"]'],
    [{ properties: { a: { required: ['b'] } } }, { a: {} }, 'a'],
    [{ minimum: 1 }, 0, ''],
    [{ $ref: '#/$defs/a', $defs: { a: { properties: { x: { type: 'null' } } } } }, { x: 1 }, 'x'],
  ])('the validator reports the path of an issue: %j', async (schema, value, path) => {
    const validate = await compile(structuredClone(schema));
    expect(validate(value)?.map((issue) => issue.path)).toEqual([path]);
  });
});
