/** Pins the wire format of each revision. A failing pin means that other clients and servers see a change. */
import { expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Content } from '../model/content.ts';
import {
  encodeBlock,
  encodeCallResult,
  encodeClientCapabilities,
  encodePrompt,
  encodePromptResult,
  encodeReadResult,
  encodeResource,
  encodeTemplate,
  encodeTool,
  pickKnown,
} from './encode.ts';
import { revisions } from './index.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The encoding in each of the five revisions, oldest first. */
const said = (encode: (words: Vocabulary) => unknown): unknown[] =>
  revisions.map(({ vocabulary: words }) => encode(words)).toReversed();

const icons = [{ src: 'https://dock.example/i.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }];
const annotations = { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' } as const;
const plainAnnotations = { audience: ['user'], priority: 0.5 };
const _meta = { 'com.example/k': 1 };
const stray = { unknown: true };

test('the encoding of a tool with all members, per revision', () => {
  verifies('TOOL-17', 'TOOL-24', 'BASE-065');
  const properties = { a: { type: 'string', 'x-mcp-header': 'A' } };
  const inputSchema = { type: 'object', properties, anyOf: [{ required: ['a'] }] };
  const outputSchema = { type: 'object', properties: {} };
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  const hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
  const tool = {
    name: 't',
    title: 'T',
    description: 'Does it',
    inputSchema: { $schema, ...inputSchema },
    outputSchema: { $schema, ...outputSchema },
    annotations: { ...hints, ...stray },
    execution: { taskSupport: 'optional' },
    icons,
    _meta,
    ...stray,
  };
  // Extensions use `_meta` and are negotiated in every revision.
  const first = { name: 't', description: 'Does it', inputSchema, _meta };
  const titled = { ...first, title: 'T', outputSchema, annotations: hints };
  const dialect = { ...titled, inputSchema: tool.inputSchema, outputSchema: tool.outputSchema, icons };
  expect(said((words) => encodeTool(words, tool))).toStrictEqual([
    first,
    { ...first, annotations: { title: 'T', ...hints } },
    titled,
    { ...dialect, execution: { taskSupport: 'optional' } },
    dialect,
  ]);
});

test('a tool with only required members is the same in every revision', () => {
  const tool = { name: 't', inputSchema: { type: 'object', additionalProperties: false } };
  expect(said((words) => encodeTool(words, tool))).toStrictEqual([tool, tool, tool, tool, tool]);
});

test('the title of annotations wins over the title of the tool, where a tool has no title of its own', () => {
  const tool = { name: 't', title: 'T', inputSchema: {}, annotations: { title: 'A' } };
  expect(said((words) => encodeTool(words, tool)['annotations'])).toStrictEqual([
    undefined,
    { title: 'A' },
    { title: 'A' },
    { title: 'A' },
    { title: 'A' },
  ]);
});

test.each([{ type: 'array', items: {} }, { type: 'string' }, { oneOf: [{ type: 'object' }] }, {}])(
  'the output schema %j is sent only in the newest revision',
  (outputSchema) => {
    verifies('TOOL-17', 'TOOL-18', 'TOOL-24');
    const tool = { name: 't', inputSchema: {}, outputSchema };
    expect(said((words) => encodeTool(words, tool)['outputSchema'])).toStrictEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      outputSchema,
    ]);
  },
);

test('the encoding of a resource with all members, per revision', () => {
  const resource = {
    uri: 'a:b',
    name: 'n',
    title: 'T',
    description: 'd',
    mimeType: 'text/plain',
    size: 3,
    annotations,
    icons,
    _meta,
    ...stray,
  };
  const { title, icons: _i, unknown: _u, ...first } = resource;
  const named = { ...first, title };
  expect(said((words) => encodeResource(words, resource))).toStrictEqual([
    { ...first, annotations: plainAnnotations },
    { ...first, annotations: plainAnnotations },
    named,
    { ...named, icons },
    { ...named, icons },
  ]);
});

test('the encoding of a resource template with all members, per revision', () => {
  const template = {
    uriTemplate: 'a:{b}',
    name: 'n',
    title: 'T',
    description: 'd',
    mimeType: 'text/plain',
    annotations,
    icons,
    _meta,
    size: 1,
    ...stray,
  };
  const first = { uriTemplate: 'a:{b}', name: 'n', description: 'd', mimeType: 'text/plain' };
  const named = { ...first, title: 'T', annotations, _meta };
  expect(said((words) => encodeTemplate(words, template))).toStrictEqual([
    { ...first, annotations: plainAnnotations },
    { ...first, annotations: plainAnnotations },
    named,
    { ...named, icons },
    { ...named, icons },
  ]);
});

test('the encoding of a prompt with all members, per revision', () => {
  const argument = { name: 'a', title: 'A', description: 'd', required: true, ...stray };
  const prompt = { name: 'p', title: 'P', description: 'd', arguments: [argument], icons, _meta, ...stray };
  const first = {
    name: 'p',
    description: 'd',
    arguments: [{ name: 'a', description: 'd', required: true }],
  };
  const named = {
    ...first,
    title: 'P',
    _meta,
    arguments: [{ name: 'a', title: 'A', description: 'd', required: true }],
  };
  expect(said((words) => encodePrompt(words, prompt))).toStrictEqual([
    first,
    first,
    named,
    { ...named, icons },
    { ...named, icons },
  ]);
});

test.each<Content>([
  { type: 'text', text: 'x', annotations, _meta },
  { type: 'image', data: 'AAAA', mimeType: 'image/png', annotations, _meta },
])('a block of type $type is sent in every revision, with the members that the revision has', (block) => {
  verifies('TOOL-68');
  const { _meta: _, ...first } = block;
  expect(said((words) => encodeBlock(words, { ...block, ...stray } as Content))).toStrictEqual([
    { ...first, annotations: plainAnnotations },
    { ...first, annotations: plainAnnotations },
    block,
    block,
    block,
  ]);
});

test('bare text is the same everywhere', () => {
  const block = { type: 'text', text: 'x' } as const;
  expect(new Set(said((words) => JSON.stringify(encodeBlock(words, block))))).toEqual(
    new Set(['{"type":"text","text":"x"}']),
  );
});

test('audio becomes an embedded resource in revisions without audio', () => {
  verifies('TOOL-63');
  const block = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav', annotations, _meta } as const;
  const { _meta: _, ...plain } = block;
  expect(said((words) => encodeBlock(words, block))).toStrictEqual([
    { type: 'resource', resource: { uri: 'audio:inline', mimeType: 'audio/wav', blob: 'AAAA' } },
    { ...plain, annotations: plainAnnotations },
    block,
    block,
    block,
  ]);
});

test('a resource link becomes a line of text in revisions without links', () => {
  verifies('TOOL-63', 'TOOL-64', 'PROMPT-12');
  const block = {
    type: 'resource_link',
    uri: 'a:b',
    name: 'n',
    title: 'T',
    description: 'd',
    mimeType: 'text/plain',
    size: 3,
    annotations,
    icons,
    _meta,
  } as unknown as Content; // every member of a link, and its icons
  const { icons: _, ...known } = block as unknown as JsonObject;
  const text = { type: 'text', text: 'T <a:b>: d' };
  expect(said((words) => encodeBlock(words, block))).toStrictEqual([text, text, known, block, block]);
  const bare = { type: 'resource_link', uri: 'a:b', name: 'n' } as const;
  expect(said((words) => encodeBlock(words, bare)).slice(0, 2)).toStrictEqual([
    { type: 'text', text: 'n <a:b>' },
    { type: 'text', text: 'n <a:b>' },
  ]);
});

test.each([
  { uri: 'a:b', mimeType: 'text/plain', text: 'x', _meta },
  { uri: 'a:b', mimeType: 'image/png', blob: 'AAAA', _meta },
])('an embedded resource keeps what is in it: %j', (resource) => {
  verifies('TOOL-66');
  const block = { type: 'resource', resource, annotations, _meta } as const;
  const plain = { type: 'resource', resource, annotations: plainAnnotations };
  const whole = { type: 'resource', resource, annotations, _meta };
  const odd = { ...block, resource: { ...resource, ...stray } };
  expect(said((words) => encodeBlock(words, odd))).toStrictEqual([plain, plain, whole, whole, whole]);
});

const result = (structuredContent: unknown, text?: string): JsonObject => ({
  content: text === undefined ? [] : [{ type: 'text', text }],
  structuredContent,
  isError: false,
  _meta,
  resultType: 'leaked',
});
const call = (words: Vocabulary, value: JsonObject): JsonObject => encodeCallResult(words, value, 'CallToolResult');

test('an object is sent as structured content in revisions that have it, and as text in older ones', () => {
  verifies('TOOL-17', 'TOOL-24');
  const before = { content: [{ type: 'text', text: '{"a":1}' }], isError: false, _meta };
  const since = { content: [], structuredContent: { a: 1 }, isError: false, _meta };
  expect(said((words) => call(words, result({ a: 1 })))).toStrictEqual([before, before, since, since, since]);
});

test.each([[[1, 2]], ['x'], [7], [true], [null], [[]]])(
  'the value %j is sent as structured content in the newest revision, and as text in older ones',
  (data) => {
    verifies('TOOL-17', 'TOOL-18', 'TOOL-24');
    const before = { content: [{ type: 'text', text: JSON.stringify(data) }], isError: false, _meta };
    const since = { content: [], structuredContent: data, isError: false, _meta };
    expect(said((words) => call(words, result(data)))).toStrictEqual([before, before, before, before, since]);
    // If the text is already in the content, it is not repeated.
    const text = JSON.stringify(data);
    expect(said((words) => call(words, result(data, text))['content'])).toStrictEqual(
      Array(5).fill([{ type: 'text', text }]),
    );
  },
);

test('a result without data has no structured content in any revision', () => {
  const bare = { content: [{ type: 'text', text: 'x' }] };
  expect(said((words) => call(words, bare))).toStrictEqual(Array(5).fill(bare));
});

test('each message of a prompt has one block, encoded for the revision', () => {
  const content = { type: 'text', text: 'x', _meta } as const;
  const prompt = { description: 'd', messages: [{ role: 'user', content, ...stray }], _meta, ...stray };
  const plain = { description: 'd', _meta, messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] };
  const whole = { description: 'd', _meta, messages: [{ role: 'user', content }] };
  expect(said((words) => encodePromptResult(words, prompt))).toStrictEqual([plain, plain, whole, whole, whole]);
});

