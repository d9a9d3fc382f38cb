import { describe, expect, test } from 'vitest';
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { argumentsFor } from './arguments-for.ts';
import { callSyntax } from './call-syntax.ts';
import { type ArgumentPair, parseJsonArgument } from './read-tool-arguments.ts';
import { SchemaView } from './schema-view.ts';
import { expandTemplate } from './text-arguments.ts';

const pairs = (...words: readonly string[]): readonly ArgumentPair[] =>
  words.map((word) => {
    const [, key = '', sign, rest = ''] = /^([^=]+?)(:?=)(.*)$/s.exec(word) ?? [];
    return {
      key,
      word,
      value: sign === ':=' ? { sort: 'json', json: parseJsonArgument(rest, word) } : { sort: 'text', text: rest },
    };
  });

async function args(schema: JsonObject, ...words: readonly string[]): Promise<unknown> {
  const warnings: string[] = [];
  const tool = { name: 't', inputSchema: { type: 'object', ...schema } };
  const given = await argumentsFor(tool, { form: 'pairs', pairs: pairs(...words) }, (why) => warnings.push(why));
  return warnings.length === 0 ? given : { given, warnings };
}
const member = (schema: JsonObject, ...words: readonly string[]): Promise<unknown> =>
  args({ properties: { a: schema } }, ...words).then((given) => (given as { a?: unknown }).a);
const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(String, (error: unknown) => (error instanceof McpError ? error.message : String(error)));

describe('text becomes the value that a schema asks for', () => {
  test.each<[JsonObject, string, unknown]>([
    [{ type: 'string' }, 'a=5', '5'],
    [{ type: ['string', 'number'] }, 'a=5', '5'],
    [{ type: ['string', 'number'] }, 'a:=5', 5],
    [{ type: ['number', 'null'] }, 'a=null', null],
    [{ anyOf: [{ type: 'integer' }, { type: 'boolean' }] }, 'a=true', true],
    [{ enum: ['1', 1] }, 'a=1', '1'],
    [{ enum: [1, 2] }, 'a=2', 2],
    [{ const: null }, 'a=null', null],
    [{ type: 'number' }, 'a=-1.5e3', -1500],
    [{ type: 'array', items: { type: 'number' } }, 'a=5', [5]],
    [{ type: 'array', items: { type: 'number' } }, 'a=[5, 6]', [5, 6]],
    [{ type: 'array', items: { type: 'array' } }, 'a=[[5]]', [[5]]],
    [{ type: 'object' }, 'a={"b": [1]}', { b: [1] }],
    [{ $ref: '#/properties/a/$defs/n', $defs: { n: { type: 'number' } } }, 'a=5', 5],
    [{}, 'a=5', 5],
    [{}, 'a=five', 'five'],
    [{}, 'a="5"', '5'],
    [{}, 'a=05', '05'],
    [{ type: 'string' }, 'a=', ''],
    [{ type: 'string' }, 'a=b=c', 'b=c'],
  ])('%j: %s', async (schema, word, value) => {
    expect(await member(schema, word)).toEqual(value);
  });

  test('in lists and in objects, member by member', async () => {
    expect(await member({ type: 'array', items: { type: 'boolean' } }, 'a=true', 'a=false')).toEqual([true, false]);
    expect(await member({ type: 'array' }, 'a:={"x": 1}', 'a=text')).toEqual([{ x: 1 }, 'text']);
    const nested = { properties: { b: { type: 'number' }, 'c.d': { type: 'string' } } };
    expect(await member(nested, 'a.b=1', 'a.c.d=2')).toEqual({ b: 1, 'c.d': '2' });
    expect(await args({ additionalProperties: { type: 'number' } }, 'x=1', 'y=2')).toEqual({ x: 1, y: 2 });
    expect(await args({}, 'x.y.z=1', 'x.y.w=v')).toEqual({ x: { y: { z: 1, w: 'v' } } });
  });

  test('under any name, and reaches nothing else', async () => {
    const given = await args({}, '__proto__.polluted=1', 'constructor=2');
    expect(Object.keys(given as object)).toEqual(['__proto__', 'constructor']);
    expect('polluted' in {}).toBe(false);
  });

  test.each<[JsonObject, readonly string[], string]>([
    [{ type: 'number' }, ['a=x'], 'a=x: expected a number, not "x"'],
    [{ type: 'integer' }, ['a=1.5'], 'a: must be integer'],
    [{ type: 'integer' }, ['a=12345678901234567890'], 'has more digits'],
    [{ type: 'boolean' }, ['a=yes'], 'expected true or false, not "yes"'],
    [{ type: 'object' }, ['a=x'], 'expected an object (write JSON, or key.member=value)'],
    [{ enum: [1, 2] }, ['a=3'], 'a=3: expected one of 1, 2, not "3"'],
    [{ type: 'string' }, ['a=1', 'a=2'], 'a=2: "a" is given twice'],
    [{ type: 'string' }, ['a.b=1'], 'a.b: unknown argument'],
    [{ type: 'object' }, ['a.b=1', 'a={}'], 'a: given both as a whole and in parts'],
    [{ type: 'array', items: { type: 'object', required: ['x'] } }, ['a={}'], "a[0]: must have required property 'x'"],
  ])('or is refused: %j %j', async (schema, words, message) => {
    expect(await refusal(member(schema, ...words))).toContain(message);
  });
});

