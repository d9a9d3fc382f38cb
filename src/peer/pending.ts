/**
 * What this side has asked and not yet heard about. Ids and progress tokens on the wire are chosen here, so that callers
 * who know nothing of each other can share a channel; what comes back is turned into the caller's own again.
 */
import {
  type Id,
  isFailure,
  isObject,
  type JsonObject,
  type Notification,
  type Request,
  type Response,
} from '../jsonrpc/message.ts';
import { LISTEN, SUBSCRIPTION_ID } from '../model/names.ts';
import type { Link } from './exchange.ts';

export interface Caller {
  /** As the caller made it, with the caller's id. */
  readonly request: Request;
  readonly link: Link;
  resolve(response: Response): void;
  reject(reason: unknown): void;
}

/** One request of ours on the wire. */
export interface Waiting {
  readonly caller: Caller;
  readonly id: number;
  readonly token: unknown;
}

export class Pending {
  readonly #byId: Map<Id, Waiting> = new Map();
  readonly #byToken: Map<unknown, Waiting> = new Map();
  #lastId = 0;

  add(caller: Caller): Waiting {
    const id = ++this.#lastId;
    const token = this.#free(tokenIn(caller.request.params), id);
    const waiting: Waiting = { caller, id, token };
    this.#byId.set(id, waiting);
    if (token !== undefined) this.#byToken.set(token, waiting);
    return waiting;
  }

  get(id: unknown): Waiting | undefined {
    return this.#byId.get(id as Id); // any other type finds nothing
  }

  withToken(token: unknown): Waiting | undefined {
    return this.#byToken.get(token);
  }

  /** False when it was settled before. */
  remove(waiting: Waiting): boolean {
    if (waiting.token !== undefined) this.#byToken.delete(waiting.token);
    return this.#byId.delete(waiting.id);
  }

  /** Everything still open, taken out. */
  clear(): Waiting[] {
    const all = [...this.#byId.values()];
    this.#byId.clear();
    this.#byToken.clear();
    return all;
  }

  /** Two callers may have chosen the same token; the second gets another one. */
  #free(token: unknown, id: number): unknown {
    if (token === undefined || !this.#byToken.has(token)) return token;
    let other = `progress-${id}`;
    while (this.#byToken.has(other)) other += '-';
    return other;
  }
}

/** The request as it goes out. */
export function outgoing({ caller, id, token }: Waiting): Request {
  const { method, params } = caller.request;
  if (params === undefined) return { jsonrpc: '2.0', id, method };
  if (token === tokenIn(params)) return { jsonrpc: '2.0', id, method, params };
  return { jsonrpc: '2.0', id, method, params: withMeta(params, 'progressToken', token) };
}

/** The answer as the caller gets it. */
export function answerFor({ caller, id }: Waiting, response: Response): Response {
  const { method, id: theirs } = caller.request;
  if (isFailure(response)) return { ...response, id: theirs };
  const { result } = response;
  const tagged = method === LISTEN && theirs !== id && metaOf(result)?.[SUBSCRIPTION_ID] === id;
  return { jsonrpc: '2.0', id: theirs, result: tagged ? withMeta(result, SUBSCRIPTION_ID, theirs) : result };
}

/** A report of progress as the caller gets it. */
export function progressFor({ caller, token }: Waiting, message: Notification): Notification {
  const theirs = tokenIn(caller.request.params);
  return theirs === token ? message : { ...message, params: { ...message.params, progressToken: theirs } };
}

/** News of a subscription as the caller gets it. */
export function newsFor({ caller, id }: Waiting, message: Notification): Notification {
  const theirs = caller.request.id;
  return theirs === id ? message : { ...message, params: withMeta(message.params ?? {}, SUBSCRIPTION_ID, theirs) };
}

export function metaOf(params: JsonObject | undefined): JsonObject | undefined {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta : undefined;
}

const tokenIn = (params: JsonObject | undefined): unknown => metaOf(params)?.['progressToken'];

const withMeta = (params: JsonObject, key: string, value: unknown): JsonObject => ({
  ...params,
  _meta: { ...metaOf(params), [key]: value },
});
