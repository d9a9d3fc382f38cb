/**
 * Translates an upstream's result into the caller's revision and exposed URIs. Between equal revisions, the rest passes through
 * unchanged.
 */
import { isObject, type JsonObject, withMembers } from '../../jsonrpc/message.ts';
import type { Content } from '../../model/content.ts';
import type { Completion } from '../../model/parts.ts';
import type { Revision } from '../../revisions/contract.ts';
import {
  cacheHintsOf,
  decodeCall,
  decodeCompletion,
  decodePrompt,
  decodeRead,
  malformedResult,
} from '../../revisions/decode.ts';
import { encodeCallResult, encodePromptResult, encodeReadResult } from '../../revisions/encode.ts';
import type { ExposedPart } from '../contract.ts';
import type { ExposedNames } from '../names/exposed-names.ts';
import { resultMeta } from '../names/gateway-meta.ts';

export interface ResultContext {
  readonly method: string;
  readonly part: ExposedPart;
  /** The upstream's revision. */
  readonly from: Revision;
  /** The caller's revision. */
  readonly to: Revision;
  readonly names: ExposedNames;
  /** Whether rules depend on the caller. */
  readonly isPrivate: boolean;
  /** Whether a completion can suggest this value to the caller. */
  readonly suggests: (value: string) => boolean;
}

/** The protocol's limit for one completion. */
const MAX_VALUES = 100;

type Rewrite = (uri: string) => string;
const ignore = (): undefined => undefined;

export function translateResult(result: JsonObject, context: ResultContext): JsonObject {
  const { part, names, method } = context;
  const rewrite: Rewrite = (uri) => names.uriOf(part.label, uri);
  const _meta = resultMeta(result, part.label);
  if (method === 'tools/call') return translateCall(withMembers(result, { _meta }), context, rewrite);
  if (method === 'prompts/get') return translatePrompt(withMembers(result, { _meta }), context, rewrite);
  if (method === 'resources/read') return translateRead(withMembers(result, { _meta }), context, rewrite);
  return { completion: translateCompletion(decodeCompletion(result), context), _meta };
}

/** Drops `total` if values were removed, because it would reveal hidden ones. */
function translateCompletion({ total, ...completion }: Completion, { suggests }: ResultContext): Completion {
  const values = completion.values.slice(0, MAX_VALUES).filter(suggests);
  const isWhole = values.length === completion.values.length;
  return { ...completion, values, ...(isWhole && total !== undefined ? { total } : {}) };
}

function translateCall(result: JsonObject, { from, to }: ResultContext, rewrite: Rewrite): JsonObject {
  const { content } = result;
  if (from === to) {
    if (!Array.isArray(content)) return { content: decodeCall(result, ignore).content, ...result };
    const blocks = rewriteBlocks(content, rewrite);
    return blocks === content ? result : { ...result, content: blocks };
  }
  const known = decodeCall(result, ignore);
  const blocks = rewriteBlocks(known.content, rewrite) as readonly Content[]; // only URIs changed
  return encodeCallResult(to.vocabulary, { ...known, content: blocks }, 'CallToolResult');
}

function translatePrompt(result: JsonObject, { from, to }: ResultContext, rewrite: Rewrite): JsonObject {
  const known = from === to ? result : { ...decodePrompt(result, ignore) };
  const { messages } = known;
  if (!Array.isArray(messages)) throw malformedResult('prompts/get', '"messages" must be a list');
  const rewritten = messages.map((message: unknown) => {
    if (!isObject(message)) return message;
    const content = rewriteBlock(message['content'], rewrite);
    return content === message['content'] ? message : { ...message, content };
  });
  const all = { ...known, messages: rewritten };
  return from === to ? all : encodePromptResult(to.vocabulary, all);
}

function translateRead(result: JsonObject, context: ResultContext, rewrite: Rewrite): JsonObject {
  const { from, to, isPrivate } = context;
  const { contents } = from === to ? result : decodeRead(result, ignore);
  if (!Array.isArray(contents) || !contents.every(isObject))
    throw malformedResult('resources/read', '"contents" must be a list of objects');
  const hints = cacheHintsOf(result);
  const all = {
    ...result,
    contents: contents.map((one: unknown) => rewriteUri(one, rewrite)),
    // Without hints of the upstream, the defaults forbid caching.
    ...hints,
    ...(isPrivate ? { cacheScope: 'private' } : {}),
  };
  return encodeReadResult(to.vocabulary, all);
}

/** Returns the same array if no block has a URI. */
function rewriteBlocks(blocks: readonly unknown[], rewrite: Rewrite): readonly unknown[] {
  return blocks.some(hasUri) ? blocks.map((block) => rewriteBlock(block, rewrite)) : blocks;
}

const hasUri = (block: unknown): boolean =>
  isObject(block) && (block['type'] === 'resource' || block['type'] === 'resource_link');

function rewriteBlock(block: unknown, rewrite: Rewrite): unknown {
  if (!isObject(block)) return block;
  if (block['type'] === 'resource_link') return rewriteUri(block, rewrite);
  if (block['type'] === 'resource') return { ...block, resource: rewriteUri(block['resource'], rewrite) };
  return block;
}

const rewriteUri = (value: unknown, rewrite: Rewrite): unknown =>
  isObject(value) && typeof value['uri'] === 'string' ? { ...value, uri: rewrite(value['uri']) } : value;
