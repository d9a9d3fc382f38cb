import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsoncPath } from '../../../files/jsonc-tree.ts';
import type { FieldSchema } from './field-schema.ts';
import { faultsIn, variantOf } from './form-faults.ts';
import { fieldOf, initialValue, inputText, inputValue, itemSchema, membersOf } from './form-model.ts';
import { type JsonValue, jsonValueAt, parseJsonText, withValueAt } from './json-text.ts';

const kindOf = (schema: FieldSchema): string => fieldOf(schema, schema).kind;

describe('fields', () => {
  test.each<[string, FieldSchema, string]>([
    ['text', { type: 'string' }, 'text'],
    ['a number', { type: 'number' }, 'number'],
    ['a whole number', { type: 'integer' }, 'number'],
    ['true or false', { type: 'boolean' }, 'boolean'],
    ['an enum', { type: 'string', enum: ['a', 'b'] }, 'choice'],
    ['an enum of constants with titles', { oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }, 'choice'],
    ['a list of an enum', { type: 'array', items: { enum: ['a'] } }, 'choices'],
    ['a list of constants', { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }, 'choices'],
    ['an object', { type: 'object', properties: { a: {} } }, 'object'],
    ['an object of the members of one kind', { type: 'object', additionalProperties: { type: 'string' } }, 'object'],
    ['an object of nothing', { type: 'object', additionalProperties: false }, 'object'],
    ['an object of anything', { type: 'object' }, 'json'],
    ['a list', { type: 'array', items: { type: 'string' } }, 'array'],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }, 'array'],
    ['a list of anything', { type: 'array' }, 'json'],
    ['a union', { anyOf: [{ type: 'string' }, { type: 'number' }] }, 'union'],
    ['a constant', { const: 3 }, 'constant'],
    ['no type at all', {}, 'json'],
    ['two types', { type: ['string', 'number'] }, 'json'],
    ['a type that does not exist', { type: 'ghost' }, 'json'],
  ])('%s is shown as what it is', (_, schema, kind) => {
    expect(kindOf(schema)).toBe(kind);
  });

  test('a nullable enum, type or union is the field without null, marked as nullable', () => {
    const enumeration = fieldOf({ enum: ['a', null] }, {});
    expect([enumeration.kind, enumeration.nullable, enumeration.options]).toEqual([
      'choice',
      true,
      [{ value: 'a', title: 'a' }],
    ]);
    const constants = fieldOf({ oneOf: [{ const: 'a', title: 'A' }, { type: 'null' }] }, {});
    expect([constants.kind, constants.nullable]).toEqual(['choice', true]);
    const type = fieldOf({ type: ['integer', 'null'] }, {});
    expect([type.kind, type.nullable]).toEqual(['number', true]);
    const union = fieldOf({ anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] }, {});
    expect([union.kind, union.nullable, union.expects]).toEqual(['text', true, 'uri']);
  });

  test('titles of an enum come from enumNames or from its constants', () => {
    expect(fieldOf({ enum: [1, 2], enumNames: ['one', 'two'] }, {}).options).toEqual([
      { value: 1, title: 'one' },
      { value: 2, title: 'two' },
    ]);
    expect(fieldOf({ oneOf: [{ const: 1, title: 'one' }] }, {}).options).toEqual([{ value: 1, title: 'one' }]);
  });

  test('references are followed, with pointers that have escaped names', () => {
    const root: FieldSchema = { $defs: { 'a/b~c': { type: 'integer' }, via: { $ref: '#/$defs/a~1b~0c' } } };
    expect(fieldOf({ $ref: '#/$defs/via', title: 'T' }, root)).toMatchObject({
      kind: 'number',
      schema: { title: 'T' },
    });
  });

  test('references that run in a circle, leave the document or name nothing become JSON', () => {
    const root: FieldSchema = { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } };
    expect(fieldOf({ $ref: '#/$defs/a' }, root).kind).toBe('json');
    expect(fieldOf({ $ref: 'https://example.com/schema' }, root).kind).toBe('json');
    expect(fieldOf({ $ref: '#/$defs/__proto__' }, root).kind).toBe('json');
  });

  test('a schema that contains itself is shown as deep as its value goes', () => {
    const root: FieldSchema = {
      type: 'object',
      properties: { next: { $ref: '#' }, name: { type: 'string' } },
      required: ['next'],
    };
    const field = fieldOf(root, root);
    expect(membersOf(field, {}).map(({ name }) => name)).toEqual(['next', 'name']);
    expect(() => initialValue(root, root)).not.toThrow();
  });

  test.each<[string, FieldSchema]>([
    ['all of itself, several times', { allOf: Array.from({ length: 9 }, () => ({ $ref: '#' })) }],
    ['a choice of itself alone', { anyOf: [{ $ref: '#' }] }],
    ['a choice of itself, several times', { anyOf: Array.from({ length: 9 }, () => ({ $ref: '#' })) }],
    ['lists of itself', { type: 'array', items: { $ref: '#' } }],
    ['choices of each other', { anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: { oneOf: [{ $ref: '#' }] } } }],
    [
      'itself under nine names that are required',
      {
        type: 'object',
        properties: Object.fromEntries([...'abcdefghi'].map((name) => [name, { $ref: '#' }])),
        required: [...'abcdefghi'],
      },
    ],
  ])('a schema that is %s has a field, a first value and an end', (_, schema) => {
    const field = fieldOf(schema, schema);
    expect(field.variants ?? []).toEqual([]);
    expect(initialValue(schema, schema)).toBeDefined();
    expect(faultsIn(schema, [[[]]], schema).length).toBeLessThan(2);
    expect(variantOf(field, { a: 1 }, schema)).toBe(0);
  });

  test('a union that contains itself has only its other variants', () => {
    const schema: FieldSchema = { anyOf: [{ $ref: '#' }, { type: 'string' }, { type: 'number' }] };
    expect(fieldOf(schema, schema).variants?.map(({ title }) => title)).toEqual(['string', 'number']);
    const lists: FieldSchema = { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#' } }] };
    expect(fieldOf(lists, lists).variants?.map(({ title }) => title)).toEqual(['string', 'array']);
  });

  test('allOf is one object with the members and requirements of all', () => {
    const schema: FieldSchema = {
      properties: { c: { type: 'boolean' } },
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: {} }, required: ['b'] },
      ],
    };
    const members = membersOf(fieldOf(schema, schema), { z: 1 });
    expect(members.map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['a', true],
      ['b', true],
      ['c', false],
      ['z', false],
    ]);
  });

  test('a union at the root keeps the properties that are declared beside it', () => {
    const schema: FieldSchema = {
      type: 'object',
      properties: { always: { type: 'string' } },
      anyOf: [
        { properties: { card: { type: 'string' } }, required: ['card'] },
        { title: 'Cash', properties: { coins: { type: 'integer' } } },
      ],
    };
    const field = fieldOf(schema, schema);
    expect(field.variants?.map(({ title }) => title)).toEqual(['card', 'Cash']);
    expect(Object.keys((field.variants?.[0]?.schema['properties'] ?? {}) as object)).toEqual(['always', 'card']);
    expect(variantOf(field, { always: 'x', coins: 3 }, schema)).toBe(1);
    expect(variantOf(field, { card: 'x' }, schema)).toBe(0);
  });

  test('a union is told apart by its constant', () => {
    const of = (kind: string, name: string): FieldSchema => ({
      type: 'object',
      properties: { kind: { const: kind }, [name]: { type: 'string' } },
      required: ['kind'],
    });
    const schema: FieldSchema = { oneOf: [of('a', 'x') as JsonValue, of('b', 'y') as JsonValue] };
    const field = fieldOf(schema, schema);
    expect(field.variants?.map(({ title }) => title)).toEqual(['kind a', 'kind b']);
    expect(initialValue(field.variants?.[1]?.schema ?? {}, schema)).toEqual({ kind: 'b' });
    expect(variantOf(field, { kind: 'b' }, schema)).toBe(1);
  });
});

