/** Connects client and server in the same process by calling their exchanges, without serialization. */
import { McpError } from '../errors.ts';
import {
  failure,
  type Id,
  isRequest,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../jsonrpc/message.ts';
import { LISTEN } from '../model/names.ts';
import { CallLink, detachedLink, type LinkChannel } from '../peer/call-link.ts';
import {
  type Connection,
  callExchange,
  type Exchange,
  type Link,
  LOCAL_CLIENT,
  linkWith,
  type Servable,
  type ServedConversation,
  type Transport,
  whenAborted,
} from '../peer/exchange.ts';
import { IntrusiveSet } from '../peer/intrusive-set.ts';
import { Deferred } from '../peer/wait.ts';

/** Connects to a server in this process. Messages are passed by reference. */
export function memoryTransport(server: Servable): Transport {
  return async (inbound) => {
    await server.prepare?.();
    return new MemoryConnection(server, inbound);
  };
}

class MemoryConnection implements Connection {
  readonly #closing: Deferred<Error | undefined> = new Deferred();
  readonly closed: Promise<Error | undefined> = this.#closing.promise;
  readonly #inbound: Exchange;
  readonly #outbound: Exchange = (message, link) => this.#server.exchange(message, link);
  readonly #server: ServedConversation;
  readonly #calls: IntrusiveSet<MemoryCall> = new IntrusiveSet();
  #ended: Error | undefined;
  #ending = false;

  constructor(server: Servable, inbound: Exchange) {
    this.#inbound = inbound;
    // The server gets its own session object: each end stores other data about its peer.
    this.#server = server.open(
      { ...this.#back, id: LOCAL_CLIENT, end: () => this.#end(), renew: () => this.#renew() },
      {},
    );
  }

  readonly exchange: Exchange = (message, link) => {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (this.#ending) return Promise.reject(new McpError('MCP_CLOSED', { why: ENDING }));
    if (isRequest(message)) return this.call(message, link, true);
    return callExchange(this.#outbound, message, linkWith(detachedLink, this.#back)).then(
      () => undefined,
      () => undefined,
    );
  };

  async close(): Promise<void> {
    this.#close(new McpError('MCP_CLOSED', { why: 'it was closed on this side' }), true);
  }

  /** Sends messages to the client that belong to no request of the client. */
  readonly #back: Pick<Link, 'notify' | 'ask'> = {
    notify: (message) => {
      if (this.#ended === undefined) callExchange(this.#inbound, message, detachedLink).catch(() => undefined);
    },
    ask: (request) => this.call(request, detachedLink, false),
  };

  /** Sends a request of one side to the other. */
  call(request: RpcRequest, from: Link, toServer: boolean, of?: Id): Promise<RpcResponse> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const call = new MemoryCall(this, request, { from, toServer, of, resolve, reject });
      this.#calls.add(call);
      whenAborted(from, (reason) => call.link.cancel(reason));
      if (call.link.done) return;
      callExchange(toServer ? this.#outbound : this.#inbound, request, call.link).then(
        (response) => call.respond(response),
        (thrown) => call.respond(failure(request.id, thrown)),
      );
    });
  }

  /** Removes a call that is settled. */
  remove(call: MemoryCall): void {
    this.#calls.delete(call);
    if (this.#ending) this.#endIfIdle();
  }

  /** Ends the conversation after the open requests are answered, at the client's request. */
  #end(): void {
    this.#ending = true;
    this.#endIfIdle();
  }

  /** The client began a new session: cancels the calls of the old one, in both directions. */
  #renew(): void {
    const reason = new McpError('MCP_CLOSED', { why: 'the client began a new session' });
    for (const call of [...this.#calls.all])
      if (call.link.inSession && call.request.method !== 'initialize') call.link.cancel(reason);
  }

  #endIfIdle(): void {
    if (this.#calls.all.every((call) => call.request.method === LISTEN))
      this.#close(new McpError('MCP_CLOSED', { why: ENDING }), false);
  }

  #close(reason: Error, ours: boolean): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    for (const call of this.#calls.clear()) call.link.cancel(reason);
    this.#closing.resolve(ours ? undefined : reason);
    this.#server.close();
  }
}

const ENDING = 'the server has ended the conversation';

interface MemoryCallOptions {
  readonly from: Link;
  readonly toServer: boolean;
  /** The id of the request on whose behalf this one is sent. */
  readonly of: Id | undefined;
  resolve(response: RpcResponse): void;
  reject(reason: unknown): void;
}

class MemoryCall implements LinkChannel {
  readonly request: RpcRequest;
  readonly link: CallLink;
  readonly #connection: MemoryConnection;
  readonly #options: MemoryCallOptions;
  place = -1;

  constructor(connection: MemoryConnection, request: RpcRequest, options: MemoryCallOptions) {
    this.request = request;
    this.link = new CallLink(request, this, { of: options.of });
    this.#connection = connection;
    this.#options = options;
  }

  send(message: RpcNotification): void {
    this.#options.from.notify(message);
  }

  ask(request: RpcRequest, call: Link): Promise<RpcResponse> {
    return this.#connection.call(request, call, !this.#options.toServer, this.request.id);
  }

  respond(response: RpcResponse | undefined): void {
    if (this.link.done) return;
    this.link.done = true;
    const { method } = this.request;
    if (response !== undefined) this.#options.resolve(response);
    else this.#options.reject(new McpError('MCP_BAD_RESULT', { method, why: 'the other side sent no response' }));
    this.#connection.remove(this);
  }

  /** Rejects at once; the caller need not wait until the other side handles the cancellation. */
  onCancelled(reason: unknown): void {
    this.#options.reject(reason);
    this.#connection.remove(this);
  }
}
