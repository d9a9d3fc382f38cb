/**
 * Client: decodes results of servers, leniently. A malformed item is skipped with a warning; only a result without the required list
 * is an error.
 */
import { McpError } from '../errors.ts';
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { type Content, isFlatBlock, type Meta, type ResourceContents } from '../model/content.ts';
import { limitWarnings } from '../model/limit-warnings.ts';
import type {
  CacheHints,
  CallToolResult,
  Completion,
  GetPromptResult,
  PromptMessage,
  ReadResourceResult,
} from '../model/parts.ts';
import { textOfValue } from '../model/text-of-value.ts';
import type { InputRequests, Revision } from './contract.ts';

/** Called with a warning about a skipped item. */
export type Warn = (what: string) => void;

export function decodeCall(result: JsonObject, warn: Warn): CallToolResult {
  const { content, isError, structuredContent } = result;
  const bare = content === undefined && ('structuredContent' in result || isError === true);
  if (!bare && !Array.isArray(content)) throw malformedResult('tools/call', '"content" must be a list');
  return {
    content: readAll(bare ? [] : (content as readonly unknown[]), readContent, 'content of tools/call', warn), // a list, as checked above
    ...('structuredContent' in result ? { structuredContent } : {}),
    ...(isError === true ? { isError } : {}),
    _meta: metaOf(result),
  };
}

export function decodeRead(result: JsonObject, warn: Warn): ReadResourceResult {
  const { contents } = result;
  if (!Array.isArray(contents)) throw malformedResult('resources/read', '"contents" must be a list');
  return { contents: readAll(contents, readContents, 'contents of resources/read', warn), _meta: metaOf(result) };
}

export function decodePrompt(result: JsonObject, warn: Warn): GetPromptResult {
  const { messages, description } = result;
  if (!Array.isArray(messages)) throw malformedResult('prompts/get', '"messages" must be a list');
  return {
    messages: readAll(messages, readMessage, 'messages of prompts/get', warn),
    ...(typeof description === 'string' ? { description } : {}),
    _meta: metaOf(result),
  };
}

function readMessage({ role, content }: JsonObject): PromptMessage | undefined {
  const block = isObject(content) ? readContent(content) : undefined;
  return (role === 'user' || role === 'assistant') && block !== undefined ? { role, content: block } : undefined;
}

/** Decodes completions. A malformed result becomes an empty list, because completions are optional. */
export function decodeCompletion(result: JsonObject): Completion {
  const { values, total, hasMore } = isObject(result['completion']) ? result['completion'] : {};
  return {
    values: Array.isArray(values) ? values.filter((one) => typeof one === 'string') : [],
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof hasMore === 'boolean' ? { hasMore } : {}),
  };
}

/** Throws for a `resultType` that neither the revision nor an extension declares. */
export function checkResultType(
  revision: Revision,
  method: string,
  result: JsonObject,
  extra: ReadonlySet<unknown>,
): void {
  const type = result['resultType'];
  if (revision.resultTypes === undefined || type === undefined || extra.has(type)) return;
  if (typeof type === 'string' && revision.resultTypes.has(type)) return;
  throw new McpError('MCP_UNKNOWN_RESULT_TYPE', { method, type: textOfValue(type) });
}

/** The same limit as for concurrently open requests of a server. */
const MAX_QUESTIONS = 1_024;

/** Throws if a result has too many questions, or neither questions nor state: a retry would then only repeat the call's effects. */
export function checkQuestions(method: string, { requests, state }: InputRequests): void {
  if (requests.size === 0 && state === undefined)
    throw malformedResult(method, 'it asks for input, without "inputRequests" and "requestState"');
  if (requests.size <= MAX_QUESTIONS) return;
  throw malformedResult(
    method,
    `it asks ${requests.size} questions at once, and at most ${MAX_QUESTIONS} are answered`,
  );
}

/** Reads the cache hints of a result. Default: not cacheable, private. */
export function cacheHintsOf(result: JsonObject): Required<CacheHints> {
  const { ttlMs, cacheScope } = result;
  return {
    ttlMs: typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : 0,
    cacheScope: cacheScope === 'public' ? 'public' : 'private',
  };
}

const metaOf = (result: JsonObject): Meta => (isObject(result['_meta']) ? result['_meta'] : {});

/** Reads the valid items of a list, and warns about the others. `of` names the list in warnings. */
export function readAll<T>(
  values: readonly unknown[],
  read: (value: JsonObject) => T | undefined,
  of: string,
  warn: Warn,
): T[] {
  const all: T[] = [];
  const warnOfItem = limitWarnings(warn, `the ${of}`);
  for (const [index, value] of values.entries()) {
    const one = isObject(value) ? read(value) : undefined;
    if (one === undefined) warnOfItem(`Item ${index} in the ${of} is malformed and was left out`);
    else all.push(one);
  }
  return all;
}

export const malformedResult = (method: string, why: string): McpError =>
  new McpError('MCP_BAD_RESULT', { method, why });

/** Reads a content block; undefined if it is malformed or of an unknown kind. */
export function readContent(block: JsonObject): Content | undefined {
  if (!isFlatBlock(block)) return block['type'] === 'resource' ? readResource(block) : undefined;
  return block as Content; // isFlatBlock checked the required members
}

function readResource(block: JsonObject): Content | undefined {
  const { resource, uri } = block;
  if (!isObject(resource)) {
    // Some documentation shows blocks with only the URI of a resource; these are links.
    return typeof uri === 'string' ? { name: uri, ...block, type: 'resource_link', uri } : undefined;
  }
  const { annotations, ...inner } = resource;
  const contents = readContents(inner);
  if (contents === undefined) return undefined;
  // Some examples have the annotations inside the resource, instead of on the block.
  const outer = block['annotations'] ?? annotations;
  return { ...block, ...(isObject(outer) ? { annotations: outer } : {}), type: 'resource', resource: contents };
}

export function readContents(value: JsonObject): ResourceContents | undefined {
  const isValid =
    typeof value['uri'] === 'string' && (typeof value['text'] === 'string' || typeof value['blob'] === 'string');
  return isValid ? (value as ResourceContents) : undefined; // as checked above
}
