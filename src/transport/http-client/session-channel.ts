/**
 * Conversations that opened with a handshake: every message is a POST of its own, but answers, questions and notifications can come
 * on any stream of the session, so both sides are joined by a `Duplex`.
 */
import { McpError } from '../../errors.ts';
import type { Id, Message, RpcRequest, RpcResponse } from '../../jsonrpc/message.ts';
import { parse } from '../../jsonrpc/read.ts';
import { displayUrl } from '../../model/printable.ts';
import { Duplex } from '../../peer/duplex.ts';
import type { Exchange, Link } from '../../peer/exchange.ts';
import type { PeerSession } from '../../peer/session.ts';
import type { HttpRules } from '../../revisions/contract.ts';
import { findRevision } from '../../revisions/index.ts';
import { type ErrorResponse, toHttpError } from './http-errors.ts';
import type { OutgoingHttpRequest } from './outgoing-http-request.ts';
import { ResponseQueue } from './response-queue.ts';
import { POST_HEADERS, type Sender } from './sender.ts';
import { type PostedRequest, SessionStream, type StreamChannel } from './session-stream.ts';
import { openEndpoint, type SseEndpoint } from './sse-endpoint.ts';
import { StandingState } from './standing-state.ts';

/** How long a server may take to accept a notification or a response. */
const ACCEPT_MS = 10_000;
/** Until a response that did not arrive is sent again. */
const RESEND_MS: readonly number[] = [100, 500, 2_000];
/** How long ending a session may take. */
const DELETE_MS = 2_000;
/** What a response is called in errors. */
const RESPONSE = 'an answer';
const SESSION_HEADER = 'mcp-session-id';
/** Some servers keep a signed token in it; more than this does not pass common proxies. */
const MAX_SESSION_ID = 8_192;

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

