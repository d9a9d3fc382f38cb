/** The one shape everything composes from. A server is an Exchange, a client holds one, a gateway is one in front of another. */
import type { Id, Message, RpcNotification, RpcRequest, RpcResponse } from '../jsonrpc/message.ts';
import type { AuthInfo, Caller } from '../model/caller.ts';
import type { MirroredHeader } from '../model/mirrored-headers.ts';
import type { PeerSession } from './session.ts';

/** Answers a message: a response to a request, nothing to anything else. Returning is sending. */
export type Exchange = (message: Message, link: Link) => Promise<RpcResponse | undefined>;

/**
 * The way back to the sender of a message, for as long as it is being answered. A layer that passes on another one makes it with
 * `linkWith`: links have methods that a spread would lose. Declared as a class, so that the compiler says so; any object will do.
 */
export declare abstract class Link {
  /** Aborts when the sender cancels or disconnects. Made on first read: use `onAbort` when a callback is enough. */
  get signal(): AbortSignal;
  onAbort?(listener: (reason: unknown) => void): void;
  /** Sends a notification that belongs to this message: progress, log lines, changes. */
  notify(notification: RpcNotification): void;
  /** Sends a request to the sender, where the revision has a back channel. The channel chooses the id. */
  ask(request: RpcRequest): Promise<RpcResponse>;
  /** What the transport verified about the sender. */
  readonly auth?: AuthInfo | undefined;
  /** The revision of the message, where the transport had to decide it; elsewhere the server does. */
  readonly revision?: string | undefined;
  /** The request whose scopes the transport has checked. The server checks any other one, such as one that a layer made. */
  readonly checked?: RpcRequest | undefined;
  /** The sender as the checked request introduces it, where the transport had to read that. */
  readonly caller?: Caller | undefined;
  /**
   * The request of ours that they speak of, by the id that it had in `exchange`: their question or notification came on its own
   * stream. Absent where that cannot be known, as on pipes, HTTP+SSE and the standing stream of a session.
   */
  readonly of?: Id | undefined;
  /**
   * Ends the connection that carries the answer, not the work: the client comes back for the rest after so many
   * milliseconds. Only where the revision and the transport can take a stream up again.
   */
  readonly release?: ((retryMs?: number) => void) | undefined;
}

/** The same link with some members replaced: what a layer passes to `next`. */
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
    // The scopes of the sender that was replaced say nothing about the other one.
    this.checked = 'auth' in replaced || 'checked' in replaced ? replaced.checked : link.checked;
    this.caller = 'caller' in replaced ? replaced.caller : link.caller;
    this.of = 'of' in replaced ? replaced.of : link.of;
  }

  /** Not read before it is asked for: a signal may be made on first read. */
  get #aborting(): Pick<Link, 'signal' | 'onAbort'> {
    return 'signal' in this.#replaced ? (this.#replaced as Pick<Link, 'signal' | 'onAbort'>) : this.#link; // just seen
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
    (this.#replaced.notify === undefined ? this.#link : (this.#replaced as Link)).notify(notification); // it has one
  }
  ask(request: RpcRequest): Promise<RpcResponse> {
    return (this.#replaced.ask === undefined ? this.#link : (this.#replaced as Link)).ask(request); // it has one
  }
}

/**
 * Anything in between: logging, limits, caching, retry, recording, rewriting. Called once for each conversation; `closed` settles when
 * that has ended, with the reason if this side did not close it.
 */
export interface Layer {
  (next: Exchange, closed?: Promise<Error | undefined>): Exchange;
  /** Around what comes from a server, where the layer itself is around what a client sends. */
  readonly inbound?: Layer;
}

/** An exchange that throws instead of rejecting fails its own message, not the connection. */
export function callExchange(exchange: Exchange, message: Message, link: Link): Promise<RpcResponse | undefined> {
  try {
    return exchange(message, link);
  } catch (thrown) {
    return Promise.reject(thrown as Error); // whatever it threw
  }
}

