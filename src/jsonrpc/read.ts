/** Text to messages, strictly. A fault is returned as text; nothing here sends a response or drops a message. */
import { RpcError } from '../errors.ts';
import { type Id, isId, isObject, type JsonObject, type Message, PARSE_ERROR } from './message.ts';

/** Deeper nesting is rejected before it is parsed. */
export const MAX_DEPTH = 200;

/** One JSON value, or an `RpcError` with −32700. */
export function parse(text: string): unknown {
  // A value nested d levels deep has at least 2d characters, so short texts need no scan.
  if (text.length > 2 * MAX_DEPTH && deeperThan(text, MAX_DEPTH)) {
    throw new RpcError(PARSE_ERROR, `Parse error: nested deeper than ${MAX_DEPTH} levels`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new RpcError(PARSE_ERROR, 'Parse error: not JSON');
  }
}

function deeperThan(text: string, limit: number): boolean {
  // Few brackets cannot nest deeply, wherever they are; that is the usual case, and quick to see.
  if (countUpTo(text, '{', limit) + countUpTo(text, '[', limit) <= limit) return false;
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (quoted) {
      if (c === 0x5c) i++;
      else if (c === 0x22) quoted = false;
    } else if (c === 0x22) quoted = true;
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > limit) return true;
    } else if (c === 0x7d || c === 0x5d) depth--;
  }
  return false;
}

/** How often a character occurs; not counted beyond the limit. */
function countUpTo(text: string, character: string, limit: number): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1 && found <= limit; at = text.indexOf(character, at + 1)) found++;
  return found;
}

/** The id of the response that rejects a message, if it has a readable one. */
export const readableId = (value: unknown): Id | undefined =>
  isObject(value) && isId(value['id']) ? value['id'] : undefined;

/** What keeps a value from being a message; undefined when it is one. */
export function faultOf(value: unknown): string | undefined {
  if (!isObject(value)) return 'a message is a JSON object';
  if (value['jsonrpc'] !== '2.0') return '"jsonrpc" must be "2.0"';
  return 'method' in value ? callFault(value) : responseFault(value);
}

function callFault(value: JsonObject): string | undefined {
  if (typeof value['method'] !== 'string') return '"method" must be a string';
  if ('result' in value || 'error' in value) return 'a message has a method or an outcome, not both';
  if (value['params'] !== undefined && !isObject(value['params'])) return '"params" must be an object';
  if ('id' in value && !isId(value['id'])) return '"id" must be a string or an integer';
  return undefined;
}

function responseFault(value: JsonObject): string | undefined {
  const failed = 'error' in value;
  if (failed === 'result' in value) return 'a response has either "result" or "error"';
  if (!failed) {
    if (!isId(value['id'])) return '"id" must be a string or an integer';
    return isObject(value['result']) ? undefined : '"result" must be an object';
  }
  // A peer that could not read our id answers without one, or with null.
  if (value['id'] !== undefined && value['id'] !== null && !isId(value['id']))
    return '"id" must be a string or an integer';
  const error = value['error'];
  return isObject(error) && Number.isSafeInteger(error['code']) && typeof error['message'] === 'string'
    ? undefined
    : '"error" needs an integer "code" and a string "message"';
}

/** A value already found to be a message. */
export const asMessage = (value: unknown): Message => value as Message; // faultOf(value) === undefined says so

/** The JSON object that a text is; undefined for any other text. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