test('only the newest revision sends cache hints of resources', () => {
  verifies('CACHE-1');
  const contents = [{ uri: 'a:b', text: 'x', _meta }];
  const read = { contents, ttlMs: 5, cacheScope: 'public', _meta, ...stray };
  const plain = { contents, _meta };
  expect(said((words) => encodeReadResult(words, read))).toStrictEqual([
    plain,
    plain,
    plain,
    plain,
    { contents, _meta, ttlMs: 5, cacheScope: 'public' },
  ]);
});

test('the members of Implementation grow from revision to revision', () => {
  const info = {
    name: 'n',
    version: '1',
    title: 'T',
    description: 'd',
    websiteUrl: 'https://x.example',
    icons,
    ...stray,
  };
  const { unknown: _, ...whole } = info;
  const first = { name: 'n', version: '1' };
  expect(said((words) => pickKnown(words, 'Implementation', info))).toStrictEqual([
    first,
    first,
    { ...first, title: 'T' },
    whole,
    whole,
  ]);
});

test('progress has a message since the second revision', () => {
  const told = { progressToken: 1, progress: 2, total: 3, message: 'm', ...stray };
  const first = { progressToken: 1, progress: 2, total: 3 };
  const whole = { ...first, message: 'm' };
  expect(said((words) => pickKnown(words, 'Progress', told))).toStrictEqual([first, whole, whole, whole, whole]);
});

