/** The parent-process side of a version: forwards messages to its child process. */
import { McpError } from '../../errors.ts';
import type { Message, RpcRequest, RpcResponse } from '../../jsonrpc/message.ts';
import { type Link, type ServerPush, whenAborted } from '../../peer/exchange.ts';
import { clearSession, type PeerSession } from '../../peer/session.ts';
import type { FromVersion, ToVersion, VersionOffer } from './wire.ts';

export interface VersionConversation {
  readonly push: ServerPush;
  readonly session: PeerSession;
}

interface VersionCall {
  readonly link: Link;
  readonly session: PeerSession;
  /** A stream that stays open. Draining does not wait for it. */
  readonly standing: boolean;
  settle(response: RpcResponse | undefined): void;
  fail(reason: Error): void;
}

export class Version {
  readonly offer: VersionOffer;
  readonly #send: (message: ToVersion) => void;
  readonly #conversations: Map<number, VersionConversation> = new Map();
  readonly #calls: Map<number, VersionCall> = new Map();
  #last = 0;
  #idle: (() => void)[] = [];

  constructor(offer: VersionOffer, send: (message: ToVersion) => void) {
    this.offer = offer;
    this.#send = send;
  }

  open(at: number, conversation: VersionConversation): void {
    this.#conversations.set(at, conversation);
    this.#send({ kind: 'open', at, session: conversation.session });
  }

  /** Drops unsolicited notifications for this conversation. Running calls continue. */
  mute(at: number): void {
    this.#conversations.delete(at);
  }

  close(at: number): void {
    this.mute(at);
    this.#send({ kind: 'close', at });
  }

  exchange(
    message: Message,
    link: Link,
    on: { at: number; session: PeerSession; standing: boolean },
  ): Promise<RpcResponse | undefined> {
    const { at, session, standing } = on;
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { link, session, standing, settle: resolve, fail: reject });
      // A cancelled call has no response.
      whenAborted(link, (reason) => {
        this.#send({ kind: 'cancel', id, why: String(reason) });
        this.#settle(id, undefined);
      });
      // Not if it was cancelled while it waited for a version: nothing would cancel it there.
      if (this.#calls.has(id))
        this.#send({ kind: 'message', at, id, message, session, releasable: link.release !== undefined });
    });
  }

  /** Resolves when no call is running, except open streams. */
  drained(): Promise<void> {
    return this.#busy ? new Promise((resolve) => this.#idle.push(resolve)) : Promise.resolve();
  }

  /** Rejects all running calls, after the process exited. */
  fail(reason: Error): void {
    for (const [id, call] of this.#calls) {
      this.#calls.delete(id);
      call.fail(reason);
    }
    this.#notifyIfIdle();
  }

  receive(sent: FromVersion): void {
    if (sent.kind === 'response') {
      const session = this.#calls.get(sent.id)?.session;
      if (session !== undefined) Object.assign(session, sent.session);
      this.#settle(sent.id, sent.response);
    } else if (sent.kind === 'notify') this.#replyTo(sent)?.notify(sent.notification);
    else if (sent.kind === 'ask') void this.#ask(sent);
    else if (sent.kind === 'release') this.#calls.get(sent.id)?.link.release?.(sent.retryMs);
    else if (sent.kind === 'end') this.#conversations.get(sent.at)?.push.end();
    else if (sent.kind === 'renew') this.#renew(sent.at);
  }

  #renew(at: number): void {
    const conversation = this.#conversations.get(at);
    if (conversation === undefined) return;
    clearSession(conversation.session);
    conversation.push.renew?.();
  }

  get #busy(): boolean {
    return [...this.#calls.values()].some(({ standing }) => !standing);
  }

  #settle(id: number, response: RpcResponse | undefined): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.settle(response);
    this.#notifyIfIdle();
  }

  #notifyIfIdle(): void {
    if (!this.#busy) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** The link of the call, or without `id` the conversation. */
  #replyTo({ at, id }: { readonly at: number; readonly id?: number }): Pick<ServerPush, 'notify' | 'ask'> | undefined {
    return id === undefined ? this.#conversations.get(at)?.push : this.#calls.get(id)?.link;
  }

  async #ask(asked: { at: number; id?: number; question: number; request: RpcRequest }): Promise<void> {
    const { question } = asked;
    const closed = new McpError('MCP_CLOSED', { why: 'there is no client to ask' });
    const answer = this.#replyTo(asked)?.ask(asked.request) ?? Promise.reject(closed);
    await answer.then(
      (response) => this.#send({ kind: 'answer', question, response }),
      (thrown: unknown) => this.#send({ kind: 'answer', question, fault: String(thrown) }),
    );
  }
}
