/** One conversation with a caller of a view. */
import { RpcError } from '../../errors.ts';
import {
  failure,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  isRequest,
  type Message,
  type RpcResponse,
} from '../../jsonrpc/message.ts';
import type { Change } from '../../model/change.ts';
import type { Link, ServedConversation, ServerPush } from '../../peer/exchange.ts';
import { clearSession, type PeerSession } from '../../peer/session.ts';
import type { ChangeSource } from '../../revisions/contract.ts';
import { isInitialized } from '../../revisions/lifecycles/session.ts';
import { type ChangeHub, type ChangeListener, ChangeStreams } from '../../server/change-hub.ts';
import { answerViewRequest, type CallerConversation } from './answer-view.ts';
import type { GatewayState } from './gateway-state.ts';

/** Streams of changes that a view has open at a time. */
const MAX_LISTENERS = 50_000;

/** What all conversations of a view share, across reloads. */
export interface ViewChannel {
  readonly name: string;
  readonly changes: ChangeHub;
  /** What messages are answered with from now on. */
  state(): GatewayState;
}

export class ViewConversation implements ServedConversation, CallerConversation, ChangeListener {
  readonly push: ServerPush;
  readonly session: PeerSession;
  readonly #channel: ViewChannel;
  #streams: ChangeStreams | undefined;
  #isListening = false;

  constructor(channel: ViewChannel, push: ServerPush, session: PeerSession) {
    this.#channel = channel;
    this.push = push;
    this.session = session;
    if (session.ready === true) this.#listen();
  }

  get changes(): ChangeSource {
    this.#streams ??= new ChangeStreams(this.#channel.changes);
    return this.#streams;
  }

  canListen(): boolean {
    return this.#channel.changes.streams < MAX_LISTENERS;
  }

  exchange(message: Message, link: Link): Promise<RpcResponse | undefined> {
    if (isRequest(message)) {
      const state = this.#channel.state();
      const view = state.views.get(this.#channel.name);
      if (view !== undefined) return answerViewRequest(message, link, { state, view, conversation: this });
      const gone = new RpcError(INTERNAL_ERROR, `The view ${this.#channel.name} is no longer served`);
      return Promise.resolve(failure(message.id, gone));
    }
    if ('method' in message && isInitialized(message.method)) this.#ready();
    return Promise.resolve(undefined);
  }

  hear(change: Change): void {
    const revision = this.#channel.state().revisions.find((one) => one.id === this.session.revision);
    const notification = revision?.feeds.push(change, this.session);
    if (notification !== undefined) this.push.notify(notification);
  }

  renew(): void {
    const { push } = this;
    if (push.renew === undefined) throw new RpcError(INVALID_REQUEST, 'This session is already initialized');
    this.#leave();
    clearSession(this.session);
    push.renew();
  }

  close(): void {
    this.#leave();
    this.#streams?.close();
  }

  #ready(): void {
    const { session } = this;
    if (session.revision === undefined || session.ready === true) return;
    session.ready = true;
    this.#listen();
  }

  /** Changes are pushed to sessions after their handshake; other callers ask for a stream. */
  #listen(): void {
    if (this.session.requestsOnly === true) return;
    this.#isListening = true;
    this.#channel.changes.join(this);
  }

  #leave(): void {
    if (this.#isListening) this.#channel.changes.leave(this);
    this.#isListening = false;
    this.#channel.state().upstreams.endSession(this.session);
  }
}
