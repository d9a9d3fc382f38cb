/** Serves revisions without sessions: each request carries its revision and client info, and a disconnect cancels it. */
import { McpError, RpcError } from '../../errors.ts';
import {
  type ErrorBody,
  failure,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isFailure,
  METHOD_NOT_FOUND,
  type RpcRequest,
  type RpcResponse,
} from '../../jsonrpc/message.ts';
import type { AuthInfo, Caller } from '../../model/caller.ts';
import { HEADER_MISMATCH, LISTEN } from '../../model/names.ts';
import { CallLink } from '../../peer/call-link.ts';
import type { ServedConversation, ServerPush } from '../../peer/exchange.ts';
import type { KeepAlive } from '../../peer/keep-alive.ts';
import type { Revision } from '../../revisions/contract.ts';
import { CallerCounts, callerKey } from './caller-counts.ts';
import { EventStream } from './event-stream.ts';
import { headerMismatch, versionMismatch } from './header-mismatch.ts';
import type { HttpSessionContext } from './live-session.ts';
import { type IncomingPost, type PostOwner, PostResponse } from './post-response.ts';
import { HttpRejection } from './rejections.ts';
import { laterStatus } from './retry-later.ts';
import { onTokenExpiry } from './token-expiry.ts';
import type { HttpView } from './view.ts';

export interface HttpIncoming extends IncomingPost {
  readonly view: HttpView;
  readonly auth: AuthInfo | undefined;
}

export interface StatelessContext extends HttpSessionContext {
  /** The revisions without sessions that the server supports. */
  readonly revisions: readonly Revision[];
}

/** The revision and client info in a request. */
interface StatelessSender {
  readonly revision?: Revision;
  readonly caller?: Caller;
}

const noSession = {};

export class StatelessEndpoint implements PostOwner, ServerPush {
  readonly keepAlive: KeepAlive;
  readonly #context: StatelessContext;
  readonly #revisions: ReadonlyMap<unknown, Revision>;
  readonly #served: ServedConversation;
  readonly #listeners: CallerCounts;

  constructor(context: StatelessContext) {
    this.#context = context;
    this.keepAlive = context.keepAlive;
    this.#revisions = new Map(context.revisions.map((revision) => [revision.id, revision]));
    this.#listeners = new CallerCounts(context.settings.maxListenersPerCaller);
    // One conversation for all requests, because it stores nothing about a caller.
    this.#served = context.server.open(this, {});
  }

  /** Ends all subscriptions, each with its final response. */
  close(): void {
    this.#served.close();
  }

  stream(post: PostResponse): EventStream {
    const { settings, keepAlive } = this.#context;
    return new EventStream({ keepAlive, maxQueueBytes: settings.maxQueueBytes, onLost: () => post.hangUp() });
  }

  ask(): Promise<never> {
    return Promise.reject(new McpError('MCP_CLOSED', { why: 'this client takes no requests' }));
  }

  notify(): void {}

  end(): void {}

  /** Handles a request that claims a version. All checks that determine the HTTP status run before the handler. */
  answer(request: RpcRequest, claimed: unknown, incoming: HttpIncoming): Promise<void> {
    const sender = this.#check(request, claimed, incoming);
    if (request.method !== LISTEN) return this.#serve(request, incoming, sender);
    if (incoming.accepts.events) return this.#listen(request, incoming, sender);
    throw rejected(INVALID_PARAMS, `${LISTEN} needs a client that accepts text/event-stream`);
  }

  /** Subscriptions stay open, so their number is limited per caller. */
  async #listen(request: RpcRequest, incoming: HttpIncoming, sender: StatelessSender): Promise<void> {
    const { auth, view } = incoming;
    const caller = callerKey(auth, view.address);
    const { maxListenersPerCaller: limit, clock } = this.#context.settings;
    if (this.#listeners.isFull(caller)) throw new HttpRejection('maxListenersPerCaller', { limit });
    this.#listeners.add(caller);
    try {
      await this.#serve(request, { ...incoming, expiry: (run) => onTokenExpiry(auth, clock, run) }, sender);
    } finally {
      this.#listeners.remove(caller);
    }
  }

  async #serve(request: RpcRequest, incoming: HttpIncoming, { revision, caller }: StatelessSender): Promise<void> {
    const post = new PostResponse(incoming, this);
    const checked = this.#context.server.scopes && request;
    const link = new CallLink(request, post, { auth: incoming.auth, revision: revision?.id, checked, caller });
    post.call = link;
    let response: RpcResponse | undefined;
    try {
      response = await this.#served.exchange(request, link);
    } catch (thrown) {
      response = failure(request.id, thrown);
    }
    if (link.done) return;
    link.done = true;
    response ??= failure(request.id, undefined);
    post.respond(response, isFailure(response) ? statusOf(response.error, revision) : 200);
  }

  /** Checks the request against its headers, in the order of the specification. All other checks are the server's. */
  #check(request: RpcRequest, claimed: unknown, { view, auth }: HttpIncoming): StatelessSender {
    if (typeof claimed !== 'string') throw rejected(INVALID_PARAMS, 'The version in _meta must be a string');
    const version = versionMismatch(view, claimed);
    if (version !== undefined) throw rejected(HEADER_MISMATCH, version);
    const revision = this.#revisions.get(claimed);
    if (revision === undefined) return {};
    let caller: Caller;
    try {
      caller = revision.lifecycle.caller(request, noSession);
    } catch (thrown) {
      const { code, message } = thrown instanceof RpcError ? thrown : new RpcError(INTERNAL_ERROR, 'Internal error');
      throw rejected(code, message);
    }
    const { server } = this.#context;
    const mismatch = revision.http.mirrors ? headerMismatch(view, request, server, auth) : undefined;
    if (mismatch !== undefined) throw rejected(HEADER_MISMATCH, mismatch);
    return { revision, caller };
  }
}

const rejected = (code: number, fault: string): HttpRejection => new HttpRejection('request', { fault }, { code });

const statusOf = (error: ErrorBody, revision: Revision | undefined): number =>
  laterStatus(error) ?? revision?.http.status(error.code) ?? (error.code === METHOD_NOT_FOUND ? 404 : 400);
