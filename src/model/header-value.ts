/** Encodes tool arguments as values of the headers that mirror them, and decodes these. Used by transports only. */
import { isObject } from '../jsonrpc/message.ts';
import { fromBase64, toBase64 } from './base64.ts';

/** The argument that a header mirrors; undefined if it is absent or null, and so has no header. */
export function argumentAt(args: unknown, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value ?? undefined;
}

const OPEN = '=?base64?';
const CLOSE = '?=';
const looksEncoded = (text: string): boolean => text.startsWith(OPEN) && text.endsWith(CLOSE);
/** Text that HTTP carries unchanged: visible ASCII, with spaces and tabs inside. Not empty, because proxies can drop an empty header. */
const plain = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;

/** Encodes a value for a header, as base64 if HTTP cannot carry it unchanged. */
export function encodeHeader(value: string | number | boolean): string {
  const text = String(value);
  if (plain.test(text) && !looksEncoded(text)) return text;
  return OPEN + toBase64(new TextEncoder().encode(text)) + CLOSE;
}

/** Decodes a header to text; undefined if its characters or its encoding are invalid. */
export function decodeHeader(header: string): string | undefined {
  if (header !== '' && !plain.test(header)) return undefined;
  if (!looksEncoded(header)) return header;
  const encoded = header.slice(OPEN.length, -CLOSE.length);
  const bytes = fromBase64(encoded);
  // Only the canonical encoding, with padding: a proxy that routes by the header compares text.
  if (bytes === undefined || toBase64(bytes) !== encoded) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
