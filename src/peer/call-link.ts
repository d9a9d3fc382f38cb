/** The link of one message that is being answered. Transports differ in its channel alone. */
import { McpError } from '../errors.ts';
import {
  type Id,
  isObject,
  type JsonObject,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../jsonrpc/message.ts';
import type { AuthInfo, Caller } from '../model/caller.ts';
import { PROTOCOL_VERSION } from '../model/names.ts';
import { Abort } from './abort.ts';
import type { Link } from './exchange.ts';

/** How the messages of a call reach its sender. */
export interface LinkChannel {
  send(message: RpcNotification): void;
  /** Sends a request on behalf of this call. */
  ask(request: RpcRequest, call: CallLink): Promise<RpcResponse>;
  /** Watches the connection of this call, from the first time that its cancellation is listened for. */
  watch?(call: CallLink): void;
  /** The call was cancelled: no response follows. */
  onCancelled?(reason: unknown): void;
  /** After how long a client that was released comes back; undefined where it cannot. */
  readonly retryMs?: number | undefined;
  release?(retryMs: number): void;
}

/** What a transport knows about a message before the server reads it. */
export type LinkFacts = Pick<Link, 'auth' | 'revision' | 'checked' | 'caller' | 'of'>;

export class CallLink implements Link {
  readonly id: Id;
  readonly method: string;
  readonly auth: AuthInfo | undefined;
  readonly revision: string | undefined;
  readonly checked: RpcRequest | undefined;
  readonly caller: Caller | undefined;
  readonly of: Id | undefined;
  /** Answered or cancelled: nothing more is sent about it. */
  done = false;
  readonly #channel: LinkChannel;
  readonly #message: RpcRequest | RpcNotification;
  /** Most calls are neither cancelled nor asked whether they are. */
  #abort: Abort | undefined;

  constructor(message: RpcRequest | RpcNotification, channel: LinkChannel, facts?: LinkFacts) {
    // A notification has no id, and is never looked for.
    this.id = 'id' in message ? message.id : '';
    this.method = message.method;
    this.#channel = channel;
    this.#message = message;
    this.auth = facts?.auth;
    this.revision = facts?.revision;
    this.checked = facts?.checked;
    this.caller = facts?.caller;
    this.of = facts?.of;
  }

  get signal(): AbortSignal {
    return this.#aborting().signal;
  }

  onAbort(listener: (reason: unknown) => void): void {
    this.#aborting().onAbort(listener);
  }

  get release(): ((retryMs?: number) => void) | undefined {
    const channel = this.#channel;
    const { retryMs } = channel;
    if (retryMs === undefined) return undefined;
    return (ms = retryMs) => {
      if (!this.done) channel.release?.(ms);
    };
  }

  /** It belongs to the session of its channel, unless it introduces itself. */
  get inSession(): boolean {
    return metaOf(this.#message.params)?.[PROTOCOL_VERSION] === undefined;
  }

  notify(message: RpcNotification): void {
    if (!this.done) this.#channel.send(message);
  }

  ask(request: RpcRequest): Promise<RpcResponse> {
    // Of a cancelled call it fails with the reason of the cancellation.
    if (this.done && this.#abort?.aborted !== true)
      return Promise.reject(new McpError('MCP_CLOSED', { why: `${this.method} has been answered` }));
    return this.#channel.ask(request, this);
  }

  cancel(reason: unknown): void {
    if (this.done) return;
    this.done = true;
    this.#abort ??= new Abort();
    this.#abort.abort(reason);
    this.#channel.onCancelled?.(reason);
  }

  #aborting(): Abort {
    if (this.#abort === undefined) {
      this.#abort = new Abort();
      this.#channel.watch?.(this);
    }
    return this.#abort;
  }
}

export function metaOf(params: JsonObject | undefined): JsonObject | undefined {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta : undefined;
}

/** The link of a message that no request led to: it is never cancelled, and nothing can be sent back. */
export const detachedLink: Link = {
  get signal() {
    return new AbortController().signal;
  },
  onAbort: () => undefined,
  notify: () => undefined,
  ask: () => Promise.reject(new McpError('MCP_CLOSED', { why: 'this message belongs to no request' })),
};
