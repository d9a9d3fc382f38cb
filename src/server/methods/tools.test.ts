/** `tools/call`: checked arguments, results, and what the client and the author learn about a failure. */
import * as v from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as valibot from 'valibot';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { everyRevision, open, type Raw, STATELESS, textOf, withHandshake } from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { RpcError, ToolError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { SERVER_INFO } from '../../model/names.ts';
import type { Schema } from '../../schema/index.ts';
import type { Part } from '../part.ts';
import { reply } from '../reply.ts';
import { createServer } from '../server.ts';
import { tool } from '../tool.ts';

const reported: { error: unknown; id: string; what: string }[] = [];
const onError = (error: unknown, about: { id: string; what: string }): void => void reported.push({ error, ...about });
const serving = (parts: readonly Part[], revision?: string): Promise<Raw> => {
  reported.length = 0;
  return open(createServer({ name: 'dock', version: '1', parts, onError }), revision === undefined ? {} : { revision });
};
/** What a tool's return value looks like on the wire of each revision. */
async function returned(value: unknown, revision = STATELESS): Promise<JsonObject> {
  const raw = await serving([tool({ name: 't', run: () => value as string })], revision);
  const { resultType: _, _meta, ...rest } = await raw.result('tools/call', { name: 't' });
  return rest;
}
const text = (value: string): JsonObject => ({ type: 'text', text: value });

const order = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] };
const schemas: [string, Schema][] = [
  ['JSON Schema', order],
  ['zod', z.object({ order: z.string() })],
  ['valibot', v.toStandardJsonSchema(valibot.object({ order: valibot.string() }))],
  ['arktype', type({ order: 'string' })],
];
const refund = (input: Schema): Part =>
  tool({ name: 'refund', input, run: (given) => `Refunded ${(given as { order: string }).order}` });

test.each(schemas)('the input is described and checked by %s', async (_name, input) => {
  verifies('TOOL-9', 'TOOL-10', 'TOOL-50', 'TOOL-69');
  const raw = await serving([refund(input)]);
  const { tools } = await raw.result('tools/list');
  expect(tools).toMatchObject([
    { name: 'refund', inputSchema: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] } },
  ]);
  expect(textOf(await raw.result('tools/call', { name: 'refund', arguments: { order: 'A1' } }))).toBe('Refunded A1');
  const wrong = await raw.result('tools/call', { name: 'refund', arguments: { order: 7 } });
  expect(wrong['isError']).toBe(true);
  expect(textOf(wrong)).toMatch(/^Invalid arguments for tool "refund": .*order/);
});

test.each(everyRevision)('arguments that do not fit are told in the way of %s', async (revision) => {
  verifies('TOOL-45', 'TOOL-50', 'BASE-031');
  const raw = await serving([refund(order)], revision);
  const call = { name: 'refund', arguments: {} };
  if (revision >= '2025-11-25') {
    const result = await raw.result('tools/call', call);
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text' }] });
    expect(textOf(result)).toMatch(/^Invalid arguments for tool "refund": /);
  } else {
    const error = await raw.error('tools/call', call);
    expect(error).toMatchObject({ code: -32602, data: { issues: [{ message: expect.any(String) }] } });
    expect(error.message).toMatch(/^Invalid arguments for tool "refund": /);
  }
  // The handler never ran.
  expect(reported).toEqual([]);
});

test.each(everyRevision)('an error about many wrong arguments is small in %s', async (revision) => {
  const many = tool({
    name: 'many',
    input: z.object({ items: z.array(z.string()), one: z.literal('x'.repeat(9_000)) }),
    run: () => '',
  });
  const raw = await serving([many], revision);
  const call = { name: 'many', arguments: { items: Array(5_000).fill(1), one: 1 } };
  const response =
    revision >= '2025-11-25' ? await raw.result('tools/call', call) : await raw.error('tools/call', call);
  expect(JSON.stringify(response).length).toBeLessThan(5_000);
});

test.each(everyRevision)('a call that is none is an error of the protocol in %s', async (revision) => {
  verifies('TOOL-44', 'TOOL-46', 'BASE-017', 'BASE-031', 'TOOL-37', 'SEEDF-10', 'SEED-12');
  const raw = await serving([refund(order)], revision);
  for (const [params, message] of [
    [{ name: 'nope' }, 'Unknown tool: nope'],
    [{ name: 'Refund' }, 'Unknown tool: Refund'],
    [{ name: '__proto__' }, 'Unknown tool: __proto__'],
    [{}, 'Invalid params for tools/call: "params.name" must be a string'],
    [{ name: 7 }, 'Invalid params for tools/call: "params.name" must be a string'],
    [{ name: 'refund', arguments: [] }, 'Invalid params for tools/call: "params.arguments" must be an object'],
    [{ name: 'refund', arguments: null }, 'Invalid params for tools/call: "params.arguments" must be an object'],
  ] as const) {
    expect(await raw.error('tools/call', params)).toEqual({ code: -32602, message });
  }
});

