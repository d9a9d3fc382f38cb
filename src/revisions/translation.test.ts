/** Translates results and questions between revisions with the encoders and decoders alone, without a server or client. */
import { describe, expect, test } from 'vitest';
import { officialSchema } from '../../test/support/official-schema.ts';
import { type JsonObject, success } from '../jsonrpc/message.ts';
import type { Revision } from './contract.ts';
import { decodeCall, decodeCompletion, decodePrompt, decodeRead } from './decode.ts';
import { decodePage, lists } from './decode-lists.ts';
import {
  encodeCallResult,
  encodePrompt,
  encodePromptResult,
  encodeReadResult,
  encodeResource,
  encodeTemplate,
  encodeTool,
} from './encode.ts';
import { decodeAnswer, encodeAnswer, encodeQuestion } from './encode-questions.ts';
import { revisions } from './index.ts';

const warn = (warning: string): never => {
  throw new Error(warning);
};
const annotations = { audience: ['user'], priority: 1, lastModified: '2026-01-01T00:00:00Z' };
const blocks = [
  { type: 'text', text: 'Ahoy', annotations },
  { type: 'image', data: 'AA==', mimeType: 'image/png' },
  { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
  { type: 'resource_link', uri: 'file:///log', name: 'log', title: 'The log' },
  { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'a', _meta: { 'a.b/c': 1 } } },
];
const icons = [{ src: 'https://a.example/i.png' }];

interface Translation {
  /** Encoded as in the newest revision. */
  readonly result: JsonObject;
  decode(result: JsonObject): JsonObject;
  encode(to: Revision, result: JsonObject): JsonObject;
}

const page = (
  kind: keyof typeof lists,
  item: JsonObject,
  encode: (vocabulary: Revision['vocabulary'], item: JsonObject) => JsonObject,
): Translation => {
  const { member } = lists[kind];
  return {
    result: { [member]: [item], nextCursor: 'c' },
    decode: (result) => {
      const { items, nextCursor } = decodePage<unknown>(lists[kind] as never, result, warn); // the kind of this very list
      return { [member]: items, nextCursor };
    },
    encode: ({ vocabulary }, result) => ({
      ...result,
      [member]: (result[member] as readonly JsonObject[]).map((one) => encode(vocabulary, one)), // as decoded
    }),
  };
};

const translations: Readonly<Record<string, Translation>> = {
  'tools/call': {
    result: { content: blocks, structuredContent: { a: 1 }, _meta: { 'a.b/c': 1 } },
    decode: (result) => ({ ...decodeCall(result, warn) }),
    encode: ({ vocabulary }, result) => encodeCallResult(vocabulary, result, 'CallToolResult'),
  },
  'prompts/get': {
    result: { description: 'd', messages: blocks.map((content) => ({ role: 'user', content })) },
    decode: (result) => ({ ...decodePrompt(result, warn) }),
    encode: ({ vocabulary }, result) => encodePromptResult(vocabulary, result),
  },
  'resources/read': {
    result: {
      contents: [
        { uri: 'file:///a', text: 'a', _meta: { 'a.b/c': 1 } },
        { uri: 'file:///b', blob: 'AA==' },
      ],
    },
    decode: (result) => ({ ...decodeRead(result, warn) }),
    encode: ({ vocabulary }, result) => encodeReadResult(vocabulary, result),
  },
  'completion/complete': {
    result: { completion: { values: ['a'], total: 1, hasMore: false } },
    decode: (result) => ({ completion: decodeCompletion(result) }),
    encode: (_, result) => result, // the same in all revisions
  },
  'tools/list': page(
    'tools',
    {
      name: 't',
      title: 'T',
      icons,
      annotations: { readOnlyHint: true },
      inputSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
      outputSchema: { type: 'object' },
    },
    encodeTool,
  ),
  'resources/list': page(
    'resources',
    { uri: 'file:///a', name: 'a', title: 'A', icons, size: 1, annotations },
    encodeResource,
  ),
  'resources/templates/list': page(
    'templates',
    { uriTemplate: 'file:///{a}', name: 'a', icons, annotations },
    encodeTemplate,
  ),
  'prompts/list': page(
    'prompts',
    { name: 'p', icons, arguments: [{ name: 'a', title: 'A', required: true }] },
    encodePrompt,
  ),
};

const pairs = revisions.flatMap((from) =>
  revisions.map((to): [string, string, Revision, Revision] => [from.id, to.id, from, to]),
);

describe.each(Object.entries(translations))('%s', (method, { result, decode, encode }) => {
  test.each(pairs)('a result of %s can be sent in %s', (_, id, from, to) => {
    const upstream = encode(from, result);
    const sent = to.lifecycle.stamp(encode(to, decode(upstream)), { name: 's', version: '1' });
    const cacheable = to.methods.requests.get(method)?.cacheable === true ? { ttlMs: 0, cacheScope: 'private' } : {};
    const message = success(1, { ...sent, ...cacheable });
    expect(officialSchema(id).faultsOf({ side: '<', message, answers: method })).toEqual([]);
  });
});

test.each(pairs.filter(([from, to]) => from >= '2025-06-18' && to >= '2025-06-18'))(
  'a question of %s can be asked in %s, and its answer brought back',
  (_, __, from, to) => {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const params = encodeQuestion(from.vocabulary, {
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Name?', requestedSchema },
    });
    const question = { method: 'elicitation/create', params } as const;
    expect(encodeQuestion(to.vocabulary, question)).toMatchObject({ message: 'Name?', requestedSchema });
    const answer = { action: 'accept', content: { name: 'Ada' } };
    expect(encodeAnswer(from.vocabulary, question.method, decodeAnswer(to.vocabulary, question, answer))).toEqual(
      answer,
    );
  },
);
