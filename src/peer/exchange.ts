/** The core types. Servers, clients, gateways and layers are all composed of `Exchange` functions. */
import type { Id, Message, RpcNotification, RpcRequest, RpcResponse } from '../jsonrpc/message.ts';
import type { AuthInfo, Caller } from '../model/caller.ts';
import type { MirroredHeader } from '../model/mirrored-headers.ts';
import type { PeerSession } from './session.ts';

/** Handles a message. Resolves with the response to a request, which the transport then sends; with undefined for other messages. */
export type Exchange = (message: Message, link: Link) => Promise<RpcResponse | undefined>;

/**
 * The way back to the sender of a message while the message is handled. To change a link, a layer uses `linkWith`: a spread would
 * lose its methods. Declared as a class so that the compiler rejects a spread; any object with these members is a link.
 */
export declare abstract class Link {
  /** Aborts when the sender cancels or disconnects. Created on first read: use `onAbort` if a callback is enough. */
  get signal(): AbortSignal;
  onAbort?(listener: (reason: unknown) => void): void;
  /** Sends a notification that belongs to this message: progress, log messages, changes. */
  notify(notification: RpcNotification): void;
  /** Sends a request to the sender, if the revision has server requests. The channel replaces the id. `signal` cancels the request. */
  ask(request: RpcRequest, signal?: AbortSignal): Promise<RpcResponse>;
  /** The identity of the sender, verified by the transport. */
  readonly auth?: AuthInfo | undefined;
  /** The revision of the message, if the transport had to determine it; otherwise the server does. */
  readonly revision?: string | undefined;
  /** The request whose scopes the transport checked. The server checks any other request, such as one that a layer created. */
  readonly checked?: RpcRequest | undefined;
  /** The client info and capabilities in the checked request, if the transport had to read them. */
  readonly caller?: Caller | undefined;
  /**
   * The id, as passed to `exchange`, of our request on whose stream this message arrived. Absent if the transport cannot tell, as
   * on pipes, on HTTP+SSE and on the GET stream of a session. A request on the stream of a settled request gets an id that no open
   * request has.
   */
  readonly of?: Id | undefined;
  /**
   * Closes the connection that carries the response, but not the request: the client reconnects after `retryMs`. Only if the
   * revision and the transport can resume a stream.
   */
  readonly release?: ((retryMs?: number) => void) | undefined;
}

/** Copies a link with some members replaced, for a layer to pass to `next`. */
export function linkWith(link: Link, replaced: Partial<Link>): Link {
  return new LinkWith(link, replaced);
}

class LinkWith {
  readonly #link: Link;
  readonly #replaced: Partial<Link>;
  readonly auth: Link['auth'];
  readonly revision: Link['revision'];
  readonly checked: Link['checked'];
  readonly caller: Link['caller'];
  readonly of: Link['of'];

  constructor(link: Link, replaced: Partial<Link>) {
    this.#link = link;
    this.#replaced = replaced;
    this.auth = 'auth' in replaced ? replaced.auth : link.auth;
    this.revision = 'revision' in replaced ? replaced.revision : link.revision;
    // The scopes of the new identity have not been checked.
    this.checked = 'auth' in replaced || 'checked' in replaced ? replaced.checked : link.checked;
    this.caller = 'caller' in replaced ? replaced.caller : link.caller;
    this.of = 'of' in replaced ? replaced.of : link.of;
  }

