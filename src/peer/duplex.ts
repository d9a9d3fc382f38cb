/**
 * One side of a conversation on a channel that both sides write to: a pipe, a socket, a queue. What either side has open is
 * in the two tables that sessions over HTTP use too: `PendingRequests` and `IncomingRequests`.
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

/** Called once for each message received, with the response where one is due. */
type SendResponse = (response: RpcResponse | undefined) => void;

/** The two sides of a duplex. */
export interface DuplexOptions {
  /** Writes a message to the other side. Throws only when the message cannot be written as JSON. */
  readonly send: (message: Message | readonly Message[]) => void;
  /** Instead of `send`, where the transport keeps something for each request of ours. */
  readonly sendRequest?: ((request: RpcRequest) => RequestCarrier) | undefined;
  /** Answers the requests of the other side, and takes its notifications. */
  readonly inbound: Exchange;
  readonly session: PeerSession;
  /** Requests of theirs that may be open at once; more are rejected, one by one. */
  readonly maxInFlight?: number | undefined;
  /** Sends no response to what is not even a broken request: for a client, whose server may print anything. */
  readonly ignoreNoise?: boolean;
  /** Called with what is dropped: late and foreign responses, progress of no request, and what is no message at all. */
  readonly onStray?: ((what: string, message: unknown, isMalformed?: true) => void) | undefined;
}

/** Both sides write to one channel: matches responses with requests by id. */
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

  /** Towards the other side. Ids are ours: whatever id a request came with is given back with its response. */
  readonly exchange: Exchange = (message, link) => {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (isRequest(message)) return this.#pending.send(message, link, this.#options);
    return new Promise((resolve) => {
      this.#options.send(message);
      resolve(undefined);
    });
  };

  /**
   * Takes one JSON value from the other side: a message, or an array of them where the session allows it. `of` names the request
   * of ours on whose stream it came by its id on the wire.
   */
  receive(value: unknown, from?: LinkFacts): void {
    if (this.#ended !== undefined) return;
    const facts = from?.of === undefined ? from : { ...from, of: this.#pending.callerId(from.of) };
    if (Array.isArray(value)) this.#receiveBatch(value, facts);
    else this.#receiveOne(value, this.#respond, facts);
  }

  /** Resolves when nothing of theirs is being answered any more, but for subscriptions. */
  drained(): Promise<void> {
    return this.#incoming.drained();
  }

  /** One request of ours failed on its way. The id is the one on the wire. */
  fail(id: Id, reason: Error): void {
    this.#pending.fail(id, () => reason);
  }

  /** The channel is gone: our requests fail, theirs are cancelled. */
  end(reason: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#pending.rejectAll(reason);
    this.#incoming.cancelAll(reason);
  }

  /** The other side began a new session: what the old one had open is cancelled on both sides, without a message. */
  renew(): void {
    const reason = new McpError('MCP_CLOSED', { why: 'the client began a new session' });
    // Rejected before the calls that they belong to are cancelled: the new client knows nothing of them.
    this.#pending.rejectAll(reason);
    this.#incoming.renew(reason);
  }

  /** Sends what no request of ours waits for, unless the channel is gone. */
  send(message: RpcNotification | RpcResponse): void {
    if (this.#ended !== undefined) return;
    try {
      this.#options.send(message);
    } catch {
      this.#options.onStray?.('message that cannot be written as JSON', message);
    }
  }

  /** Sends a request on behalf of a call, or of none. */
  ask(request: RpcRequest, call: Link = detachedLink): Promise<RpcResponse> {
    return this.exchange(request, call) as Promise<RpcResponse>; // a request is answered, or the exchange throws
  }

  /** What a server sends that belongs to no request. `end` is called when the client asks for the end. */
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
    // No stream closes with a subscription here, so the notification that cancels requests says that it ended.
    if (call.method === LISTEN && sent !== undefined && !isFailure(sent))
      this.send(notification(CANCELLED, { requestId: call.id }));
  }

  #receiveBatch(values: readonly unknown[], facts: LinkFacts | undefined): void {
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
    for (const value of values) this.#receiveOne(value, reply, facts, true);
  }

  #receiveOne(value: unknown, reply: SendResponse, facts: LinkFacts | undefined, isBatched = false): void {
    const fault = faultOf(value);
    if (fault !== undefined) {
      this.#reject(fault, value, reply);
      return;
    }
    const message = asMessage(value);
    if (isRequest(message)) {
      if (isBatched && message.method === 'initialize') reply(invalidRequest(message.id, 'initialize comes alone'));
      else this.#serve(message, reply, facts);
      return;
    }
    if (isResponse(message)) {
      if (!this.#pending.settle(message)) this.#options.onStray?.('response to nothing we are waiting for', message);
    } else this.#receiveNotification(message, facts);
    reply(undefined);
  }

  #reject(fault: string, value: unknown, reply: SendResponse): void {
    const id = readableId(value);
    // A response is never answered, not even a malformed one.
    if (isObject(value) && !('method' in value) && ('result' in value || 'error' in value)) {
      this.#options.onStray?.(`malformed response: ${fault}`, value, true);
      // It still ends the request that it names: the caller must not wait for ever.
      this.#pending.fail(id, (method) => new McpError('MCP_BAD_RESULT', { method, why: fault }));
      reply(undefined);
    } else {
      this.#options.onStray?.(`malformed message: ${fault}`, value, true);
      reply(this.#mustReject(value, id) ? invalidRequest(id, fault) : undefined);
    }
  }

  /** Whether a malformed message gets a response: a notification never does, and noise only where it is not expected. */
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
      // One of them cannot be written; the others must not be lost with it.
      for (const response of responses) this.#respond(response);
    }
  }

  #receiveNotification(message: RpcNotification, facts: LinkFacts | undefined): void {
    const { method, params } = message;
    if (method === CANCELLED) {
      // A server that never sends requests uses the same notification to end a subscription of ours.
      if (!this.#incoming.cancel(params)) this.#pending.endSubscription(params?.['requestId']);
    } else if (method === PROGRESS) {
      if (!this.#pending.notifyProgress(message))
        this.#options.onStray?.('progress of nothing we are waiting for', message);
    } else if (!this.#pending.notifySubscriber(message))
      callExchange(this.#options.inbound, message, new CallLink(message, this, facts)).catch(() => undefined);
  }
}