export class SessionChannel implements StreamChannel {
  readonly sender: Sender;
  isOver = false;
  readonly #context: ClientChannelContext;
  readonly #duplex: Duplex;
  readonly #responses: ResponseQueue = new ResponseQueue(
    (body) => this.#deliver(RESPONSE, body, RESEND_MS),
    (limit) => this.#notAccepted(limit),
  );
  #known: KnownSession | undefined;
  #sessionId: string | undefined;
  readonly standing: StandingState = new StandingState();
  #standingStream: SessionStream | undefined;
  #endpoint: SseEndpoint | undefined;

  constructor(context: ClientChannelContext) {
    this.#context = context;
    this.sender = context.sender;
    this.#duplex = new Duplex({
      send: (message) => this.#send(message),
      sendRequest: (request) => this.#sendRequest(request),
      inbound: context.inbound,
      session: context.session,
      ignoreNoise: true,
    });
  }

  get usesSse(): boolean {
    return this.#endpoint !== undefined;
  }

  /** What the revision that was agreed on says about HTTP. */
  get rules(): HttpRules | undefined {
    return findRevision(this.#context.session.revision ?? '')?.http;
  }

  request(message: RpcRequest, link: Link): Promise<RpcResponse> {
    return this.#duplex.exchange(message, link) as Promise<RpcResponse>; // a request is answered, or the exchange throws
  }

  /** Posts a notification or a response. Resolves when the server has accepted it. */
  post(message: Message | readonly Message[]): Promise<void> {
    return this.#post('method' in message ? message.method : RESPONSE, JSON.stringify(message));
  }

  #post(method: string, body: string): Promise<void> {
    return this.#accepted(
      { ...this.toPost({ method, body, repeatable: method === RESPONSE }), expects: 'nothing' },
      ACCEPT_MS,
    );
  }

  toPost({ method: operation, body, repeatable, offers }: Omit<PostedRequest, 'id'>): OutgoingHttpRequest {
    const url = this.#endpoint?.url;
    const expects = url === undefined ? 'answer' : 'nothing';
    return { method: 'POST', url, operation, headers: this.#common.posted, body, expects, repeatable, offers };
  }

  /** Opens the stream for messages that belong to no request. Not every server has one. */
  listen(): void {
    // Over HTTP+SSE, everything comes on the one stream that is open.
    if (this.#endpoint !== undefined) this.standing.opened(true);
    if (this.#endpoint !== undefined || this.isOver || this.#standingStream !== undefined) return;
    this.#standingStream = new SessionStream(this);
    this.#standingStream.start();
  }

  get resumable(): boolean {
    return this.rules?.resumable === true;
  }

  /** What is not JSON is ignored. */
  receive(text: string, of?: Id): void {
    let value: unknown;
    try {
      value = parse(text);
    } catch {
      return;
    }
    this.#duplex.receive(value, { of });
  }

  fail(id: Id, error: McpError): void {
    this.#duplex.fail(id, error);
  }

  answer(response: RpcResponse): void {
    this.#duplex.receive(response);
  }

  /** The server has not looked at the request that it rejected; the outcome of others is not known. */
  lost(operation: string, id?: Id): void {
    const error = new McpError('MCP_SESSION_LOST', { url: displayUrl(this.sender.settings.url), method: operation });
    if (id !== undefined) this.#duplex.fail(id, error);
    this.#sessionId = undefined;
    this.#context.ended(error);
  }

  get hasSession(): boolean {
    return this.#sessionId !== undefined;
  }

  /** Not every server opens a session. */
  setSession(id: string | undefined): void {
    this.#sessionId = id !== undefined && /^[\x21-\x7e]+$/.test(id) && id.length <= MAX_SESSION_ID ? id : undefined;
  }

  async fallBack(): Promise<boolean> {
    this.#endpoint = await openEndpoint({
      sender: this.sender,
      headers: this.headers,
      receive: (text) => this.receive(text),
      ended: (error) => this.#context.ended(error),
    });
    if (this.isOver) this.#endpoint?.stop();
    return this.#endpoint !== undefined;
  }

  /** Ends everything, for this reason. The session is ended too, if the server still has it. */
  async close(reason: Error): Promise<void> {
    this.isOver = true;
    this.#duplex.end(reason);
    this.#responses.clear();
    this.#standingStream?.expire();
    this.#endpoint?.stop();
    if (this.#sessionId === undefined) return;
    const { headers } = this;
    this.#sessionId = undefined;
    // A server that rejects this ends the session after a while.
    const request = { method: 'DELETE', operation: 'DELETE', headers, expects: 'nothing' } as const;
    await this.#accepted(request, DELETE_MS).catch(() => undefined);
  }

  #sendRequest(request: RpcRequest): SessionStream {
    const stream = new SessionStream(this, this.#posted(request));
    stream.start();
    return stream;
  }

  #send(message: Message | readonly Message[]): void {
    if ('method' in message) void this.#deliver(message.method, JSON.stringify(message));
    else this.#responses.add(JSON.stringify(message));
  }

  /** Of equal responses, a server takes the first: one that can have been lost on its way is sent again. */
  async #deliver(method: string, body: string, resendMs: readonly number[] = []): Promise<void> {
    const { clock, warn } = this.sender.settings;
    try {
      await this.#post(method, body);
    } catch (error) {
      const [ms, ...later] = resendMs;
      if (this.isOver) return;
      if (ms === undefined || !isLost(error)) return warn(`Not delivered: ${String(error)}`);
      await new Promise<void>((resolve) => void clock.after(ms, resolve, { idle: true }));
      if (!this.isOver) await this.#deliver(method, body, later);
    }
  }

  #notAccepted(limit: number): void {
    const what = `What ${displayUrl(this.sender.settings.url)} asked for and does not accept`;
    this.#context.ended(new McpError('MCP_TOO_LARGE', { what, limit, setting: 'a fixed limit' }));
  }

  #posted(request: RpcRequest): PostedRequest {
    const { id, method, params } = request;
    const body = JSON.stringify(request);
    if (method !== 'initialize') {
      const known = findRevision(this.#context.session.revision ?? '')?.methods.requests.get(method);
      return { id, method, body, repeatable: known?.repeatable === true };
    }
    const offers = String(params?.['protocolVersion']);
    const rules = findRevision(offers)?.http;
    // An `initialize` that the server puts off has changed nothing.
    return { id, method, body, repeatable: true, offers, suggestsSse: (status) => rules?.suggestsSse(status) === true };
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#common.headers;
  }

  /** The headers of every request; built again when the session or its revision has changed. */
  get #common(): KnownSession {
    const { revision } = this.#context.session;
    const sessionId = this.#sessionId;
    const known = this.#known;
    if (known !== undefined && known.revision === revision && known.sessionId === sessionId) return known;
    const headers: Record<string, string> = { ...this.sender.settings.headers };
    if (revision !== undefined && this.rules?.versionHeader !== false) headers['mcp-protocol-version'] = revision;
    if (sessionId !== undefined) headers[SESSION_HEADER] = sessionId;
    this.#known = { revision, sessionId, headers, posted: { ...headers, ...POST_HEADERS } };
    return this.#known;
  }

  #accepted(request: OutgoingHttpRequest, ms: number): Promise<void> {
    const { clock, url, pause } = this.sender.settings;
    return new Promise((resolve, reject) => {
      const stop = pause.after(clock, ms, () => {
        call.abort();
        const setting = `${displayUrl(url)} did not accept it`;
        reject(new McpError('MCP_TIMEOUT', { method: request.operation, ms, setting }));
      });
      const fail = (error: McpError): void => {
        stop();
        reject(error);
      };
      const call = this.sender.send(request, {
        accepted: () => {
          stop();
          resolve();
        },
        rejected: (response) => fail(this.#rejected(response, request)),
        failed: fail,
      });
    });
  }

  #rejected(response: ErrorResponse, { operation, method }: OutgoingHttpRequest): McpError {
    if (response.status === 404 && this.hasSession && method === 'POST') this.lost(operation);
    return toHttpError(response, this.sender.settings.url, operation);
  }
}

/** Whether a message can have been lost between us and the server, or in it. */
const isLost = (error: unknown): boolean =>
  error instanceof McpError && ['MCP_CLOSED', 'MCP_UNREACHABLE', 'MCP_HTTP_FAILED'].includes(error.code);
