/** The link of one message while it is handled. Each transport supplies its own channel. */
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
import { type Link, linkWith } from './exchange.ts';

/** Sends the messages of a call to its sender. */
export interface LinkChannel {
  send(message: RpcNotification): void;
  /** Sends a request on behalf of this call. It is cancelled with the link. */
  ask(request: RpcRequest, call: Link): Promise<RpcResponse>;
  /** Starts to watch the connection for a disconnect. Called when the signal or `onAbort` is first used. */
  watch?(call: CallLink): void;
  /** Called when the call is cancelled. No response follows. */
  onCancelled?(reason: unknown): void;
  /** Delay before a released client reconnects; undefined if the call cannot be released. */
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
  /** Answered or cancelled: no further message of this call is sent. */
  done = false;
  readonly #channel: LinkChannel;
  readonly #message: RpcRequest | RpcNotification;
  /** Created on first use: most calls are never cancelled and never read their signal. */
  #abort: Abort | undefined;

  constructor(message: RpcRequest | RpcNotification, channel: LinkChannel, facts?: LinkFacts) {
    // A notification has no id, and is in no table.
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

  /** Whether the call belongs to the session of its channel: false if its own `_meta` states a protocol version. */
  get inSession(): boolean {
    return metaOf(this.#message.params)?.[PROTOCOL_VERSION] === undefined;
  }

  notify(message: RpcNotification): void {
    if (!this.done) this.#channel.send(message);
  }

  ask(request: RpcRequest, signal?: AbortSignal): Promise<RpcResponse> {
    // If the call was cancelled, the channel rejects with the reason of the cancellation.
    if (this.done && this.#abort?.aborted !== true)
      return Promise.reject(new McpError('MCP_CLOSED', { why: `${this.method} has been answered` }));
    return this.#channel.ask(
      request,
      signal ? linkWith(this, { signal: AbortSignal.any([this.signal, signal]) }) : this,
    );
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

/** The link of a message that belongs to no request: never cancelled, and unable to send anything back. */
export const detachedLink: Link = {
  get signal() {
    return new AbortController().signal;
  },
  onAbort: () => undefined,
  notify: () => undefined,
  ask: () => Promise.reject(new McpError('MCP_CLOSED', { why: 'this message belongs to no request' })),
};
