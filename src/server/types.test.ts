/** Types that are inferred from schemas, and mistakes that do not compile. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Context } from './context.ts';
import { openPart, type PartsCatalogue } from './part.ts';
import { prompt } from './prompt.ts';
import { reply } from './reply.ts';
import { resource } from './resource.ts';
import { createServer, use } from './server.ts';
import type { Server } from './server-interface.ts';
import { tool } from './tool.ts';
import { withEnv } from './with-env.ts';

/** Interfaces have no index signature, unlike types. */
interface Order {
  readonly id: string;
}

/** The types that a tool carries for clients. */
type Carried<P> = P extends { readonly '~types'?: infer T } ? NonNullable<T> : never;

const zodTool = tool({
  name: 'zod',
  input: z.object({ order: z.string(), days: z.coerce.number<string>().default(3) }),
  output: z.object({ amount: z.number(), note: z.string().default('') }),
  text: (data) => {
    expectTypeOf(data).toEqualTypeOf<{ amount: number; note: string }>();
    return `${data.amount}`;
  },
  run(input, ctx) {
    expectTypeOf(input).toEqualTypeOf<{ order: string; days: number }>();
    expectTypeOf(ctx).toExtend<Context>();
    return { amount: input.days };
  },
});
const valibotTool = tool({
  name: 'valibot',
  input: toStandardJsonSchema(v.object({ order: v.string(), days: v.optional(v.number(), 3) })),
  output: toStandardJsonSchema(v.object({ amount: v.number() })),
  run(input) {
    expectTypeOf(input).toEqualTypeOf<{ order: string; days: number }>();
    return { amount: input.days };
  },
});
const arktypeTool = tool({
  name: 'arktype',
  input: type({ order: 'string', 'days?': 'number' }),
  output: type({ amount: 'number' }),
  run(input) {
    expectTypeOf(input).toEqualTypeOf<{ order: string; days?: number }>();
    return { amount: input.days ?? 3 };
  },
});
const jsonTool = tool({
  name: 'json',
  input: { type: 'object', properties: { order: { type: 'string' } } },
  output: { type: 'object' },
  run(input) {
    expectTypeOf(input).toEqualTypeOf<JsonObject>();
    return { amount: 1 };
  },
});
const bareTool = tool({
  name: 'bare',
  run(input) {
    expectTypeOf(input).toEqualTypeOf<Record<never, never>>();
    return 'x';
  },
});

test('callers write what schemas take, and read what they make of it', () => {
  expectTypeOf<Carried<typeof zodTool>>().toEqualTypeOf<{
    readonly name: 'zod';
    readonly input: { order: string; days?: string | undefined };
    readonly output: { amount: number; note: string };
    readonly env: unknown;
  }>();
  expectTypeOf<Carried<typeof valibotTool>['input']>().toEqualTypeOf<{ order: string; days?: number | undefined }>();
  expectTypeOf<Carried<typeof arktypeTool>['input']>().toEqualTypeOf<{ order: string; days?: number }>();
  expectTypeOf<Carried<typeof arktypeTool>['output']>().toEqualTypeOf<{ amount: number }>();
  expectTypeOf<Carried<typeof jsonTool>['input']>().toEqualTypeOf<JsonObject>();
  expectTypeOf<Carried<typeof jsonTool>['output']>().toEqualTypeOf<unknown>();
  expectTypeOf<Carried<typeof bareTool>['output']>().toEqualTypeOf<undefined>();
  expect([zodTool, valibotTool, arktypeTool, jsonTool, bareTool].map((part) => part.name)).toEqual([
    'zod',
    'valibot',
    'arktype',
    'json',
    'bare',
  ]);
});

