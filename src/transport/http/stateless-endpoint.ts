/** Requests that introduce themselves: nothing is remembered between them, and hanging up calls one off. */
import { McpError, RpcError } from '../../errors.ts';
import {
  failure,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isFailure,
  METHOD_NOT_FOUND,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { HEADER_MISMATCH, LISTEN } from '../../model/names.ts';
import { Abort } from '../../peer/abort.ts';
import type { Link, Servable, ServedConversation } from '../../peer/exchange.ts';
import type { Revision } from '../../revisions/contract.ts';
import { CallerCounts, callerKey } from './caller-counts.ts';
import { EventStream } from './event-stream.ts';
import { expiringReply } from './expiry.ts';
import { methodMismatch, nameMismatch, paramMismatch, versionMismatch } from './header-mismatch.ts';
import type { HttpSettings } from './http-settings.ts';
import type { KeepAlive } from './keep-alive.ts';
import type { Accepts } from './media.ts';
import { PostResponse, type StreamMaker } from './post-response.ts';
import { HttpRejection } from './rejections.ts';
import type { HttpReply, HttpView } from './view.ts';

export interface HttpIncoming {
  readonly view: HttpView;
  readonly reply: HttpReply;
  readonly accepts: Accepts;
  readonly auth: AuthInfo | undefined;
}

export interface StatelessContext {
  readonly server: Servable;
  readonly settings: HttpSettings;
  readonly keepAlive: KeepAlive;
  /** The revisions without a handshake that are spoken here. */
  readonly revisions: readonly Revision[];
}

export class StatelessEndpoint {
  readonly #context: StatelessContext;
  readonly #spoken: ReadonlyMap<unknown, Revision>;
  readonly #served: ServedConversation;
  readonly #listeners: CallerCounts;

  constructor(context: StatelessContext) {
    this.#context = context;
    this.#spoken = new Map(context.revisions.map((revision) => [revision.id, revision]));
    this.#listeners = new CallerCounts(context.settings.maxListenersPerCaller);
    const nobody = (): Promise<never> => Promise.reject(unaskable());
    // One conversation for everybody: it holds nothing about anybody.
    this.#served = context.server.open({ notify: () => undefined, ask: nobody, end: () => undefined }, {});
  }

  /** Ends streams of news, each with its answer. */
  close(): void {
    this.#served.close();
  }

  /** Answers a request that claims a version. Everything that decides the status comes before the handler. */
  answer(request: RpcRequest, claimed: unknown, incoming: HttpIncoming): Promise<void> | void {
    const fault = this.#fault(request, claimed, incoming);
    if (fault !== undefined)
      throw new HttpRejection('request', { fault: fault.message }, { code: fault.code, id: request.id });
    return request.method === LISTEN
      ? this.#listen(request, claimed, incoming)
      : this.#serve(request, claimed, incoming);
  }

  /** Streams of news stay open, so each caller has so many and no more. */
  async #listen(request: RpcRequest, claimed: unknown, incoming: HttpIncoming): Promise<void> {
    const { auth, view, reply } = incoming;
    const caller = callerKey(auth, view.address);
    const { maxListenersPerCaller: limit } = this.#context.settings;
    if (this.#listeners.isFull(caller)) throw new HttpRejection('maxListenersPerCaller', { limit }, { id: request.id });
    this.#listeners.add(caller);
    try {
      await this.#serve(request, claimed, {
        ...incoming,
        reply: expiringReply(reply, auth, this.#context.settings.clock),
      });
    } finally {
      this.#listeners.remove(caller);
    }
  }

  async #serve(request: RpcRequest, claimed: unknown, incoming: HttpIncoming): Promise<void> {
    const link = new StatelessLink(request, incoming, this.#context);
    let response: RpcResponse | undefined;
    try {
      response = await this.#served.exchange(request, link);
    } catch (thrown) {
      response = failure(request.id, thrown);
    }
    link.answer(response, this.#spoken.get(claimed));
  }

  /** The ladder, as far as headers have a say in it; what is left to the server to refuse, it will. */
  #fault(request: RpcRequest, claimed: unknown, { view, accepts }: HttpIncoming): RpcError | undefined {
    if (typeof claimed !== 'string') return new RpcError(INVALID_PARAMS, 'The version in _meta must be a string');
    const version = versionMismatch(view, claimed);
    if (version !== undefined) return new RpcError(HEADER_MISMATCH, version);
    const revision = this.#spoken.get(claimed);
    if (revision === undefined) return undefined;
    try {
      revision.lifecycle.caller(request, {});
    } catch (thrown) {
      return thrown instanceof RpcError ? thrown : new RpcError(INTERNAL_ERROR, 'Internal error');
    }
    const mismatch = revision.http.mirrors ? this.#mismatch(request, view, revision) : undefined;
    if (mismatch !== undefined) return new RpcError(HEADER_MISMATCH, mismatch);
    if (request.method !== LISTEN || accepts.events) return undefined;
    return new RpcError(INVALID_PARAMS, `${LISTEN} needs a client that accepts text/event-stream`);
  }

  #mismatch(request: RpcRequest, view: HttpView, revision: Revision): string | undefined {
    const method = methodMismatch(view, request);
    if (method !== undefined || !revision.methods.requests.has(request.method)) return method;
    const mirrored = this.#context.server.mirrored?.(request) ?? [];
    return nameMismatch(view, request) ?? (mirrored.length === 0 ? undefined : paramMismatch(view, request, mirrored));
  }
}

