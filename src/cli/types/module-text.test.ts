import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { moduleText } from './module-text.ts';
import { SchemaTypes } from './schema-types.ts';
import { TakenNames } from './type-text.ts';

const typesOf = (schema: JsonObject): string =>
  new SchemaTypes(schema, 'Root', new TakenNames(['Root']))
    .declarations()
    .map(({ text }) => text)
    .join('\n');
const typeOf = (schema: JsonObject): string => typesOf(schema).replace(/^export type Root = |;$/g, '');

describe('a schema becomes a type', () => {
  test.each<[string, JsonObject]>([
    ['string', { type: 'string', contentEncoding: 'base64' }],
    ['number', { type: 'integer' }],
    ['string | null', { type: ['string', 'null'] }],
    ['"a" | 1 | null', { enum: ['a', 1, null] }],
    ['{ readonly kind: "x"; readonly n: readonly [1, true] }', { const: { kind: 'x', n: [1, true] } }],
    ['unknown', {}],
    ['unknown', { type: 'strange' }],
    ['unknown', { not: { type: 'string' } }],
    ['readonly string[]', { type: 'array', items: { type: 'string' } }],
    ['readonly (string | number)[]', { type: 'array', items: { type: ['string', 'number'] } }],
    ['readonly (readonly string[])[]', { items: { items: { type: 'string' } } }],
    ['readonly unknown[]', { type: 'array' }],
    ['readonly [string, number]', { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false }],
    [
      'readonly [string, (string | null)?, ...boolean[]]',
      { prefixItems: [{ type: 'string' }, { type: ['string', 'null'] }], items: { type: 'boolean' }, minItems: 1 },
    ],
    ['readonly [string, ...unknown[]]', { type: 'array', items: [{ type: 'string' }], additionalItems: true }],
    ['{ readonly [key: string]: unknown }', { type: 'object' }],
    ['{ readonly [key: string]: never }', { type: 'object', properties: {} }],
    ['{ readonly [key: string]: number }', { type: 'object', additionalProperties: { type: 'number' } }],
    ['{ readonly a?: string | undefined }', { properties: { a: { type: 'string' } } }],
    ['{ readonly a: unknown }', { type: 'object', required: ['a'] }],
    ['string & ("a" | "b")', { type: 'string', anyOf: [{ const: 'a' }, { const: 'b' }] }],
    ['number | null', { anyOf: [{ type: 'number' }, { type: 'null' }] }],
    ['string', { oneOf: [{ type: 'string' }, false] as never }],
    ['unknown', { anyOf: [{ type: 'number' }, {}] }],
  ])('%s', (text, schema) => {
    expect(typeOf(schema)).toBe(text);
  });

  test('with members beside unnamed ones, and descriptions', () => {
    const schema = {
      type: 'object',
      description: 'An order',
      properties: { id: { type: 'string', description: 'Its number' }, 'due-date': { title: 'Due', deprecated: true } },
      required: ['id'],
      additionalProperties: { type: 'number' },
    };
    expect(typesOf(schema)).toBe(
      [
        '/** An order */',
        'export type Root = {',
        '  /** Its number */',
        '  readonly id: string;',
        '  /**',
        '   * Due',
        '   * @deprecated',
        '   */',
        '  readonly "due-date"?: unknown;',
        '  readonly [key: string]: unknown;',
        '};',
      ].join('\n'),
    );
  });

  test('with a name for everything it refers to, also to itself', () => {
    const schema = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/tree' }, again: { $ref: '#' } },
      $defs: { tree: { type: 'array', items: { $ref: '#/$defs/tree' } } },
    };
    expect(typesOf(schema)).toBe(
      [
        'export type Root = {',
        '  readonly tree?: RootTree | undefined;',
        '  readonly again?: Root | undefined;',
        '};',
        'export type RootTree = readonly RootTree[];',
      ].join('\n'),
    );
  });

  test.each<[string, JsonObject]>([
    ['a circle', { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } } }],
    [
      'a circle beside nothing',
      { $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/nowhere' }] } } },
    ],
    ['nothing', { $ref: '#/$defs/nowhere' }],
    ['another document', { $ref: 'https://elsewhere.test/schema' }],
  ])('and unknown where it refers to %s', (_what, schema) => {
    expect(typeOf(schema)).toBe('unknown');
  });
});

describe('the module of a server', () => {
  const bare = { revision: '', instructions: undefined, tools: [], prompts: [], resources: [], templates: [] };

  const fail = (why: string): void => expect.fail(why);

  test('leaves open what is too large to be looked at, and says so', () => {
    const enormous = { type: 'object', description: 'x'.repeat(70_000) };
    const warnings: string[] = [];
    const tools = [{ name: 'a', inputSchema: enormous, outputSchema: enormous }];
    const { text } = moduleText({ ...bare, server: undefined, tools }, (why) => warnings.push(why));
    expect(text).toContain(
      'readonly a: { readonly input: { readonly [key: string]: unknown }; readonly output: unknown };',
    );
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain('The schema of the input of tool "a" is rejected');
  });

  test('that offers nothing knows no names', () => {
    const { name, text } = moduleText({ ...bare, server: undefined }, fail);
    expect(name).toBe('Server');
    expect(text).toContain('readonly tools: {};\n  readonly prompts: {};\n  readonly resources: never;\n}>;');
  });

  test('gives different types different names, whatever things are called', () => {
    const inputSchema = { type: 'object' };
    const tools = ['typed', 'get_user', 'getUser', '查询', '3d'].map((name) => ({ name, inputSchema }));
    const server = { name: 'typed', version: '1' };
    const { name, text } = moduleText({ ...bare, server, tools: [...tools, ...tools] }, fail);
    expect(name).toBe('Typed2');
    const declared = [...text.matchAll(/^export type (\w+)/gm)].map(([, one]) => one);
    expect(declared).toEqual(['Typed2', 'TypedInput', 'GetUserInput', 'GetUserInput2', 'Input', 'T3dInput']);
    expect(text).toContain('readonly "查询": { readonly input: Input;');
  });

  test('spells templates with the strings they stand for', () => {
    const templates = [{ uriTemplate: 'a://{x}/`$\\{?y}', name: 't' }];
    const resources = [{ uri: 'b://"', name: 'r' }];
    const { text } = moduleText({ ...bare, server: undefined, templates, resources }, fail);
    const any = `\${string}`;
    expect(text).toContain(`readonly resources: "b://\\"" | \`a://${any}/\\\`\\$\\\\${any}\`;`);
  });
});

test('any number of tools whose names make the same identifier get different types', () => {
  const names = new TakenNames(['Input7']);
  const made = Array.from({ length: 200_000 }, () => names.fresh('検索', 'Input'));
  expect([made[0], made[5], made[6], new Set(made).size]).toEqual(['Input', 'Input6', 'Input8', 200_000]);
});