describe('values', () => {
  test('a form begins with its defaults and constants, and objects that are required', () => {
    const schema: FieldSchema = {
      type: 'object',
      properties: {
        a: { type: 'string', default: 'x' },
        b: { type: 'string' },
        c: { type: 'object', properties: { d: { const: 1 } }, required: ['d'] },
        e: { type: 'number' },
      },
      required: ['b', 'c', 'e'],
    };
    expect(initialValue(schema, schema)).toEqual({ a: 'x', c: { d: 1 } });
  });

  test('an input that is not a number stays as typed, and a number keeps its spelling', () => {
    const field = fieldOf({ type: 'number' }, {});
    for (const typed of ['1', '-0.5', '1e3']) expect(inputValue(field, typed, true)).toBe(Number(typed));
    for (const typed of ['1.', '-', 'abc', '0x1', ' 1']) expect(inputValue(field, typed, true)).toBe(typed);
    expect(inputText(field, 1.5, '1.50')).toBe('1.50');
    expect(faultsIn({ type: 'number' }, '1.', {})).toEqual(['number is expected']);
  });

  test('an empty input that is optional is not sent, and one that is required is an empty text', () => {
    const field = fieldOf({ type: 'string' }, {});
    expect([inputValue(field, '', false), inputValue(field, '', true)]).toEqual([undefined, '']);
  });

  test.each<[FieldSchema, JsonValue, string[]]>([
    [{ type: 'string', minLength: 2 }, 'a', ['at least 2 characters are expected']],
    [{ type: 'string', maxLength: 1 }, 'ab', ['at most 1 characters are expected']],
    [{ type: 'integer' }, 1.5, ['a whole number is expected']],
    [{ type: 'number', minimum: 1 }, 0, ['must be at least 1']],
    [{ type: 'number', exclusiveMaximum: 1 }, 1, ['must be less than 1']],
    [{ enum: ['a'] }, 'b', ['must be one of the options']],
    [{ type: 'string' }, null, ['null is not allowed; text is expected']],
    [{ type: ['string', 'null'] }, null, []],
    [{ type: 'array', items: { type: 'string' }, minItems: 2 }, ['a'], ['2 or more items are expected']],
    [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, {}, ['a is missing']],
    [{ type: 'object', properties: { a: { type: 'string' } } }, { a: 1 }, ['a: text is expected']],
    [{ type: 'object', properties: {}, additionalProperties: false }, { a: 1 }, ['unknown property a']],
    [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, true, ['must match one of the variants']],
  ])('the schema %j says of %j what is wrong', (schema, value, faults) => {
    expect(faultsIn(schema, value, schema)).toEqual(faults);
  });
});

