/** JSON-RPC 2.0 message types, with type guards and constructors. Independent of MCP. */
import { RpcError } from '../errors.ts';

/** A JSON object whose members are not validated yet. */
export interface JsonObject {
  readonly [key: string]: unknown;
}

/** A string or an integer. `"1"` and `1` are different ids; `0` and `""` are valid. */
export type Id = string | number;

/** Maximum length of a string id. Ids are stored and echoed, so a peer must not choose their size. */
export const MAX_ID_LENGTH = 1024;

export const isId = (value: unknown): value is Id =>
  typeof value === 'string' ? value.length <= MAX_ID_LENGTH : Number.isSafeInteger(value);

/** A message that gets a response. */
export interface RpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: Id;
  readonly method: string;
  readonly params?: JsonObject | undefined;
}
/** A message without a response. */
export interface RpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: JsonObject | undefined;
}
/** The response to a request that succeeded. */
export interface RpcSuccess {
  readonly jsonrpc: '2.0';
  readonly id: Id;
  readonly result: JsonObject;
}
export interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}
/** The response to a request that failed. */
export interface RpcFailure {
  readonly jsonrpc: '2.0';
  /** Absent if the rejected message had no readable id. */
  readonly id?: Id | null;
  readonly error: ErrorBody;
}
/** The response to a request. */
export type RpcResponse = RpcSuccess | RpcFailure;
/** Any JSON-RPC message. */
export type Message = RpcRequest | RpcNotification | RpcResponse;

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** Whether a message expects a response. */
export const isRequest = (m: Message): m is RpcRequest => 'method' in m && 'id' in m;
export const isNotification = (m: Message): m is RpcNotification => 'method' in m && !('id' in m);
export const isResponse = (m: Message): m is RpcResponse => !('method' in m);
export const isFailure = (m: RpcResponse): m is RpcFailure => 'error' in m;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value must be awaited: a `Promise`, or another thenable, such as a query builder. */
export const isPromise = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** Copies an object and sets members. On the path of every request; V8 runs `Object.assign` faster than object spread. */
export function withMembers(object: JsonObject | undefined, members: JsonObject): JsonObject {
  // Prototype pollution: assigning `__proto__` would set the prototype of the copy.
  if (object !== undefined && Object.hasOwn(object, '__proto__')) return { ...object, ...members };
  return Object.assign({}, object, members);
}

/** T, whose optional members can also be `undefined`. */
type Undefinable<T> = { readonly [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K] };

/** Removes members that are `undefined`. Not for the path of a request, where an object literal is faster. */
export const defined = <T extends object>(members: Undefinable<T>): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T; // as filtered

export const request = (id: Id, method: string, params?: JsonObject): RpcRequest =>
  params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params };

export const notification = (method: string, params?: JsonObject): RpcNotification =>
  params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params };

/** Creates the response to a request that succeeded. */
export const success = (id: Id, result: JsonObject): RpcSuccess => ({ jsonrpc: '2.0', id, result });

/** Creates an error response. Any error but an `RpcError` becomes −32603 without its message, which may contain secrets. */
export function failure(id: Id | undefined, thrown: unknown): RpcFailure {
  const e = thrown instanceof RpcError ? thrown : new RpcError(INTERNAL_ERROR, 'Internal error');
  const error: ErrorBody =
    e.data === undefined ? { code: e.code, message: e.message } : { code: e.code, message: e.message, data: e.data };
  return id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error };
}

/** Returns the result of a response, or throws its error. */
export function resultOf(response: RpcResponse): JsonObject {
  if (!isFailure(response)) return response.result;
  const { code, message, data } = response.error;
  throw new RpcError(code, message, data);
}
