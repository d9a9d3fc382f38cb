/** One conversation with a client: its requests, its handshake, and notifications of changes. */
import { RpcError } from '../errors.ts';
import { INVALID_REQUEST, isRequest, type Message, type RpcRequest, type RpcResponse } from '../jsonrpc/message.ts';
import type { ServerCapabilities } from '../model/caller.ts';
import { type Change, canNotify } from '../model/change.ts';
import type { Link, ServedConversation, ServerPush } from '../peer/exchange.ts';
import { clearSession, type PeerSession } from '../peer/session.ts';
import type { ChangeSource, LifecycleContext, Revision } from '../revisions/contract.ts';
import { isInitialized } from '../revisions/lifecycles/session.ts';
import type { ChangeHub, ChangeListener } from './change-hub.ts';

/** Shared by all conversations of a server, or of a gateway's view. */
export interface ConversationCore<C extends ConversationCore<C>> {
  readonly settings: { readonly maxListeners: number; readonly revisions: readonly Revision[] };
  readonly catalogue: { capabilities(): ServerCapabilities };
  readonly changes: ChangeHub;
  answer(request: RpcRequest, link: Link, conversation: ServerConversation<C>): Promise<RpcResponse>;
  /** Whether the client of a session must not be notified of a change. */
  hides?(change: Change, conversation: ServerConversation<C>): boolean;
  readonly sessionEnded?: (session: PeerSession) => void;
}

/** One instance per open session, so it must stay small: creates fields on first use, and implements the listener interfaces itself. */
export class ServerConversation<C extends ConversationCore<C>>
  implements ServedConversation, ChangeListener, ChangeSource, LifecycleContext
{
  readonly core: C;
  readonly push: ServerPush;
  readonly session: PeerSession;
  /** Functions that end its notification streams. Most conversations never open one. */
  #streams: Set<() => void> | undefined;
  /** The capabilities that the handshake declared to the client; undefined before it. */
  #declared: ServerCapabilities | undefined;

  constructor(core: C, push: ServerPush, session: PeerSession) {
    this.core = core;
    this.push = push;
    this.session = session;
    if (session.ready === true) this.#listen();
  }

  /** Opens a stream of notifications, which ends with the conversation. */
  subscribe(onChange: (change: Change) => void, closed: () => void): () => void {
    const { changes } = this.core;
    const listener = { onChange, closed };
    changes.join(listener);
    this.#streams ??= new Set();
    this.#streams.add(closed);
    return () => {
      changes.leave(listener);
      this.#streams?.delete(closed);
    };
  }

  /** Whether one more stream of notifications can be opened. */
  canListen(): boolean {
    return this.core.changes.streams < this.core.settings.maxListeners;
  }

  exchange(message: Message, link: Link): Promise<RpcResponse | undefined> {
    if (isRequest(message)) return this.core.answer(message, link, this);
    if ('method' in message && isInitialized(message.method)) this.#completeHandshake();
    return Promise.resolve(undefined);
  }

  /** Starts to push changes to a session. Clients without a session open a stream instead. */
  #completeHandshake(): void {
    const { session } = this;
    if (session.revision === undefined || session.ready === true) return;
    session.ready = true;
    this.#listen();
  }

  #listen(): void {
    // The client can receive only messages that belong to a request, and changes do not.
    if (this.session.requestsOnly === true) return;
    // Capabilities that are added later were not declared in the handshake.
    this.#declared = this.core.catalogue.capabilities();
    this.core.changes.join(this);
  }

  onChange(change: Change): void {
    const { push, session, core } = this;
    if (this.#declared === undefined || !canNotify(this.#declared, change) || core.hides?.(change, this)) return;
    const revision = core.settings.revisions.find((one) => one.id === session.revision);
    const notification = revision?.feeds.push(change, session);
    if (notification !== undefined) push.notify(notification);
  }

  end(): void {
    this.push.end();
  }

  /** Replaces the session with the one that the client opens now. Throws if the channel allows only one session. */
  renew(): void {
    const { push } = this;
    if (push.renew === undefined) throw new RpcError(INVALID_REQUEST, 'This session is already initialized');
    this.#leave();
    clearSession(this.session);
    push.renew();
  }

  #leave(): void {
    this.core.changes.leave(this);
    this.#declared = undefined;
    this.core.sessionEnded?.(this.session);
  }

  close(): void {
    this.#leave();
    for (const closed of [...(this.#streams ?? [])]) closed();
  }
}
