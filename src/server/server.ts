/** A server: definitions, and a way to open conversations about them. It holds nothing about any caller. */
import { McpError, RpcError } from '../errors.ts';
import { failure, isRequest, type Message, type Response, success } from '../jsonrpc/message.ts';
import type { Typed } from '../model/catalogue.ts';
import { systemClock } from '../peer/clock.ts';
import type { Exchange, Layer, Link, Outlet, Servable } from '../peer/exchange.ts';
import type { Session } from '../peer/session.ts';
import { createSealer } from '../revisions/asks/seal.ts';
import type { Revision, ServerSide } from '../revisions/contract.ts';
import { find, revisions } from '../revisions/index.ts';
import { isReady } from '../revisions/lifecycles/session.ts';
import { answer, type Desk } from './answer.ts';
import { PartCatalogue } from './catalogue.ts';
import { NewsHub } from './news-hub.ts';
import type { CatalogueOf, NeedsEnv, Part } from './part.ts';
import type { ServerSpec, Settings } from './settings.ts';

/** What a wrapped server shares with the one it wraps. */
interface Inside {
  readonly settings: Settings;
  readonly catalogue: PartCatalogue;
  readonly news: NewsHub;
}

export class Server<P extends readonly Part[] = readonly Part[]> implements Servable, Typed<CatalogueOf<P>> {
  readonly #inside: Inside;
  readonly #layers: readonly Layer[];
  declare readonly '~types'?: CatalogueOf<P>;

  /** Use `createServer`. */
  constructor(inside: Inside, layers: readonly Layer[]) {
    this.#inside = inside;
    this.#layers = layers;
  }

  get name(): string {
    return this.#inside.settings.info.name;
  }
  get version(): string {
    return this.#inside.settings.info.version;
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
  open(outlet: Outlet, session: Session): { readonly exchange: Exchange; close(): void } {
    const { settings, catalogue, news } = this.#inside;
    const { info, instructions, strictVersions } = settings;
    const side: ServerSide = {
      info,
      instructions,
      strictVersions,
      revisions: settings.revisions,
      capabilities: () => catalogue.capabilities(),
    };
    const conversation = new Conversation({ settings, catalogue, side, news, session, outlet });
    const answering: Exchange = (message, link) => conversation.answer(message, link);
    const exchange = this.#layers.reduceRight((next, layer) => layer(next), answering);
    return { exchange, close: () => conversation.close() };
  }

  /** The same server behind these layers, outermost first. */
  behind(...layers: readonly Layer[]): Server<P> {
    return new Server<P>(this.#inside, [...layers, ...this.#layers]);
  }
}

class Conversation {
  readonly #desk: Desk;
  #unsubscribe: (() => void) | undefined;

  constructor(desk: Desk) {
    this.#desk = desk;
    if (desk.session.ready === true) this.#subscribe();
  }

  async answer(message: Message, link: Link): Promise<Response | undefined> {
    if (!isRequest(message)) {
      if ('method' in message && isReady(message.method)) this.#ready();
      return undefined;
    }
    try {
      return success(message.id, await answer(message, link, this.#desk));
    } catch (thrown) {
      if (thrown instanceof RpcError) return failure(message.id, thrown);
      const { settings } = this.#desk;
      return failure(message.id, new RpcError(-32603, `Internal error (${settings.report(thrown, message.method)})`));
    }
  }

  /** News is for those who opened with a handshake and finished it; everybody else asks for a stream. */
  #ready(): void {
    const { session } = this.#desk;
    if (session.revision === undefined || session.ready === true) return;
    session.ready = true;
    this.#subscribe();
  }

  #subscribe(): void {
    const { news, outlet, session, settings } = this.#desk;
    const revision = settings.revisions.find((one) => one.id === session.revision);
    if (revision === undefined) return;
    this.#unsubscribe = news.subscribe(
      (one) => {
        const told = revision.feeds.push(one, session);
        if (told !== undefined) outlet.notify(told);
      },
      () => undefined,
    );
  }

  close(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }
}

export function createServer<const P extends readonly Part[]>(
  spec: ServerSpec & { readonly parts: P } & NeedsEnv<P>,
): Server<P> {
  const catalogue = new PartCatalogue();
  for (const part of spec.parts) catalogue.add(part);
  return new Server<P>({ settings: settingsOf(spec, spec.env), catalogue, news: new NewsHub() }, []);
}

/** The same server behind layers that see every message, outermost first. */
export const use = <P extends readonly Part[]>(server: Server<P>, ...layers: readonly Layer[]): Server<P> =>
  server.behind(...layers);

function settingsOf(spec: ServerSpec, env: unknown): Settings {
  const { name, version, title, description, websiteUrl, icons } = spec;
  return {
    info: {
      name,
      version,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(websiteUrl === undefined ? {} : { websiteUrl }),
      ...(icons === undefined ? {} : { icons }),
    },
    instructions: spec.instructions,
    revisions: spec.revisions === undefined ? revisions : spec.revisions.map((id) => spoken(id, name)),
    strictVersions: spec.strictVersions ?? false,
    pageSize: spec.pageSize ?? 1_000,
    hints: { ttlMs: spec.cache?.ttlMs ?? 0, cacheScope: spec.cache?.cacheScope ?? 'private' },
    sealer: createSealer(spec.stateKeys),
    maxRounds: spec.maxRounds ?? 10,
    maxListeners: spec.maxListeners ?? 1_024,
    clock: spec.clock ?? systemClock,
    env,
    report: reporter(spec.onError),
  };
}

function spoken(id: string, name: string): Revision {
  const revision = find(id);
  if (revision !== undefined) return revision;
  const known = revisions.map((one) => one.id).join(', ');
  throw new McpError('MCP_BAD_DEFINITION', {
    what: `server "${name}"`,
    why: `unknown revision "${id}"; known are ${known}`,
  });
}

/** Keeps what went wrong on this side, under an id that the other side may quote. */
function reporter(onError: ServerSpec['onError']): Settings['report'] {
  return (error, what) => {
    const id = crypto.randomUUID().slice(0, 8);
    if (onError === undefined) console.error(`mooring: ${what} failed (${id})`, error);
    else onError(error, { id, what });
    return id;
  };
}
