import { expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import type { Revision } from './contract.ts';
import { cacheHintsOf, checkResultType, decodeCall, decodeCompletion, decodePrompt, decodeRead } from './decode.ts';
import { decodePage, type ListKind, lists } from './decode-lists.ts';
import { findRevision } from './index.ts';

const none = (warning: string): never => {
  throw new Error(`unexpected warning: ${warning}`);
};

test('a result without isError is a success', () => {
  verifies('TOOL-49');
  expect(decodeCall({ content: [{ type: 'text', text: 'hi' }] }, none)).toEqual({
    content: [{ type: 'text', text: 'hi' }],
    _meta: {},
  });
});

test('structured content can be null', () => {
  expect('structuredContent' in decodeCall({ content: [], structuredContent: null }, none)).toBe(true);
  expect('structuredContent' in decodeCall({ content: [] }, none)).toBe(false);
});

test('a call whose content is no list is malformed', () => {
  expect(() => decodeCall({ content: 'hi' }, none)).toThrow('"content" must be a list');
  expect(() => decodeCall({}, none)).toThrow('"content" must be a list');
  expect(decodeCall({ isError: true }, none)).toMatchObject({ content: [], isError: true });
});

test('a resource block with only a URI is decoded as a link', () => {
  verifies('SEEDF-15');
  const { content } = decodeCall({ content: [{ type: 'resource', uri: 'file:///a', mimeType: 'text/plain' }] }, none);
  expect(content).toEqual([{ type: 'resource_link', uri: 'file:///a', name: 'file:///a', mimeType: 'text/plain' }]);
});

test('annotations inside an embedded resource are moved to the block', () => {
  const resource = { uri: 'a:b', text: 'x', annotations: { priority: 1 } };
  const { content } = decodeCall({ content: [{ type: 'resource', resource }] }, none);
  expect(content).toEqual([{ type: 'resource', annotations: { priority: 1 }, resource: { uri: 'a:b', text: 'x' } }]);
});

test('a malformed block is skipped with a warning', () => {
  const warnings: string[] = [];
  const blocks = [
    { type: 'text' },
    { type: 'hologram', data: 'x' },
    { type: 'image', data: 'AA==', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'a:b' } },
    null,
  ];
  const { content } = decodeCall({ content: blocks }, (warning) => warnings.push(warning));
  expect(content).toEqual([blocks[2]]);
  expect(warnings).toHaveLength(4);
  expect(warnings[0]).toBe('Item 0 in the content of tools/call is malformed and was left out');
});

test('a result with a thousand malformed blocks fills no log', () => {
  const warnings: string[] = [];
  decodeCall({ content: Array(1_000).fill(0) }, (warning) => warnings.push(warning));
  expect(warnings).toHaveLength(11);
  expect(warnings.at(-1)).toBe('More warnings about the content of tools/call are left out');
});

test('malformed contents and messages are skipped with a warning', () => {
  const warnings: string[] = [];
  const warn = (warning: string): number => warnings.push(warning);
  expect(decodeRead({ contents: [{ uri: 'a:b', blob: 'AA==' }, { uri: 'a:c' }] }, warn).contents).toHaveLength(1);
  const text = { type: 'text', text: 'x' };
  const messages = [
    { role: 'user', content: text },
    { role: 'system', content: text },
    { role: 'user', content: [text] },
  ];
  expect(decodePrompt({ messages, description: 'd' }, warn)).toMatchObject({
    description: 'd',
    messages: [messages[0]],
  });
  expect(warnings).toHaveLength(3);
  expect(() => decodeRead({}, none)).toThrow('"contents" must be a list');
  expect(() => decodePrompt({}, none)).toThrow('"messages" must be a list');
});

test('missing or partial completions are not an error', () => {
  verifies('COMP-12');
  expect(decodeCompletion({})).toEqual({ values: [] });
  expect(decodeCompletion({ completion: { values: ['a', 1], total: 'many', hasMore: true } })).toEqual({
    values: ['a'],
    hasMore: true,
  });
});

