/**
 * Tracks our requests that wait for a response. Assigns wire ids and progress tokens, so that independent callers can share a
 * channel, and maps responses and notifications back to the ids and tokens of the caller.
 */
import { McpError } from '../errors.ts';
import {
  type Id,
  isFailure,
  type JsonObject,
  type Message,
  notification,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  success,
} from '../jsonrpc/message.ts';
import { CANCELLED, LISTEN, SUBSCRIPTION_ID } from '../model/names.ts';
import { metaOf } from './call-link.ts';
import { type Link, whenAborted } from './exchange.ts';
import { IdTable } from './id-table.ts';

/** Writes messages to the channel. */
export interface MessageSink {
  /** Throws only if the message cannot be serialized. */
  send(message: Message): void;
  /** Replaces `send` for requests, if the transport holds state for each of them. */
  readonly sendRequest?: ((request: RpcRequest) => RequestCarrier) | undefined;
}

/** The state that a transport holds for one request, until the request is settled. */
export interface RequestCarrier {
  /** Called when the request was answered, failed or was cancelled. */
  settled(): void;
}

/** One of our requests that waits for a response. */
interface PendingRequest {
  /** The id on the wire. */
  readonly id: Id;
  /** The request of the caller, with the caller's id. */
  readonly request: RpcRequest;
  readonly link: Link;
  /** The progress token on the wire. */
  readonly token: unknown;
  readonly number: number;
  carrier: RequestCarrier | undefined;
  resolve(response: RpcResponse): void;
  reject(reason: unknown): void;
}

/** Callers' ids above this are replaced, so that safe integers remain to count on from. */
const MAX_OWN_ID = 2 ** 52;

export class PendingRequests {
  readonly #prefix: string | undefined;
  readonly #byId: IdTable<PendingRequest> = new IdTable();
  /** Requests whose progress token differs from their wire id. */
  readonly #byToken: Map<unknown, PendingRequest> = new Map();
  #last = 0;

  /** `prefix` starts every wire id, so that ids of several processes that send to the same client cannot collide. */
  constructor(prefix?: string) {
    this.#prefix = prefix;
  }

