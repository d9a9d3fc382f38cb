/** Pins the wire format of questions and answers in each revision. */
import { expect, test } from 'vitest';
import { everyRevision } from '../../test/support/raw.ts';
import { verifies } from '../../test/support/verifies.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import { decodeAnswer, encodeAnswer, encodeQuestion } from './encode-questions.ts';
import { findRevision } from './index.ts';
import type { Vocabulary } from './vocabulary.ts';

function wordsOf(id: string): Vocabulary {
  const revision = findRevision(id);
  if (revision === undefined) throw new Error(`No revision is called ${id}`);
  return revision.vocabulary;
}
const said = (encode: (words: Vocabulary) => unknown): unknown[] => everyRevision.map((id) => encode(wordsOf(id)));
/** Revisions with elicitation, oldest first. */
const forms = everyRevision.filter((id) => wordsOf(id).forms !== 'nothing');

const sampling = (params: JsonObject) => (words: Vocabulary) =>
  encodeQuestion(words, { method: 'sampling/createMessage', params });
const form = (properties: JsonObject, more: JsonObject = {}): JsonObject[] =>
  forms.map((id) => {
    const requestedSchema = { type: 'object', properties, ...more };
    const params = { mode: 'form', message: 'm', requestedSchema };
    return encodeQuestion(wordsOf(id), { method: 'elicitation/create', params });
  });
const fields = (properties: JsonObject): unknown[] =>
  form(properties).map(({ requestedSchema }) => (requestedSchema as JsonObject)['properties']);

const _meta = { 'com.example/k': 1 };
const text = { type: 'text', text: 'x' };
const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' };

test('the encoding of sampling params with all members, per revision', () => {
  verifies('SAMP-26');
  const shared = {
    maxTokens: 10,
    modelPreferences: { hints: [{ name: 'h' }], costPriority: 0.1 },
    systemPrompt: 's',
    includeContext: 'thisServer',
    temperature: 0.5,
    stopSequences: ['.'],
    metadata: { m: 1 },
  };
  const tool = { name: 't', inputSchema: { type: 'object' }, icons: [] };
  const params = {
    ...shared,
    messages: [{ role: 'user', content: text, _meta, unknown: 1 }],
    tools: [{ ...tool, execution: { taskSupport: 'required' }, unknown: 1 }],
    toolChoice: { mode: 'auto' },
    task: { ttl: 1 },
  };
  const plain = { ...shared, messages: [{ role: 'user', content: text }] };
  const whole = { ...shared, messages: [{ role: 'user', content: text, _meta }], toolChoice: { mode: 'auto' } };
  expect(said(sampling(params))).toStrictEqual([
    plain,
    plain,
    plain,
    { ...whole, tools: [{ ...tool, execution: { taskSupport: 'required' } }] },
    { ...whole, tools: [tool] },
  ]);
});

const contents = (content: unknown): unknown[] =>
  said((words) => sampling({ messages: [{ role: 'user', content }], maxTokens: 1 })(words)['messages']);
const one = (content: unknown): unknown => [{ role: 'user', content }];

test('text and images are in every revision, audio from the second on', () => {
  verifies('SAMP-28');
  expect(contents(text)).toStrictEqual(Array(5).fill(one(text)));
  expect(contents(image)).toStrictEqual(Array(5).fill(one(image)));
  const spelled = { type: 'text', text: JSON.stringify(audio) };
  expect(contents(audio)).toStrictEqual([one(spelled), one(audio), one(audio), one(audio), one(audio)]);
});

test('annotations and _meta of sampling blocks depend on the revision', () => {
  const block = { ...text, annotations: { priority: 1, lastModified: '2026-01-01' }, _meta };
  const first = one({ ...text, annotations: { priority: 1 } });
  expect(contents(block)).toStrictEqual([first, first, one(block), one(block), one(block)]);
});

test('a message with several blocks is split in revisions with one block per message', () => {
  const both = [text, image];
  const split = [
    { role: 'user', content: text },
    { role: 'user', content: image },
  ];
  expect(contents(both)).toStrictEqual([split, split, split, one(both), one(both)]);
});

