/**
 * The oldest HTTP transport: one endpoint for a stream of everything the server says, one for posting. Both sides write
 * to one channel, so a `Duplex` does all the rest; nothing else in this folder bends for it.
 */
import { INTERNAL_ERROR, INVALID_REQUEST } from '../../jsonrpc/message.ts';
import { parse } from '../../jsonrpc/read.ts';
import { principalOf } from '../../model/caller.ts';
import type { Servable } from '../../peer/exchange.ts';
import type { Admitted } from './admission.ts';
import { callerOf, Tally } from './callers.ts';
import { acceptsOf } from './media.ts';
import { streamHeaders } from './post-answer.ts';
import { type HttpService, later, readable, refuseClosing } from './service.ts';
import { token } from './session-streams.ts';
import { SseChannel } from './sse-channel.ts';
import { type HttpView, type Reply, refuse } from './view.ts';

/** A request to one of the two endpoints. */
export interface SseRequest {
  readonly view: HttpView;
  readonly reply: Reply;
  /** The path it came to, as the client sees it. */
  readonly path: string;
  readonly query: string;
}

export class SseEndpoints {
  readonly #server: Servable;
  readonly #service: HttpService;
  readonly #channels: Map<string, SseChannel> = new Map();
  readonly #tally: Tally;

  constructor(server: Servable, service: HttpService) {
    this.#server = server;
    this.#service = service;
    this.#tally = new Tally(service.settings.maxSessionsPerCaller);
  }

  /** Answers whatever comes. Never rejects. */
  async answer(request: SseRequest): Promise<void> {
    const { view, reply } = request;
    try {
      const admitted = await this.#service.admit(view, reply);
      if (admitted === undefined) return;
      if (view.method === 'GET' && this.#service.closing) refuseClosing(reply, admitted.headers);
      else if (view.method === 'GET') this.#open(request, admitted);
      else if (view.method === 'POST') await this.#post(request, admitted);
      else {
        const message = 'Method not allowed: this endpoint takes GET and POST';
        const headers = { ...admitted.headers, Allow: 'GET, POST' };
        refuse(reply, { status: 405, code: INVALID_REQUEST, message, headers });
      }
    } catch (thrown) {
      this.#service.failed(view, reply, thrown);
    }
  }

  close(): void {
    for (const channel of [...this.#channels.values()]) channel.close('the server is shutting down');
  }

  #open({ view, reply, path }: SseRequest, { auth, headers }: Admitted): void {
    const { maxSessions, maxSessionsPerCaller } = this.#service.settings;
    const caller = callerOf(auth, view.address);
    if (!acceptsOf(view.header('accept')).events) {
      const message = 'Not acceptable: the answer is text/event-stream';
      refuse(reply, { status: 406, code: INVALID_REQUEST, message, ...(headers && { headers }) });
      return;
    }
    const theirs = this.#tally.full(caller);
    if (theirs || this.#channels.size >= maxSessions) {
      const message = theirs
        ? `Too many sessions: ${maxSessionsPerCaller} of yours are open (maxSessionsPerCaller)`
        : `Too many sessions: ${maxSessions} are open (maxSessions)`;
      refuse(reply, { status: 429, code: INTERNAL_ERROR, message, headers: { ...headers, ...later } });
      return;
    }
    // 216 bits, in visible ASCII.
    const id = token() + token() + token();
    const sink = reply.stream(200, { ...headers, ...streamHeaders });
    // Relative, so that it stays on the origin that the client trusts.
    sink.write(`event: endpoint\ndata: ${path}?session=${id}\n\n`);
    const { settings, pulse } = this.#service;
    const forget = (): void => {
      if (this.#channels.delete(id)) this.#tally.remove(caller);
    };
    const channel = new SseChannel(sink, auth, { server: this.#server, settings, pulse, forget });
    this.#channels.set(id, channel);
    this.#tally.add(caller);
    reply.onGone(() => channel.close('the client has hung up'));
  }

  async #post({ view, reply, query }: SseRequest, { auth, headers }: Admitted): Promise<void> {
    const channel = this.#channels.get(new URLSearchParams(query).get('session') ?? '');
    if (channel === undefined || channel.principal !== principalOf(auth)) {
      const message = 'Session not found: GET opens another';
      refuse(reply, { status: 404, code: INVALID_REQUEST, message, ...(headers && { headers }) });
      return;
    }
    // The answer comes on the stream, so it does not matter what the client says it accepts here.
    if (!readable(view, reply, { accepts: { json: true, events: true }, headers })) return;
    const body = view.parsed ?? parse(await view.text(this.#service.settings.maxBodyBytes));
    if (this.#service.admission.forbids(body, { reply, auth, headers })) return;
    reply.send(202, headers ?? {});
    channel.receive(body, auth);
  }
}