test('tools keep every keyword of their schemas', () => {
  verifies('TOOL-25');
  const inputSchema = { type: 'object', $defs: { x: { $anchor: 'x' } }, if: {}, 'x-own': 1 };
  const tool = { name: 't', inputSchema, extra: 1 };
  expect(decodePage(lists.tools, { tools: [tool] }, none).items).toEqual([tool]);
});

test('a malformed item is skipped without losing the list', () => {
  const warnings: string[] = [];
  const tools = [{ name: 'a' }, 'b', { name: 'c', inputSchema: { type: 'object' } }];
  expect(decodePage(lists.tools, { tools }, (w) => warnings.push(w)).items).toEqual([tools[2]]);
  expect(warnings).toHaveLength(2);
  expect(() => decodePage(lists.tools, { tools: {} }, none)).toThrow('"tools" must be a list');
});

test.each<[unknown]>([[null], [7], [[]], [{ toString: 1, valueOf: 1 }]])(
  'an item loses optional members that are %j',
  (odd) => {
    const plain = { name: 't', uri: 'a:b', uriTemplate: 'a:{b}', inputSchema: { type: 'object' } };
    const known = { title: 'T', description: 'd', annotations: { readOnlyHint: true }, _meta: { 'a.b/c': 1 } };
    for (const kind of Object.values(lists) as readonly ListKind<object>[]) {
      const itemOf = (item: object): object | undefined => decodePage(kind, { [kind.member]: [item] }, none).items[0];
      expect(itemOf({ ...plain, ...known })).toMatchObject(known);
      for (const member of ['title', 'description', 'annotations', '_meta']) {
        const isFine =
          member !== 'title' && member !== 'description' && !Array.isArray(odd) && typeof odd === 'object' && odd;
        const read = itemOf({ ...plain, ...known, [member]: odd });
        expect(read === undefined ? 'left out' : member in read, member).toBe(Boolean(isFine));
      }
    }
  },
);

test.each<[object]>([
  [{ annotations: { audience: 'user' } }],
  [{ annotations: { audience: [{}] } }],
  [{ annotations: { lastModified: {} } }],
  [{ mimeType: {} }],
  [{ size: '5' }],
])('a resource loses %j', (odd) => {
  const plain = { name: 't', uri: 'a:b' };
  const itemsOf = (one: object): readonly object[] => decodePage(lists.resources, { resources: [one] }, none).items;
  expect(itemsOf({ ...plain, ...odd })).toEqual([plain]);
  const fine = { ...plain, annotations: { audience: ['user'], lastModified: 'x' }, mimeType: 'a/b', size: 5 };
  expect(itemsOf(fine)).toEqual([fine]);
});

test.each<[unknown]>([[null], ['a'], [{}], [[null]], [[{}]], [[{ src: 'data:,' }, { src: {} }]]])(
  'an item loses icons that are %j',
  (icons) => {
    const tool = { name: 't', inputSchema: { type: 'object' } };
    const itemsOf = (one: object): readonly object[] => decodePage(lists.tools, { tools: [one] }, none).items;
    expect(itemsOf({ ...tool, icons })).toEqual([tool]);
    expect(itemsOf({ ...tool, icons: [{ src: 'data:,' }] })).toEqual([{ ...tool, icons: [{ src: 'data:,' }] }]);
  },
);

test.each(['outputSchema', 'execution'])('a tool loses a member "%s" that is no object', (member) => {
  const tool = { name: 't', inputSchema: { type: 'object' } };
  const itemsOf = (one: object): readonly object[] => decodePage(lists.tools, { tools: [one] }, none).items;
  for (const odd of [null, 'x', ['x']]) expect(itemsOf({ ...tool, [member]: odd })).toEqual([tool]);
  expect(itemsOf({ ...tool, [member]: {} })).toEqual([{ ...tool, [member]: {} }]);
});

