/** What the other side of a shared channel has asked, for as long as it is being answered. */
import { McpError, RpcError } from '../errors.ts';
import {
  failure,
  type Id,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  isFailure,
  type Message,
  notification,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../jsonrpc/message.ts';
import { CANCELLED, LISTEN } from '../model/names.ts';
import type { Exchange } from './exchange.ts';
import { IdTable } from './id-table.ts';
import { type Channel, IncomingRequest } from './incoming.ts';

/** Called once for each message received, with the answer where one is due. */
export type SendResponse = (response: RpcResponse | undefined) => void;

interface IncomingOptions {
  readonly inbound: Exchange;
  readonly maxInFlight?: number | undefined;
}

export class IncomingRequests {
  readonly #channel: Channel;
  readonly #options: IncomingOptions;
  readonly #open: IdTable<IncomingRequest> = new IdTable();
  /** How many of them are streams of news, which stay open until one side ends them. */
  #streams = 0;
  /** How many are being answered that no id finds any more. */
  #detached = 0;
  #idle: (() => void)[] = [];

  constructor(channel: Channel, options: IncomingOptions) {
    this.#channel = channel;
    this.#options = options;
  }

  /** `of` is the request of ours on whose stream it came, where that is known. */
  serve(request: RpcRequest, reply: SendResponse, of?: Id): void {
    const { id, method } = request;
    const refusal = this.#refusal(request);
    if (refusal !== undefined) {
      reply(refusal);
      return;
    }
    const incoming = new IncomingRequest(this.#channel, request, of);
    if (this.#open.get(id) === undefined) this.#open.add(incoming);
    else this.#detached++;
    if (method === LISTEN) this.#streams++;
    this.#inbound(request, incoming).then(
      (response) => this.#finish(request, reply, this.#served(incoming, response)),
      (thrown) => reply(this.#served(incoming, failure(id, thrown))),
    );
  }

  /** Passes on what wants no answer. */
  notify(message: RpcNotification, of?: Id): void {
    this.#inbound(message, new IncomingRequest(this.#channel, message, of)).then(nothing, nothing);
  }

  /** Calls a request off; false when it is none of theirs. The handshake cannot be called off. */
  cancel(id: unknown, why: string): boolean {
    const incoming = this.#open.get(id);
    if (incoming === undefined) return false;
    const { method } = incoming;
    if (method !== 'initialize') incoming.cancel(new McpError('MCP_CANCELLED', { method, why }));
    return true;
  }

  /** The client began a new session: the calls of the old one are cancelled, and their ids are free. */
  renew(reason: Error): void {
    for (const incoming of this.#open.all()) {
      if (incoming.method === 'initialize' || !incoming.inSession) continue;
      this.#open.delete(incoming);
      this.#detached++;
      incoming.cancel(reason);
    }
  }

  /** Resolves when nothing is being answered any more, but for streams of news. */
  drained(): Promise<void> {
    return this.#open.size === this.#streams ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  /** The channel is gone: everything is called off. */
  cancelAll(reason: Error): void {
    for (const incoming of this.#open.all()) incoming.cancel(reason);
  }

  #refusal({ id, method }: RpcRequest): RpcResponse | undefined {
    // Who begins a new session may count from the start again.
    if (method !== 'initialize' && this.#open.get(id) !== undefined)
      return invalidRequest(id, 'a request with this id is still being answered');
    const limit = this.#options.maxInFlight ?? 1024;
    if (this.#open.size + this.#detached < limit) return undefined;
    return failure(id, new RpcError(INTERNAL_ERROR, `Too many requests at once: ${limit} are open (maxInFlight)`));
  }

  /** An exchange may be written by anybody: one that throws instead of rejecting ends its own message, not the channel. */
  #inbound(message: Message, incoming: IncomingRequest): Promise<RpcResponse | undefined> {
    try {
      return this.#options.inbound(message, incoming);
    } catch (thrown) {
      return Promise.resolve().then(() => {
        throw thrown;
      });
    }
  }

  #served(incoming: IncomingRequest, response: RpcResponse | undefined): RpcResponse | undefined {
    const wanted = !incoming.done;
    incoming.done = true;
    if (!this.#open.delete(incoming)) this.#detached--;
    if (incoming.method === LISTEN) this.#streams--;
    if (this.#open.size === this.#streams) for (const resolve of this.#idle.splice(0)) resolve();
    // Cancelled: nothing more is said about this request.
    return wanted ? response : undefined;
  }

  /** Nothing closes with a stream of news here: its end is also told by the notification that ends requests. */
  #finish({ id, method }: RpcRequest, reply: SendResponse, response: RpcResponse | undefined): void {
    reply(response);
    if (method === LISTEN && response !== undefined && !isFailure(response)) {
      this.#channel.say(notification(CANCELLED, { requestId: id }));
    }
  }
}

const nothing = (): undefined => undefined;

export const invalidRequest = (id: Id | undefined, fault: string): RpcResponse =>
  failure(id, new RpcError(INVALID_REQUEST, `Invalid request: ${fault}`));