test('all errors in arguments are reported at once, up to eight of them in full', async () => {
  const properties = { goods: { type: 'string' }, grams: { type: 'number' }, fragile: { type: 'boolean' } };
  const wrong = await refusal(
    args(
      { properties, required: ['goods', 'grams'], additionalProperties: false },
      'grams=x',
      'fragile=maybe',
      'gods=tea',
    ),
  );
  expect(wrong?.split('\n').map((line) => line.trim())).toEqual([
    'grams=x: expected a number, not "x"',
    'fragile=maybe: expected true or false, not "maybe"',
    expect.stringMatching(/^gods: unknown argument; .*goods/),
    'Missing argument "goods": expected a string',
    expect.stringContaining('goods=<text> grams=<number>'),
  ]);
  const many = await refusal(
    args({ properties: {}, additionalProperties: false }, ...Array.from({ length: 50 }, (_, at) => `k${at}=1`)),
  );
  expect(many?.split('\n').length).toBe(10);
  expect(many).toContain('and 42 more');
});

test('a schema that cannot be checked here is left to the server, and that is said', async () => {
  const schema = { $schema: 'https://json-schema.org/draft-04/schema#', properties: { a: { type: 'number' } } };
  expect(await args(schema, 'a=5')).toMatchObject({
    given: { a: 5 },
    warnings: [expect.stringContaining('not checked before they are sent')],
  });
});

test('arguments for a schema that is too large are sent as text, with a warning', async () => {
  const properties = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`key${at}`, { type: 'number' }]));
  expect(await args({ properties }, 'key1=text')).toMatchObject({
    given: { key1: 'text' },
    warnings: [expect.stringContaining('larger than')],
  });
});

test('callSyntax() ends for a schema that refers to itself', async () => {
  const schema = { $ref: '#', allOf: [{ $ref: '#' }], properties: { a: { $ref: '#' } } };
  expect(callSyntax('t', new SchemaView(schema))).toBe('t [a=<json>]');
});

test('callSyntax() lists required arguments first', () => {
  const properties = {
    note: {},
    tags: { type: 'array', items: { enum: ['x', 'New York'] } },
    count: { type: ['null', 'integer'] },
    who: { type: 'string' },
  };
  const inputSchema = { type: 'object', properties, required: ['who'], additionalProperties: true };
  expect(callSyntax('t', new SchemaView(inputSchema))).toBe(
    "t who=<text> [note=<value>] [tags=x|'New York' …] [count=<integer>] [key=<value> …]",
  );
});

test('callSyntax() quotes what a server chose, so that a pasted line runs no other command', () => {
  const properties = {
    'a;touch b': { type: '$(touch c)' },
    d: { enum: ["';touch e;'", { f: '`touch g`' }, 1.5] },
    größe: { type: 'integer' },
  };
  expect(callSyntax('h&&touch i', new SchemaView({ properties }))).toBe(
    `'h&&touch i' ['a;touch b'=<value>] [d=''\\'';touch e;'\\'''|'{"f":"\`touch g\`"}'|1.5] [größe=<integer>]`,
  );
});

describe('a template', () => {
  const expand = (template: string, ...words: readonly string[]): string =>
    expandTemplate(template, { form: 'pairs', pairs: pairs(...words) });

  test('is filled in, with lists where a key is repeated', () => {
    expect(expand('a://{x}/{+y}{?z*}', 'x=1 2', 'y=p/q', 'z=1', 'z=2')).toBe('a://1%202/p/q?z=1&z=2');
    expect(expand('a://{x:3}', 'x=12345')).toBe('a://123');
  });

  test('needs everything but what stands in a query', () => {
    expect(expand('a://{x}{?y}{&z}', 'x=1')).toBe('a://1');
    expect(() => expand('a://{/x*}')).toThrow('Missing argument "x": a://{/x*} needs a value for it');
    expect(() => expand('a://{x}', 'x:=[1]')).toThrow('x:=[1]: expected a string, not [1]');
  });
});
