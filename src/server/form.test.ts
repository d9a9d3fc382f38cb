/** formOf(): keeps the keywords that clients must understand, and omits or rejects the others. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { verifies } from '../../test/support/verifies.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import { checker, type Schema } from '../schema/index.ts';
import { formOf } from './form.ts';

const form = (schema: Schema): unknown =>
  formOf(checker(schema, { what: 'the form', side: 'input' }).jsonSchema, 'the form');
const field = (given: JsonObject): unknown =>
  formOf({ type: 'object', properties: { f: given } }, 'the form').properties['f'];

test('a form of every kind of field, from zod', () => {
  verifies('ELIC-17', 'ELIC-18', 'ELIC-20');
  const schema = z.object({
    name: z.string().min(1).max(9).meta({ title: 'Name', description: 'Yours' }),
    mail: z.email(),
    page: z.url(),
    day: z.iso.date(),
    time: z.iso.datetime(),
    age: z.int().min(0),
    ratio: z.number().max(1).optional(),
    sure: z.boolean().default(true),
    colour: z.enum(['red', 'green']).default('red'),
    size: z.union([z.literal('s').meta({ title: 'Small' }), z.literal('l').meta({ title: 'Large' })]),
    only: z.literal('x'),
    tags: z
      .array(z.enum(['a', 'b']))
      .min(1)
      .max(2),
    marks: z.array(z.union([z.literal('c').meta({ title: 'See' }), z.literal('d')])),
  });
  expect(form(schema)).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 9, title: 'Name', description: 'Yours' },
      mail: { type: 'string', format: 'email' },
      page: { type: 'string', format: 'uri' },
      day: { type: 'string', format: 'date' },
      time: { type: 'string', format: 'date-time' },
      age: { type: 'integer', minimum: 0 },
      ratio: { type: 'number', maximum: 1 },
      sure: { type: 'boolean', default: true },
      colour: { type: 'string', enum: ['red', 'green'], default: 'red' },
      size: {
        type: 'string',
        oneOf: [
          { const: 's', title: 'Small' },
          { const: 'l', title: 'Large' },
        ],
      },
      only: { type: 'string', enum: ['x'] },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, maxItems: 2 },
      marks: {
        type: 'array',
        items: {
          anyOf: [
            { const: 'c', title: 'See' },
            { const: 'd', title: 'd' },
          ],
        },
      },
    },
    required: ['name', 'mail', 'page', 'day', 'time', 'age', 'size', 'only', 'tags', 'marks'],
  });
});

test.each<[string, Schema]>([
  ['valibot', toStandardJsonSchema(v.object({ name: v.string(), sure: v.optional(v.boolean()) }))],
  ['arktype', type({ name: 'string', 'sure?': 'boolean' })],
])('a form from %s', (_name, schema) => {
  verifies('ELIC-17');
  expect(form(schema)).toEqual({
    type: 'object',
    properties: { name: { type: 'string' }, sure: { type: 'boolean' } },
    required: ['name'],
  });
});

test('keywords that no form has are left out', () => {
  verifies('ELIC-18');
  expect(
    field({ type: 'string', pattern: '^a', format: 'uuid', examples: ['a'], $comment: 'x', maxLength: 3 }),
  ).toEqual({
    type: 'string',
    maxLength: 3,
  });
  expect(field({ type: 'number', multipleOf: 2, exclusiveMinimum: 0, minimum: 1 })).toEqual({
    type: 'number',
    minimum: 1,
  });
  expect(field({ type: 'array', items: { type: 'string', enum: ['a'] }, uniqueItems: true })).toEqual({
    type: 'array',
    items: { type: 'string', enum: ['a'] },
  });
});

test('names for choices, as older forms have them, are kept', () => {
  const choice = { type: 'string', enum: ['a'], enumNames: ['A'] };
  expect(field(choice)).toEqual(choice);
});

test.each<JsonObject>([
  { type: 'object', properties: {} },
  { type: 'array', items: { type: 'string' } },
  { type: 'array', items: { type: 'number', enum: [1, 2] } },
  { type: 'array' },
  { type: ['string', 'null'] },
  { anyOf: [{ type: 'string' }, { type: 'number' }] },
  { $ref: '#/$defs/x' },
  { type: 'null' },
  {},
])('a form field with the schema %j is rejected', (given) => {
  verifies('ELIC-17');
  expect(() => field(given)).toThrow(
    'the form: field "f" must be a string, number, boolean, or a choice of strings; forms are flat',
  );
});

test.each<JsonObject>([{ type: 'string' }, { type: 'object' }, { type: 'array' }, {}])('%j is no form', (schema) => {
  verifies('ELIC-17');
  expect(() => formOf(schema, 'the form')).toThrow('the form: a form is an object schema with properties');
});

test('a field may be called anything', () => {
  const properties = JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"boolean"}}') as JsonObject;
  expect(Object.keys(formOf({ type: 'object', properties }, 'the form').properties)).toEqual([
    '__proto__',
    'constructor',
  ]);
});
