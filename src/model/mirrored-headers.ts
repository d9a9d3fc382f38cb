/** Arguments of a tool that are repeated as HTTP headers: which, under what name, and how a value is spelled there. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { fromBase64, toBase64 } from './base64.ts';

export const HEADER_KEYWORD = 'x-mcp-header';
export const METHOD_HEADER = 'mcp-method';
export const NAME_HEADER = 'mcp-name';
export const PARAM_PREFIX = 'mcp-param-';

/** The parameter that a method's `Mcp-Name` repeats. */
export const namedBy: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

export interface MirroredHeader {
  /** The field name, in lower case. */
  readonly name: string;
  /** Where the value is among the arguments. */
  readonly path: readonly string[];
}

/** The headers that a tool's input schema asks for, along `properties` alone. */
export function mirroredIn(schema: JsonObject, path: readonly string[] = []): readonly MirroredHeader[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).flatMap(([key, property]) => {
    if (!isObject(property)) return [];
    const own = property[HEADER_KEYWORD];
    const here = [...path, key];
    const name = typeof own === 'string' ? [{ name: PARAM_PREFIX + own.toLowerCase(), path: here }] : [];
    return [...name, ...mirroredIn(property, here)];
  });
}

/** The argument that a header repeats; undefined when it is absent or null, and so has no header. */
export function valueAt(args: unknown, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value ?? undefined;
}

const OPEN = '=?base64?';
const CLOSE = '?=';
const looksEncoded = (text: string): boolean => text.startsWith(OPEN) && text.endsWith(CLOSE);
/** What HTTP carries unchanged: visible ASCII, with spaces and tabs inside. */
const plain = /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/;

/** A value as it travels in a header. */
export function encodeHeader(value: string | number | boolean): string {
  const text = String(value);
  if (plain.test(text) && !looksEncoded(text)) return text;
  return OPEN + toBase64(new TextEncoder().encode(text)) + CLOSE;
}

/** The text that a header stands for; undefined when it has characters or an encoding that no header may have. */
export function decodeHeader(header: string): string | undefined {
  if (!plain.test(header)) return undefined;
  if (!looksEncoded(header)) return header;
  const encoded = header.slice(OPEN.length, -CLOSE.length);
  const bytes = fromBase64(encoded);
  // Padding and all, as it is written: two spellings of one value would be two values to whoever routes by it.
  if (bytes === undefined || toBase64(bytes) !== encoded) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