test('a tool without input takes a call without arguments, and hands on nothing it was given', async () => {
  verifies('TOOL-69', 'TOOL-11', 'TOOL-10');
  const raw = await serving([tool({ name: 't', run: (input) => JSON.stringify(input) })]);
  expect(textOf(await raw.result('tools/call', { name: 't' }))).toBe('{}');
  expect(textOf(await raw.result('tools/call', { name: 't', arguments: { x: 1 } }))).toBe('{}');
  const { tools } = await raw.result('tools/list');
  expect(tools).toEqual([{ name: 't', inputSchema: { type: 'object', additionalProperties: false } }]);
});

test('the handler gets what the schema makes of the arguments', async () => {
  const input = z.object({ days: z.coerce.number().default(3), extra: z.string().optional() });
  const raw = await serving([tool({ name: 't', input, run: (given) => JSON.stringify(given) })]);
  expect(textOf(await raw.result('tools/call', { name: 't' }))).toBe('{"days":3}');
  expect(textOf(await raw.result('tools/call', { name: 't', arguments: { days: '4', z: 1 } }))).toBe('{"days":4}');
});

test('a schema that checks later is waited for', async () => {
  const input = z.object({ n: z.number().refine((n) => Promise.resolve(n > 0)) });
  const raw = await serving([tool({ name: 't', input, run: ({ n }) => `${n}` })]);
  expect(textOf(await raw.result('tools/call', { name: 't', arguments: { n: 1 } }))).toBe('1');
  expect((await raw.result('tools/call', { name: 't', arguments: { n: -1 } }))['isError']).toBe(true);
});

test.each<[unknown, JsonObject]>([
  ['x', { content: [text('x')] }],
  ['', { content: [text('')] }],
  [undefined, { content: [] }],
  [text('x'), { content: [text('x')] }],
  [[text('x'), text('y')], { content: [text('x'), text('y')] }],
  [[], { content: [] }],
  [{ a: 1 }, { content: [text('{"a":1}')], structuredContent: { a: 1 } }],
  [{ type: 'text' }, { content: [text('{"type":"text"}')], structuredContent: { type: 'text' } }],
  [
    { type: 'image', url: 'x' },
    { content: [text('{"type":"image","url":"x"}')], structuredContent: { type: 'image', url: 'x' } },
  ],
  [7, { content: [text('7')] }],
  [null, { content: [text('null')] }],
  [[1, 2], { content: [text('[1,2]')] }],
])('%j is returned without a schema for it', async (value, result) => {
  expect(await returned(value)).toEqual(result);
});

test.each<[JsonObject]>([
  [{ content: [text('x')] }],
  [{ content: [] }],
  [{ content: [text('x')], isError: true }],
  [{ content: [text('{"a":1}')], structuredContent: { a: 1 } }],
  [{ content: [{ type: 'image', data: 'QQ==', mimeType: 'image/png' }] }],
])("%j is a result in the protocol's own form, and is sent as it is", async (value) => {
  expect(await returned(value)).toEqual(value);
  expect(await returned({ ...value, isError: value['isError'] })).toEqual(value);
});

test.each(everyRevision)("a result in the protocol's own form is understood in %s", async (revision) => {
  const value = { content: [text('x')], isError: true, _meta: { 'com.example/k': 1 } };
  const raw = await serving([tool({ name: 't', run: () => value })], revision);
  expect(await raw.result('tools/call', { name: 't' })).toMatchObject(value);
});

test.each<[JsonObject]>([
  [{ content: 'x' }],
  [{ content: ['a', 'b'] }],
  [{ content: [{ type: 'chapter', text: 'x' }] }],
  [{ content: [], pages: 2 }],
])('%j has content but is data', async (value) => {
  expect(await returned(value)).toEqual({ content: [text(JSON.stringify(value))], structuredContent: value });
});

