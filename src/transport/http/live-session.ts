/** A session while this process serves it: its open calls, its requests to the client and its streams. */
import { McpError } from '../../errors.ts';
import { failure, type RpcNotification, type RpcRequest, type RpcResponse } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { CANCELLED } from '../../model/names.ts';
import { CallLink, detachedLink, type LinkFacts } from '../../peer/call-link.ts';
import { type Link, linkWith, type Servable, type ServedConversation, type ServerPush } from '../../peer/exchange.ts';
import { IncomingRequests } from '../../peer/incoming-requests.ts';
import type { KeepAlive } from '../../peer/keep-alive.ts';
import { PendingRequests } from '../../peer/pending-requests.ts';
import type { PeerSession } from '../../peer/session.ts';
import type { HttpRules } from '../../revisions/contract.ts';
import { findRevision } from '../../revisions/index.ts';
import type { EventStream } from './event-stream.ts';
import type { HttpSettings } from './http-settings.ts';
import type { PostOwner, PostResponse } from './post-response.ts';
import { unservedMethod } from './requests-only.ts';
import type { StoredSession, VersionedSession } from './session-store.ts';
import { randomName, SessionStreams } from './session-streams.ts';

export interface HttpSessionContext {
  readonly server: Servable;
  readonly settings: HttpSettings;
  readonly keepAlive: KeepAlive;
}

/** The container of a session. */
export interface SessionOwner extends HttpSessionContext {
  /** Called when a client asks to end its session. Absent if sessions cannot be ended. */
  onEndRequested?(id: string): void;
}

/** A session from the store, or a new one that has no version yet. */
export interface SessionData extends StoredSession {
  readonly version?: string | undefined;
  readonly caller: string | undefined;
}

/** A process has many of these, mostly idle: members that few sessions need are created on first use, and methods need no closures. */
export class LiveSession implements ServerPush, PostOwner {
  readonly id: string;
  readonly principal: string;
  /** The caller to whose limits the session counts. */
  readonly caller: string | undefined;
  readonly session: PeerSession;
  /** The session as it was last read from the store or written to it. */
  base: PeerSession;
  version: string | undefined;
  /** The last state read from an asynchronous store, passed to `get` so that an unchanged session need not be read again. */
  known: VersionedSession | undefined;
  readonly createdAt: number;
  usedAt: number;
  /** When the store last confirmed that the session exists. */
  confirmedAt: number;
  /** The store was unavailable at the last request. */
  isStale = false;
  /** The identity verified with the last request. Never stored. */
  auth: AuthInfo | undefined;
  /** Other processes have served the session too. */
  shared: boolean;
  readonly #owner: SessionOwner;
  readonly #served: ServedConversation;
  #streams: SessionStreams | undefined;
  #calls: IncomingRequests | undefined;
  #questions: PendingRequests | undefined;

  constructor(id: string, stored: SessionData, owner: SessionOwner) {
    this.id = id;
    this.principal = stored.principal;
    this.caller = stored.caller;
    // A copy, so that the object in a memory store changes only by `put`.
    this.session = { ...stored.session };
    this.base = stored.session;
    this.version = stored.version;
    this.shared = stored.shared === true;
    this.createdAt = stored.createdAt;
    this.usedAt = stored.usedAt;
    this.confirmedAt = stored.usedAt;
    this.#owner = owner;
    this.#served = owner.server.open(this, this.session);
  }

  notify(message: RpcNotification): void {
    this.streams.send(message);
  }

  /** Sends a request to the client: on behalf of a call on the stream of its POST, any other on the GET stream. */
  ask(request: RpcRequest, call?: Link, post?: PostResponse): Promise<RpcResponse> {
    // The prefix prevents collisions with ids of other processes that serve the same session.
    this.#questions ??= new PendingRequests(`${this.#owner.settings.peers?.node ?? randomName()}-`);
    return this.#questions.send(request, call ?? detachedLink, post ?? this.streams);
  }

  end(): void {
    this.#owner.onEndRequested?.(this.id);
  }

  get rules(): HttpRules | undefined {
    const rules = findRevision(this.session.revision ?? '')?.http;
    // A stream can only be resumed in a session that is stored.
    return rules !== undefined && this.session.requestsOnly === true
      ? { ...rules, resumable: false, polling: false }
      : rules;
  }

  get retryMs(): number | undefined {
    return this.rules?.polling === true ? this.#owner.settings.retryMs : undefined;
  }

  get streams(): SessionStreams {
    const { settings, keepAlive } = this.#owner;
    this.#streams ??= new SessionStreams(this.id, { settings, keepAlive, rules: () => this.rules });
    return this.#streams;
  }

  /** Number of open calls. */
  get openCalls(): number {
    return this.#calls?.size ?? 0;
  }

  /** Whether no stream is connected, and no call is open, except calls that wait for answers of a client that is gone. */
  get idle(): boolean {
    return this.#streams?.connected !== true && this.openCalls <= (this.#questions?.size ?? 0);
  }

  /** Absent before the handshake, whose response determines status and headers. */
  get keepAlive(): KeepAlive | undefined {
    return this.session.revision === undefined ? undefined : this.#owner.keepAlive;
  }

  stream({ answers }: PostResponse): EventStream {
    return this.streams.post(answers);
  }

  /** Handles a request. Resolves with undefined if it was cancelled; its POST has then ended. */
  async serve(request: RpcRequest, post: PostResponse, facts: LinkFacts): Promise<RpcResponse | undefined> {
    const { settings } = this.#owner;
    // `initialize` cannot be cancelled, so it needs no table; most sessions are idle after it and never get one.
    const isHandshake = request.method === 'initialize';
    if (!isHandshake) this.#calls ??= new IncomingRequests({ maxInFlight: settings.maxCallsPerSession, slots: 16 });
    const calls = isHandshake ? undefined : this.#calls;
    let call: CallLink | undefined;
    let response: RpcResponse | undefined;
    try {
      call = calls?.open(request, post, facts) ?? new CallLink(request, post, facts);
      response = this.session.requestsOnly === true ? unservedMethod(request) : undefined;
      response ??= (await this.#served.exchange(request, call)) ?? failure(request.id, undefined);
    } catch (thrown) {
      response = failure(request.id, thrown);
    }
    return calls === undefined || call === undefined ? response : calls.close(call, response);
  }

  /** Handles a notification or response. Resolves with false for a response if sessions of this kind send no requests. */
  async receive(message: RpcNotification | RpcResponse, auth: AuthInfo | undefined): Promise<boolean> {
    const isResponse = !('method' in message);
    if (isResponse || message.method === CANCELLED) {
      const isTaken = this.take(message);
      if (!isTaken) this.#owner.settings.peers?.forward({ session: this.id, principal: this.principal, message });
      return isTaken || !isResponse || this.session.requestsOnly !== true;
    }
    await this.#served.exchange(message, linkWith(detachedLink, { auth })).catch(() => undefined);
    return true;
  }

  /** Applies a response or cancellation. Returns false if no such request is open in this process. */
  take(message: RpcNotification | RpcResponse): boolean {
    if (!('method' in message)) return this.#questions?.settle(message) === true;
    return this.#calls?.cancel(message.params) === true;
  }

  /** Frees the memory that only open calls need. */
  trim(): void {
    if (this.openCalls === 0) this.#calls = undefined;
  }

  /** Closes the session in this process. It stays in the store. */
  close(why: string): void {
    const reason = new McpError('MCP_CLOSED', { why });
    this.#questions?.rejectAll(reason);
    this.#calls?.cancelAll(reason);
    this.#served.close();
    this.#streams?.end();
  }
}
