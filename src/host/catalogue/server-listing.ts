/** What one server offers, as far as it is known: asked for when it is needed, and again when it changes. */
import type { Client } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import { networkReason } from '../../model/printable.ts';
import type { Clock } from '../../peer/clock.ts';
import { isMissingList, type ListItems, lists, missingListFault } from '../../revisions/decode-lists.ts';
import { untilAborted } from '../../revisions/opening.ts';
import { claimedName } from '../act/claims.ts';
import type { Lock } from '../lock/lock.ts';
import { instructionsItem } from '../lock/lock-item.ts';
import type { HostedServer } from '../servers/managed-server.ts';
import type { CatalogueItem, Definitions, ItemKind } from './item.ts';
import { readPart } from './read-part.ts';

/** Lists of servers that do not say when they change are asked for again after this. */
const UNTOLD_MS = 300_000;
/** A server that keeps saying that it changed is not asked more often than this. */
const PAUSE_MS = 1_000;
/** A server that could not be reached, or cannot list something, is left alone for this long. */
const FAILED_MS = 30_000;

const listOf = { tool: 'tools', resource: 'resources', template: 'templates', prompt: 'prompts' } as const;
const kindsIn = { tools: ['tool'], prompts: ['prompt'], resources: ['resource', 'template'] } as const;
const capabilityOf = { tool: 'tools', prompt: 'prompts', resource: 'resources', template: 'resources' } as const;

export interface ServerListingOptions {
  readonly lock: Lock;
  readonly clock: Clock;
  /** What is known has changed. */
  changed(kind: ItemKind): void;
}

interface CachedList {
  readonly parts: readonly CatalogueItem[];
  readonly refused: readonly string[];
  /** When it was asked for. */
  readonly at: number;
  /** The server says that it has changed since. */
  readonly stale: boolean;
  readonly client: Client;
}

interface ListingFailure {
  readonly why: string;
  readonly at: number;
  readonly denied: boolean;
}

