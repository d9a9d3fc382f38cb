/**
 * Conversations that opened with a handshake: every message is a POST of its own, but answers, questions and news may come on
 * any stream of the session, so both sides are joined by a `Duplex`.
 */
import { McpError } from '../../errors.ts';
import { type Id, isRequest, type Message, type RpcRequest, type RpcResponse } from '../../jsonrpc/message.ts';
import { parse } from '../../jsonrpc/read.ts';
import { displayUrl } from '../../model/printable.ts';
import { Duplex } from '../../peer/duplex.ts';
import type { Exchange, Link } from '../../peer/exchange.ts';
import { IdTable } from '../../peer/id-table.ts';
import type { PeerSession } from '../../peer/session.ts';
import type { HttpRules } from '../../revisions/http/rules.ts';
import { findRevision } from '../../revisions/index.ts';
import { openEndpoint, type SseEndpoint } from './endpoint.ts';
import { type Refusal, toRefusalError } from './refusal.ts';
import { exchangeHttp } from './reply.ts';
import { POSTED, type Sender, type Sent } from './sender.ts';
import { type CallChannel, ClientSessionCall, type PostedRequest } from './session-call.ts';
import { EventStreamReader } from './stream.ts';

/** How long a server may take to accept what needs no answer. */
const ACCEPT_MS = 10_000;
/** How long ending a session may take. */
const DELETE_MS = 2_000;
const SESSION_HEADER = 'mcp-session-id';
const MAX_SESSION_ID = 1024;

export interface ClientChannelContext {
  readonly sender: Sender;
  readonly inbound: Exchange;
  readonly session: PeerSession;
  /** The conversation has ended, and not by our wish. */
  ended(reason: McpError): void;
}

interface KnownSession {
  readonly revision: string | undefined;
  readonly sessionId: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a POST. */
  readonly posted: Readonly<Record<string, string>>;
}

export class SessionChannel implements CallChannel {
  readonly #context: ClientChannelContext;
  readonly #duplex: Duplex;
  readonly #calls: IdTable<ClientSessionCall> = new IdTable();
  #known: KnownSession | undefined;
  #sessionId: string | undefined;
  #standing: EventStreamReader | undefined;
  #endpoint: SseEndpoint | undefined;
  #over = false;