test('uses and results of tools are blocks from 2025-11-25 on, and data in them is an object until the newest', () => {
  const use = { type: 'tool_use', id: 'u', name: 't', input: { a: 1 }, _meta };
  const spelled = one({ type: 'text', text: JSON.stringify(use) });
  expect(contents(use)).toStrictEqual([spelled, spelled, spelled, one(use), one(use)]);
  const outcome = { type: 'tool_result', toolUseId: 'u', content: [text], isError: false, _meta };
  const listed = (data: unknown): unknown[] => contents({ ...outcome, structuredContent: data }).slice(3);
  expect(listed({ a: 1 })).toStrictEqual(Array(2).fill(one({ ...outcome, structuredContent: { a: 1 } })));
  expect(listed([1])).toStrictEqual([
    one({ ...outcome, content: [text, { type: 'text', text: '[1]' }] }),
    one({ ...outcome, structuredContent: [1] }),
  ]);
});

test('a form names its mode from 2025-11-25 on', () => {
  verifies('ELIC-15', 'ELIC-17');
  const properties = { a: { type: 'string' } };
  const required = ['a'];
  const requestedSchema = { type: 'object', properties, required };
  expect(form(properties, { required })).toStrictEqual([
    { message: 'm', requestedSchema },
    { mode: 'form', message: 'm', requestedSchema },
    { mode: 'form', message: 'm', requestedSchema },
  ]);
});

test.each<[string, JsonObject, JsonObject]>([
  ['a string', { type: 'string', title: 'T', description: 'd', minLength: 1, maxLength: 2, format: 'email' }, {}],
  ['a number', { type: 'number', title: 'T', description: 'd', minimum: 1, maximum: 2 }, {}],
  ['an integer', { type: 'integer', minimum: 1, maximum: 2 }, {}],
  ['a choice', { type: 'string', enum: ['a', 'b'] }, {}],
  ['a choice with names', { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] }, {}],
  ['a boolean with a default', { type: 'boolean', default: true }, { default: true }],
])('the field "%s" is sent alike, but only booleans keep their default in 2025-06-18', (_what, field, kept) => {
  verifies('ELIC-18', 'ELIC-19', 'ELIC-20');
  const preset = { default: field['type'] === 'boolean' ? true : 'a' };
  const full = { ...field, ...preset };
  expect(fields({ a: full })).toStrictEqual([{ a: { ...field, ...kept } }, { a: full }, { a: full }]);
});

test('a choice with titles becomes a choice with names', () => {
  verifies('ELIC-19', 'ELIC-20');
  const oneOf = [
    { const: 'r', title: 'Red' },
    { const: 'g', title: 'Green' },
  ];
  const field = { type: 'string', title: 'Colour', oneOf, default: 'r' };
  expect(fields({ a: field })).toStrictEqual([
    { a: { type: 'string', title: 'Colour', enum: ['r', 'g'], enumNames: ['Red', 'Green'] } },
    { a: field },
    { a: field },
  ]);
});

test.each<[string, JsonObject]>([
  ['named', { type: 'string', enum: ['r', 'g'] }],
  [
    'titled',
    {
      anyOf: [
        { const: 'r', title: 'Red' },
        { const: 'g', title: 'Green' },
      ],
    },
  ],
])('multiple choice with %s choices becomes a text field in 2025-06-18', (_what, items) => {
  verifies('ELIC-19', 'ELIC-20');
  const field = { type: 'array', description: 'Pick', items, minItems: 1, maxItems: 2, default: ['r'] };
  const description = 'Pick. Several of: r, g (separated by commas)';
  expect(fields({ a: field })).toStrictEqual([{ a: { type: 'string', description } }, { a: field }, { a: field }]);
});

test('a URL elicitation has a unique id in 2025-11-25, and none in later revisions', () => {
  verifies('ELIC-25', 'ELIC-26');
  const visit = { mode: 'url', message: 'm', url: 'https://dock.example/pay' };
  const ask = (id: string, more: JsonObject = {}): JsonObject =>
    encodeQuestion(wordsOf(id), { method: 'elicitation/create', params: { ...visit, ...more } });
  expect(ask('2025-11-25', { elicitationId: 'e' })).toStrictEqual({ ...visit, elicitationId: 'e' });
  const ids = Array.from({ length: 50 }, () => ask('2025-11-25')['elicitationId']);
  expect(new Set(ids).size).toBe(50);
  expect(ids.every((id) => typeof id === 'string' && id.length >= 32)).toBe(true);
  expect(ask('2026-07-28', { elicitationId: 'e' })).toStrictEqual(visit);
});

