/** Serves revisions with sessions: the handshake, messages, the GET stream, and DELETE. */
import { badDefinition, RpcError } from '../../errors.ts';
import {
  failure,
  INTERNAL_ERROR,
  isFailure,
  isObject,
  isRequest,
  type Message,
  type RpcFailure,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../jsonrpc/message.ts';
import { asMessage, faultOf, readableId } from '../../jsonrpc/read.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { valueKind } from '../../model/value-kind.ts';
import { batchFault, invalidRequest } from '../../peer/incoming-requests.ts';
import { claimedVersion } from '../../revisions/lifecycles/request.ts';
import type { HttpSessionContext, LiveSession } from './live-session.ts';
import { acceptsOf } from './media.ts';
import { NoSessions } from './no-sessions.ts';
import { PostResponse } from './post-response.ts';
import { HttpRejection } from './rejections.ts';
import { CHANGES_SESSION } from './requests-only.ts';
import { laterStatus } from './retry-later.ts';
import { SealedSessions } from './sealed-sessions.ts';
import { SessionRegistry } from './session-registry.ts';
import type { HttpSessions, SessionCaller } from './sessions.ts';
import type { HttpIncoming } from './stateless-endpoint.ts';
import { onTokenExpiry } from './token-expiry.ts';
import type { HttpReply, HttpView } from './view.ts';

export interface SessionEndpointContext extends HttpSessionContext {
  /** The revisions with sessions that the server supports. */
  readonly versions: ReadonlySet<string>;
}

const SESSION = 'mcp-session-id';

export class SessionEndpoint {
  readonly #context: SessionEndpointContext;
  readonly #sessions: HttpSessions;

  constructor(context: SessionEndpointContext) {
    this.#context = context;
    const { sessions } = context.settings;
    const given: unknown = sessions;
    if (given !== 'none' && !(isObject(given) && ('sealed' in given || 'put' in given)))
      throw badDefinition('sessions', `expected a store, { sealed: keys } or 'none', not ${valueKind(given)}`);
    if (sessions === 'none') this.#sessions = new NoSessions(context, context.versions);
    else if ('sealed' in sessions) this.#sessions = new SealedSessions(context, sessions);
    else this.#sessions = new SessionRegistry(context, sessions);
  }

  get methods(): string {
    return this.#sessions.methods;
  }

  close(): void {
    this.#sessions.close?.();
  }

  async request(request: RpcRequest, incoming: HttpIncoming): Promise<void> {
    if (request.method === 'initialize') return this.#initialize(request, incoming);
    const finding = this.#sessions.find(incoming.view.header(SESSION), incoming);
    // Not `#findSession`: its promise would be one more for every request.
    const live = this.#checkVersion(finding instanceof Promise ? await finding : finding, incoming);
    const { maxCallsPerSession: limit } = this.#context.settings;
    try {
      if (live.openCalls >= limit) throw new HttpRejection('maxCallsPerSession', { limit });
      const post = new PostResponse(incoming, live);
      post.answers = request.id;
      const { revision } = live.session;
      const checked = this.#context.server.scopes && request;
      let response = await live.serve(request, post, { auth: incoming.auth, revision, checked });
      const saving = this.#sessions.save?.(live);
      if (saving !== undefined) response = await whenSaved(saving, request, response);
      if (response !== undefined) post.respond(response, isFailure(response) ? statusOf(response, live) : 200);
    } finally {
      this.#sessions.release?.(live);
    }
  }

  async receive(message: RpcNotification | RpcResponse, incoming: HttpIncoming): Promise<void> {
    const live = await this.#findSession(incoming);
    try {
      const isExpected = await live.receive(message, incoming.auth);
      const saving = this.#sessions.save?.(live);
      if (saving !== undefined) await saving;
      if (!isExpected) throw new HttpRejection('nothingAsked', {});
      incoming.reply.send(202);
    } finally {
      this.#sessions.release?.(live);
    }
  }

  async batch(values: readonly unknown[], incoming: HttpIncoming): Promise<void> {
    const live = await this.#findSession(incoming);
    try {
      await this.#answerBatch(values, incoming, live);
    } finally {
      this.#sessions.release?.(live);
    }
  }

  async #answerBatch(values: readonly unknown[], incoming: HttpIncoming, live: LiveSession): Promise<void> {
    const fault = batchFault(values.length, live.session);
    if (fault !== undefined) throw new HttpRejection('batch', { fault });
    const answered = values.filter((value) => faultOf(value) !== undefined || isRequest(asMessage(value)));
    const { maxCallsPerSession: limit } = this.#context.settings;
    if (live.openCalls + answered.length > limit) throw new HttpRejection('maxCallsPerSession', { limit });
    const post = new PostResponse(incoming, live, answered.length);
    post.answers = answered.flatMap((value) => readableId(value) ?? []);
    const { auth } = incoming;
    const { revision } = live.session;
    const all = values.map(async (value) => {
      const message = asMessage(value);
      const wrong = faultOf(value) ?? aloneFault(message);
      if (wrong !== undefined) return post.respond(invalidRequest(readableId(value), wrong), 200);
      let response: RpcResponse | undefined;
      if (!isRequest(message)) await live.receive(message, auth);
      else
        response = await live.serve(message, post, { auth, revision, checked: this.#context.server.scopes && message });
      const saving = this.#sessions.save?.(live);
      if (saving !== undefined) response = await whenSaved(saving, message, response);
      if (response !== undefined) post.respond(response, 200);
    });
    await Promise.all(all);
    if (answered.length === 0) incoming.reply.send(202);
  }

  /** GET opens the stream for messages outside requests, or resumes a stream; DELETE ends the session. */
  async openOrEnd(view: HttpView, reply: HttpReply, auth: AuthInfo | undefined): Promise<void> {
    if (view.header(SESSION) === undefined) throw new HttpRejection('noSession', {}, { headers: { Allow: 'POST' } });
    const live = await this.#findSession({ view, auth });
    try {
      if (view.method !== 'DELETE') return await this.#openStream(live, view, reply);
      await this.#sessions.end?.(live, 'the client ended the session');
      reply.send(204);
    } finally {
      this.#sessions.release?.(live);
    }
  }

  async #openStream(live: LiveSession, view: HttpView, reply: HttpReply): Promise<void> {
    if (!acceptsOf(view.header('accept')).events) throw new HttpRejection('acceptStream', {});
    const { auth } = live;
    const expiry = (run: () => void): (() => void) => onTokenExpiry(auth, this.#context.settings.clock, run);
    const last = live.rules?.resumable === true ? view.header('last-event-id') : undefined;
    if (last === undefined || last === '') live.streams.open({ reply, expiry });
    else if (!(await live.streams.resume(last, { reply, expiry }))) throw new HttpRejection('lastEventId', {});
  }

  async #initialize(request: RpcRequest, incoming: HttpIncoming): Promise<void> {
    const { maxSessionsPerCaller: limit } = this.#context.settings;
    if (this.#sessions.isFull?.(incoming) === true) throw new HttpRejection('maxSessionsPerCaller', { limit });
    const live = this.#sessions.create(incoming);
    // A sealed session gets its id after the handshake.
    const headers: Record<string, string> = live.id === '' ? {} : { 'Mcp-Session-Id': live.id };
    const post = new PostResponse({ ...incoming, headers }, live);
    const checked = this.#context.server.scopes && request;
    const response = await live.serve(request, post, { auth: incoming.auth, checked });
    if (response === undefined) return;
    if (!isFailure(response)) {
      const id = await this.#sessions.add?.(live, incoming).catch((thrown: unknown) => {
        live.close('the session cannot be stored');
        throw thrown;
      });
      if (id !== undefined) headers['Mcp-Session-Id'] = id;
      post.respond(this.#sessions.narrow?.(response, live) ?? response, 200);
      this.#sessions.release?.(live);
      return;
    }
    live.close('the handshake failed');
    new PostResponse(incoming, live).respond(response, statusOf(response, live));
  }

  /** Finds the session of a message. Throws if it does not exist or belongs to another caller. */
  async #findSession(caller: SessionCaller): Promise<LiveSession> {
    return this.#checkVersion(await this.#sessions.find(caller.view.header(SESSION), caller), caller);
  }

  #checkVersion(live: LiveSession | undefined, { view, auth }: SessionCaller): LiveSession {
    const { versions } = this.#context;
    // Another process can have negotiated a revision that this one does not serve: the client needs a new session.
    if (live === undefined || !versions.has(live.session.revision ?? '')) {
      if (live !== undefined) this.#sessions.release?.(live);
      throw new HttpRejection('sessionUnknown', {});
    }
    live.auth = auth;
    const version = view.header('mcp-protocol-version');
    if (version === undefined || versions.has(version) || live.rules?.versionHeader === false) return live;
    this.#sessions.release?.(live);
    throw new HttpRejection('version', { version: JSON.stringify(version.slice(0, 50)) });
  }
}

/** Fails a request whose session change could not be stored; the client can retry it. All other requests succeed regardless. */
async function whenSaved(
  saving: Promise<void>,
  message: Message,
  response: RpcResponse | undefined,
): Promise<RpcResponse | undefined> {
  try {
    await saving;
  } catch {
    if (response !== undefined && isRequest(message) && CHANGES_SESSION.has(message.method))
      return failure(message.id, new RpcError(INTERNAL_ERROR, 'Internal error', { retryAfterMs: 1_000 }));
  }
  return response;
}

/** Why a message cannot be in a batch: its headers would not be checked, and a subscription would count as a call that never ends. */
function aloneFault(message: Message): string | undefined {
  if (!isRequest(message)) return undefined;
  if (message.method === 'initialize') return 'initialize comes alone';
  return claimedVersion(message) === undefined ? undefined : 'a request that names its protocol version comes alone';
}

/** The HTTP status of an error. If the handshake fails, no revision determines it, so it is 400. */
const statusOf = ({ error }: RpcFailure, live: LiveSession): number =>
  laterStatus(error) ?? live.rules?.status(error.code) ?? 400;
