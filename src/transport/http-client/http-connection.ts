/** A connection to the server at a URL. Sends each message in the session or on its own, depending on its revision. */
import { McpError } from '../../errors.ts';
import { isRequest, type RpcNotification, type RpcResponse } from '../../jsonrpc/message.ts';
import { INITIALIZED } from '../../model/names.ts';
import type { Connection, CredentialsInUse, Exchange, StandingStream } from '../../peer/exchange.ts';
import type { PeerSession } from '../../peer/session.ts';
import { Deferred } from '../../peer/wait.ts';
import type { Revision } from '../../revisions/contract.ts';
import { findRevision } from '../../revisions/index.ts';
import { claimedVersion } from '../../revisions/lifecycles/request.ts';
import type { Sender } from './sender.ts';
import { SessionChannel } from './session-channel.ts';
import { StatelessClient } from './stateless.ts';

export class HttpConnection implements Connection {
  readonly replies = true;
  readonly #ending: Deferred<Error | undefined> = new Deferred();
  readonly closed: Promise<Error | undefined> = this.#ending.promise;
  readonly credentials: CredentialsInUse | undefined;
  readonly standing: StandingStream;
  readonly #sender: Sender;
  readonly #channel: SessionChannel;
  readonly #stateless: StatelessClient;
  #ended: McpError | undefined;
  #closing: Promise<void> | undefined;

  constructor(sender: Sender, inbound: Exchange, session: PeerSession) {
    this.#sender = sender;
    this.credentials = sender.settings.credentials;
    this.#stateless = new StatelessClient(sender, inbound);
    this.#channel = new SessionChannel({ sender, inbound, session, ended: (reason) => this.#lost(reason) });
    this.standing = this.#channel.standing;
  }

  readonly exchange: Exchange = (message, link) => {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (!isRequest(message)) return this.#post(message);
    const claimed = claimedVersion(message);
    const revision = typeof claimed === 'string' ? statelessRevision(claimed) : undefined;
    return revision === undefined
      ? this.#channel.request(message, link)
      : this.#stateless.exchange(message, link, revision);
  };

  close(): Promise<void> {
    this.#closing ??= this.#end(new McpError('MCP_CLOSED', { why: 'it was closed on this side' }), undefined);
    return this.#closing;
  }

  async #post(message: RpcNotification | RpcResponse): Promise<undefined> {
    await this.#channel.post(message);
    if ('method' in message && message.method === INITIALIZED) this.#channel.listen();
  }

  #lost(reason: McpError): void {
    const why = `the server has ended the conversation (${reason.message})`;
    this.#closing ??= this.#end(new McpError('MCP_CLOSED', { why }, { cause: reason }), reason);
  }

  async #end(reason: McpError, unwanted: McpError | undefined): Promise<void> {
    this.#ended = reason;
    this.#ending.resolve(unwanted);
    this.#sender.stopWaiting(reason);
    this.#stateless.close(reason);
    await this.#channel.close(reason);
    this.#sender.close();
  }
}

function statelessRevision(id: string): Revision | undefined {
  const revision = findRevision(id);
  return revision?.hasSessions === false ? revision : undefined;
}