/** A schema and a value that is valid for it. */
const valid: fc.Arbitrary<{ schema: FieldSchema; value: JsonValue }> = fc.letrec<{
  any: { schema: FieldSchema; value: JsonValue };
}>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.string().map((value) => ({ schema: { type: 'string' }, value })),
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((value) => ({ schema: { type: 'number' }, value: value === 0 ? 0 : value })),
    fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value })),
    fc.constantFrom('a', 'b', null).map((value) => ({ schema: { enum: ['a', 'b', null] }, value })),
    fc.constant({ schema: { const: 7 }, value: 7 }),
    fc.option(fc.integer()).map((value) => ({ schema: { type: ['integer', 'null'] }, value })),
    fc.jsonValue().map((value) => ({ schema: {}, value: JSON.parse(JSON.stringify(value)) as JsonValue })),
    fc.subarray(['x', 'y']).map((value) => ({ schema: { type: 'array', items: { enum: ['x', 'y'] } }, value })),
    tie('any').map(({ schema, value }) => ({ schema: { allOf: [schema as JsonValue] }, value })),
    tie('any').map(({ schema, value }) => ({
      schema: { type: 'array', items: schema as JsonValue },
      value: [value, value],
    })),
    fc.dictionary(fc.string(), tie('any'), { maxKeys: 4 }).map((members) => ({
      schema: {
        type: 'object',
        properties: Object.fromEntries(Object.entries(members).map(([name, one]) => [name, one.schema as JsonValue])),
        required: Object.keys(members).slice(1),
      },
      value: Object.fromEntries(Object.entries(members).map(([name, one]) => [name, one.value])),
    })),
    fc.tuple(tie('any'), tie('any')).map(([one, other]) => ({
      schema: { anyOf: [one.schema as JsonValue, other.schema as JsonValue] },
      value: other.value,
    })),
  ),
})).any;

/** Builds the JSON text field by field, as a user does who types each displayed value. */
function fillIn(text: string, raw: FieldSchema, value: JsonValue, path: JsoncPath, root: FieldSchema): string {
  const field = fieldOf(raw, root);
  if (value === null && field.kind !== 'json') return withValueAt(text, path, null);
  switch (field.kind) {
    case 'object':
      return membersOf(field, value).reduce(
        (now, { name, schema }) => {
          const member = (value as Record<string, JsonValue>)[name];
          return member === undefined ? now : fillIn(now, schema, member, [...path, name], root);
        },
        withValueAt(text, path, {}),
      );
    case 'array':
      return (value as JsonValue[]).reduce<string>(
        (now, item, at) => fillIn(now, itemSchema(field, at), item, [...path, at], root),
        withValueAt(text, path, []),
      );
    case 'union':
      return fillIn(text, field.variants?.[variantOf(field, value, root)]?.schema ?? {}, value, path, root);
    case 'text':
    case 'number':
      return withValueAt(
        text,
        path,
        inputValue(field, inputText(field, value, JSON.stringify(value)), true) as JsonValue,
      );
    default:
      return withValueAt(text, path, value);
  }
}

test('any valid value survives the way from form to text to form', () => {
  fc.assert(
    fc.property(valid, ({ schema, value }) => {
      expect(faultsIn(schema, value, schema)).toEqual([]);
      const text = fillIn('null', schema, value, [], schema);
      const parsed = parseJsonText(text);
      expect('node' in parsed && jsonValueAt(parsed.node, [])).toEqual(value);
      expect(
        fillIn(text, schema, value, [], schema) === text || JSON.parse(fillIn(text, schema, value, [], schema)),
      ).toBeTruthy();
    }),
    { numRuns: 500 },
  );
});
