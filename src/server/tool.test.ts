/** Definitions of parts: names, hints, `_meta`, icons, schemas, and definitions that are rejected. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { open } from '../../test/support/raw.ts';
import { verifies } from '../../test/support/verifies.ts';
import { McpError } from '../errors.ts';
import { openPart } from './part.ts';
import { prompt } from './prompt.ts';
import { resource } from './resource.ts';
import { createServer } from './server.ts';
import { type ToolEffects, tool } from './tool.ts';

const run = (): string => 'x';
const read = run;
const render = run;

test.each(['a', 'A', '0', 'get_user-v2.1', 'x'.repeat(128)])('%s is a valid name of a tool', (name) => {
  verifies('TOOL-36', 'TOOL-38');
  expect(tool({ name, run }).name).toBe(name);
});

test.each(['', 'x'.repeat(129), 'a b', 'a,b', 'ä', 'a/b', 'a\n', 'a:b', '<a>'])(
  '%j is not a valid name of a tool',
  (name) => {
    verifies('TOOL-36', 'TOOL-38', 'TOOL-39');
    expect(() => tool({ name, run })).toThrow('a tool name has 1 to 128 letters');
  },
);

test.each<[ToolEffects | undefined, boolean | undefined, object | undefined]>([
  [undefined, undefined, undefined],
  ['read', undefined, { readOnlyHint: true, destructiveHint: false, idempotentHint: true }],
  ['write', undefined, { readOnlyHint: false, destructiveHint: false }],
  ['destructive', undefined, { readOnlyHint: false, destructiveHint: true }],
  ['destructive', true, { readOnlyHint: false, destructiveHint: true, idempotentHint: true }],
  ['read', false, { readOnlyHint: true, destructiveHint: false, idempotentHint: false }],
  [undefined, true, { idempotentHint: true }],
])('effects %j, idempotent %j: %j', (effects, idempotent, annotations) => {
  const spec = {
    name: 't',
    run,
    ...(effects === undefined ? {} : { effects }),
    ...(idempotent === undefined ? {} : { idempotent }),
  };
  expect(openPart(tool(spec)).definition.annotations).toEqual(annotations);
});

test('a tool that reaches beyond the server says so', () => {
  expect(openPart(tool({ name: 't', run, openWorld: false })).definition.annotations).toEqual({
    openWorldHint: false,
  });
});

test('everything that is declared about a tool is published', async () => {
  const icons = [{ src: 'https://dock.example/i.png', sizes: ['48x48'] }];
  const meta = { 'com.example/k': 1 };
  const whole = tool({
    name: 't',
    title: 'T',
    description: 'Does it',
    input: z.object({ a: z.string() }),
    output: z.object({ b: z.number() }),
    effects: 'write',
    openWorld: true,
    icons,
    meta,
    run: () => ({ b: 1 }),
  });
  const raw = await open(createServer({ name: 'dock', version: '1', parts: [whole] }));
  expect((await raw.result('tools/list'))['tools']).toMatchObject([
    {
      name: 't',
      title: 'T',
      description: 'Does it',
      inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
      outputSchema: { type: 'object', properties: { b: { type: 'number' } } },
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
      icons,
      _meta: meta,
    },
  ]);
});

test('an empty schema is published as one of an object', () => {
  verifies('SEEDF-4', 'TOOL-9');
  expect(openPart(tool({ name: 't', input: {}, run })).definition.inputSchema).toMatchObject({ type: 'object' });
});

test.each([{ type: 'string' }, { type: 'array' }])(
  'the input schema %j is rejected, because it is not an object schema',
  (input) => {
    verifies('TOOL-9');
    expect(() => tool({ name: 't', input, run })).toThrow(McpError);
  },
);

test.each([
  { type: 'object', properties: { a: { type: 'strnig' } } },
  { type: 'object', required: 'a' },
  { $schema: 'https://example.com/my-own-dialect', type: 'object' },
])('the schema %j is rejected as input and as output', (schema) => {
  verifies('TOOL-15', 'BASE-071');
  expect(() => tool({ name: 't', input: schema, run })).toThrow('The schema of the input of tool "t"');
  expect(() => tool({ name: 't', output: schema, run: () => ({}) })).toThrow('The schema of the output of tool "t"');
});

test('composition, conditions and references are published in addition to the object', () => {
  verifies('TOOL-19');
  const input = {
    type: 'object',
    $defs: { a: { type: 'string' } },
    properties: { a: { $ref: '#/$defs/a' } },
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
    if: { required: ['a'] },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it that
    then: { required: ['b'] },
  };
  expect(openPart(tool({ name: 't', input, run })).definition.inputSchema).toEqual(input);
});

const kinds = [
  ['tool', (more: object) => tool({ name: 't', run, ...more })],
  ['resource', (more: object) => resource({ uri: 'a:b', read, ...more })],
  ['prompt', (more: object) => prompt({ name: 'p', render, ...more })],
] as const;

test.each(kinds)('the _meta of a %s is the author’s own', (_kind, declare) => {
  verifies('BASE-043', 'BASE-046', 'BASE-047', 'BASE-048', 'BASE-049');
  expect(openPart(declare({ meta: { 'com.example/k': 1, plain: 2 } })).definition._meta).toEqual({
    'com.example/k': 1,
    plain: 2,
  });
  for (const key of ['io.modelcontextprotocol/x', 'mcp.dev/x', 'progressToken', '-x', 'a b/x']) {
    expect(() => declare({ meta: { [key]: 1 } }), key).toThrow(McpError);
  }
});

test.each(kinds)('the icons of a %s come from the web, or are in the text', (_kind, declare) => {
  verifies('BASE-053');
  const icons = [
    { src: 'https://dock.example/i.png' },
    { src: 'http://dock.example/i.svg', mimeType: 'image/svg+xml', sizes: ['48x48', 'any'], theme: 'dark' as const },
    { src: 'data:image/png;base64,QQ==' },
  ];
  expect(openPart(declare({ icons })).definition.icons).toEqual(icons);
  for (const src of ['javascript:alert(1)', 'file:///i.png', 'i.png', '', 'ftp://x/i.png']) {
    expect(() => declare({ icons: [...icons, { src }] }), src).toThrow(
      "an icon's src begins with https:// or data:image/png;base64,",
    );
  }
  for (const src of ['data:,x', 'data:image/svg+xml,<svg/>', 'data:image/png;base64', 'data:image/png;base64,<svg/>']) {
    expect(() => declare({ icons: [{ src }] }), src).toThrow(
      "an icon's src begins with https:// or data:image/png;base64,",
    );
  }
  const [, odd] = icons as unknown as [unknown, object]; // wrong on purpose
  for (const wrong of [{ sizes: ['48'] }, { sizes: ['48 x 48'] }, { sizes: '48x48' }])
    expect(() => declare({ icons: [{ ...odd, ...wrong } as never] })).toThrow(
      'an icon\'s sizes are like ["48x48", "any"], not ',
    );
  expect(() => declare({ icons: [{ ...odd, theme: 'blue' } as never] })).toThrow("an icon's theme is light or dark");
});

test('a server describes itself in the same way', () => {
  verifies('BASE-053');
  const declare = (src: string): unknown => createServer({ name: 'd', version: '1', icons: [{ src }], parts: [] });
  expect(() => declare('file:///i.png')).toThrow('server "d": an icon\'s src begins with https:// or data:');
  expect(declare('https://dock.example/i.png')).toBeDefined();
});

test('a tool without a description causes a warning', () => {
  verifies('SEEDF-5');
  const warnings: string[] = [];
  const parts = [tool({ name: 'bare', run }), tool({ name: 'told', description: 'Does it', run })];
  createServer({ name: 'dock', version: '1', parts, onWarning: (warning) => void warnings.push(warning) });
  expect(warnings).toEqual(['Tool "bare" has no description. Add one: models choose tools by it']);
});

test('an effect that does not exist does not compile, and throws', () => {
  const why = 'tool "t": "effects" must be one of read, write, destructive';
  // @ts-expect-error there is no such effect
  expect(() => tool({ name: 't', effects: 'readonly', run })).toThrow(why);
});

test('a rendering of data needs the schema of the data', () => {
  expect(() => tool({ name: 't', text: () => 'x', run })).toThrow('tool "t": "text" needs "output"');
});

test('an input that is not an object does not compile, and throws', () => {
  const why = 'The schema of the input of tool "t" cannot be used: its root must have "type": "object"';
  // @ts-expect-error one text has no name
  expect(() => tool({ name: 't', input: z.string(), run })).toThrow(why);
  // @ts-expect-error neither has a list
  expect(() => tool({ name: 't', input: z.array(z.string()), run })).toThrow(why);
});

test.each(['runMs', 'askMs', 'keepMs', 'pollMs'])(
  'a task whose %s is negative is a mistake of its author',
  (member) => {
    for (const value of [-1, Number.NaN])
      expect(() => tool({ name: 't', run, task: { [member]: value } })).toThrow(
        `"task.${member}" must be a number that is not negative, not ${value}`,
      );
    expect(tool({ name: 't', run, task: { [member]: 1 } }).name).toBe('t');
  },
);

test('a server whose limits of tasks are negative is a mistake of its author', () => {
  const spec = { name: 's', version: '1', parts: [] };
  expect(() => createServer({ ...spec, tasks: { leaseMs: -1 } })).toThrow(
    '"tasks.leaseMs" must be a number that is not negative',
  );
  expect(createServer({ ...spec, tasks: { leaseMs: 1 } }).name).toBe('s');
});