test('the encoding of server capabilities, per revision', () => {
  const extensions = { 'com.example/x': {} };
  const capabilities = {
    experimental: { e: {} },
    logging: {},
    completions: {},
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    tools: { listChanged: true },
    extensions,
    ...stray,
  };
  const { unknown: _, completions, ...first } = capabilities;
  expect(said((words) => pickKnown(words, 'ServerCapabilities', capabilities))).toStrictEqual([
    first,
    { ...first, completions },
    { ...first, completions },
    { ...first, completions },
    { ...first, completions },
  ]);
});

test('the encoding of client capabilities, per revision', () => {
  verifies('ROOT-2', 'EXT-11');
  const extensions = { 'com.example/x': {} };
  const capabilities = {
    experimental: { e: {} },
    roots: { listChanged: true },
    sampling: { tools: {}, context: {} },
    elicitation: { form: {}, url: {} },
    extensions,
    ...stray,
  };
  const first = { experimental: { e: {} }, extensions, roots: { listChanged: true }, sampling: {} };
  const whole = { ...first, sampling: { tools: {}, context: {} }, elicitation: { form: {}, url: {} } };
  expect(said((words) => encodeClientCapabilities(words, capabilities))).toStrictEqual([
    first,
    first,
    { ...first, elicitation: {} },
    whole,
    { ...whole, roots: {} },
  ]);
});

test('no revision lists a member twice', () => {
  for (const { id, vocabulary: words } of revisions) {
    for (const [name, members] of Object.entries(words.members)) {
      expect(new Set(members).size, `${id} ${name}`).toBe(members.length);
    }
  }
});