test('what a tool returns is what it promised', () => {
  const output = z.object({ amount: z.number() });
  tool({ name: 'fits', output, run: () => ({ amount: 1 }) });
  // Plain JSON Schema can describe lists and primitive values, too.
  tool({ name: 'lists', output: { type: 'array', items: { type: 'number' } }, run: () => [1, 2] });
  tool({ name: 'replies', output, run: () => reply({ amount: 1 }, { text: 'one' }) });
  tool({ name: 'waits', output, run: async () => ({ amount: 1 }) });
  // @ts-expect-error a field is misspelt
  tool({ name: 'misspelt', output, run: () => ({ amuont: 1 }) });
  // @ts-expect-error a field has another type
  tool({ name: 'typed', output, run: () => ({ amount: '1' }) });
  // @ts-expect-error nothing is returned
  tool({ name: 'nothing', output, run: () => undefined });
  // @ts-expect-error a text is no data
  tool({ name: 'text', output, run: () => 'one' });
  // @ts-expect-error the reply holds something else
  tool({ name: 'reply', output, run: () => reply({ amuont: 1 }, { text: 'one' }) });
  // @ts-expect-error a number reads like nothing
  tool({ name: 'number', run: () => 7 });
  // @ts-expect-error a list needs an output schema
  tool({ name: 'list', run: () => [1, 2] });
  // @ts-expect-error a map is empty in JSON
  tool({ name: 'map', run: () => new Map([['a', 1]]) });
  // @ts-expect-error a function is not data
  tool({ name: 'function', run: () => () => 'x' });
  // @ts-expect-error an interface is data, but not when it is in a list
  tool({ name: 'orders', run: (): Order[] => [] });
  const orders = new Map<string, Order>();
  tool({ name: 'interface', run: (): Order => ({ id: 'a' }) });
  tool({ name: 'later', run: async (): Promise<Order> => ({ id: 'a' }) });
  resource({ uri: 'orders://{id}', read: ({ id }) => orders.get(id) });
  resource({ uri: 'rows://{id}', read: async ({ id }): Promise<Order | null> => orders.get(id) ?? null });
  expect(tool({ name: 'block', run: () => ({ type: 'text', text: 'x' }) }).kind).toBe('tool');
  expect(tool({ name: 'blocks', run: () => [{ type: 'text', text: 'x' }] }).kind).toBe('tool');
});

test('arguments that a schema does not have are not there', () => {
  const input = z.object({ order: z.string() });
  // @ts-expect-error there is no such argument
  const part = tool({ name: 't', input, run: ({ ordr }) => `${ordr}` });
  // @ts-expect-error without an input there are no arguments
  const bare = tool({ name: 'b', run: ({ order }) => `${order}` });
  expect([part.kind, bare.kind]).toEqual(['tool', 'tool']);
});

test('the variables of an address come from its text', () => {
  const parts = [
    resource({
      uri: 'orders://{id}/{+path}{?page}{&tags*}',
      complete: { id: () => [], page: () => [] },
      read(variables) {
        expectTypeOf(variables.id).toEqualTypeOf<string>();
        expectTypeOf(variables.path).toEqualTypeOf<string>();
        expectTypeOf(variables.page).toEqualTypeOf<string | undefined>();
        expectTypeOf(variables.tags).toEqualTypeOf<readonly string[] | undefined>();
        return variables.id;
      },
    }),
    // @ts-expect-error there is no such variable
    resource({ uri: 'users://{id}', read: ({ name }) => `${name}` }),
    // @ts-expect-error an address without braces has no variables
    resource({ uri: 'users://all', read: ({ id }) => `${id}` }),
  ];
  expect(parts).toHaveLength(3);
});

test('prompts are typed from their arguments', () => {
  const args = z.object({ id: z.string(), days: z.coerce.number<string>().default(3) });
  const part = prompt({
    name: 'sum',
    args,
    complete: { id: () => [] },
    render(given) {
      expectTypeOf(given).toEqualTypeOf<{ id: string; days: number }>();
      return `${given.days}`;
    },
  });
  expectTypeOf<Carried<typeof part>['args']>().toEqualTypeOf<{ id: string; days?: string | undefined }>();
  // @ts-expect-error there is no such argument to complete
  expect(() => prompt({ name: 'wrong', args, complete: { nope: () => [] }, render: () => 'x' })).toThrow();
  // @ts-expect-error there is no such variable to complete
  expect(() => resource({ uri: 'a:{b}', complete: { nope: () => [] }, read: () => 'x' })).toThrow();
  // @ts-expect-error a number is no message
  const number = prompt({ name: 'number', render: () => 7 });
  expect([part.kind, number.kind]).toEqual(['prompt', 'prompt']);
});

const order = resource({ uri: 'orders://{id}', read: () => 'x' });
const all = resource({ uri: 'orders://all', read: () => 'x' });
const sum = prompt({ name: 'sum', args: z.object({ id: z.string() }), render: () => 'x' });