  /** Sends a request under a wire id. The response has the caller's id again. */
  send(request: RpcRequest, link: Link, sink: MessageSink): Promise<RpcResponse> {
    return new Promise((resolve, reject) => {
      const pending = this.#add(request, link, { resolve, reject });
      let isSent = false;
      whenAborted(link, (reason) => {
        if (!this.#remove(pending)) return;
        // `initialize` cannot be cancelled; the connection is closed instead.
        if (isSent && request.method !== 'initialize') sink.send(cancellation(pending.id, reason));
        reject(reason);
      });
      if (this.#byId.get(pending.id) === undefined) return;
      try {
        isSent = true;
        if (sink.sendRequest === undefined) sink.send(toWire(pending));
        else {
          pending.carrier = sink.sendRequest(toWire(pending));
          // The request may have failed while it was being sent.
          if (this.#byId.get(pending.id) === undefined) pending.carrier.settled();
        }
      } catch (thrown) {
        this.#remove(pending);
        reject(thrown);
      }
    });
  }

  get size(): number {
    return this.#byId.all().length;
  }

  /** Maps a wire id to the caller's id. */
  callerId(id: Id | undefined): Id | undefined {
    return this.#byId.get(id)?.request.id;
  }

  /** Resolves the request of a response. Returns false if no request waits for it. */
  settle(response: RpcResponse): boolean {
    const pending = this.#byId.get(response.id);
    if (pending === undefined) return false;
    this.#remove(pending);
    pending.resolve(responseFor(pending, response));
    return true;
  }

  /** Rejects one request, with a reason that can depend on its method. */
  fail(id: unknown, reason: (method: string) => Error): void {
    const pending = this.#byId.get(id);
    if (pending !== undefined && this.#remove(pending)) pending.reject(reason(pending.request.method));
  }

  /** Rejects all open requests, in the order in which they were sent. */
  rejectAll(reason: Error): void {
    this.#byToken.clear();
    for (const pending of this.#byId.clear().sort((a, b) => a.number - b.number)) {
      pending.reject(reason);
      pending.carrier?.settled();
    }
  }

  /** Forwards a progress notification to its caller. Returns false if no request has its token. */
  notifyProgress(message: RpcNotification): boolean {
    const pending = this.#withToken(message.params?.['progressToken']);
    pending?.link.notify(progressFor(pending, message));
    return pending !== undefined;
  }

  /** Forwards a notification to its subscription. Returns false if it belongs to none. */
  notifySubscriber(message: RpcNotification): boolean {
    const pending = this.#byId.get(metaOf(message.params)?.[SUBSCRIPTION_ID]);
    pending?.link.notify(changeFor(pending, message));
    return pending !== undefined;
  }

  /** The server ended our subscription. Other requests cannot be ended this way. */
  endSubscription(id: unknown): void {
    const pending = this.#byId.get(id);
    if (pending?.request.method !== LISTEN) return;
    this.#remove(pending);
    pending.resolve(success(pending.request.id, {}));
  }

  #add(request: RpcRequest, link: Link, outcome: Pick<PendingRequest, 'resolve' | 'reject'>): PendingRequest {
    const prefix = this.#prefix;
    // A caller's id that is higher than all before is used as it is, so that the message need not be copied.
    const number = prefix === undefined && this.#isUnused(request.id) ? request.id : this.#last + 1;
    this.#last = number;
    const id = prefix === undefined ? number : prefix + number;
    const token = this.#freeToken(progressTokenOf(request.params), number);
    const { resolve, reject } = outcome;
    const pending: PendingRequest = { id, request, link, token, number, resolve, reject, carrier: undefined };
    this.#byId.add(pending);
    if (token !== undefined && token !== id) this.#byToken.set(token, pending);
    return pending;
  }

  /** Returns false if the request was settled before. */
  #remove(pending: PendingRequest): boolean {
    const { id, token } = pending;
    if (!this.#byId.delete(pending)) return false;
    if (token !== id && token !== undefined) this.#byToken.delete(token);
    pending.carrier?.settled();
    return true;
  }

  #withToken(token: unknown): PendingRequest | undefined {
    const found = this.#byId.get(token);
    return found?.token === token ? found : this.#byToken.get(token);
  }

  #isUnused(id: Id): id is number {
    return typeof id === 'number' && Number.isInteger(id) && id > this.#last && id < MAX_OWN_ID;
  }

  /** Two callers can choose the same progress token; the second one is replaced. */
  #freeToken(token: unknown, number: number): unknown {
    if (token === undefined || this.#withToken(token) === undefined) return token;
    let other = `progress-${number}`;
    while (this.#byToken.has(other)) other += '-';
    return other;
  }
}

/** The request with the id and token of the wire. */
function toWire({ request, id, token }: PendingRequest): RpcRequest {
  const { method, params } = request;
  if (request.id === id && token === progressTokenOf(params)) return request;
  if (params === undefined) return { jsonrpc: '2.0', id, method };
  if (token === progressTokenOf(params)) return { jsonrpc: '2.0', id, method, params };
  return { jsonrpc: '2.0', id, method, params: withMeta(params, 'progressToken', token) };
}

/** The response with the ids of the caller. */
function responseFor({ request, id }: PendingRequest, response: RpcResponse): RpcResponse {
  const { method, id: theirs } = request;
  if (theirs === response.id) return response;
  if (isFailure(response)) return { ...response, id: theirs };
  const { result } = response;
  const tagged = method === LISTEN && metaOf(result)?.[SUBSCRIPTION_ID] === id;
  return { jsonrpc: '2.0', id: theirs, result: tagged ? withMeta(result, SUBSCRIPTION_ID, theirs) : result };
}

/** A progress notification with the token of the caller. */
function progressFor({ request, token }: PendingRequest, message: RpcNotification): RpcNotification {
  const theirs = progressTokenOf(request.params);
  return theirs === token ? message : { ...message, params: { ...message.params, progressToken: theirs } };
}

/** A notification of a subscription with the id of the caller. */
function changeFor({ request, id }: PendingRequest, message: RpcNotification): RpcNotification {
  const theirs = request.id;
  return theirs === id ? message : { ...message, params: withMeta(message.params ?? {}, SUBSCRIPTION_ID, theirs) };
}

const progressTokenOf = (params: JsonObject | undefined): unknown => metaOf(params)?.['progressToken'];

const withMeta = (params: JsonObject, key: string, value: unknown): JsonObject => ({
  ...params,
  _meta: { ...metaOf(params), [key]: value },
});

/** Creates `notifications/cancelled`, with the reason if it is an error. */
function cancellation(requestId: Id, reason: unknown): RpcNotification {
  if (!(reason instanceof Error)) return notification(CANCELLED, { requestId });
  const why = reason instanceof McpError && 'why' in reason.details ? String(reason.details['why']) : reason.message;
  return notification(CANCELLED, { requestId, reason: why });
}
