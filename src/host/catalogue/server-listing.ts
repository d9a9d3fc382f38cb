/** What one server offers, as far as it is known: loaded when it is needed, and again when it changes. */
import type { Client } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import { networkReason } from '../../model/printable.ts';
import type { Clock } from '../../peer/clock.ts';
import { untilAborted } from '../../peer/wait.ts';
import { isMissingList, type ListItems, type ListName, lists, missingListFault } from '../../revisions/decode-lists.ts';
import { findRevision } from '../../revisions/index.ts';
import { claimedName } from '../act/claims.ts';
import type { Lock } from '../lock/lock.ts';
import { instructionsItem } from '../lock/lock-item.ts';
import type { HostedServer } from '../servers/managed-server.ts';
import { type CatalogueItem, type Definitions, type ItemKind, itemKinds } from './item.ts';
import { readItem } from './read-item.ts';

/** Lists of servers that do not announce changes are loaded again after this. */
const UNANNOUNCED_MS = 300_000;
/** A server that keeps announcing changes is not asked more often than this. */
const RELOAD_INTERVAL_MS = 1_000;
/** A server that could not be reached, or cannot list something, is not asked again for this long. */
const RETRY_MS = 30_000;

const kindsIn = { tools: ['tool'], prompts: ['prompt'], resources: ['resource', 'template'] } as const;

const listOf = (kind: ItemKind): ListName => `${kind}s`;

export interface ServerListingOptions {
  readonly lock: Lock;
  readonly clock: Clock;
  /** The items of a kind, or the instructions, which come with every list, are others now. */
  changed(kind: ItemKind): void;
}

export interface LoadOptions {
  /** Whether a server is asked that has failed before. */
  readonly retry: boolean;
  /** Loads the list again unless the server has announced every change since it was last loaded. */
  readonly unannounced?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface CachedList {
  readonly items: readonly CatalogueItem[];
  readonly rejected: readonly string[];
  /** When it was asked for. */
  readonly at: number;
  readonly client: Client;
  /** Whether the server announced changes by then: what changes between the two is in neither. */
  readonly isFollowed: boolean;
}

interface ListingFailure {
  readonly why: string;
  readonly at: number;
  readonly denied: boolean;
}

/** The state of one kind of item. */
interface KindState {
  cached?: CachedList | undefined;
  failure?: ListingFailure | undefined;
  loading?: { readonly since: number; readonly done: Promise<void> } | undefined;
  /** The server announced a change since the list was asked for. */
  isStale: boolean;
  isReloadDue: boolean;
  /** How many changes the server announced: a list that was asked for before may not have the last one. */
  announced: number;
}

export class ServerListing {
  readonly server: HostedServer;
  readonly #options: ServerListingOptions;
  readonly #kinds: ReadonlyMap<ItemKind, KindState> = new Map(
    itemKinds.map((kind) => [kind, { isStale: false, isReloadDue: false, announced: 0 }]),
  );
  readonly #over: AbortController = new AbortController();
  #watched: Client | undefined;
  /** What the server says about its own use. */
  instructions: string | undefined;
  /** The kinds whose changes the server announces. */
  #announces: ReadonlySet<ItemKind> = new Set();

