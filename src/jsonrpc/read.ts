/** Parses and validates JSON-RPC messages strictly. Callers decide whether an invalid message is dropped or gets a response. */
import { RpcError } from '../errors.ts';
import { type Id, isId, isObject, type JsonObject, type Message, PARSE_ERROR } from './message.ts';

/** Maximum nesting depth. Deeper text is rejected before it is parsed. */
export const MAX_DEPTH = 200;

/** Parses one JSON value. Throws an `RpcError` with code −32700. */
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

/** Whether JSON text nests more objects and arrays than the limit. */
export function deeperThan(text: string, limit: number): boolean {
  // Fast path: with at most `limit` opening brackets, the text cannot nest deeper than that.
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

/** Counts occurrences of a character. Stops soon after the limit. */
function countUpTo(text: string, character: string, limit: number): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1 && found <= limit; at = text.indexOf(character, at + 1)) found++;
  return found;
}

/** The id of a message that may be malformed, for the response that rejects it. */
export const readableId = (value: unknown): Id | undefined =>
  isObject(value) && isId(value['id']) ? value['id'] : undefined;

/** Why a value is not a JSON-RPC message; undefined if it is one. */
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
  // A peer that could not read the id of our request omits it, or sends null.
  if (value['id'] !== undefined && value['id'] !== null && !isId(value['id']))
    return '"id" must be a string or an integer';
  const error = value['error'];
  return isObject(error) && Number.isSafeInteger(error['code']) && typeof error['message'] === 'string'
    ? undefined
    : '"error" needs an integer "code" and a string "message"';
}

/** Casts a value for which `faultOf` returned undefined. */
export const asMessage = (value: unknown): Message => value as Message; // validated by the caller

/** Parses a JSON object; undefined if the text is anything else. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