test.each<[unknown, string]>([
  [
    { content: [text('x')], iserror: true },
    'a result with "content", but "iserror" is not one of its members. Correct it, or declare "output"',
  ],
  [{ content: [text('x')], isError: 'yes' }, 'a result with "content", but "isError" has an invalid value'],
  [{ content: [text('x')], _meta: [] }, 'a result with "content", but "_meta" has an invalid value'],
  [{ content: [{ type: 'text', text: 7 }] }, 'a result with "content", but item 0 is invalid: text needs a "text"'],
  [{ content: [text('x'), 'y'] }, 'a result with "content", but item 1 is invalid: it is not a content block'],
  [{ content: [{ type: 'image', data: '?' }] }, 'but item 0 is invalid: image needs "data" in base64 and a "mimeType"'],
  [
    [text('x'), 'y'],
    'a list of content blocks, but item 1 is not a content block. Return blocks alone, or declare "output"',
  ],
])('%j is almost a result, which the author is told', async (value, why) => {
  const raw = await serving([tool({ name: 't', run: () => value as string })]);
  expect(await raw.result('tools/call', { name: 't' })).toMatchObject({
    content: [text(expect.stringMatching(/^Internal error \([\w-]+\)$/))],
    isError: true,
  });
  expect(reported.map(({ error }) => String(error))).toEqual([
    expect.stringContaining(`tool "t": it returned almost ${why.startsWith('a ') ? why : ''}`),
  ]);
  expect(String(reported[0]?.error)).toContain(why);
});

test('every kind of block is returned as it is', async () => {
  verifies('TOOL-64', 'TOOL-66', 'TOOL-68');
  const blocks = [
    { type: 'text', text: 'x', annotations: { audience: ['user'], priority: 1 } },
    { type: 'image', data: 'QQ==', mimeType: 'image/png' },
    { type: 'audio', data: 'QQ==', mimeType: 'audio/wav' },
    { type: 'resource_link', uri: 'a:b', name: 'n' },
    { type: 'resource', resource: { uri: 'a:b', mimeType: 'text/plain', text: 'x' } },
  ];
  expect(await returned(blocks)).toEqual({ content: blocks });
});

test('pictures and sound can be returned as bytes', async () => {
  const bytes = { type: 'image', data: new Uint8Array([65]), mimeType: 'image/png' };
  const image = { ...bytes, data: 'QQ==' };
  expect(await returned(bytes)).toEqual({ content: [image] });
  expect(await returned([{ ...bytes, type: 'audio', data: Buffer.from('A') }, text('x')])).toEqual({
    content: [{ ...image, type: 'audio' }, text('x')],
  });
});

const stock = { type: 'object', properties: { left: { type: 'number' } }, required: ['left'] };

test('data that fits its schema is structured, and is there as text as well', async () => {
  verifies('TOOL-20', 'TOOL-22');
  const raw = await serving([tool({ name: 't', output: stock, run: () => ({ left: 3 }) })]);
  expect(await raw.result('tools/call', { name: 't' })).toEqual({
    resultType: 'complete',
    content: [text('{"left":3}')],
    structuredContent: { left: 3 },
    _meta: { [SERVER_INFO]: { name: 'dock', version: '1' } },
  });
  expect((await raw.result('tools/list'))['tools']).toMatchObject([{ outputSchema: stock }]);
});

test('a tool says how its data reads, in general and for one call', async () => {
  const output = z.object({ left: z.number() });
  const run = (): { left: number } => ({ left: 3 });
  const spoken = tool({ name: 'spoken', output, text: ({ left }) => `${left} left`, run });
  const own = tool({ name: 'own', output, text: () => 'never', run: () => reply({ left: 3 }, { text: 'three' }) });
  const shown = tool({
    name: 'shown',
    output,
    run: () => reply({ left: 3 }, { content: [{ type: 'text', text: 'iii' }], meta: { 'com.example/k': 1 } }),
  });
  const raw = await serving([spoken, own, shown]);
  const call = (name: string): Promise<JsonObject> => raw.result('tools/call', { name });
  expect(await call('spoken')).toMatchObject({ content: [text('3 left')], structuredContent: { left: 3 } });
  expect(await call('own')).toMatchObject({ content: [text('three')], structuredContent: { left: 3 } });
  expect(await call('shown')).toMatchObject({ content: [text('iii')], _meta: { 'com.example/k': 1 } });
});

test.each<[JsonObject, unknown]>([
  [{ type: 'array', items: { type: 'number' } }, [1, 2]],
  [{ type: 'string' }, 'x'],
  [{ type: 'number' }, 0],
  [{ type: 'boolean' }, false],
  [{ type: 'null' }, null],
])('data of the kind %j is structured in the newest revision and text in all', async (output, data) => {
  verifies('TOOL-18', 'TOOL-23', 'TOOL-24');
  const parts = [
    tool({ name: 'bare', output, run: () => data as never }),
    tool({ name: 'spoken', output, text: () => 'spoken', run: () => data as never }),
  ];
  const json = text(JSON.stringify(data));
  for (const revision of everyRevision) {
    const raw = await serving(parts, revision);
    const bare = await raw.result('tools/call', { name: 'bare' });
    expect(bare['content']).toEqual([json]);
    expect('structuredContent' in bare).toBe(revision === STATELESS);
    const spoken = await raw.result('tools/call', { name: 'spoken' });
    expect(spoken['content']).toEqual([text('spoken'), json]);
    if (revision === STATELESS) expect(spoken['structuredContent']).toEqual(data);
  }
});

