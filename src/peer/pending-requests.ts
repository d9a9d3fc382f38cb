/**
 * The requests of this side that wait for a response. Ids and progress tokens on the wire are chosen here, so that callers
 * who know nothing of each other can share a channel; what comes back is turned into the caller's own again.
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

/** What the messages of a request are written to. */
export interface MessageSink {
  /** Throws only when the message cannot be written as JSON. */
  send(message: Message): void;
  /** Instead of `send`, where something is kept for each request. */
  readonly sendRequest?: ((request: RpcRequest) => RequestCarrier) | undefined;
}

/** What a transport keeps for one request, until the request has its outcome. */
export interface RequestCarrier {
  /** Answered, failed or cancelled. */
  settled(): void;
}

/** One request of ours on the wire. */
interface PendingRequest {
  readonly id: Id;
  /** As the caller made it, with the caller's id. */
  readonly request: RpcRequest;
  readonly link: Link;
  readonly token: unknown;
  readonly number: number;
  carrier: RequestCarrier | undefined;
  resolve(response: RpcResponse): void;
  reject(reason: unknown): void;
}

/** Larger ids of callers are replaced: there must be numbers left to count on with. */
const MAX_OWN_ID = 2 ** 52;

export class PendingRequests {
  readonly #prefix: string | undefined;
  readonly #byId: IdTable<PendingRequest> = new IdTable();
  /** Those whose token is not their id. */
  readonly #byToken: Map<unknown, PendingRequest> = new Map();
  #last = 0;

  /** `prefix` begins every id, where other processes send requests to the same client. */
  constructor(prefix?: string) {
    this.#prefix = prefix;
  }

