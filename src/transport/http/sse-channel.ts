/** One open stream of the oldest HTTP transport, with everything that is posted to it. */
import { McpError } from '../../errors.ts';
import type { Message } from '../../jsonrpc/message.ts';
import { write } from '../../jsonrpc/write.ts';
import { type AuthInfo, principalOf } from '../../model/caller.ts';
import { Duplex } from '../../peer/duplex.ts';
import { linkWith, type Servable, type ServedConversation } from '../../peer/exchange.ts';
import { duplexPush } from '../duplex-push.ts';
import { onExpiry } from './expiry.ts';
import type { HttpSettings } from './http-settings.ts';
import { type IdleListener, type KeepAlive, writeKeepAlive } from './keep-alive.ts';
import type { EventSink } from './view.ts';

export interface SseChannelContext {
  readonly server: Servable;
  readonly settings: HttpSettings;
  readonly keepAlive: KeepAlive;
  /** It is over. */
  forget(): void;
}

export class SseChannel implements IdleListener {
  due: number | undefined;
  earlier: IdleListener | undefined;
  later: IdleListener | undefined;
  /** Nobody else may post to it. */
  readonly principal: string;
  readonly #sink: EventSink;
  readonly #context: SseChannelContext;
  readonly #duplex: Duplex;
  readonly #served: ServedConversation;
  /** Whoever posted what is being taken now. */
  #by: AuthInfo | undefined;
  #stop: () => void;
  #over = false;

  constructor(sink: EventSink, auth: AuthInfo | undefined, context: SseChannelContext) {
    this.principal = principalOf(auth);
    this.#sink = sink;
    this.#context = context;
    this.#by = auth;
    this.#stop = this.#expiry();
    const { server, settings, keepAlive } = context;
    const session = {};
    keepAlive.add(this);
    this.#duplex = new Duplex({
      send: (message) => this.#send(message),
      // Called before `receive` returns, so that each message has the caller who posted it.
      inbound: (message, link) =>
        this.#served.exchange(message, this.#by === undefined ? link : linkWith(link, { auth: this.#by })),
      session,
      maxInFlight: settings.maxCallsPerSession,
    });
    const end = (): void => this.close('the client asked for it');
    this.#served = server.open(duplexPush(this.#duplex, end), session);
  }

  /** Takes what was posted. The stream lives as long as the newest token that was shown with it. */
  receive(body: unknown, auth: AuthInfo | undefined): void {
    if (this.#over) return;
    this.#by = auth;
    this.#stop();
    this.#stop = this.#expiry();
    this.#duplex.receive(body);
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
    this.#context.keepAlive.remove(this);
    this.#sink.end();
  }

  #expiry(): () => void {
    return onExpiry(this.#by, this.#context.settings.clock, () => this.close('the token has expired'));
  }

  #send(message: Message | readonly Message[]): void {
    const { maxQueueBytes } = this.#context.settings;
    if (this.#sink.queued <= maxQueueBytes) this.#sink.write(`event: message\ndata: ${write(message)}\n\n`);
    else {
      this.#sink.abort();
      this.close('the client is too slow');
    }
  }
}