export interface LoadOptions {
  /** Whether a server is tried that has failed before. */
  readonly again: boolean;
  /** Whether a server is asked that does not say when its list changes. */
  readonly untold?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class ServerListing {
  readonly server: HostedServer;
  readonly #options: ServerListingOptions;
  readonly #cached: Map<ItemKind, CachedList> = new Map();
  readonly #loading: Map<ItemKind, Promise<void>> = new Map();
  /** Those that are about to be asked for again. */
  readonly #due: Set<ItemKind> = new Set();
  readonly #over: AbortController = new AbortController();
  #watched: Client | undefined;
  #instructions: string | undefined;
  #told: ReadonlySet<ItemKind> = new Set();
  readonly #failures: Map<ItemKind, ListingFailure> = new Map();
  readonly #since: Map<ItemKind, number> = new Map();
  /** How often the server said that a list changed: one that was asked for before may have been answered before. */
  readonly #changes: Map<ItemKind, number> = new Map();

  constructor(server: HostedServer, options: ServerListingOptions) {
    this.server = server;
    this.#options = options;
    const stop = server.onState((state) => state === 'ready' && this.#failures.clear());
    this.#over.signal.addEventListener('abort', stop);
  }

  /** What is known, without asking anybody. */
  known<K extends ItemKind>(kind: K): readonly CatalogueItem<K>[] {
    return (this.#cached.get(kind)?.parts ?? []) as readonly CatalogueItem<K>[]; // filed under this very kind
  }

  /** What is wrong with it, for whoever wonders why something is missing. */
  problems(): readonly string[] {
    const refused = [...this.#cached.values()].flatMap((cached) => cached.refused);
    return [...new Set([...this.#failures.values()].map(({ why }) => why)), ...refused];
  }

  /** How it says that it wants to be used; a claim like any other. */
  get instructions(): string | undefined {
    return this.#instructions;
  }

  /** Resolves when what is known is what the server says now. Who names the server gets it tried again. */
  load(kind: ItemKind, { again, untold = false, signal }: LoadOptions): Promise<void> {
    if (this.#isFresh(kind) && !(untold && !this.#told.has(kind))) return Promise.resolve();
    if (!again && (this.#isHopeless(kind) || this.#isAsleep(kind))) return Promise.resolve();
    const loading = this.#loading.get(kind) ?? this.#begin(kind);
    // Who stops waiting stops nobody else.
    return signal === undefined ? loading : untilAborted(loading, signal);
  }

  /** Since when a list is being waited for, if it is. */
  waitingSince(kind: ItemKind): number | undefined {
    return this.#since.get(kind);
  }

  close(): void {
    this.#over.abort(new McpError('MCP_CLOSED', { why: 'the host was closed' }));
  }

  #begin(kind: ItemKind): Promise<void> {
    this.#since.set(kind, this.#options.clock.now());
    const loading = this.#load(kind).finally(() => {
      this.#loading.delete(kind);
      this.#since.delete(kind);
    });
    this.#loading.set(kind, loading);
    return loading;
  }

  async #load(kind: ItemKind): Promise<void> {
    const { clock } = this.#options;
    try {
      const client = await this.server.client(this.#over.signal);
      this.#watch(client);
      const before = this.#changes.get(kind);
      const listed = await this.#ask(kind, client);
      await this.#introduce(kind, client, listed.parts);
      const cached = { ...listed, stale: this.#changes.get(kind) !== before };
      this.#instructions = client.server.instructions;
      this.#failures.delete(kind);
      this.#put(kind, cached);
    } catch (error) {
      const denied = error instanceof McpError && error.code === 'MCP_DENIED';
      this.#failures.set(kind, { why: networkReason(error), at: clock.now(), denied });
      throw error;
    }
  }

  async #ask(kind: ItemKind, client: Client): Promise<CachedList> {
    const about = { at: this.#options.clock.now(), stale: false, client };
    if (client.server.capabilities[capabilityOf[kind]] === undefined) return { ...about, parts: [], refused: [] };
    const listed = await this.#list(kind, client);
    if (listed === undefined) {
      const fault = missingListFault(lists[listOf[kind]].method);
      return { ...about, parts: [], refused: fault === undefined ? [] : [fault] };
    }
    const read = listed.map((one) => readPart(kind, this.server.label, one as Definitions[ItemKind])); // what this list holds
    return {
      ...about,
      parts: read.flatMap((one) => ('refused' in one ? [] : [one])),
      refused: read.flatMap((one) => ('refused' in one ? [one.refused] : [])),
    };
  }

  /** Undefined where the server does not know the method: asking it again is of no use. */
  async #list(kind: ItemKind, client: Client): Promise<readonly ListItems[keyof ListItems][] | undefined> {
    try {
      return await client.list(listOf[kind], { fresh: true, signal: this.#over.signal }).all();
    } catch (error) {
      if (isMissingList(error)) return undefined;
      throw error;
    }
  }

  /** The lock is told before anybody sees what it has not judged. */
  async #introduce(kind: ItemKind, client: Client, parts: readonly CatalogueItem[]): Promise<void> {
    const { lock } = this.#options;
    const { info, instructions } = client.server;
    const claims = claimedName(info);
    const { label: server, address } = this.server;
    const about = { server, address, claims };
    if (kind !== 'resource') await lock.record({ ...about, kind, items: parts.map((part) => ({ ...part, kind })) });
    if (instructions === undefined) return;
    await lock.record({ ...about, kind: 'instructions', items: [instructionsItem(server, instructions)] });
  }

  #put(kind: ItemKind, cached: CachedList): void {
    const before = this.#cached.get(kind);
    this.#cached.set(kind, cached);
    if (before === undefined || JSON.stringify(before.parts) !== JSON.stringify(cached.parts))
      this.#options.changed(kind);
  }

  #isFresh(kind: ItemKind): boolean {
    const cached = this.#cached.get(kind);
    if (cached === undefined || cached.stale || cached.client !== this.#watched || this.server.state !== 'ready')
      return false;
    return this.#told.has(kind) || this.#options.clock.now() < cached.at + UNTOLD_MS;
  }

  /** Nobody wakes a server to see that nothing has changed; who uses something of it gets to see how it is now. */
  #isAsleep(kind: ItemKind): boolean {
    const cached = this.#cached.get(kind);
    if (cached === undefined || cached.stale || this.server.state !== 'idle') return false;
    return this.#options.clock.now() < cached.at + UNTOLD_MS;
  }

  /** What a person has just refused is not asked for with every list. */
  #isHopeless(kind: ItemKind): boolean {
    const failed = this.server.state === 'failed';
    const own = this.#failures.get(kind);
    const all = failed ? [...this.#failures.values()] : own === undefined ? [] : [own];
    return all.some(({ denied, at }) => (denied && failed) || this.#options.clock.now() < at + FAILED_MS);
  }

  #watch(client: Client): void {
    if (this.#watched === client) return;
    this.#watched = client;
    this.#told = new Set();
    const watch = client.watch({ tools: true, prompts: true, resources: true }, { signal: this.#over.signal });
    watch.granted.then(
      ({ toolsListChanged, promptsListChanged, resourcesListChanged }) => {
        this.#told = new Set<ItemKind>([
          ...(toolsListChanged === true ? kindsIn.tools : []),
          ...(promptsListChanged === true ? kindsIn.prompts : []),
          ...(resourcesListChanged === true ? kindsIn.resources : []),
        ]);
      },
      () => undefined,
    );
    void this.#listen(watch, client);
  }

  async #listen(watch: ReturnType<Client['watch']>, client: Client): Promise<void> {
    try {
      for await (const { kind } of watch)
        if (kind !== 'resource' && this.#watched === client) for (const one of kindsIn[kind]) this.#invalidate(one);
    } catch {
      // A server that has no news to tell is asked again after a while.
    }
    if (this.#watched === client) this.#told = new Set();
  }

  /** What somebody has already seen is asked for at once; the rest when it is needed. */
  #invalidate(kind: ItemKind): void {
    this.#changes.set(kind, (this.#changes.get(kind) ?? 0) + 1);
    const cached = this.#cached.get(kind);
    if (cached === undefined) return;
    this.#cached.set(kind, { ...cached, stale: true });
    if (this.#due.has(kind)) return;
    this.#due.add(kind);
    const { clock } = this.#options;
    clock.after(Math.max(0, cached.at + PAUSE_MS - clock.now()), () => void this.#reload(kind), { idle: true });
  }

  async #reload(kind: ItemKind): Promise<void> {
    this.#due.delete(kind);
    if (this.#over.signal.aborted) return;
    // One that is under way may have been answered before the news.
    await this.#loading.get(kind)?.catch(() => undefined);
    await this.load(kind, { again: false }).catch(() => undefined);
  }
}