  /** Sends a request; the response is the caller's own again. Ids are chosen here, whatever id the request came with. */
  send(request: RpcRequest, link: Link, sink: MessageSink): Promise<RpcResponse> {
    return new Promise((resolve, reject) => {
      const pending = this.#add(request, link, { resolve, reject });
      let isSent = false;
      whenAborted(link, (reason) => {
        if (!this.#remove(pending)) return;
        // The handshake cannot be cancelled; the connection is closed instead.
        if (isSent && request.method !== 'initialize') sink.send(cancellation(pending.id, reason));
        reject(reason);
      });
      if (this.#byId.get(pending.id) === undefined) return;
      try {
        isSent = true;
        if (sink.sendRequest === undefined) sink.send(toWire(pending));
        else {
          pending.carrier = sink.sendRequest(toWire(pending));
          // It may have failed at once.
          if (this.#byId.get(pending.id) === undefined) pending.carrier.settled();
        }
      } catch (thrown) {
        this.#remove(pending);
        reject(thrown);
      }
    });
  }

  /** The id that a request has for its caller, by the one on the wire. */
  callerId(id: Id): Id | undefined {
    return this.#byId.get(id)?.request.id;
  }

  /** False when no such request is waiting for its response. */
  settle(response: RpcResponse): boolean {
    const pending = this.#byId.get(response.id);
    if (pending === undefined) return false;
    this.#remove(pending);
    pending.resolve(responseFor(pending, response));
    return true;
  }

  /** One request failed. The reason may depend on its method. */
  fail(id: unknown, reason: (method: string) => Error): void {
    const pending = this.#byId.get(id);
    if (pending !== undefined && this.#remove(pending)) pending.reject(reason(pending.request.method));
  }

  /** Everything still open fails, in the order in which it was sent. */
  rejectAll(reason: Error): void {
    this.#byToken.clear();
    for (const pending of this.#byId.clear().sort((a, b) => a.number - b.number)) {
      pending.reject(reason);
      pending.carrier?.settled();
    }
  }

  /** Passes on a report of progress; false when no request waits for it. */
  notifyProgress(message: RpcNotification): boolean {
    const pending = this.#withToken(message.params?.['progressToken']);
    pending?.link.notify(progressFor(pending, message));
    return pending !== undefined;
  }

  /** Passes on a notification of a subscription; false when it belongs to none. */
  notifySubscriber(message: RpcNotification): boolean {
    const pending = this.#byId.get(metaOf(message.params)?.[SUBSCRIPTION_ID]);
    pending?.link.notify(changeFor(pending, message));
    return pending !== undefined;
  }

  /** The server ended a subscription of ours. Nothing else that we asked for is ended so. */
  endSubscription(id: unknown): void {
    const pending = this.#byId.get(id);
    if (pending?.request.method !== LISTEN) return;
    this.#remove(pending);
    pending.resolve(success(pending.request.id, {}));
  }

  #add(request: RpcRequest, link: Link, outcome: Pick<PendingRequest, 'resolve' | 'reject'>): PendingRequest {
    const prefix = this.#prefix;
    // An id that counts on from ours is as good as ours, and the message can go out as it is.
    const number = prefix === undefined && this.#isOurs(request.id) ? request.id : this.#last + 1;
    this.#last = number;
    const id = prefix === undefined ? number : prefix + number;
    const token = this.#freeToken(progressTokenOf(request.params), number);
    const { resolve, reject } = outcome;
    const pending: PendingRequest = { id, request, link, token, number, resolve, reject, carrier: undefined };
    this.#byId.add(pending);
    if (token !== undefined && token !== id) this.#byToken.set(token, pending);
    return pending;
  }

  /** False when it was settled before. */
  #remove(pending: PendingRequest): boolean {
    const { id, token } = pending;
    if (!this.#byId.delete(pending)) return false;
    if (token !== id && token !== undefined) this.#byToken.delete(token);
    pending.carrier?.settled();
    return true;
  }

  #withToken(token: unknown): PendingRequest | undefined {
    const same = this.#byId.get(token);
    return same?.token === token ? same : this.#byToken.get(token);
  }

  #isOurs(id: Id): id is number {
    return typeof id === 'number' && Number.isInteger(id) && id > this.#last && id < MAX_OWN_ID;
  }

  /** Two callers may have chosen the same token; the second gets another one. */
  #freeToken(token: unknown, number: number): unknown {
    if (token === undefined || this.#withToken(token) === undefined) return token;
    let other = `progress-${number}`;
    while (this.#byToken.has(other)) other += '-';
    return other;
  }
}

/** The request as it goes out. */
function toWire({ request, id, token }: PendingRequest): RpcRequest {
  const { method, params } = request;
  if (request.id === id && token === progressTokenOf(params)) return request;
  if (params === undefined) return { jsonrpc: '2.0', id, method };
  if (token === progressTokenOf(params)) return { jsonrpc: '2.0', id, method, params };
  return { jsonrpc: '2.0', id, method, params: withMeta(params, 'progressToken', token) };
}

/** The response as the caller gets it. */
function responseFor({ request, id }: PendingRequest, response: RpcResponse): RpcResponse {
  const { method, id: theirs } = request;
  if (theirs === response.id) return response;
  if (isFailure(response)) return { ...response, id: theirs };
  const { result } = response;
  const tagged = method === LISTEN && metaOf(result)?.[SUBSCRIPTION_ID] === id;
  return { jsonrpc: '2.0', id: theirs, result: tagged ? withMeta(result, SUBSCRIPTION_ID, theirs) : result };
}

/** A report of progress as the caller gets it. */
function progressFor({ request, token }: PendingRequest, message: RpcNotification): RpcNotification {
  const theirs = progressTokenOf(request.params);
  return theirs === token ? message : { ...message, params: { ...message.params, progressToken: theirs } };
}

/** A notification of a subscription as the caller gets it. */
function changeFor({ request, id }: PendingRequest, message: RpcNotification): RpcNotification {
  const theirs = request.id;
  return theirs === id ? message : { ...message, params: withMeta(message.params ?? {}, SUBSCRIPTION_ID, theirs) };
}

const progressTokenOf = (params: JsonObject | undefined): unknown => metaOf(params)?.['progressToken'];

const withMeta = (params: JsonObject, key: string, value: unknown): JsonObject => ({
  ...params,
  _meta: { ...metaOf(params), [key]: value },
});

/** The notification that cancels a request, with the reason. */
function cancellation(requestId: Id, reason: unknown): RpcNotification {
  if (!(reason instanceof Error)) return notification(CANCELLED, { requestId });
  const why = reason instanceof McpError && 'why' in reason.details ? String(reason.details['why']) : reason.message;
  return notification(CANCELLED, { requestId, reason: why });
}