test('roots are asked for without params', () => {
  expect(said((words) => encodeQuestion(words, { method: 'roots/list', params: { x: 1 } }))).toStrictEqual(
    Array(5).fill({}),
  );
});

const listForm = {
  method: 'elicitation/create',
  params: {
    requestedSchema: {
      type: 'object',
      properties: { tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, name: { type: 'string' } },
    },
  },
} as const;

test.each([
  ['a, b', ['a', 'b']],
  [' a ,, b,', ['a', 'b']],
  ['', []],
  [['a'], ['a']],
])('the text %j is decoded as a list', (tags, list) => {
  verifies('ELIC-20');
  const answer = { action: 'accept', content: { tags, name: 'a, b' } };
  expect(decodeAnswer(wordsOf('2025-06-18'), listForm, answer)).toEqual({
    action: 'accept',
    content: { tags: list, name: 'a, b' },
  });
  expect(decodeAnswer(wordsOf('2025-11-25'), listForm, answer)).toBe(answer);
});

test('an answer without content, or with keys that were not asked for, is read as it is', () => {
  const words = wordsOf('2025-06-18');
  expect(decodeAnswer(words, listForm, { action: 'decline' })).toEqual({ action: 'decline' });
  const odd = { action: 'accept', content: JSON.parse('{"__proto__":"x","constructor":"y"}') as JsonObject };
  const read = decodeAnswer(words, listForm, odd)['content'] as JsonObject;
  expect(Object.keys(read)).toEqual(['__proto__', 'constructor']);
  expect(decodeAnswer(words, { method: 'roots/list', params: {} }, { roots: [] })).toEqual({ roots: [] });
});

const answered = (content: unknown, more: JsonObject = {}): unknown[] =>
  said((words) => encodeAnswer(words, 'sampling/createMessage', { role: 'assistant', model: 'm', ...more, content }));

test('the answer of a model is one block until 2025-06-18, and may be a list since', () => {
  verifies('SAMP-27');
  const said1 = (content: unknown): JsonObject => ({ role: 'assistant', model: 'm', stopReason: 'endTurn', content });
  const more = { stopReason: 'endTurn', unknown: 1 };
  expect(answered(text, more)).toStrictEqual(Array(5).fill(said1(text)));
  const joined = said1({ type: 'text', text: 'x\ny' });
  const texts = [text, { type: 'text', text: 'y' }];
  expect(answered(texts, more)).toStrictEqual([joined, joined, joined, said1(texts), said1(texts)]);
  const first = said1(image);
  const mixed = [image, text];
  expect(answered(mixed, more)).toStrictEqual([first, first, first, said1(mixed), said1(mixed)]);
  expect(answered([], more).slice(0, 1)).toStrictEqual([said1({ type: 'text', text: '' })]);
});

test('the answer of a model holds no audio in 2024-11-05', () => {
  verifies('SAMP-28');
  expect(answered(audio).map((answer) => ((answer as JsonObject)['content'] as JsonObject)['type'])).toEqual([
    'text',
    'audio',
    'audio',
    'audio',
    'audio',
  ]);
});

test('roots get their _meta with 2025-06-18', () => {
  const roots = [{ uri: 'file:///a', name: 'a', _meta, unknown: 1 }];
  const plain = { roots: [{ uri: 'file:///a', name: 'a' }] };
  const whole = { roots: [{ uri: 'file:///a', name: 'a', _meta }] };
  expect(said((words) => encodeAnswer(words, 'roots/list', { roots }))).toStrictEqual([
    plain,
    plain,
    whole,
    whole,
    whole,
  ]);
});

test('the answer to a form is encoded alike in every revision', () => {
  const answer = { action: 'accept', content: { a: 1 } };
  expect(said((words) => encodeAnswer(words, 'elicitation/create', answer))).toStrictEqual(Array(5).fill(answer));
});
