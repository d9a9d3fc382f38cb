/** A session that this process is serving: its calls, its questions, its streams. What it agreed on is data, kept elsewhere. */
import { McpError, RpcError } from '../../errors.ts';
import {
  failure,
  INVALID_REQUEST,
  type JsonObject,
  type Message,
  notification,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { CANCELLED } from '../../model/names.ts';
import type { Servable, ServedConversation, ServerPush } from '../../peer/exchange.ts';
import { PendingRequests, responseFor, toWire } from '../../peer/pending-requests.ts';
import type { PeerSession } from '../../peer/session.ts';
import type { HttpRules } from '../../revisions/http/rules.ts';
import { findRevision } from '../../revisions/index.ts';
import type { EventStream } from './event-stream.ts';
import type { HttpSettings } from './http-settings.ts';
import type { KeepAlive } from './keep-alive.ts';
import type { PostResponse, StreamMaker } from './post-response.ts';
import { type Asker, SessionCall } from './session-call.ts';
import type { StoredSession } from './session-store.ts';
import { randomName, SessionStreams } from './session-streams.ts';

export interface HttpSessionContext {
  readonly server: Servable;
  readonly settings: HttpSettings;
  readonly keepAlive: KeepAlive;
}

/** What a session needs of those who keep it. */
export interface SessionOwner extends HttpSessionContext {
  /** The client asked for its end. */
  onEndRequested(id: string): void;
}

/** A session from the store, or a new one that has no version yet. */
export interface SessionData extends StoredSession {
  readonly version?: string | undefined;
  readonly caller: string | undefined;
}

/** There are many of these, and most do nothing: what only some need is made when they need it, and nothing is a closure. */
export class LiveSession implements Asker, ServerPush, StreamMaker {
  readonly id: string;
  readonly principal: string;
  /** Whom it is counted for. */
  readonly caller: string | undefined;
  readonly session: PeerSession;
  /** The session as it was last read from the store or written to it. */
  base: PeerSession;
  version: string | undefined;
  readonly createdAt: number;
  usedAt: number;
  /** Other processes have served it too. */
  shared: boolean;
  readonly #keeper: SessionOwner;
  readonly #served: ServedConversation;
  #streams: SessionStreams | undefined;
  /** A list: there are few at once, and a map would make room anew for each. */
  #calls: SessionCall[] | undefined;
  #pending: PendingRequests | undefined;
  /** Keeps our questions apart from those that another process asked in the same session. */
  #tag: string | undefined;

  constructor(id: string, stored: SessionData, keeper: SessionOwner) {
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
    this.#keeper = keeper;
    this.#served = keeper.server.open(this, this.session);
  }

  notify(message: RpcNotification): void {
    this.streams.push(message);
  }

  /** A question of a call goes out on its stream; any other on the standing one. */
  ask(request: RpcRequest, call?: SessionCall): Promise<RpcResponse> {
    const say = (message: Message): void => (call === undefined ? this.streams.push(message) : call.say(message));
    return this.#question(request, say, call);
  }

  end(): void {
    this.#keeper.onEndRequested(this.id);
  }

  get rules(): HttpRules | undefined {
    return findRevision(this.session.revision ?? '')?.http;
  }

  get pollMs(): number | undefined {
    return this.rules?.polling === true ? this.#keeper.settings.retryMs : undefined;
  }

  get streams(): SessionStreams {
    const { settings, keepAlive } = this.#keeper;
    this.#streams ??= new SessionStreams(this.id, { settings, keepAlive, rules: () => this.rules });
    return this.#streams;
  }

  /** Calls that are open now. */
  get open(): number {
    return this.#calls?.length ?? 0;
  }

  /** Nothing of it is going on. */
  get idle(): boolean {
    return this.open === 0 && this.#streams?.connected !== true;
  }

  /** Until the handshake is done, nobody knows whether there is a session to name, nor the status. */
  get keepAlive(): KeepAlive | undefined {
    return this.session.revision === undefined ? undefined : this.#keeper.keepAlive;
  }

  stream(): EventStream {
    return this.streams.post();
  }

  /** The answer to a request; undefined when it was called off, and everything has been said. */
  async serve(request: RpcRequest, answer: PostResponse, auth: AuthInfo | undefined): Promise<RpcResponse | undefined> {
    const { id, method } = request;
    if (this.#find(id) !== undefined) {
      return failure(id, new RpcError(INVALID_REQUEST, 'Invalid request: a request with this id is still open'));
    }
    const call = new SessionCall(this, request, { answer, auth });
    // The handshake cannot be called off, and most sessions are idle after it: it leaves nothing behind.
    if (method !== 'initialize') this.#begin(call);
    let response: RpcResponse | undefined;
    try {
      response = (await this.#served.exchange(request, call)) ?? failure(id, undefined);
    } catch (thrown) {
      response = failure(id, thrown);
    }
    this.#end(call);
    if (call.done) return undefined;
    call.done = true;
    return response;
  }

  #find(id: unknown): SessionCall | undefined {
    return this.#calls?.find((call) => call.id === id);
  }

  #begin(call: SessionCall): void {
    this.#calls ??= [];
    this.#calls.push(call);
  }

  #end(call: SessionCall): void {
    const at = this.#calls?.indexOf(call) ?? -1;
    if (at !== -1) this.#calls?.splice(at, 1);
  }

  /** Takes what needs no answer. */
  async receive(message: RpcNotification | RpcResponse, auth: AuthInfo | undefined): Promise<void> {
    if (!('method' in message)) this.#settle(message);
    else if (message.method === CANCELLED) this.#cancelled(message.params);
    else {
      const link = { ...silent, auth };
      await this.#served.exchange(message, link).then(nothing, nothing);
    }
  }

  /** Lets go of what only calls need. */
  trim(): void {
    if (this.open === 0) this.#calls = undefined;
  }

  /** Lets go of everything in this process. Streams that are connected end. */
  close(why: string): void {
    const reason = new McpError('MCP_CLOSED', { why });
    for (const waiting of this.#pending?.clear() ?? []) waiting.reject(reason);
    for (const call of [...(this.#calls ?? [])]) call.cancel(reason);
    this.#served.close();
    this.#streams?.end();
  }

  #question(request: RpcRequest, say: (message: Message) => void, call?: SessionCall): Promise<RpcResponse> {
    this.#pending ??= new PendingRequests();
    this.#tag ??= randomName();
    const pending = this.#pending;
    const tag = this.#tag;
    return new Promise((resolve, reject) => {
      const waiting = pending.add({ request, link: call ?? silent, resolve, reject });
      const id = `${tag}-${waiting.id}`;
      call?.onAbort((reason) => {
        if (!pending.remove(waiting)) return;
        say(notification(CANCELLED, { requestId: id, reason: reason instanceof Error ? reason.message : 'cancelled' }));
        reject(reason);
      });
      if (pending.get(waiting.id) !== undefined) say({ ...toWire(waiting), id });
    });
  }

  #settle(response: RpcResponse): void {
    const [tag, number] = String(response.id).split(/-(?=\d+$)/);
    const waiting = tag === this.#tag ? this.#pending?.get(Number(number)) : undefined;
    if (waiting === undefined) return;
    this.#pending?.remove(waiting);
    waiting.resolve(responseFor(waiting, response));
  }

  #cancelled(params: JsonObject | undefined): void {
    const call = this.#find(params?.['requestId']);
    const why = typeof params?.['reason'] === 'string' ? params['reason'] : 'no reason given';
    call?.cancel(new McpError('MCP_CANCELLED', { method: call.method, why }));
  }
}

const nothing = (): undefined => undefined;

/** A notification has nobody who waits for an answer. */
const silent = {
  get signal(): AbortSignal {
    return new AbortController().signal;
  },
  onAbort: (): void => undefined,
  notify: (): void => undefined,
  ask: (): Promise<never> => Promise.reject(new McpError('MCP_CLOSED', { why: 'this link leads nowhere' })),
};