test('a server carries the catalogue of its parts', () => {
  const server = createServer({ name: 's', version: '1', parts: [zodTool, bareTool, order, all, sum] });
  type Of = NonNullable<(typeof server)['~types']>;
  expectTypeOf<keyof Of['tools']>().toEqualTypeOf<'zod' | 'bare'>();
  expectTypeOf<Of['tools']['zod']['input']>().toEqualTypeOf<{ order: string; days?: string | undefined }>();
  expectTypeOf<Of['tools']['zod']['output']>().toEqualTypeOf<{ amount: number; note: string }>();
  expectTypeOf<keyof Of['prompts']>().toEqualTypeOf<'sum'>();
  expectTypeOf<Of['prompts']['sum']['args']>().toEqualTypeOf<{ id: string }>();
  expectTypeOf<Of['resources']>().toEqualTypeOf<`orders://${string}`>();
  expectTypeOf<Of>().toEqualTypeOf<
    PartsCatalogue<readonly [typeof zodTool, typeof bareTool, typeof order, typeof all, typeof sum]>
  >();
  const wrapped = use(server, (next) => next);
  expectTypeOf<(typeof wrapped)['~types']>().toEqualTypeOf<(typeof server)['~types']>();
  expectTypeOf(server).toExtend<Server>();
  expect('~types' in server).toBe(false);
});

test('an empty server has an empty catalogue', () => {
  const server = createServer({ name: 's', version: '1', parts: [] });
  type Of = NonNullable<(typeof server)['~types']>;
  expectTypeOf<keyof Of['tools']>().toEqualTypeOf<never>();
  expectTypeOf<Of['resources']>().toEqualTypeOf<never>();
  expect(server.name).toBe('s');
});

interface Db {
  readonly sql: (query: string) => number;
}
interface Mail {
  readonly send: (text: string) => void;
}

test('parts that need an environment need a server that has it', () => {
  const db = withEnv<Db>();
  const count = db.tool({
    name: 'count',
    output: z.object({ n: z.number() }),
    run: (_input, { env }) => ({ n: env.sql('select count(*)') }),
  });
  const row = db.resource({ uri: 'rows://{id}', read: ({ id }, { env }) => `${env.sql(id)}` });
  const mail = withEnv<Mail>().prompt({ name: 'mail', render: (_args, { env }) => String(env.send('x')) });
  const given = { sql: () => 1 };
  createServer({ name: 's', version: '1', parts: [count, row], env: given });
  createServer({
    name: 's',
    version: '1',
    parts: [count, bareTool],
    env: ({ auth }) => ({ sql: () => auth?.scopes.length ?? 0 }),
  });
  createServer({ name: 's', version: '1', parts: [count, mail], env: { ...given, send: () => undefined } });
  // @ts-expect-error the environment is missing
  createServer({ name: 's', version: '1', parts: [count] });
  // @ts-expect-error half of it is missing
  createServer({ name: 's', version: '1', parts: [count, mail], env: given });
  // @ts-expect-error it is another one
  createServer({ name: 's', version: '1', parts: [count], env: { sql: 'select' } });
  // @ts-expect-error no part needs it
  createServer({ name: 's', version: '1', parts: [bareTool], env: given });
  // @ts-expect-error there is no environment here
  tool({ name: 't', run: (_input, { env }) => `${env.sql('x')}` });
  // @ts-expect-error the environment has nothing of that name
  db.tool({ name: 't', run: (_input, { env }) => `${env.qsl('x')}` });
  expect([count.kind, row.kind, mail.kind]).toEqual(['tool', 'resource', 'prompt']);
});

test('answers to questions are typed by what was asked', () => {
  const part = tool({
    name: 't',
    async run(_input, ctx) {
      const asked = await ctx.ask('k', 'Who?', z.object({ name: z.string(), age: z.coerce.number<string>() }));
      expectTypeOf(asked.value).toEqualTypeOf<{ name: string; age: number } | undefined>();
      if (asked.accepted) expectTypeOf(asked.value).toEqualTypeOf<{ name: string; age: number }>();
      else expectTypeOf(asked.action).toEqualTypeOf<'decline' | 'cancel'>();
      const visit = await ctx.ask('v', 'Pay', { url: 'https://dock.example' });
      expectTypeOf(visit.value).toEqualTypeOf<undefined>();
      const plain = await ctx.ask('p', 'Who?', { type: 'object', properties: { name: { type: 'string' } } });
      expectTypeOf(plain.value).toEqualTypeOf<JsonObject | undefined>();
      const choices = z.object({
        n: z.number().optional(),
        day: z.enum(['Mo', 'Tu']),
        days: z.array(z.string()),
        due: z.coerce.date(),
      });
      expectTypeOf((await ctx.ask('f', 'When?', choices)).action).toEqualTypeOf<'accept' | 'decline' | 'cancel'>();
      // @ts-expect-error a form is flat
      await ctx.ask('n', 'Which?', z.object({ ship: z.object({ name: z.string() }) }));
      expectTypeOf(await ctx.confirm('c', 'Sure?')).toEqualTypeOf<boolean>();
      expectTypeOf(await ctx.once('o', () => Promise.resolve(7))).toEqualTypeOf<number>();
      // @ts-expect-error a key comes first
      await ctx.confirm('Sure?');
      return 'x';
    },
  });
  expect(part.kind).toBe('tool');
});

