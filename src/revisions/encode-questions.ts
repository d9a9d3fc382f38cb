/** Encodes questions to the client for a revision, and encodes and decodes the client's answers. */
import { defined, isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { Question } from './contract.ts';
import { encodeAnnotations, encodeCallResult, encodeTool, pickKnown } from './encode.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Encodes the params of a question. */
export function encodeQuestion(vocabulary: Vocabulary, question: Question): JsonObject {
  if (question.method === 'sampling/createMessage') return encodeSampling(vocabulary, question.params);
  if (question.method === 'elicitation/create') return encodeElicitation(vocabulary, question.params);
  return {};
}

function encodeSampling(vocabulary: Vocabulary, params: JsonObject): JsonObject {
  const messages = (params['messages'] as readonly JsonObject[]).flatMap((one) => encodeMessage(vocabulary, one)); // CreateMessageParams
  const known = pickKnown(vocabulary, 'CreateMessageParams', params);
  const { tools } = known;
  if (!Array.isArray(tools)) return { ...known, messages };
  return { ...known, messages, tools: tools.map((one: JsonObject) => encodeTool(vocabulary, one)) };
}

/** Splits a message into one per block, in revisions whose messages have only one block. */
function encodeMessage(vocabulary: Vocabulary, message: JsonObject): JsonObject[] {
  const content = message['content'];
  const known = pickKnown(vocabulary, 'SamplingMessage', message);
  if (!Array.isArray(content)) return [{ ...known, content: encodeSamplingBlock(vocabulary, content as JsonObject) }]; // a block
  const blocks = content.map((block: JsonObject) => encodeSamplingBlock(vocabulary, block));
  return vocabulary.samplingLists
    ? [{ ...known, content: blocks }]
    : blocks.map((block) => ({ ...known, content: block }));
}

function encodeSamplingBlock(vocabulary: Vocabulary, block: JsonObject): JsonObject {
  const type = block['type'];
  switch (type) {
    case 'text':
    case 'image':
    case 'audio':
    case 'tool_use':
      if (vocabulary.members[type].length > 0) return encodeAnnotations(vocabulary, pickKnown(vocabulary, type, block));
      break;
    case 'tool_result':
      if (vocabulary.members[type].length > 0) return encodeCallResult(vocabulary, block, type);
  }
  return { type: 'text', text: typeof block['text'] === 'string' ? block['text'] : JSON.stringify(block) };
}

function encodeElicitation(vocabulary: Vocabulary, params: JsonObject): JsonObject {
  const { mode, message, url, elicitationId, requestedSchema } = params;
  if (mode === 'url') {
    if (vocabulary.visits !== 'named') return { mode, message, url };
    return { mode, message, url, elicitationId: elicitationId ?? crypto.randomUUID() };
  }
  const schema = requestedSchema as JsonObject; // a form's schema
  if (vocabulary.forms === 'rich') return { mode: 'form', message, requestedSchema: schema };
  const properties = Object.entries(schema['properties'] as Record<string, JsonObject>); // flat, by the form's definition
  const plain = Object.fromEntries(properties.map(([name, field]) => [name, plainField(field)]));
  const { required } = schema;
  return { message, requestedSchema: defined<JsonObject>({ type: 'object', properties: plain, required }) };
}

interface Choice {
  readonly const: string;
  readonly title: string;
}
const choicesOf = (list: unknown): readonly Choice[] | undefined =>
  Array.isArray(list) && list.every((one) => isObject(one) && 'const' in one) ? list : undefined;

/** Reduces a field for revisions with plain fields: choices become `enum`, multiple choices become text, only booleans have defaults. */
function plainField(field: JsonObject): JsonObject {
  const { default: preset, oneOf, items, minItems: _min, maxItems: _max, ...rest } = field;
  const titled = choicesOf(oneOf);
  if (titled !== undefined) {
    return { ...rest, type: 'string', enum: titled.map((c) => c.const), enumNames: titled.map((c) => c.title) };
  }
  if (field['type'] === 'array') {
    const of = isObject(items) ? items : {};
    const names = choicesOf(of['anyOf'])?.map((c) => c.const) ?? (of['enum'] as readonly string[] | undefined) ?? [];
    const hint = `Several of: ${names.join(', ')} (separated by commas)`;
    const description = typeof rest['description'] === 'string' ? `${rest['description']}. ${hint}` : hint;
    return { ...rest, type: 'string', description };
  }
  return field['type'] === 'boolean' && preset !== undefined ? { ...rest, default: preset } : rest;
}

/** Decodes the client's answer: comma-separated text of a plain form becomes the list that the handler asked for. */
export function decodeAnswer(vocabulary: Vocabulary, question: Question, answer: JsonObject): JsonObject {
  const content = answer['content'];
  if (question.method !== 'elicitation/create' || vocabulary.forms !== 'plain' || !isObject(content)) return answer;
  const schema = question.params['requestedSchema'];
  const fields = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
  const lists = Object.entries(content).map(([name, value]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const isList = isObject(field) && field['type'] === 'array' && typeof value === 'string';
    return [name, isList ? splitList(value) : value];
  });
  return { ...answer, content: Object.fromEntries(lists) };
}

const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** Encodes a client's answer. */
export function encodeAnswer(vocabulary: Vocabulary, method: string, answer: JsonObject): JsonObject {
  if (method === 'roots/list') {
    const roots = answer['roots'] as readonly JsonObject[]; // the result of roots/list
    return { ...answer, roots: roots.map((root) => pickKnown(vocabulary, 'Root', root)) };
  }
  if (method !== 'sampling/createMessage') return answer;
  const content = answer['content'];
  const known = pickKnown(vocabulary, 'CreateMessageResult', answer);
  if (!Array.isArray(content)) return { ...known, content: encodeSamplingBlock(vocabulary, content as JsonObject) }; // a block
  const blocks = content.map((block: JsonObject) => encodeSamplingBlock(vocabulary, block));
  return { ...known, content: vocabulary.samplingLists ? blocks : mergeBlocks(blocks) };
}

/** Merges blocks for revisions with one block per message: joins texts; of mixed blocks, keeps the first. */
function mergeBlocks(blocks: readonly JsonObject[]): JsonObject {
  const texts = blocks.filter((block) => block['type'] === 'text');
  if (texts.length === blocks.length) return { type: 'text', text: texts.map((block) => block['text']).join('\n') };
  return blocks[0] ?? { type: 'text', text: '' };
}
