import { expect, test } from 'vitest';
import { Offering, Stocked, tool } from '../../../test/support/stocked.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { exportTools, type ToolFormat } from './export.ts';

const inputSchema = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] };
const offering = (): Offering =>
  new Offering({
    tools: [
      tool('refund', {
        description: 'Pays back',
        inputSchema,
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
        _meta: { a: 1 },
      }),
      tool('orders/list', { title: 'List orders', inputSchema: {} }),
    ],
  });

const hashed = /^shop_orders_2f_list_[a-z2-7]{16}$/;

test.each<[ToolFormat, (name: unknown, description: string, schema: object) => object]>([
  ['anthropic', (name, description, input_schema) => ({ name, description, input_schema })],
  ['openai', (name, description, parameters) => ({ type: 'function', function: { name, description, parameters } })],
  [
    'openai-responses',
    (name, description, parameters) => ({ type: 'function', name, description, parameters, strict: false }),
  ],
])('exportTools() writes the format of %s', async (format, shape) => {
  await using given = new Stocked({ shop: offering() });
  const { tools } = exportTools(await given.view().tools(), format);
  expect(tools).toEqual([
    shape(expect.stringMatching(hashed), 'List orders', { type: 'object', properties: {} }),
    shape('shop__refund', 'Pays back', inputSchema),
  ]);
});

test('exportTools() puts all tools for gemini into one functionDeclarations', async () => {
  await using given = new Stocked({ shop: offering() });
  const { tools } = exportTools(await given.view().tools(), 'gemini');
  expect(tools).toEqual([
    {
      functionDeclarations: [
        {
          name: expect.stringMatching(hashed),
          description: 'List orders',
          parametersJsonSchema: { type: 'object', properties: {} },
        },
        { name: 'shop__refund', description: 'Pays back', parametersJsonSchema: inputSchema },
      ],
    },
  ]);
});

test('exportTools() keeps annotations, _meta and output schema in the json format', async () => {
  verifies('SEEDF-20');
  await using given = new Stocked({ shop: offering() });
  const { tools } = exportTools(await given.view().tools(), 'json');
  expect(tools[1]).toEqual({
    name: 'shop.refund',
    server: 'shop',
    title: 'refund',
    description: 'Pays back',
    inputSchema,
    outputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
    _meta: { a: 1 },
  });
});

test('nameOf() maps every exported name back to its tool, and no other name', async () => {
  await using given = new Stocked({ shop: offering() });
  const listed = await given.view().tools({ budgetTokens: 10_000 });
  const { tools, nameOf } = exportTools(listed, 'anthropic');
  expect(tools.map(({ name }) => nameOf(String(name)))).toEqual(listed.map(({ name }) => name));
  expect(nameOf('read_result')).toBe('read_result');
  for (const name of ['refund', 'shop.refund', 'shop__refunds', '__proto__', 'constructor'])
    expect(nameOf(name)).toBeUndefined();
});

test('exportTools() drops $schema only if it names the default dialect', async () => {
  const draft07 = 'http://json-schema.org/draft-07/schema#';
  const schemas = ['https://json-schema.org/draft/2020-12/schema', draft07].map(($schema) => ({
    $schema,
    ...inputSchema,
  }));
  const [first, second] = schemas.map((schema, i) => tool(`t${i}`, { inputSchema: schema }));
  await using given = new Stocked({ shop: new Offering({ tools: [first ?? tool('t0'), second ?? tool('t1')] }) });
  const { tools } = exportTools(await given.view().tools(), 'anthropic');
  expect(tools.map(({ input_schema }) => input_schema)).toEqual([inputSchema, { $schema: draft07, ...inputSchema }]);
});