  /** Read lazily, because reading `signal` can create it. */
  get #aborting(): Pick<Link, 'signal' | 'onAbort'> {
    return 'signal' in this.#replaced ? (this.#replaced as Pick<Link, 'signal' | 'onAbort'>) : this.#link; // has a signal
  }
  get signal(): AbortSignal {
    return this.#aborting.signal;
  }
  get release(): Link['release'] {
    return 'release' in this.#replaced ? this.#replaced.release : this.#link.release;
  }
  onAbort(listener: (reason: unknown) => void): void {
    whenAborted(this.#aborting, listener);
  }
  notify(notification: RpcNotification): void {
    (this.#replaced.notify ? (this.#replaced as Link) : this.#link).notify(notification); // has `notify`
  }
  ask(request: RpcRequest, signal?: AbortSignal): Promise<RpcResponse> {
    return (this.#replaced.ask ? (this.#replaced as Link) : this.#link).ask(request, signal); // has `ask`
  }
}

/**
 * Middleware: logging, limits, caching, retry, recording, rewriting. Called once per conversation. `closed` settles when the
 * conversation ends, with the reason if this side did not close it.
 */
export interface Layer {
  (next: Exchange, closed?: Promise<Error | undefined>): Exchange;
  /** Wraps the messages that a client receives; the layer itself wraps those that the client sends. */
  readonly inbound?: Layer;
}

/** Calls an exchange. Turns a synchronous exception into a rejection, so that only this message fails, not the connection. */
export function callExchange(exchange: Exchange, message: Message, link: Link): Promise<RpcResponse | undefined> {
  try {
    return exchange(message, link);
  } catch (thrown) {
    return Promise.reject(thrown as Error); // whatever it threw
  }
}

/** Calls the listener when a link aborts. Uses `onAbort` if the link has it, so that no signal is created. */
export function whenAborted(link: Pick<Link, 'signal' | 'onAbort'>, listener: (reason: unknown) => void): void {
  if (link.onAbort !== undefined) link.onAbort(listener);
  else if (link.signal.aborted) listener(link.signal.reason);
  else link.signal.addEventListener('abort', () => listener(link.signal.reason), { once: true });
}

/** One end of a conversation. */
export interface Connection {
  readonly exchange: Exchange;
  /** Closes the connection and settles all open requests. A second call waits for the first. */
  close(): Promise<void>;
  /** Settles when the conversation has ended, with the reason if this side did not close it. Never rejects. */
  readonly closed: Promise<Error | undefined>;
  /** The transport itself settles every request, as HTTP does: a probe needs no timeout, and a failure need not be the server's. */
  readonly replies?: boolean;
  /** What the server did instead of sending messages, as the cause of a timeout. Wrapping connections must forward this. */
  readonly silence?: (() => Error | undefined) | undefined;
  /** Set if the transport sends credentials. Wrapping connections must forward this. */
  readonly credentials?: CredentialsInUse | undefined;
  /** Set if messages that belong to no request have their own stream. Wrapping connections must forward this. */
  readonly standing?: StandingStream | undefined;
}

/**
 * The stream for messages that belong to no request, such as the GET stream of an HTTP session. A server need not offer it, and it
 * can break while the conversation continues.
 */
export interface StandingStream {
  /** Calls the listener with the current state, and with each change. The returned function removes the listener. */
  follow(listener: StandingStreamListener): () => void;
}
export interface StandingStreamListener {
  /** The stream is open. If `isWhole` is false, it broke before, and messages can be lost. */
  opened(isWhole: boolean): void;
  /** There is no such stream, and it is not retried. */
  ended(reason: Error): void;
}

/** Identifies the credentials of requests by a number, so that caches never see a token. */
export interface CredentialsInUse {
  /** The credentials of the last request on any connection of the same transport. Every change increases the number. */
  readonly last: number;
  /** The credentials that a request would be sent with now. */
  now(operation: string, signal: AbortSignal): Promise<number>;
}

/** Opens a connection. `inbound` handles messages of the peer; `session` holds what both sides negotiated. */
export type Transport = (inbound: Exchange, session: PeerSession) => Promise<Connection>;

/** Sends messages to a client outside its requests. */
export interface ServerPush {
  /** Identifies the client, for state that the server stores for it. Absent if the transport cannot tell clients apart. */
  readonly id?: string;
  /** The identity verified with the client's last request, including requests that reach no exchange, such as GET. */
  readonly auth?: AuthInfo | undefined;
  notify(notification: RpcNotification): void;
  ask(request: RpcRequest): Promise<RpcResponse>;
  /** Ends the conversation. */
  end(): void;
  /**
   * Cancels the open requests of the old session, when the client begins a new one on this channel. Absent if a channel has
   * only one session.
   */
  renew?(): void;
}

/** The id of every client on a pipe. All run as the same user, so tasks that an earlier process created belong to the next one too. */
export const LOCAL_CLIENT = 'local';

/** One conversation of a server with a client. */
export interface ServedConversation {
  exchange(message: Message, link: Link): Promise<RpcResponse | undefined>;
  close(): void;
}

/** A server, as transports use it. The state of a conversation is in its session, which is plain data, not in the servable. */
export interface Servable {
  /** Finishes asynchronous setup before the first conversation. Rejects if the server cannot be served. */
  prepare?(): Promise<void> | undefined;
  open(push: ServerPush, session: PeerSession): ServedConversation;
  /** The supported revisions. Default: all. */
  readonly revisions?: readonly string[];
  /**
   * The headers that must repeat arguments of this request, if the revision and the transport have such headers. None for a tool that
   * this caller must not know of.
   */
  mirrored?(request: RpcRequest, auth?: AuthInfo): readonly MirroredHeader[];
  /** The parameter that the `Mcp-Name` header repeats, for a method of an extension. */
  nameParam?(method: string): string | undefined;
  /** The scopes that a caller needs for this request, if the transport verifies callers. */
  scopes?(request: RpcRequest): readonly string[];
}
