/**
 * What this side has asked and not yet heard about. Ids and progress tokens on the wire are chosen here, so that callers
 * who know nothing of each other can share a channel; what comes back is turned into the caller's own again.
 */
import {
  type Id,
  isFailure,
  isObject,
  type JsonObject,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../jsonrpc/message.ts';
import { LISTEN, SUBSCRIPTION_ID } from '../model/names.ts';
import type { Link } from './exchange.ts';
import { IdTable } from './id-table.ts';

export interface PendingCaller {
  /** As the caller made it, with the caller's id. */
  readonly request: RpcRequest;
  readonly link: Link;
  resolve(response: RpcResponse): void;
  reject(reason: unknown): void;
}

/** One request of ours on the wire. */
export interface PendingRequest extends PendingCaller {
  readonly id: number;
  readonly token: unknown;
  sent: boolean;
  carrier: RequestCarrier | undefined;
}

/** What a transport keeps for one request, until the request has its outcome. */
export interface RequestCarrier {
  /** Answered, failed or cancelled. */
  settled(): void;
}

/** Beyond this there would be no end of numbers to count on with. */
const MAX_OWN_ID = 2 ** 52;

export class PendingRequests {
  readonly #byId: IdTable<PendingRequest> = new IdTable();
  /** Those whose token is not their id. */
  readonly #byToken: Map<unknown, PendingRequest> = new Map();
  #lastId = 0;

  add({ request, link, resolve, reject }: PendingCaller): PendingRequest {
    const { id: theirs, params } = request;
    // An id that counts on from ours is as good as ours, and then nothing has to be written anew.
    const id = this.#isOurs(theirs) ? theirs : this.#lastId + 1;
    this.#lastId = id;
    const token = this.#free(progressTokenOf(params), id);
    const waiting: PendingRequest = { request, link, resolve, reject, id, token, sent: false, carrier: undefined };
    this.#byId.add(waiting);
    if (token !== undefined && token !== id) this.#byToken.set(token, waiting);
    return waiting;
  }

  get(id: unknown): PendingRequest | undefined {
    return this.#byId.get(id);
  }

  withToken(token: unknown): PendingRequest | undefined {
    const same = this.#byId.get(token);
    return same?.token === token ? same : this.#byToken.get(token);
  }

  /** False when it was settled before. */
  remove(waiting: PendingRequest): boolean {
    if (waiting.token !== waiting.id && waiting.token !== undefined) this.#byToken.delete(waiting.token);
    return this.#byId.delete(waiting);
  }

  /** Everything still open, taken out, in the order in which it was asked. */
  clear(): PendingRequest[] {
    this.#byToken.clear();
    return this.#byId.clear().sort((a, b) => a.id - b.id);
  }

  #isOurs(id: Id): id is number {
    return typeof id === 'number' && Number.isInteger(id) && id > this.#lastId && id < MAX_OWN_ID;
  }

  /** Two callers may have chosen the same token; the second gets another one. */
  #free(token: unknown, id: number): unknown {
    if (token === undefined || this.withToken(token) === undefined) return token;
    let other = `progress-${id}`;
    while (this.#byToken.has(other)) other += '-';
    return other;
  }
}

/** The request as it goes out. */
export function toWire({ request, id, token }: PendingRequest): RpcRequest {
  const { method, params } = request;
  if (request.id === id && token === progressTokenOf(params)) return request;
  if (params === undefined) return { jsonrpc: '2.0', id, method };
  if (token === progressTokenOf(params)) return { jsonrpc: '2.0', id, method, params };
  return { jsonrpc: '2.0', id, method, params: withMeta(params, 'progressToken', token) };
}

/** The answer as the caller gets it. */
export function responseFor({ request, id }: PendingRequest, response: RpcResponse): RpcResponse {
  const { method, id: theirs } = request;
  if (theirs === response.id) return response;
  if (isFailure(response)) return { ...response, id: theirs };
  const { result } = response;
  const tagged = method === LISTEN && metaOf(result)?.[SUBSCRIPTION_ID] === id;
  return { jsonrpc: '2.0', id: theirs, result: tagged ? withMeta(result, SUBSCRIPTION_ID, theirs) : result };
}

/** A report of progress as the caller gets it. */
export function progressFor({ request, token }: PendingRequest, message: RpcNotification): RpcNotification {
  const theirs = progressTokenOf(request.params);
  return theirs === token ? message : { ...message, params: { ...message.params, progressToken: theirs } };
}

/** News of a subscription as the caller gets it. */
export function changeFor({ request, id }: PendingRequest, message: RpcNotification): RpcNotification {
  const theirs = request.id;
  return theirs === id ? message : { ...message, params: withMeta(message.params ?? {}, SUBSCRIPTION_ID, theirs) };
}

export function metaOf(params: JsonObject | undefined): JsonObject | undefined {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta : undefined;
}

const progressTokenOf = (params: JsonObject | undefined): unknown => metaOf(params)?.['progressToken'];

const withMeta = (params: JsonObject, key: string, value: unknown): JsonObject => ({
  ...params,
  _meta: { ...metaOf(params), [key]: value },
});
