/** The server behind the `Server` interface: it opens conversations about its parts, and holds nothing about any caller. */
import { RpcError } from '../errors.ts';
import { INVALID_REQUEST, isRequest, type Message, type RpcRequest, type RpcResponse } from '../jsonrpc/message.ts';
import type { ServerCapabilities } from '../model/caller.ts';
import { type Change, mayNotify } from '../model/change.ts';
import type { MirroredHeader } from '../model/mirrored-headers.ts';
import type { Link, ServedConversation, ServerPush } from '../peer/exchange.ts';
import { clearSession, type PeerSession } from '../peer/session.ts';
import type { ChangeSource } from '../revisions/contract.ts';
import { isReady } from '../revisions/lifecycles/session.ts';
import { answer, type Desk, type Inside } from './answer.ts';
import { type ChangeHub, type ChangeListener, ChangeStreams } from './change-hub.ts';
import { openPart, type Part, type PartsCatalogue } from './part.ts';
import { scopesFor } from './scopes.ts';
import type { Server } from './server-interface.ts';

const NONE: readonly never[] = [];

/** What every conversation of a server shares. */
export interface ServerCore extends Inside {
  readonly news: ChangeHub;
}

/** The server that `createServer` makes. */
export class PartServer<P extends readonly Part[]> implements Server<P> {
  readonly #inside: ServerCore;
  declare readonly '~types'?: PartsCatalogue<P>;

  constructor(inside: ServerCore) {
    this.#inside = inside;
  }

  get name(): string {
    return this.#inside.settings.info.name;
  }
  get version(): string {
    return this.#inside.settings.info.version;
  }

  get revisions(): readonly string[] {
    return this.#inside.settings.revisions.map(({ id }) => id);
  }

  mirrored({ method, params }: RpcRequest): readonly MirroredHeader[] {
    return method === 'tools/call' ? this.#inside.catalogue.mirrored(params?.['name']) : NONE;
  }

  scopes(request: RpcRequest): readonly string[] {
    const { catalogue } = this.#inside;
    return catalogue.scoped ? scopesFor(request, catalogue) : NONE;
  }

  prepare(): Promise<void> | undefined {
    return this.#inside.catalogue.prepare();
  }

  add(part: Part): void {
    this.#inside.news.tell({ kind: this.#inside.catalogue.add(openPart(part)) });
  }

  remove(name: string): boolean {
    const kinds = this.#inside.catalogue.remove(name);
    for (const kind of kinds) this.#inside.news.tell({ kind });
    return kinds.length > 0;
  }

  updated(uri: string): void {
    this.#inside.news.tell({ kind: 'resource', uri });
  }

  close(): void {
    this.#inside.news.close();
  }

  open(push: ServerPush, session: PeerSession): ServedConversation {
    return new ServerConversation(this.#inside, push, session);
  }
}

/**
 * There are as many of these as there are idle sessions: it holds what it must, makes the rest when it is wanted, and is what
 * others call, so that nobody needs a closure.
 */
class ServerConversation implements Desk, ServedConversation, ChangeListener {
  readonly inside: ServerCore;
  readonly outlet: ServerPush;
  readonly session: PeerSession;
  #streams: ChangeStreams | undefined;
  /** What the client was told that it may hear of; undefined while it hears of nothing. */
  #declared: ServerCapabilities | undefined;

  constructor(inside: ServerCore, outlet: ServerPush, session: PeerSession) {
    this.inside = inside;
    this.outlet = outlet;
    this.session = session;
    if (session.ready === true) this.#subscribe();
  }

  get news(): ChangeSource {
    this.#streams ??= new ChangeStreams(this.inside.news);
    return this.#streams;
  }

  mayListen(): boolean {
    return this.inside.news.streams < this.inside.settings.maxListeners;
  }

  exchange(message: Message, link: Link): Promise<RpcResponse | undefined> {
    if (isRequest(message)) return answer(message, link, this);
    if ('method' in message && isReady(message.method)) this.#ready();
    return Promise.resolve(undefined);
  }

  /** News is for those who opened with a handshake and finished it; everybody else asks for a stream. */
  #ready(): void {
    const { session } = this;
    if (session.revision === undefined || session.ready === true) return;
    session.ready = true;
    this.#subscribe();
  }

  #subscribe(): void {
    // What is offered later was not part of the handshake.
    this.#declared = this.inside.side.capabilities();
    this.inside.news.join(this);
  }

  hear(news: Change): void {
    const { outlet, session, inside } = this;
    if (this.#declared === undefined || !mayNotify(this.#declared, news)) return;
    const revision = inside.settings.revisions.find((one) => one.id === session.revision);
    const told = revision?.feeds.push(news, session);
    if (told !== undefined) outlet.notify(told);
  }

  renew(): void {
    const { outlet } = this;
    if (outlet.renew === undefined) throw new RpcError(INVALID_REQUEST, 'This session is already initialized');
    this.#leave();
    clearSession(this.session);
    outlet.renew();
  }

  #leave(): void {
    if (this.#declared !== undefined) this.inside.news.leave(this);
    this.#declared = undefined;
  }

  close(): void {
    this.#leave();
    this.#streams?.close();
  }
}