/** Calls back when a link aborts, without making a signal where the link can do without. */
export function whenAborted(link: Pick<Link, 'signal' | 'onAbort'>, listener: (reason: unknown) => void): void {
  if (link.onAbort !== undefined) link.onAbort(listener);
  else if (link.signal.aborted) listener(link.signal.reason);
  else link.signal.addEventListener('abort', () => listener(link.signal.reason), { once: true });
}

/** One end of a conversation. */
export interface Connection {
  readonly exchange: Exchange;
  /** Ends it. Everything still open is settled; a second call waits for the first. */
  close(): Promise<void>;
  /** Settles when the conversation has ended; with the reason, if this side did not close it. Never rejects. */
  readonly closed: Promise<Error | undefined>;
  /** The transport replies to every request itself: silence is a failure, and a failure need not be the server's. */
  readonly replies?: boolean;
  /** What the other side did instead of sending messages: the cause of a timeout. A connection that wraps another passes this on. */
  readonly silence?: (() => Error | undefined) | undefined;
  /** Where the transport sends credentials. A connection that wraps another passes this on. */
  readonly credentials?: CredentialsInUse | undefined;
  /** Where messages that belong to no request have a stream of their own. A connection that wraps another passes this on. */
  readonly standing?: StandingStream | undefined;
}

/** The stream for messages that belong to no request. Not every server has one, and it can break off while the conversation goes on. */
export interface StandingStream {
  /** Tells the listener what is known now, and what changes later, until the returned function is called. */
  follow(listener: StandingStreamListener): () => void;
}
export interface StandingStreamListener {
  /** The stream is open. Where `isWhole` is false, it broke off before, and messages can be missing. */
  opened(isWhole: boolean): void;
  /** There is none, and will be none. */
  ended(reason: Error): void;
}

/** Which credentials requests go out with, as a number, so that caches never see a token. */
export interface CredentialsInUse {
  /** Of the last request on any connection of the same transport. Grows with every change, and never returns to an earlier number. */
  readonly last: number;
  /** Of a request that would go out now. */
  now(operation: string, signal: AbortSignal): Promise<number>;
}

/** Opens a connection. `inbound` is how the other side reaches us; `session` is where both ends keep what they agreed on. */
export type Transport = (inbound: Exchange, session: PeerSession) => Promise<Connection>;

/** The way to a client that no request of its own leads to. */
export interface ServerPush {
  /** Names the client, for what a server keeps for it. Absent where clients cannot be told apart. */
  readonly id?: string;
  /** What was verified with the client's last request, where that can be one that no exchange sees. */
  readonly auth?: AuthInfo | undefined;
  notify(notification: RpcNotification): void;
  ask(request: RpcRequest): Promise<RpcResponse>;
  /** The other side asked for the end of the conversation. */
  end(): void;
  /**
   * The client began a new session on this channel: cancels what the old session has open. Absent where a channel has
   * one session for life.
   */
  renew?(): void;
}

/** The id of the client at the other end of a pipe: the process belongs to its user, and so does what an earlier one kept. */
export const LOCAL_CLIENT = 'local';

/** One conversation that is being served. */
export interface ServedConversation {
  exchange(message: Message, link: Link): Promise<RpcResponse | undefined>;
  close(): void;
}

/** What a transport can serve. A conversation's state is the session, plain data; the servable itself holds none. */
export interface Servable {
  /** Finishes what takes a moment before the first conversation. Rejects where it cannot be served at all. */
  prepare?(): Promise<void> | undefined;
  open(outlet: ServerPush, session: PeerSession): ServedConversation;
  /** The revisions it speaks; all of them when it does not say. */
  readonly revisions?: readonly string[];
  /** The headers that must repeat arguments of this request, where revision and transport have such headers. */
  mirrored?(request: RpcRequest): readonly MirroredHeader[];
  /** The parameter that `Mcp-Name` repeats, for methods of extensions that it offers. */
  nameParam?(method: string): string | undefined;
  /** What a caller must be allowed to for this request, where the transport verifies callers. */
  scopes?(request: RpcRequest): readonly string[];
}
