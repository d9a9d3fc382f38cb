/**
 * The HTTP endpoint of all revisions: each message determines its own. Cheap checks run first, so that a rejected request is not
 * read, and the status is always known before a stream opens.
 */
import { isRequest, type Message } from '../../jsonrpc/message.ts';
import { asMessage, faultOf, parse } from '../../jsonrpc/read.ts';
import { LISTEN, PROTOCOL_VERSION } from '../../model/names.ts';
import type { Servable } from '../../peer/exchange.ts';
import { MAX_BATCH } from '../../peer/incoming-requests.ts';
import { KeepAlive } from '../../peer/keep-alive.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { withTimeout } from '../../peer/wait.ts';
import { revisions } from '../../revisions/index.ts';
import { claimedVersion } from '../../revisions/lifecycles/request.ts';
import { Admission } from './admission.ts';
import { Guard } from './guard.ts';
import { type HttpOptions, type HttpSettings, httpSettings } from './http-settings.ts';
import { type Accepts, acceptsOf, bodyFault } from './media.ts';
import { HttpRejection, quoteHeader, sendRejection, wrongMethod } from './rejections.ts';
import { SessionEndpoint } from './session-endpoint.ts';
import { type HttpIncoming, StatelessEndpoint } from './stateless-endpoint.ts';
import type { HttpReply, HttpView } from './view.ts';

const METHODS: ReadonlySet<string> = new Set(['POST', 'GET', 'DELETE', 'OPTIONS']);

export class HttpService {
  readonly settings: HttpSettings;
  readonly keepAlive: KeepAlive;
  readonly admission: Admission;
  readonly #guard: Guard;
  readonly #stateless: StatelessEndpoint;
  readonly #sessions: SessionEndpoint | undefined;
  readonly #statelessIds: ReadonlySet<string>;
  readonly #allow: string;
  #open = 0;
  /** Set while draining: new requests get 503, open ones finish. */
  closing = false;
  #idle: (() => void)[] = [];

  constructor(server: Servable, options: HttpOptions) {
    this.settings = httpSettings(options);
    this.#guard = new Guard(options);
    this.admission = new Admission(server, options.auth, this.settings.clock);
    const { settings } = this;
    this.keepAlive = new KeepAlive(settings.clock, settings.keepAliveMs || Number.POSITIVE_INFINITY);
    const { keepAlive } = this;
    const ids = server.revisions;
    const supported = ids === undefined ? revisions : revisions.filter(({ id }) => ids.includes(id));
    const stateless = supported.filter(({ hasSessions }) => !hasSessions);
    this.#statelessIds = new Set(stateless.map(({ id }) => id));
    this.#stateless = new StatelessEndpoint({ server, settings, keepAlive, revisions: stateless });
    const handshakes = supported.filter(({ hasSessions }) => hasSessions).map(({ id }) => id);
    this.#sessions =
      handshakes.length === 0
        ? undefined
        : new SessionEndpoint({ server, settings, keepAlive, versions: new Set(handshakes) });
    this.#allow = this.#sessions?.methods ?? 'POST';
  }

