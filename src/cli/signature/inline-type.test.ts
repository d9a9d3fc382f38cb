import { describe, expect, test } from 'vitest';
import { isObject } from '../../jsonrpc/message.ts';
import type { Shell } from '../shell.ts';
import { SchemaView } from '../tool-arguments/schema-view.ts';
import { exampleCall } from './example-call.ts';
import { inlineType } from './inline-type.ts';
import { constraintsOf, parameterRows } from './parameter-rows.ts';

const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } };

describe('a schema on one line', () => {
  test.each([
    [{ type: 'string' }, 'string'],
    [{ type: ['integer', 'null'] }, 'integer | null'],
    [{ enum: ['a', 'b', 3] }, '"a" | "b" | 3'],
    [{ const: 'only' }, '"only"'],
    [{ anyOf: [{ enum: ['a'] }, { type: 'integer' }] }, '"a" | integer'],
    [{ type: 'array', items: { type: ['string', 'number'] } }, '(string | number)[]'],
    [
      { type: 'object', properties: { a: { type: 'string' }, 'b-c': {} }, required: ['a'] },
      '{ a: string, "b-c"?: unknown }',
    ],
    [{ additionalProperties: { type: 'number' } }, '{ [key: string]: number }'],
    [{ $ref: '#/$defs/size', $defs: { size: { enum: ['s', 'm'] } } }, '"s" | "m"'],
    [{ allOf: [{ type: 'string' }, {}] }, 'string'],
    [{}, 'unknown'],
    [false, 'never'],
    [{ enum: Array.from({ length: 20 }, (_, at) => at) }, '0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | …'],
  ])('%j is %s', (schema, text) => {
    expect(inlineType(schema, isObject(schema) ? schema : {})).toBe(text);
  });

  test('ends where a schema goes in circles', () => {
    expect(inlineType(tree, tree)).toBe('{ children?: { children?: { children?: object[] }[] }[] }');
  });
});

test.each([
  [{ type: 'integer', minimum: 1, maximum: 90, default: 30 }, '1 to 90, default 30'],
  [{ type: 'number', exclusiveMinimum: 0 }, 'more than 0'],
  [{ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }, ''],
  [{ type: 'string', minLength: 3 }, 'at least 3 characters'],
  [{ type: 'string', minLength: 0, maxLength: 9 }, 'at most 9 characters'],
  [{ type: 'string', format: 'email', pattern: '^.+@.+$' }, 'format email'],
  [{ type: 'string', pattern: '^A-\\d+$' }, 'matches ^A-\\d+$'],
  [{ type: 'array', minItems: 1, uniqueItems: true }, 'at least 1 item, no duplicates'],
  [{ type: 'string', deprecated: true }, 'deprecated'],
])('the limits of %j are said in words', (schema, text) => {
  expect(constraintsOf(new SchemaView(schema))).toBe(text);
});

test('members of members are named by the path that is typed for them', () => {
  const schema = {
    type: 'object',
    properties: {
      to: {
        type: 'object',
        description: 'Where\nto',
        properties: { city: { type: 'string', description: 'A city' } },
        required: ['city'],
      },
      lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'integer', minimum: 1 } } } },
    },
    required: ['to'],
  };
  expect(parameterRows(schema)).toEqual([
    ['to: object', 'Where to'],
    ['to.city: string', 'A city'],
    ['lines?: object[]', ''],
    ['lines[].sku?: integer', 'at least 1'],
  ]);
  expect(parameterRows(tree).length).toBeLessThan(6);
});

/** Short schemas with too many paths to examine all of them. */
const names = Array.from({ length: 300 }, (_, at) => `p${at}`);
test.each([
  ['all of itself, many times', { type: 'object', allOf: Array.from({ length: 30 }, () => ({ $ref: '#' })) }],
  ['a choice of itself, many times', { type: 'object', anyOf: Array.from({ length: 30 }, () => ({ $ref: '#' })) }],
  [
    'itself under many names',
    { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { $ref: '#' }])), required: names },
  ],
])('a schema that is %s is shown in part', async (_, inputSchema) => {
  expect(inlineType(inputSchema, inputSchema)).toContain('…');
  expect(parameterRows(inputSchema).length).toBeLessThan(62);
  // No example is valid, or the search was cut off.
  const shell = {} as Shell; // no file is read
  expect((await exampleCall({ name: 'try', inputSchema }, shell)).length).toBeGreaterThan(0);
});