  constructor(context: ClientChannelContext) {
    this.#context = context;
    this.#duplex = new Duplex({
      send: (message) => this.#send(message),
      inbound: context.inbound,
      session: context.session,
      ignoreNoise: true,
      onSettled: (id) => {
        const call = this.#calls.get(id);
        if (call === undefined) return;
        this.#calls.delete(call);
        call.settled();
      },
    });
  }

  get sender(): Sender {
    return this.#context.sender;
  }

  get over(): boolean {
    return this.#over;
  }

  get twoEndpoints(): boolean {
    return this.#endpoint !== undefined;
  }

  /** What the revision that was agreed on says about HTTP. */
  get rules(): HttpRules | undefined {
    return findRevision(this.#context.session.revision ?? '')?.http;
  }

  ask(message: RpcRequest, link: Link): Promise<RpcResponse> {
    return this.#duplex.exchange(message, link) as Promise<RpcResponse>; // a request is answered, or the exchange throws
  }

  /** Posts what needs no answer. Resolves when the server has accepted it. */
  tell(message: Message | readonly Message[], body: string = JSON.stringify(message)): Promise<void> {
    const what = 'method' in message ? message.method : 'an answer';
    return this.#accepted(this.posting({ method: what, body, repeatable: false }), ACCEPT_MS);
  }

  posting({ method: what, body, repeatable, offers }: Omit<PostedRequest, 'id'>): Sent {
    return { method: 'POST', url: this.#endpoint?.url, what, headers: this.#common.posted, body, repeatable, offers };
  }

  /** Opens the stream for what the server says of its own accord. Not every server has one. */
  listen(): void {
    if (this.#endpoint !== undefined || this.#over || this.#standing !== undefined) return;
    const isOver = (): boolean => this.#over;
    this.#standing = new EventStreamReader(this, {
      what: 'the standing stream',
      standing: true,
      get wanted() {
        return !isOver();
      },
      gone: () => undefined,
    });
    this.#standing.open();
  }

  get resumable(): boolean {
    return this.rules?.resumable === true;
  }

  /** Takes a JSON text that the server sent. What is no JSON is nothing. */
  receive(text: string): void {
    let value: unknown;
    try {
      value = parse(text);
    } catch {
      return;
    }
    this.#duplex.receive(value);
  }

  fail(id: Id, error: McpError): void {
    this.#duplex.fail(id, error);
  }

  answer(response: RpcResponse): void {
    this.#duplex.receive(response);
  }

  /** The server does not know this session. What it has just refused was not looked at; of the rest nobody knows. */
  lost(what: string, id?: Id): void {
    const error = new McpError('MCP_SESSION_LOST', { url: displayUrl(this.sender.settings.url), method: what });
    if (id !== undefined) this.#duplex.fail(id, error);
    this.#sessionId = undefined;
    this.#context.ended(error);
  }

  get hasSession(): boolean {
    return this.#sessionId !== undefined;
  }

  /** The server has opened a session; some open none. */
  remember(id: string | undefined): void {
    this.#sessionId = id !== undefined && /^[\x21-\x7e]+$/.test(id) && id.length <= MAX_SESSION_ID ? id : undefined;
  }

  async fallBack(): Promise<boolean> {
    this.#endpoint = await openEndpoint({
      sender: this.sender,
      headers: this.headers,
      receive: (text) => this.receive(text),
      ended: (error) => this.#context.ended(error),
    });
    if (this.#over) this.#endpoint?.stop();
    return this.#endpoint !== undefined;
  }

  /** Ends everything, for this reason. The session is ended too, if the server still has it. */
  async close(reason: Error): Promise<void> {
    this.#over = true;
    this.#duplex.end(reason);
    this.#standing?.stop();
    this.#endpoint?.stop();
    if (this.#sessionId === undefined) return;
    const sent = { method: 'DELETE', what: 'DELETE', headers: this.headers } as const;
    this.#sessionId = undefined;
    // A server may refuse to end it; then it ends by itself.
    await this.#accepted(sent, DELETE_MS).catch(() => undefined);
  }

  #send(message: Message | readonly Message[]): void {
    const body = JSON.stringify(message);
    if ('method' in message && isRequest(message)) {
      const call = new ClientSessionCall(this, this.#posted(message, body));
      this.#calls.add(call);
      call.post();
    } else
      this.tell(message, body).catch((error: unknown) => {
        if (!this.#over) this.sender.settings.warn(`Not delivered: ${String(error)}`);
      });
  }

  #posted({ id, method, params }: RpcRequest, body: string): PostedRequest {
    if (method !== 'initialize') {
      const known = findRevision(this.#context.session.revision ?? '')?.methods.requests.get(method);
      return { id, method, body, repeatable: known?.repeatable === true };
    }
    const offers = String(params?.['protocolVersion']);
    const rules = findRevision(offers)?.http;
    // The opening has changed nothing when it is put off.
    return { id, method, body, repeatable: true, offers, suggestsSse: (status) => rules?.suggestsSse(status) === true };
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#common.headers;
  }

  /** What goes along with every request; made anew when the session or its revision is another. */
  get #common(): KnownSession {
    const { revision } = this.#context.session;
    const sessionId = this.#sessionId;
    const known = this.#known;
    if (known !== undefined && known.revision === revision && known.sessionId === sessionId) return known;
    const headers: Record<string, string> = { ...this.sender.settings.headers };
    if (revision !== undefined && this.rules?.versionHeader !== false) headers['mcp-protocol-version'] = revision;
    if (sessionId !== undefined) headers[SESSION_HEADER] = sessionId;
    this.#known = { revision, sessionId, headers, posted: { ...headers, ...POSTED } };
    return this.#known;
  }

  #accepted(sent: Sent, ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const { clock, url, patience } = this.sender.settings;
      const strike = (): void => {
        if (patience.isPaused) {
          late = clock.after(ms, strike);
          return;
        }
        call.hangUp();
        reject(new McpError('MCP_TIMEOUT', { method: sent.what, ms, setting: `${displayUrl(url)} did not accept it` }));
      };
      let late = clock.after(ms, strike);
      const settle = (outcome: () => void): void => {
        late();
        outcome();
      };
      const call = exchangeHttp(this.sender, sent, {
        wants: 'nothing',
        accepted: () => settle(resolve),
        refused: (refusal) => settle(() => reject(this.#refused(refusal, sent))),
        failed: (error) => settle(() => reject(error)),
        json: () => undefined,
        event: () => undefined,
        ended: () => undefined,
      });
    });
  }

  #refused(refusal: Refusal, { what, method }: Sent): McpError {
    if (refusal.status === 404 && this.hasSession && method === 'POST') this.lost(what);
    return toRefusalError(refusal, this.sender.settings.url, what);
  }
}
