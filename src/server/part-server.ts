/** The server behind the `Server` interface: it opens conversations about its parts, and holds nothing about any caller. */
import { RpcError } from '../errors.ts';
import { INVALID_REQUEST, isRequest, type Message, type RpcRequest, type RpcResponse } from '../jsonrpc/message.ts';
import type { ServerCapabilities } from '../model/caller.ts';
import { type Change, canNotify } from '../model/change.ts';
import type { MirroredHeader } from '../model/mirrored-headers.ts';
import type { Link, ServedConversation, ServerPush } from '../peer/exchange.ts';
import { clearSession, type PeerSession } from '../peer/session.ts';
import type { ChangeSource } from '../revisions/contract.ts';
import { isInitialized } from '../revisions/lifecycles/session.ts';
import { answer, type ConversationContext, type ServerCore } from './answer.ts';
import { type ChangeListener, ChangeStreams } from './change-hub.ts';
import { openPart, type Part, type PartsCatalogue } from './part.ts';
import { scopesFor } from './scopes.ts';
import type { Server } from './server-interface.ts';
import type { TaskWorker } from './tasks/server-tasks.ts';

const NONE: readonly never[] = [];

/** The server that `createServer` makes. */
export class PartServer<P extends readonly Part[]> implements Server<P> {
  readonly #core: ServerCore;
  declare readonly '~types'?: PartsCatalogue<P>;

  constructor(core: ServerCore) {
    this.#core = core;
  }

  get name(): string {
    return this.#core.settings.info.name;
  }
  get version(): string {
    return this.#core.settings.info.version;
  }

  get revisions(): readonly string[] {
    return this.#core.settings.revisions.map(({ id }) => id);
  }

  mirrored({ method, params }: RpcRequest): readonly MirroredHeader[] {
    return method === 'tools/call' ? this.#core.catalogue.mirrored(params?.['name']) : NONE;
  }

  nameParam(method: string): string | undefined {
    return this.#core.extensions.map((one) => one.nameParam?.(method)).find((one) => one !== undefined);
  }

  scopes(request: RpcRequest): readonly string[] {
    const { catalogue } = this.#core;
    return catalogue.hasScopes ? scopesFor(request, catalogue) : NONE;
  }

  prepare(): Promise<void> | undefined {
    return this.#core.catalogue.prepare();
  }

  add(part: Part): void {
    this.#core.changes.tell({ kind: this.#core.catalogue.add(openPart(part)) });
  }

  remove(name: string): boolean {
    const kinds = this.#core.catalogue.remove(name);
    for (const kind of kinds) this.#core.changes.tell({ kind });
    return kinds.length > 0;
  }

  updated(uri: string): void {
    this.#core.changes.tell({ kind: 'resource', uri });
  }

  get tasks(): TaskWorker | undefined {
    return this.#core.tasks;
  }

  close(): void {
    this.#core.changes.close();
    this.#core.tasks?.close();
  }

  open(push: ServerPush, session: PeerSession): ServedConversation {
    this.#core.tasks?.recover();
    return new ServerConversation(this.#core, push, session);
  }
}

/** One for each idle session, so it holds what it must, makes the rest on demand, and needs no closures. */
class ServerConversation implements ConversationContext, ServedConversation, ChangeListener {
  readonly core: ServerCore;
  readonly push: ServerPush;
  readonly session: PeerSession;
  #streams: ChangeStreams | undefined;
  /** The capabilities the client was told in the handshake; undefined before it. */
  #declared: ServerCapabilities | undefined;

  constructor(core: ServerCore, push: ServerPush, session: PeerSession) {
    this.core = core;
    this.push = push;
    this.session = session;
    if (session.ready === true) this.#subscribe();
  }

  get changes(): ChangeSource {
    this.#streams ??= new ChangeStreams(this.core.changes);
    return this.#streams;
  }

  canListen(): boolean {
    return this.core.changes.streams < this.core.settings.maxListeners;
  }

  exchange(message: Message, link: Link): Promise<RpcResponse | undefined> {
    if (isRequest(message)) return answer(message, link, this);
    if ('method' in message && isInitialized(message.method)) this.#ready();
    return Promise.resolve(undefined);
  }

  /** Changes are pushed to sessions after their handshake; other clients ask for a stream. */
  #ready(): void {
    const { session } = this;
    if (session.revision === undefined || session.ready === true) return;
    session.ready = true;
    this.#subscribe();
  }

  #subscribe(): void {
    // Changes belong to no request.
    if (this.session.requestsOnly === true) return;
    // What is offered later was not part of the handshake.
    this.#declared = this.core.catalogue.capabilities();
    this.core.changes.join(this);
  }

  hear(change: Change): void {
    const { push, session, core } = this;
    if (this.#declared === undefined || !canNotify(this.#declared, change)) return;
    const revision = core.settings.revisions.find((one) => one.id === session.revision);
    const notification = revision?.feeds.push(change, session);
    if (notification !== undefined) push.notify(notification);
  }

  renew(): void {
    const { push } = this;
    if (push.renew === undefined) throw new RpcError(INVALID_REQUEST, 'This session is already initialized');
    this.#leave();
    clearSession(this.session);
    push.renew();
  }

  #leave(): void {
    if (this.#declared !== undefined) this.core.changes.leave(this);
    this.#declared = undefined;
  }

  close(): void {
    this.#leave();
    this.#streams?.close();
  }
}