test('nothing, where a schema allows anything, is null', async () => {
  const raw = await serving([tool({ name: 't', output: {}, run: () => undefined as never })]);
  expect(await raw.result('tools/call', { name: 't' })).toMatchObject({
    content: [text('null')],
    structuredContent: null,
  });
});

test.each(schemas)('data that does not fit what %s describes is never sent', async (_name, output) => {
  verifies('TOOL-20');
  const raw = await serving([tool({ name: 't', output, run: () => ({ order: 7, secret: 'x' }) as never })]);
  const result = await raw.result('tools/call', { name: 't' });
  expect(result).toMatchObject({ isError: true });
  expect(result).not.toHaveProperty('structuredContent');
  expect(textOf(result)).toMatch(/^Internal error \([\da-f]{8}\)$/);
  expect(reported).toMatchObject([
    { what: 'tool "t"', error: { code: 'MCP_OUTPUT_MISMATCH', details: { tool: 't' } } },
  ]);
});

test.each(everyRevision)(
  'an exception becomes an id, and nothing of it leaves the process, in %s',
  async (revision) => {
    verifies('TOOL-43');
    const secret = new Error('password is hunter2', { cause: { token: 'shibboleth' } });
    const raw = await serving([tool({ name: 't', run: () => Promise.reject(secret) })], revision);
    const response = await raw.request('tools/call', { name: 't' });
    const [report] = reported;
    expect(report).toMatchObject({ error: secret, what: 'tool "t"' });
    expect(response).toMatchObject({
      result: { isError: true, content: [text(`Internal error (${report?.id})`)] },
    });
    for (const word of ['hunter2', 'shibboleth', 'Error:', '.ts']) expect(JSON.stringify(response)).not.toContain(word);
  },
);

test.each<[string, unknown]>([
  ['a string', 'x'],
  ['undefined', undefined],
  ['null', null],
  ['an error with a code', Object.assign(new Error('x'), { code: -32000 })],
])('%s may be thrown as well', async (_what, thrown) => {
  const run = (): never => {
    throw thrown;
  };
  const raw = await serving([tool({ name: 't', run })]);
  expect(textOf(await raw.result('tools/call', { name: 't' }))).toMatch(/^Internal error \([\da-f]{8}\)$/);
});

test('a ToolError is for the model to read, blocks and all', async () => {
  verifies('TOOL-43');
  const plain = new ToolError('No such order', { cause: new Error('secret') });
  const rich = new ToolError('x', { content: [text('No'), { type: 'image', data: 'QQ==', mimeType: 'image/png' }] });
  const parts = [
    tool({ name: 'plain', run: () => Promise.reject(plain) }),
    tool({ name: 'rich', run: () => Promise.reject(rich) }),
    tool({
      name: 'shaped',
      output: stock,
      run: () => {
        throw plain;
      },
    }),
  ];
  const raw = await serving(parts);
  expect(await raw.result('tools/call', { name: 'plain' })).toMatchObject({
    isError: true,
    content: [text('No such order')],
  });
  expect(await raw.result('tools/call', { name: 'rich' })).toMatchObject({ isError: true, content: rich.content });
  const shaped = await raw.result('tools/call', { name: 'shaped' });
  expect(shaped).toMatchObject({ isError: true });
  expect(shaped).not.toHaveProperty('structuredContent');
  expect(reported).toEqual([]);
});

test('an RpcError is an error of the protocol, with the number that the author gave it', async () => {
  const thrown = new RpcError(4711, 'Closed for repair', { until: 'noon' });
  const raw = await serving([tool({ name: 't', run: () => Promise.reject(thrown) })]);
  expect(await raw.error('tools/call', { name: 't' })).toEqual({
    code: 4711,
    message: 'Closed for repair',
    data: { until: 'noon' },
  });
});

