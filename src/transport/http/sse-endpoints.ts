/**
 * Serves HTTP+SSE, the transport of the oldest revision: GET opens a stream for all messages of the server, and names a URL to
 * which the client posts its own. Together they are a two-way channel, so a `Duplex` handles the messages.
 */
import { isObject, type RpcRequest } from '../../jsonrpc/message.ts';
import { parse } from '../../jsonrpc/read.ts';
import { type AuthInfo, principalOf } from '../../model/caller.ts';
import type { Servable } from '../../peer/exchange.ts';
import { MAX_BATCH } from '../../peer/incoming-requests.ts';
import { CallerCounts, callerKey } from './caller-counts.ts';
import { acceptsOf } from './media.ts';
import { HttpRejection, sendRejection, wrongMethod } from './rejections.ts';
import { checkMedia, type HttpService } from './service.ts';
import { randomName } from './session-streams.ts';
import { SseChannel } from './sse-channel.ts';
import type { HttpReply, HttpView } from './view.ts';

const ALLOW = 'GET, POST';

export class SseEndpoints {
  readonly #server: Servable;
  readonly #service: HttpService;
  readonly #channels: Map<string, SseChannel> = new Map();
  readonly #counts: CallerCounts;
  /** A hint in errors that names the path of Streamable HTTP. */
  readonly #newerHint: string;

  /** `endpoint` is the path of Streamable HTTP, if it is served at one. */
  constructor(server: Servable, service: HttpService, endpoint?: string) {
    this.#server = server;
    this.#newerHint = endpoint === undefined ? '' : `; Streamable HTTP is served at ${endpoint}`;
    this.#service = service;
    this.#counts = new CallerCounts(service.settings.maxSessionsPerCaller);
  }

  /** Handles any request; never rejects. */
  async answer(view: HttpView, reply: HttpReply): Promise<void> {
    let body: unknown;
    try {
      this.#service.checkAccess(view, reply, ALLOW);
      if (view.method === 'OPTIONS') return this.#service.sendPreflight(view, reply, ALLOW);
      const auth = await this.#service.admission.authenticate(view);
      if (view.method === 'GET') this.#open(view, reply, auth);
      else if (view.method === 'POST') {
        const channel = this.#find(view, auth);
        body = view.parsed ?? parse(await view.text(this.#service.settings.maxBodyBytes));
        this.#admit(body, auth);
        reply.send(202);
        const checked = this.#server.scopes && (body as RpcRequest); // only compared by identity
        channel.receive(body, { auth, checked });
      } else throw wrongMethod(ALLOW);
    } catch (thrown) {
      sendRejection(reply, thrown, body);
    }
  }

  close(): void {
    for (const channel of [...this.#channels.values()]) channel.close('the server is shutting down');
  }

  #open(view: HttpView, reply: HttpReply, auth: AuthInfo | undefined): void {
    if (this.#service.closing) throw new HttpRejection('closing', {});
    if (!acceptsOf(view.header('accept')).events) throw new HttpRejection('acceptStream', {});
    const { maxSessions, maxSessionsPerCaller } = this.#service.settings;
    const caller = callerKey(auth, view.address);
    if (this.#counts.isFull(caller)) throw new HttpRejection('maxSessionsPerCaller', { limit: maxSessionsPerCaller });
    if (this.#channels.size >= maxSessions) throw new HttpRejection('maxSessions', { limit: maxSessions });
    // 216 random bits, in visible ASCII.
    const id = randomName() + randomName() + randomName();
    const sink = reply.stream();
    // A relative URL, so that the client stays on the origin that it trusts.
    sink.write(`event: endpoint\ndata: ${view.path}?session=${id}\n\n`);
    const service = this.#service;
    const forget = (): void => {
      if (this.#channels.delete(id)) this.#counts.remove(caller);
    };
    const channel = new SseChannel(sink, auth, { server: this.#server, service, forget });
    this.#channels.set(id, channel);
    this.#counts.add(caller);
    reply.onGone(() => channel.close('the client has hung up'));
  }

  #find(view: HttpView, auth: AuthInfo | undefined): SseChannel {
    const { path, query } = view;
    const channel = this.#channels.get(new URLSearchParams(query).get('session') ?? '');
    if (channel === undefined || channel.principal !== principalOf(auth))
      throw new HttpRejection('sseSession', { path, endpoint: this.#newerHint });
    // The response is sent on the stream, so the `Accept` header of the POST does not matter.
    checkMedia(view, { json: true, events: true });
    return channel;
  }

  #admit(body: unknown, auth: AuthInfo | undefined): void {
    this.#service.admission.checkScopes(body, auth);
    // Responses to our requests are accepted even at the limit, so that open calls can finish.
    const isCall = isObject(body) && 'method' in body && 'id' in body;
    const calls = Array.isArray(body) ? Math.min(body.length, MAX_BATCH) : Number(isCall);
    if (calls > 0) this.#service.checkRoom(calls);
  }
}
