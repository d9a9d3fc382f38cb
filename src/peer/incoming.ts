/** The way back to the sender of one message, on a channel that is shared with every other message. */
import { McpError } from '../errors.ts';
import type { Id, Message, RpcNotification, RpcRequest, RpcResponse } from '../jsonrpc/message.ts';
import { PROTOCOL_VERSION } from '../model/names.ts';
import { Abort } from './abort.ts';
import type { Exchange, Link } from './exchange.ts';
import { metaOf } from './pending-requests.ts';

export interface Channel {
  readonly exchange: Exchange;
  /** Says something, unless the channel is gone. */
  say(message: Message): void;
}

export class IncomingRequest implements Link {
  readonly #channel: Channel;
  readonly #abort: Abort = new Abort();
  readonly #message: RpcRequest | RpcNotification;
  readonly id: Id;
  readonly method: string;
  readonly of: Id | undefined;
  /** Answered or cancelled: nothing more is said about it. */
  done = false;

  constructor(channel: Channel, message: RpcRequest | RpcNotification, of: Id | undefined) {
    this.#channel = channel;
    this.#message = message;
    // A notification has none, and is never looked for.
    this.id = 'id' in message ? message.id : '';
    this.method = message.method;
    this.of = of;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  onAbort(listener: (reason: unknown) => void): void {
    this.#abort.onAbort(listener);
  }

  /** It belongs to the session of its channel, if it does not introduce itself. */
  get inSession(): boolean {
    return metaOf(this.#message.params)?.[PROTOCOL_VERSION] === undefined;
  }

  notify(message: RpcNotification): void {
    if (!this.done) this.#channel.say(message);
  }

  async ask(request: RpcRequest): Promise<RpcResponse> {
    // A cancelled link fails by itself, with the reason of its cancellation.
    if (this.done && !this.#abort.aborted)
      throw new McpError('MCP_CLOSED', { why: `${this.method} has been answered` });
    // exchange answers every request, or throws
    return (await this.#channel.exchange(request, this)) as RpcResponse;
  }

  cancel(reason: unknown): void {
    this.done = true;
    this.#abort.abort(reason);
  }
}