  /** Handles any request; never rejects. One async function, because each further one would cost every request. */
  async answer(view: HttpView, reply: HttpReply): Promise<void> {
    let weight = 0;
    let body: unknown;
    try {
      this.checkAccess(view, reply);
      if (view.method === 'OPTIONS') return this.sendPreflight(view, reply);
      const authenticating = this.admission.authenticate(view);
      const auth = authenticating instanceof Promise ? await authenticating : authenticating;
      if (view.method !== 'POST') {
        if (this.#sessions === undefined || !this.#allow.includes(view.method)) throw wrongMethod(this.#allow);
        if (this.closing) throw new HttpRejection('closing', {});
        await this.#sessions.openOrEnd(view, reply, auth);
        return;
      }
      const accepts = acceptsOf(view.header('accept'));
      checkMedia(view, accepts);
      body = view.parsed ?? parse(await view.text(this.settings.maxBodyBytes));
      this.admission.checkScopes(body, auth);
      weight = this.#countCalls(body);
      const incoming = { view, reply, accepts, auth };
      const answering = Array.isArray(body) ? this.#batch(body, incoming) : this.#message(asMessage(body), incoming);
      if (answering instanceof Promise) await answering;
    } catch (thrown) {
      sendRejection(reply, thrown, body);
    } finally {
      this.#open -= weight;
      if (this.#open === 0 && this.#idle.length > 0) this.#resolveIdle();
    }
  }

  /** Counts a call of another transport (HTTP+SSE) while it is open. */
  async track<T>(answering: Promise<T>): Promise<T> {
    this.#open++;
    try {
      return await answering;
    } finally {
      // Deferred, so that the response is sent first.
      void nextTurn().then(() => {
        if (--this.#open === 0) this.#resolveIdle();
      });
    }
  }

  /** Throws if `calls` more calls would exceed the limit, or if the server is closing. */
  checkRoom(calls: number): void {
    if (this.closing) throw new HttpRejection('closing', {});
    const { maxCalls } = this.settings;
    if (this.#open + calls > maxCalls) throw new HttpRejection('maxCalls', { limit: maxCalls });
  }

  /** Throws if `Host`, `Origin` or the HTTP method of a request is not allowed. */
  checkAccess(view: HttpView, reply: HttpReply, allow: string = this.#allow): void {
    if (this.#guard.usesCors) reply.commonHeaders = this.#guard.cors(view);
    const fault = this.#guard.fault(view);
    if (fault !== undefined) throw new HttpRejection(fault, { came: quoteHeader(view.header(fault)) });
    if (!METHODS.has(view.method)) throw wrongMethod(allow);
  }

  /** Answers a CORS preflight. */
  sendPreflight(view: HttpView, reply: HttpReply, allow: string = this.#allow): void {
    const preflight = this.#guard.preflight(view);
    if (preflight === undefined) throw wrongMethod(allow);
    reply.send(204, preflight);
  }

  /** Rejects a request outside of any endpoint. */
  reject(view: HttpView, reply: HttpReply, rejection: HttpRejection): void {
    reply.commonHeaders = this.#guard.cors(view);
    sendRejection(reply, rejection);
  }

  /** Graceful shutdown: rejects new requests, waits up to `drainMs` for open calls, then ends every stream. */
  async close(drainMs: number): Promise<void> {
    this.closing = true;
    if (this.#open > 0) {
      const idle = new Promise<void>((resolve) => this.#idle.push(resolve));
      await withTimeout(drainMs, this.settings.clock, idle);
    }
    this.#stateless.close();
    this.#sessions?.close();
    this.keepAlive.close();
  }

  /** Counts the calls of a body as open. Throws if there would be too many. */
  #countCalls(value: unknown): number {
    let weight = 0;
    if (Array.isArray(value)) {
      // Capped, so that a batch that is too long gets 400 later, not 429 now.
      weight = Math.min(value.length, MAX_BATCH);
      this.checkRoom(weight);
    } else {
      const fault = faultOf(value);
      if (fault !== undefined) throw new HttpRejection('message', { fault });
      const message = asMessage(value);
      if (isRequest(message)) {
        // Not subscriptions: they would use up the limit. The server counts them itself.
        weight = message.method === LISTEN ? 0 : 1;
        this.checkRoom(weight);
      }
      // Responses to our requests are accepted even at the limit, so that open calls can finish.
    }
    this.#open += weight;
    return weight;
  }

  /** Called when no call is open: resolves the promises that wait for that. */
  #resolveIdle(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #message(message: Message, incoming: HttpIncoming): Promise<void> | void {
    const { view, reply } = incoming;
    if (isRequest(message)) {
      const claimed = claimedVersion(message);
      if (claimed !== undefined) return this.#stateless.answer(message, claimed, incoming);
      const stateless = this.#statelessIds.has(view.header('mcp-protocol-version') ?? '');
      if (this.#sessions === undefined || (stateless && message.method !== 'initialize'))
        throw new HttpRejection('noVersion', { key: PROTOCOL_VERSION });
      return this.#sessions.request(message, incoming);
    }
    const ignored = this.#sessions === undefined || this.#statelessIds.has(view.header('mcp-protocol-version') ?? '');
    if (!ignored) return this.#sessions?.receive(message, incoming);
    // Without a session, a client cancels a request by closing its connection; notifications have no effect.
    if ('method' in message) return reply.send(202);
    throw new HttpRejection('nothingAsked', {});
  }

  #batch(values: readonly unknown[], incoming: HttpIncoming): Promise<void> | void {
    if (this.#sessions !== undefined) return this.#sessions.batch(values, incoming);
    throw new HttpRejection('noBatches', {});
  }
}

/** Throws if the body is not JSON, or if the client accepts neither JSON nor a stream. */
export function checkMedia(view: HttpView, accepts: Accepts): void {
  if (!accepts.json && !accepts.events) throw new HttpRejection('accept', {});
  const fault = bodyFault(view);
  if (fault !== undefined) throw new HttpRejection('mediaType', { fault });
}
