import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { verifies } from '../../test/support/verifies.ts';
import { McpError } from '../errors.ts';
import { type Checked, checker, type InferInput, type InferOutput, type Schema } from './index.ts';

const about = { what: 'the input of tool "buy"', side: 'input' } as const;

const withZod = z.object({ name: z.string(), count: z.number().default(1), when: z.stringbool().optional() });
const bareMini = mini.object({ name: mini.string(), count: mini._default(mini.number(), 1) });
const withMini = z.toJSONSchema(bareMini);
const withArk = type({ name: 'string', count: 'number = 1' });
const withValibot = toStandardJsonSchema(v.object({ name: v.string(), count: v.optional(v.number(), 1) }));
const plain = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

/** A stand-in for the server's generic `tool()`, which must accept every schema. */
const declare = <S extends Schema | undefined>(schema?: S): S | undefined => schema;

describe('types', () => {
  test('callers see the input side, handlers the output side, of each library', () => {
    expectTypeOf<InferInput<typeof withZod>>().toEqualTypeOf<{
      name: string;
      count?: number | undefined;
      when?: string | undefined;
    }>();
    expectTypeOf<InferOutput<typeof withZod>>().toEqualTypeOf<{
      name: string;
      count: number;
      when?: boolean | undefined;
    }>();
    expectTypeOf<InferInput<typeof withMini>>().toEqualTypeOf<{ name: string; count?: number | undefined }>();
    expectTypeOf<InferOutput<typeof withMini>>().toEqualTypeOf<{ name: string; count: number }>();
    expectTypeOf<InferInput<typeof withArk>>().toEqualTypeOf<{ name: string; count?: number }>();
    expectTypeOf<InferOutput<typeof withArk>>().toEqualTypeOf<{ name: string; count: number }>();
    expectTypeOf<InferInput<typeof withValibot>>().toEqualTypeOf<{ name: string; count?: number | undefined }>();
    expectTypeOf<InferOutput<typeof withValibot>>().toEqualTypeOf<{ name: string; count: number }>();
    expect([withZod, withMini, withArk, withValibot, plain].map((schema) => declare(schema))).toHaveLength(5);
  });

  test('plain JSON Schema gives an object of unknown members, and no schema an empty one', () => {
    expectTypeOf<InferInput<typeof plain>>().toEqualTypeOf<{ readonly [key: string]: unknown }>();
    expectTypeOf<InferOutput<typeof plain>>().toEqualTypeOf<{ readonly [key: string]: unknown }>();
    expectTypeOf<InferInput<undefined>>().toEqualTypeOf<Record<never, never>>();
    expectTypeOf<InferOutput<undefined>>().toEqualTypeOf<Record<never, never>>();
    expect(declare()).toBeUndefined();
  });
});

describe.each([
  ['zod', withZod],
  ['zod/mini', withMini],
  ['arktype', withArk],
  ['valibot', withValibot],
])('%s', (_, schema) => {
  test('is published as 2020-12, each side its own', () => {
    const input = checker(schema, about).jsonSchema;
    const output = checker(schema, { ...about, side: 'output' }).jsonSchema;
    expect(input).toMatchObject({
      type: 'object',
      properties: { name: { type: 'string' }, count: { type: 'number' } },
      required: ['name'],
    });
    expect([...(output['required'] as string[])].sort()).toContain('name');
    if (schema !== withValibot) expect(output['required']).toContain('count');
  });

  test('is checked at once, defaults filled in, and says where it is wrong', () => {
    const { check } = checker(schema, about);
    expect(check({ name: 'tea' })).toEqual({ ok: true, value: { name: 'tea', count: 1 } });
    const wrong = check({ name: 'tea', count: 'two' }) as Checked;
    expect(wrong).toMatchObject({ ok: false, issues: [{ path: 'count' }] });
  });
});

test('an asynchronous schema gives a promise, a synchronous one does not', async () => {
  const slow = z.object({ id: z.string().refine(async (id) => id !== 'taken') });
  const pending = checker(slow, about).check({ id: 'taken' });
  expect(pending).toBeInstanceOf(Promise);
  expect(await pending).toMatchObject({ ok: false, issues: [{ path: 'id' }] });
  expect(await checker(slow, about).check({ id: 'free' })).toEqual({ ok: true, value: { id: 'free' } });
  expect(checker(withZod, about).check({})).not.toBeInstanceOf(Promise);
});

