/** One connection over HTTP+SSE: its stream, and the messages posted to it. */
import { McpError } from '../../errors.ts';
import { isRequest, type Message } from '../../jsonrpc/message.ts';
import { write } from '../../jsonrpc/write.ts';
import { type AuthInfo, principalOf } from '../../model/caller.ts';
import { LISTEN } from '../../model/names.ts';
import type { LinkFacts } from '../../peer/call-link.ts';
import { Duplex } from '../../peer/duplex.ts';
import type { Servable, ServedConversation } from '../../peer/exchange.ts';
import type { IdleListener } from '../../peer/keep-alive.ts';
import type { HttpService } from './service.ts';
import { onTokenExpiry } from './token-expiry.ts';
import type { EventSink } from './view.ts';
import { writeKeepAlive } from './write-keep-alive.ts';

export interface SseChannelContext {
  readonly server: Servable;
  readonly service: HttpService;
  /** Called when the channel has ended, so that messages can no longer be posted to it. */
  forget(): void;
}

export class SseChannel implements IdleListener {
  due: number | undefined;
  earlier: IdleListener | undefined;
  later: IdleListener | undefined;
  /** The only caller that can post to this channel. */
  readonly principal: string;
  readonly #sink: EventSink;
  readonly #context: SseChannelContext;
  readonly #duplex: Duplex;
  readonly #served: ServedConversation;
  #stop: () => void;
  #over = false;

  constructor(sink: EventSink, auth: AuthInfo | undefined, context: SseChannelContext) {
    this.principal = principalOf(auth);
    this.#sink = sink;
    this.#context = context;
    this.#stop = this.#closeOnExpiry(auth);
    const { server, service } = context;
    const session = {};
    service.keepAlive.add(this);
    this.#duplex = new Duplex({
      send: (message) => this.#send(message),
      inbound: (message, link) => {
        const answering = this.#served.exchange(message, link);
        return isRequest(message) && message.method !== LISTEN ? service.track(answering) : answering;
      },
      session,
      maxInFlight: service.settings.maxCallsPerSession,
    });
    const end = (): void => this.close('the client asked for it');
    this.#served = server.open(this.#duplex.push(end, crypto.randomUUID()), session);
  }

  /** Handles a posted message. The stream closes when the token of the newest message expires. */
  receive(body: unknown, facts: LinkFacts): void {
    if (this.#over) return;
    this.#stop();
    this.#stop = this.#closeOnExpiry(facts.auth);
    this.#duplex.receive(body, facts);
  }

  onIdle(): void {
    writeKeepAlive(this.#sink);
  }

  close(why: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#stop();
    this.#context.forget();
    this.#served.close();
    this.#duplex.end(new McpError('MCP_CLOSED', { why }));
    this.#context.service.keepAlive.remove(this);
    this.#sink.end();
  }

  #closeOnExpiry(auth: AuthInfo | undefined): () => void {
    return onTokenExpiry(auth, this.#context.service.settings.clock, () => this.close('the token has expired'));
  }

  #send(message: Message | readonly Message[]): void {
    const { maxQueueBytes } = this.#context.service.settings;
    if (this.#sink.queued <= maxQueueBytes) this.#sink.write(`event: message\ndata: ${write(message)}\n\n`);
    else {
      this.#sink.abort();
      this.close('the client is too slow');
    }
  }
}
