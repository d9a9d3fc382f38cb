/** A session that this process is serving: its calls, its questions, its streams. What it agreed on is data, kept elsewhere. */
import { McpError } from '../../errors.ts';
import { failure, type RpcNotification, type RpcRequest, type RpcResponse } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { CANCELLED } from '../../model/names.ts';
import { CallLink, detachedLink, type LinkFacts } from '../../peer/call-link.ts';
import { linkWith, type Servable, type ServedConversation, type ServerPush } from '../../peer/exchange.ts';
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

/** What a session needs of its registry. */
export interface SessionOwner extends HttpSessionContext {
  /** The client asked for its end, where sessions have one. */
  onEndRequested?(id: string): void;
}

/** A session from the store, or a new one that has no version yet. */
export interface SessionData extends StoredSession {
  readonly version?: string | undefined;
  readonly caller: string | undefined;
}

/** There are many of these, and most are idle: members that few sessions need are made on first use, and there are no closures. */
export class LiveSession implements ServerPush, PostOwner {
  readonly id: string;
  readonly principal: string;
  /** The caller that limits count it for. */
  readonly caller: string | undefined;
  readonly session: PeerSession;
  /** The session as it was last read from the store or written to it. */
  base: PeerSession;
  version: string | undefined;
  /** What a store that answers later had of it the last time; it need not be read again while it is the same. */
  known: VersionedSession | undefined;
  readonly createdAt: number;
  usedAt: number;
  /** When the store last had it. */
  confirmedAt: number;
  /** The store was away when the last request came. */
  isStale = false;
  /** Of its last request. Never stored. */
  auth: AuthInfo | undefined;
  /** Other processes have served it too. */
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
    // A copy: what a store in memory holds changes by `put` alone.
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

  /** A question of a call goes out on the stream of its POST; any other on the standing one. */
  ask(request: RpcRequest, call?: CallLink, post?: PostResponse): Promise<RpcResponse> {
    // Keeps our ids apart from those that another process uses in the same session.
    this.#questions ??= new PendingRequests(`${this.#owner.settings.peers?.node ?? randomName()}-`);
    return this.#questions.send(request, call ?? detachedLink, post ?? this.streams);
  }

  end(): void {
    this.#owner.onEndRequested?.(this.id);
  }

  get rules(): HttpRules | undefined {
    const rules = findRevision(this.session.revision ?? '')?.http;
    // A stream that another request would take up again needs a store.
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

  get open(): number {
    return this.#calls?.size ?? 0;
  }

  /** Neither a call nor the standing stream is open. */
  get idle(): boolean {
    return this.open === 0 && this.#streams?.connected !== true;
  }

  /** Absent until the handshake is done: its response decides status and headers. */
  get keepAlive(): KeepAlive | undefined {
    return this.session.revision === undefined ? undefined : this.#owner.keepAlive;
  }

  stream({ answers }: PostResponse): EventStream {
    return this.streams.post(answers);
  }

  /** The response to a request; undefined when it was cancelled, and its POST has ended. */
  async serve(request: RpcRequest, post: PostResponse, facts: LinkFacts): Promise<RpcResponse | undefined> {
    const { settings } = this.#owner;
    // The handshake cannot be cancelled, and most sessions are idle after it: it leaves no table behind.
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

  /** Takes a message that has no response. False for a response where nothing can have been asked. */
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

  /** Whether a response or a cancellation was for something that is open in this process. */
  take(message: RpcNotification | RpcResponse): boolean {
    if (!('method' in message)) return this.#questions?.settle(message) === true;
    return this.#calls?.cancel(message.params) === true;
  }

  /** Frees what only calls need. */
  trim(): void {
    if (this.open === 0) this.#calls = undefined;
  }

  /** Ends everything in this process. The session stays in the store. */
  close(why: string): void {
    const reason = new McpError('MCP_CLOSED', { why });
    this.#questions?.rejectAll(reason);
    this.#calls?.cancelAll(reason);
    this.#served.close();
    this.#streams?.end();
  }
}