test('a template can have "uri" instead of "uriTemplate"', () => {
  verifies('SEEDF-14');
  const page = decodePage(lists.templates, { resourceTemplates: [{ uri: 'a://{id}', name: 'a' }] }, none);
  expect(page.items).toEqual([{ uriTemplate: 'a://{id}', name: 'a' }]);
});

test('an argument without "required" is optional', () => {
  verifies('PROMPT-21');
  const prompts = [
    { name: 'p', arguments: [{ name: 'a', title: 'A' }, { name: 'b', required: true }, { title: 'c' }] },
  ];
  expect(decodePage(lists.prompts, { prompts }, none).items[0]?.arguments).toEqual([
    { name: 'a', title: 'A', required: false },
    { name: 'b', required: true },
  ]);
});

test.each<[unknown]>([[null], [7], [{ toString: 1 }]])('an argument loses a description that is %j', (description) => {
  const prompts = [{ name: 'p', arguments: [{ name: 'a', title: 'A', description }] }];
  const [prompt] = decodePage(lists.prompts, { prompts }, none).items;
  expect(prompt?.arguments).toEqual([{ name: 'a', title: 'A', required: false }]);
});

test('the items of each list have a name, a method and a key', () => {
  expect(Object.values(lists).map(({ kind, capability, method, key }) => [kind, capability, method, key])).toEqual([
    ['tool', 'tools', 'tools/list', 'name'],
    ['resource', 'resources', 'resources/list', 'uri'],
    ['template', 'resources', 'resources/templates/list', 'uriTemplate'],
    ['prompt', 'prompts', 'prompts/list', 'name'],
  ]);
});

test('only a missing cursor ends a list', () => {
  verifies('PAGE-5', 'PAGE-9');
  const cursor = (nextCursor: unknown): unknown => decodePage(lists.tools, { tools: [], nextCursor }, none).nextCursor;
  expect(cursor('')).toBe('');
  expect(cursor(null)).toBeUndefined();
  expect(cursor(undefined)).toBeUndefined();
  expect(() => cursor(7)).toThrow('"nextCursor" must be a string');
});

test('the default cache hints are not cacheable and private', () => {
  verifies('CACHE-6', 'CACHE-8');
  expect(cacheHintsOf({})).toEqual({ ttlMs: 0, cacheScope: 'private' });
  expect(cacheHintsOf({ ttlMs: -5, cacheScope: 'everyone' })).toEqual({ ttlMs: 0, cacheScope: 'private' });
  expect(cacheHintsOf({ ttlMs: 5, cacheScope: 'public' })).toEqual({ ttlMs: 5, cacheScope: 'public' });
});

test('an unknown resultType is rejected only in revisions with that member', () => {
  verifies('BASE-025', 'BASE-026', 'BASE-027', 'EXT-10');
  const check = (revision: string, resultType: unknown, ...extra: string[]): void =>
    checkResultType(findRevision(revision) as Revision, 'tools/call', { resultType }, new Set(extra)); // in the list
  expect(() => check('2026-07-28', 'task')).toThrow(expect.objectContaining({ code: 'MCP_UNKNOWN_RESULT_TYPE' }));
  expect(() => check('2026-07-28', 5)).toThrow('unknown resultType "5"');
  for (const odd of [{ toString: 1, valueOf: 1 }, [Object.create(null)]])
    expect(() => check('2026-07-28', odd)).toThrow(expect.objectContaining({ code: 'MCP_UNKNOWN_RESULT_TYPE' }));
  expect(() => check('2026-07-28', 'task', 'task')).not.toThrow();
  expect(() => check('2026-07-28', 'complete')).not.toThrow();
  expect(() => check('2026-07-28', undefined)).not.toThrow();
  expect(() => check('2025-11-25', 'task')).not.toThrow();
});