class StatelessLink implements Link, StreamMaker {
  readonly auth: AuthInfo | undefined;
  readonly keepAlive: KeepAlive;
  readonly #request: RpcRequest;
  readonly #reply: HttpReply;
  readonly #context: StatelessContext;
  readonly #answer: PostResponse;
  #abort: Abort | undefined;
  /** Answered, or nobody is there to hear the answer. */
  #done = false;

  constructor(request: RpcRequest, incoming: HttpIncoming, context: StatelessContext) {
    this.#request = request;
    this.#reply = incoming.reply;
    this.auth = incoming.auth;
    this.#context = context;
    this.keepAlive = context.keepAlive;
    this.#answer = new PostResponse(incoming, this);
  }

  stream(): EventStream {
    const { settings, keepAlive } = this.#context;
    return new EventStream({ keepAlive, maxQueueBytes: settings.maxQueueBytes, onLost: () => this.lost() });
  }

  get signal(): AbortSignal {
    return this.#aborting().signal;
  }

  onAbort(listener: (reason: unknown) => void): void {
    this.#aborting().onAbort(listener);
  }

  notify(notification: RpcNotification): void {
    if (!this.#done) this.#answer.send(notification);
  }

  ask(): Promise<RpcResponse> {
    return Promise.reject(unaskable());
  }

  answer(response: RpcResponse | undefined, revision: Revision | undefined): void {
    if (this.#done) return;
    this.#done = true;
    const answer = response ?? failure(this.#request.id, undefined);
    this.#answer.respond(answer, isFailure(answer) ? statusOf(answer.error.code, revision) : 200);
  }

  /** Hanging up before the answer calls the request off; after it, it is only the end. */
  lost(): void {
    if (this.#done) return;
    this.#done = true;
    this.#abort ??= new Abort();
    this.#abort.abort(new McpError('MCP_CANCELLED', { method: this.#request.method, why: 'the client hung up' }));
  }

  /** Nobody watches the connection until somebody wants to know. */
  #aborting(): Abort {
    if (this.#abort === undefined) {
      this.#abort = new Abort();
      this.#reply.onGone(() => this.lost());
    }
    return this.#abort;
  }
}

const statusOf = (code: number, revision: Revision | undefined): number =>
  revision?.http.status(code) ?? (code === METHOD_NOT_FOUND ? 404 : 400);

const unaskable = (): McpError => new McpError('MCP_CLOSED', { why: 'this client takes no requests' });
