/** A server: definitions, and a way to open conversations about them. It holds nothing about any caller. */
import { RpcError } from '../errors.ts';
import { INVALID_REQUEST, isRequest, type Message, type RpcRequest, type RpcResponse } from '../jsonrpc/message.ts';
import type { ServerCapabilities } from '../model/caller.ts';
import type { Typed } from '../model/catalogue.ts';
import { type Change, mayNotify } from '../model/change.ts';
import type { MirroredHeader } from '../model/mirrored-headers.ts';
import type { Exchange, Layer, Link, Servable, ServedConversation, ServerPush } from '../peer/exchange.ts';
import { clearSession, type PeerSession } from '../peer/session.ts';
import type { ChangeSource, ServerSide } from '../revisions/contract.ts';
import { isReady } from '../revisions/lifecycles/session.ts';
import { answer, type Desk, type Inside } from './answer.ts';
import { PartCatalogue } from './catalogue.ts';
import { ChangeBridge } from './change-bus.ts';
import { ChangeHub, type ChangeListener, ChangeStreams } from './change-hub.ts';
import type { NeedsEnv, Part, PartsCatalogue } from './part.ts';
import { scopesFor } from './scopes.ts';
import { type ServerSpec, settingsOf } from './settings.ts';

const NONE: readonly never[] = [];

/** What a wrapped server shares with the one it wraps. */
interface ServerCore extends Inside {
  readonly news: ChangeHub;
}

/** What `createServer` makes: definitions, and no caller's state. Serve the same value as often as you like. */
export class Server<P extends readonly Part[] = readonly Part[]> implements Servable, Typed<PartsCatalogue<P>> {
  readonly #inside: ServerCore;
  readonly #layers: readonly Layer[];
  declare readonly '~types'?: PartsCatalogue<P>;

  /** Use `createServer`. */
  constructor(inside: ServerCore, layers: readonly Layer[]) {
    this.#inside = inside;
    this.#layers = layers;
  }

  get name(): string {
    return this.#inside.settings.info.name;
  }
  get version(): string {
    return this.#inside.settings.info.version;
  }

  /** The revisions it speaks, newest first. */
  get revisions(): readonly string[] {
    return this.#inside.settings.revisions.map(({ id }) => id);
  }

  /** The headers that must repeat arguments of a call, over HTTP. */
  mirrored({ method, params }: RpcRequest): readonly MirroredHeader[] {
    return method === 'tools/call' ? this.#inside.catalogue.mirrored(params?.['name']) : NONE;
  }

  /** What a caller must be allowed to for this request, by the parts that it names. */
  scopes(request: RpcRequest): readonly string[] {
    const { catalogue } = this.#inside;
    return catalogue.scoped ? scopesFor(request, catalogue) : NONE;
  }

  /**
   * Proves that no check against a plain JSON Schema of yours can take too long. Transports call this before they serve; call it
   * yourself where you mount the server with `nodeHandler`, so that a bad schema stops the start. Nothing to do where no part has such a schema.
   */
  prepare(): Promise<void> | undefined {
    return this.#inside.catalogue.prepare();
  }

  /** Offers one more part from now on, and tells those who want to know. */
  add(part: Part): void {
    this.#inside.news.tell({ kind: this.#inside.catalogue.add(part) });
  }

  /** Takes back the part with this name or URI. */
  remove(name: string): boolean {
    const kinds = this.#inside.catalogue.remove(name);
    for (const kind of kinds) this.#inside.news.tell({ kind });
    return kinds.length > 0;
  }

  /** Tells those who watch a resource that it changed. */
  updated(uri: string): void {
    this.#inside.news.tell({ kind: 'resource', uri });
  }

  /** Ends every stream of news. Conversations are their transports' to end. */
  close(): void {
    this.#inside.news.close();
  }

  /** One conversation's worth of serving. */
  open(outlet: ServerPush, session: PeerSession): ServedConversation {
    const conversation = new ServerConversation(this.#inside, outlet, session);
    if (this.#layers.length === 0) return conversation;
    const answering: Exchange = (message, link) => conversation.exchange(message, link);
    const exchange = this.#layers.reduceRight((next, layer) => layer(next), answering);
    return { exchange, close: () => conversation.close() };
  }

  /** The same server behind these layers, outermost first. */
  behind(...layers: readonly Layer[]): Server<P> {
    return new Server<P>(this.#inside, [...layers, ...this.#layers]);
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

/** Puts parts together to a server. Mistakes in their definitions are told here, or when it is served, and not on the first call. */
export function createServer<const P extends readonly Part[]>(
  spec: ServerSpec & { readonly parts: P } & NeedsEnv<P>,
): Server<P> {
  const settings = settingsOf(spec, spec.env);
  const catalogue = new PartCatalogue(spec.extensions);
  for (const part of spec.parts) {
    catalogue.add(part);
    if (part.kind === 'tool' && part.definition.description === undefined) {
      spec.onWarning?.(`Tool "${part.definition.name}" has no description: a model can only guess what it does`);
    }
  }
  const { info, instructions, strictVersions } = settings;
  const side: ServerSide = {
    info,
    instructions,
    strictVersions,
    revisions: settings.revisions,
    capabilities: () => catalogue.capabilities(),
  };
  const bridge =
    spec.changes === undefined
      ? undefined
      : new ChangeBridge(spec.changes, (thrown) => void settings.report(thrown, 'telling other processes the news'));
  return new Server<P>({ settings, catalogue, side, news: new ChangeHub(bridge) }, []);
}

/** The same server behind layers that see every message, outermost first. */
export const use = <P extends readonly Part[]>(server: Server<P>, ...layers: readonly Layer[]): Server<P> =>
  server.behind(...layers);