test('what a library converts names no dialect where it is the default, and any other', () => {
  for (const schema of [withZod, withMini, withArk, withValibot]) {
    expect(checker(schema, about).jsonSchema).not.toHaveProperty('$schema');
    expect(checker(schema, { ...about, side: 'output' }).jsonSchema).not.toHaveProperty('$schema');
  }
  const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' };
  const jsonSchema = { input: () => draft07, output: () => draft07 };
  const own = {
    '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }), jsonSchema },
  } as const;
  expect(checker(own, about).jsonSchema).toEqual(draft07);
});

test('issues inside lists name the item', () => {
  const list = z.object({ items: z.array(z.object({ price: z.number(), 'unit price': z.number() })) });
  const { check } = checker(list, about);
  expect(check({ items: [{ price: 'x', 'unit price': 'y' }] })).toMatchObject({
    issues: [{ path: 'items[0].price' }, { path: 'items[0]["unit price"]' }],
  });
});

describe('what cannot be published', () => {
  const standard = (vendor: string): Schema => ({
    '~standard': { version: 1, vendor, validate: (value: unknown) => ({ value }) },
  });
  test.each([
    ['zod', 'upgrade zod to 4.2 or later'],
    ['valibot', 'wrap it with toStandardJsonSchema from @valibot/to-json-schema'],
    ['yup', 'give plain JSON Schema instead'],
  ])('a %s schema without its JSON Schema part is refused with the remedy', (vendor, remedy) => {
    expect(() => checker(standard(vendor), about)).toThrow(
      `The schema of the input of tool "buy" cannot be used: this ${vendor} schema cannot be turned into JSON Schema; ${remedy}`,
    );
  });

  test('the schemas of valibot and zod/mini as they are bring the remedy too', () => {
    expect(() => checker(v.object({ name: v.string() }), about)).toThrow('toStandardJsonSchema');
    expect(() => checker(bareMini, about)).toThrow('with zod/mini, give z.toJSONSchema(schema)');
  });

  test('a schema with no equivalent is refused with the reason that its library gives', () => {
    verifies('BASE-071');
    const refused = (): unknown => checker(z.object({ day: z.date() }), about);
    expect(refused).toThrow(McpError);
    expect(refused).toThrow(
      /zod cannot turn it into JSON Schema: Date cannot be represented.*\. Use z\.iso\.datetime\(\)/,
    );
  });
});

test('a schema of zod 3 before Standard Schema says to upgrade', () => {
  const old = { _def: { typeName: 'ZodObject' }, safeParse: () => ({}) };
  expect(() => checker(old as Schema, about)).toThrow(
    'this zod schema cannot be turned into JSON Schema; upgrade zod to 4.2 or later',
  );
});

describe('an object of schemas is not a schema', () => {
  const raw: readonly [string, object, string][] = [
    ['zod', { x: z.string() }, 'z.object({ x: … })'],
    ['zod/mini', { x: mini.string() }, 'z.object({ x: … })'],
    ['zod 3', { x: { _def: {}, safeParse: () => ({}) } }, 'z.object({ x: … })'],
    ['arktype', { 'a-b': type('string') }, 'type({ "a-b": … })'],
    ['valibot', { type: v.string() }, 'toStandardJsonSchema(v.object({ type: … }))'],
    [
      'valibot, wrapped one by one',
      { x: toStandardJsonSchema(v.string()) },
      'toStandardJsonSchema(v.object({ x: … }))',
    ],
  ];
  test.each(raw)('of %s: the error says how to wrap it', (_, shape, fix) => {
    expect(() => checker(shape as Schema, about)).toThrow(
      `The schema of the input of tool "buy" cannot be used: it is an object of schemas; wrap it: ${fix}`,
    );
  });

  test('even where it has properties without their keyword', () => {
    const why = 'none of its members (x, y) is a keyword of JSON Schema; put properties under "properties"';
    for (const shape of [
      { x: { type: 'string' }, y: {} },
      { x: 'string', y: 'number' },
    ]) {
      expect(() => checker(shape, about)).toThrow(why);
    }
  });

  test('inside a JSON Schema it has no place either, except as JSON Schema', async () => {
    for (const [vendor, part] of [
      ['zod', z.string()],
      ['arktype', type('string')],
      ['valibot', v.string()],
    ] as const) {
      expect(() => checker({ type: 'object', properties: { x: part } }, about)).toThrow(
        `at #/properties/x: a schema of ${vendor} cannot be a part of a JSON Schema`,
      );
    }
    const { check } = checker({ properties: { x: z.toJSONSchema(z.number()) } }, about);
    expect(await check({ x: 1 })).toMatchObject({ ok: true });
    expect(await check({ x: 'a' })).toMatchObject({ ok: false });
  });
});
