/**
 * The client side of sessions: every message is its own POST, but responses, requests and notifications of the server can arrive on
 * any stream of the session, so a `Duplex` matches them.
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

/** Timeout for a server to accept a notification or a response. */
const ACCEPT_MS = 10_000;
/** Delays before a response that did not arrive is sent again. */
const RESEND_MS: readonly number[] = [100, 500, 2_000];
/** Timeout for DELETE. */
const DELETE_MS = 2_000;
/** The name of a response in errors. */
const RESPONSE = 'an answer';
const SESSION_HEADER = 'mcp-session-id';
/** Maximum length of a session id. Some servers use a signed token; longer headers do not pass common proxies. */
const MAX_SESSION_ID = 8_192;

export interface ClientChannelContext {
  readonly sender: Sender;
  readonly inbound: Exchange;
  readonly session: PeerSession;
  /** Called when the conversation has ended, unless this side closed it. */
  ended(reason: McpError): void;
}

/** The headers of requests, cached for one revision and session id. */
interface CachedHeaders {
  readonly revision: string | undefined;
  readonly sessionId: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of a POST. */
  readonly posted: Readonly<Record<string, string>>;
}

export class SessionChannel implements StreamChannel {
  readonly sender: Sender;
  isOver = false;
  readonly #context: ClientChannelContext;
  readonly #duplex: Duplex;
  readonly #responses: ResponseQueue = new ResponseQueue(
    (body) => this.#deliver(RESPONSE, body, RESEND_MS),
    (limit) => this.#endForOverflow(limit),
  );
  #cachedHeaders: CachedHeaders | undefined;
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

  /** The HTTP rules of the negotiated revision. */
  get rules(): HttpRules | undefined {
    return findRevision(this.#context.session.revision ?? '')?.http;
  }

  request(message: RpcRequest, link: Link): Promise<RpcResponse> {
    return this.#duplex.exchange(message, link) as Promise<RpcResponse>; // a request gets a response, or the exchange rejects
  }

  /** Posts a notification or a response. Resolves when the server has accepted it. */
  post(message: Message | readonly Message[]): Promise<void> {
    return this.#post('method' in message ? message.method : RESPONSE, JSON.stringify(message));
  }

  #post(method: string, body: string): Promise<void> {
    return this.#sendUntilAccepted(
      { ...this.toPost({ method, body, repeatable: method === RESPONSE }), expects: 'nothing' },
      ACCEPT_MS,
    );
  }

  toPost({ method: operation, body, repeatable, offers }: Omit<PostedRequest, 'id'>): OutgoingHttpRequest {
    const url = this.#endpoint?.url;
    const expects = url === undefined ? 'answer' : 'nothing';
    return { method: 'POST', url, operation, headers: this.#common.posted, body, expects, repeatable, offers };
  }

  /** Opens the GET stream for messages outside requests, which not every server offers. */
  listen(): void {
    // Over HTTP+SSE, all messages arrive on the one stream that is already open.
    if (this.#endpoint !== undefined) this.standing.opened(true);
    if (this.#endpoint !== undefined || this.isOver || this.#standingStream !== undefined) return;
    this.#standingStream = new SessionStream(this);
    this.#standingStream.start();
  }

  get resumable(): boolean {
    return this.rules?.resumable === true;
  }

  /** Handles the text of an event or of a JSON response. Ignores text that is not JSON. */
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

  /** Ends the conversation, because the server does not know the session. The rejected request was certainly not handled; others may have been. */
  loseSession(operation: string, id?: Id): void {
    const error = new McpError('MCP_SESSION_LOST', { url: displayUrl(this.sender.settings.url), method: operation });
    if (id !== undefined) this.#duplex.fail(id, error);
    this.#sessionId = undefined;
    this.#context.ended(error);
  }

  get hasSession(): boolean {
    return this.#sessionId !== undefined;
  }

  /** Stores the session id of the handshake. Not every server sends one, and an invalid one is ignored. */
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

  /** Rejects open requests, closes the streams, and ends the session if the server has one. */
  async close(reason: Error): Promise<void> {
    this.isOver = true;
    this.#duplex.end(reason);
    this.#responses.clear();
    this.#standingStream?.expire();
    this.#endpoint?.stop();
    if (this.#sessionId === undefined) return;
    const { headers } = this;
    this.#sessionId = undefined;
    // A server that rejects DELETE expires the session itself.
    const request = { method: 'DELETE', operation: 'DELETE', headers, expects: 'nothing' } as const;
    await this.#sendUntilAccepted(request, DELETE_MS).catch(() => undefined);
  }

  #sendRequest(request: RpcRequest): SessionStream {
    const stream = new SessionStream(this, this.#toPosted(request));
    stream.start();
    return stream;
  }

  #send(message: Message | readonly Message[]): void {
    if ('method' in message) void this.#deliver(message.method, JSON.stringify(message));
    else this.#responses.add(JSON.stringify(message));
  }

  /** Posts a message. Resends a response that may have been lost: a response is idempotent, because servers ignore duplicates. */
  async #deliver(method: string, body: string, resendMs: readonly number[] = []): Promise<void> {
    const { clock, warn } = this.sender.settings;
    try {
      await this.#post(method, body);
    } catch (error) {
      const [ms, ...later] = resendMs;
      if (this.isOver) return;
      if (ms === undefined || !canBeLost(error)) return warn(`Not delivered: ${String(error)}`);
      await new Promise<void>((resolve) => void clock.after(ms, resolve, { idle: true }));
      if (!this.isOver) await this.#deliver(method, body, later);
    }
  }

  /** Ends the conversation, because the server sends requests but does not accept the responses. */
  #endForOverflow(limit: number): void {
    const what = `The backlog of responses that ${displayUrl(this.sender.settings.url)} requested but did not accept`;
    this.#context.ended(new McpError('MCP_TOO_LARGE', { what, limit, setting: 'a fixed limit' }));
  }

  #toPosted(request: RpcRequest): PostedRequest {
    const { id, method, params } = request;
    const body = JSON.stringify(request);
    if (method !== 'initialize') {
      const known = findRevision(this.#context.session.revision ?? '')?.methods.requests.get(method);
      return { id, method, body, repeatable: known?.repeatable === true };
    }
    const offers = String(params?.['protocolVersion']);
    const rules = findRevision(offers)?.http;
    // Repeatable: an `initialize` that got 429 or 503 has changed nothing.
    return { id, method, body, repeatable: true, offers, suggestsSse: (status) => rules?.suggestsSse(status) === true };
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#common.headers;
  }

  /** The headers of every request, cached until the revision or the session id changes. */
  get #common(): CachedHeaders {
    const { revision } = this.#context.session;
    const sessionId = this.#sessionId;
    const cached = this.#cachedHeaders;
    if (cached !== undefined && cached.revision === revision && cached.sessionId === sessionId) return cached;
    const headers: Record<string, string> = { ...this.sender.settings.headers };
    if (revision !== undefined && this.rules?.versionHeader !== false) headers['mcp-protocol-version'] = revision;
    if (sessionId !== undefined) headers[SESSION_HEADER] = sessionId;
    this.#cachedHeaders = { revision, sessionId, headers, posted: { ...headers, ...POST_HEADERS } };
    return this.#cachedHeaders;
  }

  #sendUntilAccepted(request: OutgoingHttpRequest, ms: number): Promise<void> {
    const { clock, url, pause } = this.sender.settings;
    return new Promise((resolve, reject) => {
      const expire = (): void => {
        call.abort();
        const setting = `${displayUrl(url)} did not accept it`;
        reject(new McpError('MCP_TIMEOUT', { method: request.operation, ms, setting }));
      };
      // A client that closes does not wait for new credentials.
      const stop = request.method === 'DELETE' ? clock.after(ms, expire) : pause.after(clock, ms, expire);
      const fail = (error: McpError): void => {
        stop();
        reject(error);
      };
      const call = this.sender.send(request, {
        accepted: () => {
          stop();
          resolve();
        },
        rejected: (response) => fail(this.#toError(response, request)),
        failed: fail,
      });
    });
  }

  #toError(response: ErrorResponse, { operation, method }: OutgoingHttpRequest): McpError {
    if (response.status === 404 && this.hasSession && method === 'POST') this.loseSession(operation);
    return toHttpError(response, this.sender.settings.url, operation);
  }
}

/** Whether a message may have been lost on the network or in the server. */
const canBeLost = (error: unknown): boolean =>
  error instanceof McpError && ['MCP_CLOSED', 'MCP_UNREACHABLE', 'MCP_HTTP_FAILED'].includes(error.code);
