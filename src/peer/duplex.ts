/**
 * One side of a conversation over a two-way channel, such as a pipe, socket or queue. Tracks open requests in the tables that
 * HTTP sessions use too: ours in `PendingRequests`, the peer's in `IncomingRequests`.
 */
import { McpError } from '../errors.ts';
import {
  failure,
  type Id,
  isFailure,
  isObject,
  isRequest,
  isResponse,
  type Message,
  notification,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../jsonrpc/message.ts';
import { asMessage, faultOf, readableId } from '../jsonrpc/read.ts';
import { CANCELLED, LISTEN, PROGRESS } from '../model/names.ts';
import { CallLink, detachedLink, type LinkFacts } from './call-link.ts';
import { callExchange, type Exchange, type Link, type ServerPush } from './exchange.ts';
import { batchFault, IncomingRequests, invalidRequest } from './incoming-requests.ts';
import { PendingRequests, type RequestCarrier } from './pending-requests.ts';
import type { PeerSession } from './session.ts';

/** `Link.of` of a request on the stream of a settled request: no open request has this id, and so none is asked for another. */
const SETTLED = 'a settled request';

/** Called once per received message, with its response if it gets one. */
type SendResponse = (response: RpcResponse | undefined) => void;

/** The callbacks and limits of a `Duplex`. */
export interface DuplexOptions {
  /** Writes a message to the peer. Must throw only if the message cannot be serialized. */
  readonly send: (message: Message | readonly Message[]) => void;
  /** Replaces `send` for requests, for a transport that holds state for each of them. */
  readonly sendRequest?: ((request: RpcRequest) => RequestCarrier) | undefined;
  /** Handles the requests and notifications of the peer. */
  readonly inbound: Exchange;
  readonly session: PeerSession;
  /** Maximum number of the peer's requests that are open at once. More are rejected. Default: 1024. */
  readonly maxInFlight?: number | undefined;
  /** Sends no error response to values that are not recognizably requests. For clients: a server can print anything. */
  readonly ignoreNoise?: boolean;
  /** Called with each dropped value: malformed messages, and responses or progress of unknown or finished requests. */
  readonly onStray?: ((what: string, message: unknown, isMalformed?: true) => void) | undefined;
}

/** Handles one side of a two-way channel, and matches responses to requests by id. */
export class Duplex {
  readonly #options: DuplexOptions;
  readonly #pending: PendingRequests;
  readonly #incoming: IncomingRequests;
  #ended: Error | undefined;

  constructor(options: DuplexOptions) {
    this.#options = options;
    this.#pending = new PendingRequests();
    this.#incoming = new IncomingRequests(options);
  }

  /** Sends a message to the peer. Requests get an id of this channel; their responses have the caller's id again. */
  readonly exchange: Exchange = (message, link) => {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (isRequest(message)) return this.#pending.send(message, link, this.#options);
    return new Promise((resolve) => {
      this.#options.send(message);
      resolve(undefined);
    });
  };

  /**
   * Handles one JSON value from the peer: a message, or an array of messages if the session allows batches. `from.of` is the wire
   * id of our request on whose stream the value arrived.
   */
  receive(value: unknown, from?: LinkFacts): void {
    if (this.#ended !== undefined) return;
    if (Array.isArray(value)) this.#receiveBatch(value, from);
    else this.#receiveOne(value, this.#respond, from);
  }

  /** Resolves when no request of the peer is open, except subscriptions. */
  drained(): Promise<void> {
    return this.#incoming.drained();
  }

  /** Rejects one of our requests, named by its id on the wire. */
  fail(id: Id, reason: Error): void {
    this.#pending.fail(id, () => reason);
  }

  /** The channel closed: rejects our requests and cancels the peer's. */
  end(reason: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#pending.rejectAll(reason);
    this.#incoming.cancelAll(reason);
  }

  /** The client began a new session: cancels the open requests of the old one, in both directions, without notifying the client. */
  renew(): void {
    const reason = new McpError('MCP_CLOSED', { why: 'the client began a new session' });
    // Ours first: cancelling a call also cancels our requests on its behalf, which would notify the client of ids it does not know.
    this.#pending.rejectAll(reason);
    this.#incoming.renew(reason);
  }

  /** Sends a notification or response, unless the channel has closed. */
  send(message: RpcNotification | RpcResponse): void {
    if (this.#ended !== undefined) return;
    try {
      this.#options.send(message);
    } catch {
      this.#options.onStray?.('message that cannot be written as JSON', message);
    }
  }

  /** Sends a request to the peer, on behalf of `call` if given. */
  ask(request: RpcRequest, call: Link = detachedLink): Promise<RpcResponse> {
    return this.exchange(request, call) as Promise<RpcResponse>; // a request gets a response, or the exchange rejects
  }

  /** The server's way to send messages that belong to no request. `end` is called to end the conversation. */
  push(end: () => void, id?: string): ServerPush {
    return {
      ...(id === undefined ? {} : { id }),
      notify: (message) => this.send(message),
      ask: (request) => this.ask(request),
      end,
      renew: () => this.renew(),
    };
  }

  #serve(request: RpcRequest, reply: SendResponse, facts: LinkFacts | undefined): void {
    let call: CallLink;
    try {
      call = this.#incoming.open(request, this, facts);
    } catch (thrown) {
      reply(failure(request.id, thrown));
      return;
    }
    callExchange(this.#options.inbound, request, call).then(
      (response) => this.#finish(call, reply, response),
      (thrown) => this.#finish(call, reply, failure(request.id, thrown)),
    );
  }

  #finish(call: CallLink, reply: SendResponse, response: RpcResponse | undefined): void {
    const sent = this.#incoming.close(call, response);
    reply(sent);
    // A subscription has no stream of its own to close here, so `notifications/cancelled` signals its end.
    if (call.method === LISTEN && sent !== undefined && !isFailure(sent))
      this.send(notification(CANCELLED, { requestId: call.id }));
  }

  /** The facts with the caller's id of our request on whose stream the message arrived; `settled` if it is not open any more. */
  #factsOf(from: LinkFacts, settled?: Id): LinkFacts {
    return { ...from, of: this.#pending.callerId(from.of) ?? settled };
  }

  #receiveBatch(values: readonly unknown[], from: LinkFacts | undefined): void {
    const fault = batchFault(values.length, this.#options.session);
    if (fault !== undefined) {
      this.#reject(fault, values, this.#respond);
      return;
    }
    const responses: RpcResponse[] = [];
    let open = values.length;
    const reply: SendResponse = (response) => {
      if (response !== undefined) responses.push(response);
      if (--open === 0) this.#respondBatch(responses);
    };
    for (const value of values) this.#receiveOne(value, reply, from, true);
  }

  #receiveOne(value: unknown, reply: SendResponse, from: LinkFacts | undefined, isBatched = false): void {
    const fault = faultOf(value);
    if (fault !== undefined) {
      this.#reject(fault, value, reply);
      return;
    }
    const message = asMessage(value);
    if (isRequest(message)) {
      if (isBatched && message.method === 'initialize') reply(invalidRequest(message.id, 'initialize comes alone'));
      else this.#serve(message, reply, from?.of === undefined ? from : this.#factsOf(from, SETTLED));
      return;
    }
    if (isResponse(message)) {
      if (!this.#pending.settle(message)) this.#options.onStray?.('response to nothing we are waiting for', message);
    } else this.#receiveNotification(message, from);
    reply(undefined);
  }

  #reject(fault: string, value: unknown, reply: SendResponse): void {
    const id = readableId(value);
    // Never respond to a response, not even to a malformed one.
    if (isObject(value) && !('method' in value) && ('result' in value || 'error' in value)) {
      this.#options.onStray?.(`malformed response: ${fault}`, value, true);
      // Reject the request that it names, or its caller would wait until the timeout.
      this.#pending.fail(id, (method) => new McpError('MCP_BAD_RESULT', { method, why: fault }));
      reply(undefined);
    } else {
      this.#options.onStray?.(`malformed message: ${fault}`, value, true);
      reply(this.#mustReject(value, id) ? invalidRequest(id, fault) : undefined);
    }
  }

  /** Whether a malformed message gets an error response: a notification never, noise only without `ignoreNoise`. */
  #mustReject(value: unknown, id: Id | undefined): boolean {
    const called = isObject(value) && value['jsonrpc'] === '2.0' && 'method' in value;
    if (called && typeof value['method'] === 'string' && !('id' in value)) return false;
    return (called && id !== undefined) || this.#options.ignoreNoise !== true;
  }

  readonly #respond: SendResponse = (response) => {
    if (response === undefined || this.#ended !== undefined || this.#options.session.mustNotRespond === true) return;
    try {
      this.#options.send(response);
    } catch (thrown) {
      this.#options.onStray?.('response that cannot be written as JSON', response);
      this.send(failure(response.id ?? undefined, thrown));
    }
  };

  #respondBatch(responses: readonly RpcResponse[]): void {
    if (responses.length === 0 || this.#ended !== undefined) return;
    try {
      this.#options.send(responses);
    } catch {
      // One response cannot be serialized: send the others one by one.
      for (const response of responses) this.#respond(response);
    }
  }

  #receiveNotification(message: RpcNotification, from: LinkFacts | undefined): void {
    const { method, params } = message;
    if (method === CANCELLED) {
      // If it names no request of the peer, it is from a server that ends our subscription.
      if (!this.#incoming.cancel(params)) this.#pending.endSubscription(params?.['requestId']);
    } else if (method === PROGRESS) {
      if (!this.#pending.notifyProgress(message))
        this.#options.onStray?.('progress of nothing we are waiting for', message);
    } else if (!this.#pending.notifySubscriber(message)) {
      const call = new CallLink(message, this, from?.of === undefined ? from : this.#factsOf(from));
      callExchange(this.#options.inbound, message, call).catch(() => undefined);
    }
  }
}