test('an object of schemas does not compile where a schema belongs, and throws', () => {
  const shape = { x: z.string() };
  // @ts-expect-error not wrapped
  expect(() => tool({ name: 't', input: shape, run: () => 'x' })).toThrow('z.object({ x: … })');
  // @ts-expect-error not wrapped
  expect(() => tool({ name: 't', input: { x: type('string') }, run: () => 'x' })).toThrow('type({ x: … })');
  // @ts-expect-error not wrapped
  expect(() => tool({ name: 't', input: { x: v.string() }, run: () => 'x' })).toThrow('v.object({ x: … })');
  // @ts-expect-error not wrapped
  expect(() => tool({ name: 't', output: shape, run: () => ({ x: 'x' }) })).toThrow('z.object({ x: … })');
  // @ts-expect-error not wrapped
  expect(() => prompt({ name: 'p', args: shape, render: () => 'x' })).toThrow('z.object({ x: … })');
  // @ts-expect-error not wrapped
  expect(() => withEnv<number>().tool({ name: 't', input: shape, run: () => 'x' })).toThrow('z.object({ x: … })');
  const asks = tool({
    name: 'asks',
    // @ts-expect-error not wrapped
    run: async (_, ctx) => `${(await ctx.ask('k', 'x?', shape)).accepted}`,
  });
  expect(asks.kind).toBe('tool');
});

test('an argument of a prompt that can never be text does not compile, and throws', () => {
  const why = 'the argument "n" can never be given, because arguments of prompts are text; use z.coerce.number()';
  // @ts-expect-error a number is no text
  expect(() => prompt({ name: 'p', args: z.object({ n: z.number() }), render: () => 'x' })).toThrow(why);
  // @ts-expect-error neither is an optional one
  expect(() => prompt({ name: 'p', args: z.object({ n: z.number().optional() }), render: () => 'x' })).toThrow(why);
  // @ts-expect-error nor a list
  expect(() => prompt({ name: 'p', args: type({ n: 'string[]' }), render: () => 'x' })).toThrow(why);
  const flag = toStandardJsonSchema(v.object({ n: v.boolean() }));
  // @ts-expect-error nor yes or no
  expect(() => prompt({ name: 'p', args: flag, render: () => 'x' })).toThrow(why);
  // The compiler cannot check a plain JSON Schema.
  for (const n of [
    { type: 'integer' },
    { enum: [1, 2] },
    { const: 5 },
    { $ref: '#/$defs/n' },
    { anyOf: [{ type: 'null' }, false] },
  ]) {
    const args = { type: 'object', properties: { n }, $defs: { n: { allOf: [{}, { type: ['number', 'null'] }] } } };
    expect(() => prompt({ name: 'p', args, render: () => 'x' })).toThrow(why);
  }
  const rootless = 'The schema of the arguments of prompt "p" cannot be used: its root must have "type": "object"';
  // @ts-expect-error one text is not several by name
  expect(() => prompt({ name: 'p', args: z.string(), render: () => 'x' })).toThrow(rootless);
});

test('arguments of a prompt that convert text, or can be text, are fine', () => {
  const args = z.object({
    a: z.coerce.number(),
    b: z.stringbool(),
    c: z.enum(['x', 'y']),
    d: z.coerce.boolean().optional(),
    e: z.union([z.number(), z.string()]),
    f: z.preprocess(Number, z.number()),
    g: z.string().transform(Number),
    h: z.literal(['1', 2]),
  });
  expect(openPart(prompt({ name: 'p', args, render: ({ a }) => `${a + 1}` })).definition.arguments).toHaveLength(8);
  const plain = { properties: { n: { type: ['string', 'null'] }, m: {}, o: true, p: { enum: [1, 'one'] }, q: { $ref: '#/$defs/q' } }, $defs: { q: { minLength: 1 } } }; // biome-ignore format: one schema on one line
  expect(openPart(prompt({ name: 'p', args: plain, render: () => 'x' })).definition.arguments).toHaveLength(5);
});
