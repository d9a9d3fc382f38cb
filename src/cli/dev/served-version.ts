/** The child-process side of a version: serves conversations for the parent, which holds the connections. */
import { McpError } from '../../errors.ts';
import { failure, isRequest, type RpcNotification, type RpcRequest, type RpcResponse } from '../../jsonrpc/message.ts';
import { Abort } from '../../peer/abort.ts';
import type { Link, Servable, ServedConversation } from '../../peer/exchange.ts';
import type { PeerSession } from '../../peer/session.ts';
import type { FromVersion, ToVersion } from './wire.ts';

interface DevConversation {
  readonly served: ServedConversation;
  readonly session: PeerSession;
}

/** The conversation, and the call if any, that a question or notification belongs to. */
interface Origin {
  readonly at: number;
  readonly id?: number;
}

export class ServedVersion {
  readonly #server: Servable;
  readonly #send: (message: FromVersion) => void;
  readonly #conversations: Map<number, DevConversation> = new Map();
  readonly #calls: Map<number, Abort> = new Map();
  readonly #questions: Map<number, { resolve(response: RpcResponse): void; reject(reason: unknown): void }> = new Map();
  #lastQuestion = 0;

  constructor(server: Servable, send: (message: FromVersion) => void) {
    this.#server = server;
    this.#send = send;
  }

  receive(sent: ToVersion): void {
    if (sent.kind === 'open') this.#open(sent);
    else if (sent.kind === 'close') {
      this.#conversations.get(sent.at)?.served.close();
      this.#conversations.delete(sent.at);
    } else if (sent.kind === 'message') void this.#answer(sent);
    else if (sent.kind === 'cancel')
      this.#calls.get(sent.id)?.abort(new McpError('MCP_CANCELLED', { method: 'the request', why: sent.why }));
    else this.#settleQuestion(sent);
  }

  #open({ at, session }: ToVersion & { kind: 'open' }): void {
    const push = {
      notify: (notification: RpcNotification) => this.#send({ kind: 'notify', at, notification }),
      ask: (request: RpcRequest) => this.#ask(request, { at }),
      end: () => this.#send({ kind: 'end', at }),
      renew: () => this.#send({ kind: 'renew', at }),
    };
    this.#conversations.set(at, { served: this.#server.open(push, session), session });
  }

  async #answer({ at, id, message, session, releasable }: ToVersion & { kind: 'message' }): Promise<void> {
    const conversation = this.#conversations.get(at);
    if (conversation === undefined) return;
    // The session may have been negotiated by the previous version.
    Object.assign(conversation.session, session);
    const abort = new Abort();
    this.#calls.set(id, abort);
    const response = await conversation.served
      .exchange(message, this.#link({ at, id }, abort, releasable))
      .catch((thrown: unknown) => (isRequest(message) ? failure(message.id, thrown) : undefined));
    this.#calls.delete(id);
    const sent = response === undefined ? {} : { response };
    this.#send({ kind: 'response', id, ...sent, session: conversation.session });
  }

  #link(origin: { readonly at: number; readonly id: number }, abort: Abort, releasable: boolean): Link {
    const release = (retryMs?: number): void =>
      this.#send({ kind: 'release', id: origin.id, ...(retryMs === undefined ? {} : { retryMs }) });
    return {
      get signal() {
        return abort.signal;
      },
      onAbort: (listener) => abort.onAbort(listener),
      notify: (notification) => this.#send({ kind: 'notify', ...origin, notification }),
      ask: (request) => this.#ask(request, origin),
      ...(releasable ? { release } : {}),
    };
  }

  #ask(request: RpcRequest, origin: Origin): Promise<RpcResponse> {
    const question = ++this.#lastQuestion;
    return new Promise((resolve, reject) => {
      this.#questions.set(question, { resolve, reject });
      this.#send({ kind: 'ask', ...origin, question, request });
    });
  }

  #settleQuestion({ question, response, fault = 'it got no answer' }: ToVersion & { kind: 'answer' }): void {
    const waiting = this.#questions.get(question);
    this.#questions.delete(question);
    if (response === undefined) waiting?.reject(new McpError('MCP_CLOSED', { why: fault }));
    else waiting?.resolve(response);
  }
}