test.each([
  [-32002, -32602],
  [-32042, -32603],
  [-32000, -32603],
  [-32019, -32603],
  [-32023, -32603],
  [-32099, -32603],
  [-32020, -32020],
  [-32021, -32021],
  [-32022, -32022],
  [-32603, -32603],
  [-32100, -32100],
  [-1, -1],
])('the number %j of a handler is %j in the newest revision, which closed that band', async (given, sent) => {
  verifies('BASE-033', 'BASE-034', 'BASE-036', 'BASE-038', 'RES-26', 'ELIC-36', 'SEED-7');
  const parts = [tool({ name: 't', run: () => Promise.reject(new RpcError(given, 'x')) })];
  expect((await (await serving(parts)).error('tools/call', { name: 't' })).code).toBe(sent);
  for (const revision of withHandshake) {
    const own = given === -32042 && revision === '2025-11-25' ? -32603 : given;
    expect((await (await serving(parts, revision)).error('tools/call', { name: 't' })).code).toBe(own);
  }
});

const visits = (count: number): unknown[] =>
  Array.from({ length: count }, (_, i) => ({
    mode: 'url',
    message: 'Pay',
    url: 'https://a.example',
    elicitationId: `e${i}`,
  }));

test.each<[string, unknown, number]>([
  ['a visit', [{ mode: 'url', message: 'Pay', url: 'https://dock.example', elicitationId: 'e' }], -32042],
  ['a form', [{ mode: 'form', message: 'Who?', requestedSchema: {} }], -32603],
  ['a visit without an id', [{ mode: 'url', message: 'Pay', url: 'https://dock.example' }], -32603],
  ['nothing', [], -32603],
  ['a hundred visits', visits(100), -32042],
  ['more visits than a client makes', visits(101), -32603],
])(
  'a call that fails for want of %s may say so in 2025-11-25, if that is a visit',
  async (_what, elicitations, code) => {
    verifies('ELIC-33', 'ELIC-34', 'ELIC-35');
    const thrown = new RpcError(-32042, 'Visit first', { elicitations });
    const raw = await serving([tool({ name: 't', run: () => Promise.reject(thrown) })], '2025-11-25');
    expect(await raw.error('tools/call', { name: 't' })).toEqual({
      code,
      message: 'Visit first',
      data: { elicitations },
    });
  },
);

test('an onError that throws does not change the result', async () => {
  const server = createServer({
    name: 'dock',
    version: '1',
    parts: [tool({ name: 't', run: () => Promise.reject(new Error('x')) })],
    onError: () => {
      throw new Error('onError itself fails');
    },
  });
  const written: unknown[][] = [];
  const { error } = console;
  console.error = (...said: unknown[]): void => void written.push(said);
  try {
    const raw = await open(server);
    expect(textOf(await raw.result('tools/call', { name: 't' }))).toMatch(/^Internal error/);
  } finally {
    console.error = error;
  }
  expect(written).toMatchObject([[expect.stringContaining('onError failed on tool "t"'), expect.any(Error)]]);
});

test('without onError, a failure is written where a person will see it, under the id that the caller has', async () => {
  const failing = tool({ name: 't', run: () => Promise.reject(new Error('kept here')) });
  const raw = await open(createServer({ name: 'dock', version: '1', parts: [failing] }));
  const written: unknown[][] = [];
  const { error } = console;
  console.error = (...said: unknown[]): void => void written.push(said);
  try {
    const id = /\((\w+)\)/.exec(textOf(await raw.result('tools/call', { name: 't' })))?.[1];
    expect(written).toEqual([[`mooring: tool "t" failed (${id})`, expect.objectContaining({ message: 'kept here' })]]);
  } finally {
    console.error = error;
  }
});

test.each(everyRevision)('what JSON writes as text is text, and never structured content, in %s', async (revision) => {
  expect(await returned(new Date(0), revision)).toEqual({ content: [text('1970-01-01T00:00:00.000Z')] });
  expect(await returned(new URL('https://a.example/b'), revision)).toEqual({ content: [text('https://a.example/b')] });
  const { content } = await returned({ toJSON: () => ({ left: 3 }) }, revision);
  expect(content).toEqual([text('{"left":3}')]);
});

test('an object is what its toJSON says', async () => {
  expect((await returned({ toJSON: () => ({ left: 3 }) }))['structuredContent']).toEqual({ left: 3 });
});

test('data with a member called toJSON is sent as data', async () => {
  const data = { toJSON: 'x', order: 'A-1' };
  expect(await returned(data)).toEqual({ content: [text(JSON.stringify(data))], structuredContent: data });
});

test('an error that is returned is an error', async () => {
  expect(await returned(new ToolError('Sold out'))).toEqual({ content: [text('Sold out')], isError: true });
  expect(await returned(new Error('secret'))).toMatchObject({ isError: true });
  expect(reported).toMatchObject([{ error: { message: 'secret' }, what: 'tool "t"' }]);
});
