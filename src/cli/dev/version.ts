/** One version of a server, seen from the process that holds the connection. */
import { McpError } from '../../errors.ts';
import type { Message, RpcRequest, RpcResponse } from '../../jsonrpc/message.ts';
import { type Link, type ServerPush, whenAborted } from '../../peer/exchange.ts';
import { clearSession, type PeerSession } from '../../peer/session.ts';
import type { FromVersion, ToVersion, VersionOffer } from './wire.ts';

/** A conversation that this version serves. */
export interface Seat {
  readonly outlet: ServerPush;
  readonly session: PeerSession;
}

interface VersionCall {
  readonly link: Link;
  readonly session: PeerSession;
  /** It stays open until one side ends it, and holds up no reload. */
  readonly standing: boolean;
  settle(response: RpcResponse | undefined): void;
  fail(reason: Error): void;
}

export class Version {
  readonly offer: VersionOffer;
  readonly #send: (message: ToVersion) => void;
  readonly #seats: Map<number, Seat> = new Map();
  readonly #calls: Map<number, VersionCall> = new Map();
  #last = 0;
  #idle: (() => void)[] = [];

  constructor(offer: VersionOffer, send: (message: ToVersion) => void) {
    this.offer = offer;
    this.#send = send;
  }

  open(at: number, seat: Seat): void {
    this.#seats.set(at, seat);
    this.#send({ kind: 'open', at, session: seat.session });
  }

  /** It tells this conversation no more by itself; what is being answered goes on. */
  mute(at: number): void {
    this.#seats.delete(at);
  }

  close(at: number): void {
    this.mute(at);
    this.#send({ kind: 'close', at });
  }

  exchange(
    message: Message,
    link: Link,
    on: { at: number; session: PeerSession; standing: boolean },
  ): Promise<RpcResponse | undefined> {
    const { at, session, standing } = on;
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { link, session, standing, settle: resolve, fail: reject });
      // A caller that cancelled gets no response.
      whenAborted(link, (reason) => {
        this.#send({ kind: 'cancel', id, why: String(reason) });
        this.#settle(id, undefined);
      });
      this.#send({ kind: 'message', at, id, message, session, releasable: link.release !== undefined });
    });
  }

  /** When nothing is being answered any more, but for streams of changes. */
  drained(): Promise<void> {
    return this.#busy ? new Promise((resolve) => this.#idle.push(resolve)) : Promise.resolve();
  }

  /** Its process is no more. */
  lost(reason: Error): void {
    for (const [id, call] of this.#calls) {
      this.#calls.delete(id);
      call.fail(reason);
    }
    this.#rest();
  }

  hear(told: FromVersion): void {
    if (told.kind === 'response') {
      const session = this.#calls.get(told.id)?.session;
      if (session !== undefined) Object.assign(session, told.session);
      this.#settle(told.id, told.response);
    } else if (told.kind === 'notify') this.#way(told)?.notify(told.notification);
    else if (told.kind === 'ask') void this.#ask(told);
    else if (told.kind === 'release') this.#calls.get(told.id)?.link.release?.(told.retryMs);
    else if (told.kind === 'end') this.#seats.get(told.at)?.outlet.end();
    else if (told.kind === 'renew') this.#renew(told.at);
  }

  #renew(at: number): void {
    const seat = this.#seats.get(at);
    if (seat === undefined) return;
    clearSession(seat.session);
    seat.outlet.renew?.();
  }

  get #busy(): boolean {
    return [...this.#calls.values()].some(({ standing }) => !standing);
  }

  #settle(id: number, response: RpcResponse | undefined): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.settle(response);
    this.#rest();
  }

  #rest(): void {
    if (!this.#busy) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Back to whom something belongs: the sender of a message, or the client as such. */
  #way({ at, id }: { readonly at: number; readonly id?: number }): Pick<ServerPush, 'notify' | 'ask'> | undefined {
    return id === undefined ? this.#seats.get(at)?.outlet : this.#calls.get(id)?.link;
  }

  async #ask(asked: { at: number; id?: number; question: number; request: RpcRequest }): Promise<void> {
    const { question } = asked;
    const gone = new McpError('MCP_CLOSED', { why: 'there is no client to ask' });
    const answering = this.#way(asked)?.ask(asked.request) ?? Promise.reject(gone);
    await answering.then(
      (response) => this.#send({ kind: 'answer', question, response }),
      (thrown: unknown) => this.#send({ kind: 'answer', question, fault: String(thrown) }),
    );
  }
}