  constructor(server: HostedServer, options: ServerListingOptions) {
    this.server = server;
    this.#options = options;
    const stop = server.onState((state) => {
      if (state === 'ready') for (const kind of this.#kinds.values()) kind.failure = undefined;
    });
    this.#over.signal.addEventListener('abort', stop);
  }

  /** What is known, without a request. */
  items<K extends ItemKind>(kind: K): readonly CatalogueItem<K>[] {
    return (this.#state(kind).cached?.items ?? []) as readonly CatalogueItem<K>[]; // filed under this kind
  }

  problems(): readonly string[] {
    const states = [...this.#kinds.values()];
    const failures = states.flatMap(({ failure }) => (failure === undefined ? [] : [failure.why]));
    return [...new Set(failures), ...states.flatMap(({ cached }) => cached?.rejected ?? [])];
  }

  /** Resolves when the list is as the server has it now. */
  load(kind: ItemKind, { retry, unannounced = false, signal }: LoadOptions): Promise<void> {
    if (this.isFresh(kind) && (!unannounced || this.#isAnnounced(kind))) return Promise.resolve();
    if (!retry && (this.#isFailing(kind) || this.#isAsleep(kind))) return Promise.resolve();
    const { done } = this.#state(kind).loading ?? this.#begin(kind);
    // The other callers go on waiting.
    return untilAborted(done, signal);
  }

  isFresh(kind: ItemKind): boolean {
    const { cached, isStale } = this.#state(kind);
    if (cached === undefined || isStale || cached.client !== this.#watched || this.server.state !== 'ready')
      return false;
    return this.#isAnnounced(kind) || this.#options.clock.now() < cached.at + UNANNOUNCED_MS;
  }

  /** Whether the server has announced every change since the list was asked for. */
  #isAnnounced(kind: ItemKind): boolean {
    return this.#announces.has(kind) && this.#state(kind).cached?.isFollowed === true;
  }

  /** Since when a list is being loaded, if it is. */
  loadingSince(kind: ItemKind): number | undefined {
    return this.#state(kind).loading?.since;
  }

  close(): void {
    this.#over.abort(new McpError('MCP_CLOSED', { why: 'the host was closed' }));
  }

  #state(kind: ItemKind): KindState {
    return this.#kinds.get(kind) as KindState; // there is one for every kind
  }

  #begin(kind: ItemKind): NonNullable<KindState['loading']> {
    const state = this.#state(kind);
    const done = this.#load(kind, state).finally(() => {
      state.loading = undefined;
    });
    state.loading = { since: this.#options.clock.now(), done };
    return state.loading;
  }

  async #load(kind: ItemKind, state: KindState): Promise<void> {
    try {
      const client = await this.server.client(this.#over.signal);
      this.#watch(client);
      const { announced } = state;
      const cached = await this.#request(kind, client);
      await this.#record(kind, client, cached.items);
      state.failure = undefined;
      state.isStale = state.announced !== announced;
      this.#update(kind, state, cached);
    } catch (error) {
      const denied = error instanceof McpError && error.code === 'MCP_DENIED';
      state.failure = { why: networkReason(error), at: this.#options.clock.now(), denied };
      throw error;
    }
  }

  async #request(kind: ItemKind, client: Client): Promise<CachedList> {
    // In a session, every change is announced from its start.
    const isFollowed = this.#announces.has(kind) || findRevision(client.server.revision)?.hasSessions === true;
    const about = { at: this.#options.clock.now(), client, isFollowed };
    const { capability, method } = lists[listOf(kind)];
    if (client.server.capabilities[capability] === undefined) return { ...about, items: [], rejected: [] };
    const listed = await this.#list(kind, client);
    if (listed === undefined) {
      const fault = missingListFault(method);
      return { ...about, items: [], rejected: fault === undefined ? [] : [fault] };
    }
    const read = listed.map((one) => readItem(kind, this.server.label, one as Definitions[ItemKind])); // what this list holds
    return {
      ...about,
      items: read.flatMap((one) => ('rejected' in one ? [] : [one])),
      rejected: read.flatMap((one) => ('rejected' in one ? [one.rejected] : [])),
    };
  }

  /** Undefined where the server does not know the method: asking it again is of no use. */
  async #list(kind: ItemKind, client: Client): Promise<readonly ListItems[keyof ListItems][] | undefined> {
    try {
      return await client.list(listOf(kind), { fresh: true, signal: this.#over.signal }).all();
    } catch (error) {
      if (isMissingList(error)) return undefined;
      throw error;
    }
  }

  /** The lock knows an item before anything else does. */
  async #record(kind: ItemKind, client: Client, items: readonly CatalogueItem[]): Promise<void> {
    const { lock } = this.#options;
    const { info, instructions } = client.server;
    const { label: server, address } = this.server;
    const about = { server, address, claims: claimedName(info) };
    if (kind !== 'resource') await lock.record({ ...about, kind, items: items.map((item) => ({ ...item, kind })) });
    if (instructions === undefined) return;
    await lock.record({ ...about, kind: 'instructions', items: [instructionsItem(server, instructions)] });
  }

  /** Equal items stay the same objects, so that nothing is computed from them again. */
  #update(kind: ItemKind, state: KindState, cached: CachedList): void {
    const before = state.cached;
    const { instructions } = cached.client.server;
    const isSame = before !== undefined && JSON.stringify(before.items) === JSON.stringify(cached.items);
    state.cached = isSame ? { ...cached, items: before.items } : cached;
    const saysSame = this.instructions === instructions;
    this.instructions = instructions;
    if (!isSame || !saysSame) this.#options.changed(kind);
  }

  /** An idle server is not woken to see that nothing has changed; using an item of it loads the list. */
  #isAsleep(kind: ItemKind): boolean {
    const { cached, isStale } = this.#state(kind);
    if (cached === undefined || isStale || this.server.state !== 'idle') return false;
    return this.#options.clock.now() < cached.at + UNANNOUNCED_MS;
  }

  /** What the user has declined is not asked for with every list. */
  #isFailing(kind: ItemKind): boolean {
    const hasFailed = this.server.state === 'failed';
    const states = hasFailed ? [...this.#kinds.values()] : [this.#state(kind)];
    return states.some(
      ({ failure }) =>
        failure !== undefined && ((failure.denied && hasFailed) || this.#options.clock.now() < failure.at + RETRY_MS),
    );
  }

  #watch(client: Client): void {
    if (this.#watched === client) return;
    this.#watched = client;
    this.#announces = new Set();
    const watch = client.watch({ tools: true, prompts: true, resources: true }, { signal: this.#over.signal });
    watch.granted.then(
      ({ toolsListChanged, promptsListChanged, resourcesListChanged }) => {
        this.#announces = new Set<ItemKind>([
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
      // Without announcements, lists are loaded again after a while.
    }
    if (this.#watched === client) this.#announces = new Set();
  }

  /** A list that was used is loaded at once; the others when they are needed. */
  #invalidate(kind: ItemKind): void {
    const state = this.#state(kind);
    state.announced++;
    if (state.cached === undefined) return;
    state.isStale = true;
    if (state.isReloadDue) return;
    state.isReloadDue = true;
    const { clock } = this.#options;
    const pause = Math.max(0, state.cached.at + RELOAD_INTERVAL_MS - clock.now());
    clock.after(pause, () => void this.#reload(kind, state), { idle: true });
  }

  async #reload(kind: ItemKind, state: KindState): Promise<void> {
    state.isReloadDue = false;
    if (this.#over.signal.aborted) return;
    // A request that is under way may have been answered before the change.
    await state.loading?.done.catch(() => undefined);
    await this.load(kind, { retry: false }).catch(() => undefined);
  }
}
