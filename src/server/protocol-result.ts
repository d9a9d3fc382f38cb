/**
 * Recognizes results in the protocol's own form, as handlers written for other SDKs return them. Rejects values that almost have that
 * form: if they were sent as data, the mistake would go unnoticed.
 */
import { badDefinition, type McpError } from '../errors.ts';
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { blockFault, contentsFault } from '../model/block-fault.ts';
import type { ResourceContents } from '../model/content.ts';
import type { CallToolResult, ReadResourceResult } from '../model/parts.ts';

type ShapeTest = (value: unknown) => boolean;
const anything: ShapeTest = () => true;

const members: ReadonlyMap<string, ShapeTest> = new Map<string, ShapeTest>([
  ['content', Array.isArray],
  ['structuredContent', anything],
  ['isError', (value) => typeof value === 'boolean'],
  ['_meta', isObject],
]);
const readMembers: ReadonlyMap<string, ShapeTest> = new Map<string, ShapeTest>([
  ['contents', Array.isArray],
  ['ttlMs', (value) => Number.isSafeInteger(value) && Number(value) >= 0],
  ['cacheScope', (value) => value === 'public' || value === 'private'],
  ['_meta', isObject],
]);

const blockTypes: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);
const seemsBlock = (item: unknown): boolean => isObject(item) && blockTypes.has(item['type']);
const seemsContents = (item: unknown): boolean =>
  isObject(item) && typeof item['uri'] === 'string' && ('text' in item || 'blob' in item);

/** The value that a tool returned, if it is a `CallToolResult`; `undefined` if it is data. */
export function callResultIn(value: JsonObject, tool: string): CallToolResult | undefined {
  const { content } = value;
  if (!Array.isArray(content)) return undefined;
  const fault = itemFault(content, seemsBlock, blockFault) ?? memberFault(value, members);
  if (fault === undefined) return value as CallToolResult; // itemFault and memberFault checked it
  if (!content.some(seemsBlock)) return undefined;
  const why = `${fault}. Correct it, or declare "output" to return it as data`;
  throw almostResultError(`tool "${tool}"`, 'a result with "content"', why);
}

/** The value that a resource returned, if it is a `ReadResourceResult`; `undefined` if it is data. */
export function readResultIn(value: JsonObject, what: string): ReadResourceResult | undefined {
  const { contents } = value;
  if (!Array.isArray(contents)) return undefined;
  const fault = itemFault(contents, seemsContents, faultOfContents) ?? memberFault(value, readMembers);
  if (fault === undefined) return value as ReadResourceResult; // likewise
  if (!contents.some(seemsContents)) return undefined;
  const why = `${fault}. Correct it, or return JSON text to return it as data`;
  throw almostResultError(what, 'a result with "contents"', why);
}

/** Checks a list that a resource returned. A list must be contents: it has no other meaning. */
export function contentsIn(list: readonly unknown[], what: string): readonly ResourceContents[] {
  const fault = itemFault(list, anything, faultOfContents);
  if (fault === undefined) return list as readonly ResourceContents[]; // itemFault checked each item
  const why = `${fault}. Return { uri, text } or { uri, blob }, or an object to send it as JSON`;
  throw almostResultError(what, 'a list of contents', why);
}

/** Throws for a list that mixes content blocks with other values. */
export function rejectMixedList(list: readonly unknown[], isBlock: ShapeTest, tool: string): never {
  const at = list.findIndex((item) => !isBlock(item));
  const why = `item ${at} is not a content block. Return blocks alone, or declare "output" to return it as data`;
  throw almostResultError(`tool "${tool}"`, 'a list of content blocks', why);
}

const almostResultError = (what: string, like: string, why: string): McpError =>
  badDefinition(what, `it returned almost ${like}, but ${why}`);

const faultOfContents = (item: unknown): string | undefined =>
  isObject(item) ? contentsFault(item) : 'contents are an object';

function itemFault(
  list: readonly unknown[],
  seems: ShapeTest,
  faultOf: (item: unknown) => string | undefined,
): string | undefined {
  for (const [at, item] of list.entries()) {
    const fault = seems(item) ? faultOf(item) : 'it is not a content block';
    if (fault !== undefined) return `item ${at} is invalid: ${fault}`;
  }
  return undefined;
}

function memberFault(value: JsonObject, known: ReadonlyMap<string, ShapeTest>): string | undefined {
  const bad = Object.entries(value).find(
    ([name, member]) => member !== undefined && known.get(name)?.(member) !== true,
  );
  if (bad === undefined) return undefined;
  return known.has(bad[0]) ? `"${bad[0]}" has an invalid value` : `"${bad[0]}" is not one of its members`;
}
