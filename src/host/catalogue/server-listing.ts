/** Caches the lists of one server. Loads them on demand, and again when the server announces a change. */
import type { Client } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import { networkReason } from '../../model/printable.ts';
import type { Clock } from '../../peer/clock.ts';
import { untilAborted, withTimeout } from '../../peer/wait.ts';
import { isMissingList, type ListItems, type ListName, lists, missingListFault } from '../../revisions/decode-lists.ts';
import { findRevision } from '../../revisions/index.ts';
import { claimedName } from '../act/claims.ts';
import type { Lock } from '../lock/lock.ts';
import { instructionsItem } from '../lock/lock-item.ts';
import type { HostedServer } from '../servers/managed-server.ts';
import { AnnouncedChanges } from './announced-changes.ts';
import { type CatalogueItem, type Definitions, type ItemKind, itemKinds } from './item.ts';
import { readItem } from './read-item.ts';

/** Cache lifetime of lists whose changes the server does not announce. */
const UNANNOUNCED_MS = 300_000;
/** Minimum interval between reloads that the server's announcements cause. */
const RELOAD_INTERVAL_MS = 1_000;
/** Pause after a failed load. */
const RETRY_MS = 30_000;
/** After this timeout, the catalogue shows the cached list. */
const LIST_TIMEOUT_MS = 5_000;
/** The timeout while the user is asked whether to open the server. */
const CONSENT_TIMEOUT_MS = 300_000;

const listOf = (kind: ItemKind): ListName => `${kind}s`;

export interface ServerListingOptions {
  readonly lock: Lock;
  readonly clock: Clock;
  /** Called when the items of a kind, or the instructions, have changed. */
  onChange(kind: ItemKind): void;
}

export interface LoadOptions {
  /** Whether to load despite a recent failure. */
  readonly retry: boolean;
  /** Whether to reload a fresh list whose changes the server does not announce. */
  readonly unannounced?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface CachedList {
  readonly items: readonly CatalogueItem[];
  readonly rejected: readonly string[];
  /** When it was requested. */
  readonly at: number;
  readonly client: Client;
  /** Whether the server was announcing changes when it was requested. Otherwise a change in between may have been missed. */
  readonly isFollowed: boolean;
}

interface ListingFailure {
  readonly why: string;
  readonly at: number;
  readonly denied: boolean;
}

/** The loading state of one list. */
interface KindState {
  cached?: CachedList | undefined;
  failure?: ListingFailure | undefined;
  loading?: { readonly since: number; readonly done: Promise<void> } | undefined;
  /** Whether the server announced a change since the list was requested. */
  isStale: boolean;
  /** Whether a reload is scheduled. */
  isReloadDue: boolean;
  /** Number of announced changes. If it increases during a load, the result is stale. */
  changeCount: number;
}

export class ServerListing {
  readonly server: HostedServer;
  readonly #options: ServerListingOptions;
  readonly #kinds: ReadonlyMap<ItemKind, KindState> = new Map(
    itemKinds.map((kind) => [kind, { isStale: false, isReloadDue: false, changeCount: 0 }]),
  );
  readonly #closing: AbortController = new AbortController();
  readonly #announced: AnnouncedChanges = new AnnouncedChanges(this.#closing.signal, (kind) => this.#invalidate(kind));
  /** Whether the last load exceeded its timeout. */
  #isLate = false;
  /** The server's instructions. */
  instructions: string | undefined;

  constructor(server: HostedServer, options: ServerListingOptions) {
    this.server = server;
    this.#options = options;
    const stop = server.onState((state) => {
      if (state === 'ready') for (const kind of this.#kinds.values()) kind.failure = undefined;
    });
    this.#closing.signal.addEventListener('abort', stop);
  }

  /** The cached items of a kind; never sends a request. */
  items<K extends ItemKind>(kind: K): readonly CatalogueItem<K>[] {
    return (this.#state(kind).cached?.items ?? []) as readonly CatalogueItem<K>[]; // stored by kind
  }

  problems(): readonly string[] {
    const states = [...this.#kinds.values()];
    const late = this.#isLate ? [`no response within ${LIST_TIMEOUT_MS / 1000} s`] : [];
    const failures = states.flatMap(({ failure }) => (failure === undefined ? [] : [failure.why]));
    return [...late, ...new Set(failures), ...states.flatMap(({ cached }) => cached?.rejected ?? [])];
  }

  /** Loads a list with a timeout. `problems` reports a timeout or a failure. */
  async loadInTime(kind: ItemKind): Promise<void> {
    this.#isLate = !(this.#isFresh(kind) || (await this.#endsInTime(kind)));
  }

  /** Resolves with false on a timeout, which is longer while the user is asked for consent. A failure counts as in time. */
  async #endsInTime(kind: ItemKind): Promise<boolean> {
    const { clock } = this.#options;
    // Measures from the start of a load in progress, so that each caller does not wait for the full timeout again.
    const since = this.#state(kind).loading?.since ?? clock.now();
    const left = (deadline: number): number => Math.max(0, since + deadline - clock.now());
    const ended = (): true => true;
    const loaded = this.load(kind, { retry: false }).then(ended, ended);
    let inTime = await withTimeout(left(LIST_TIMEOUT_MS), clock, loaded);
    for (let { asking } = this.server; inTime !== true && asking && left(CONSENT_TIMEOUT_MS) > 0; ) {
      ({ asking } = this.server);
      inTime = await withTimeout(LIST_TIMEOUT_MS, clock, loaded);
    }
    return inTime === true;
  }

  /** Resolves when the list is fresh; without `retry`, at once if the server is idle or failed recently. */
  load(kind: ItemKind, { retry, unannounced = false, signal }: LoadOptions): Promise<void> {
    if (this.#isFresh(kind) && (!unannounced || this.#isAnnounced(kind))) return Promise.resolve();
    if (!retry && (this.#isFailing(kind) || this.#isIdle(kind))) return Promise.resolve();
    const { done } = this.#state(kind).loading ?? this.#startLoading(kind);
    // A caller's signal ends only its own waiting, because callers share the request.
    return untilAborted(done, signal);
  }

  #isFresh(kind: ItemKind): boolean {
    const { cached, isStale } = this.#state(kind);
    if (cached === undefined || isStale || !this.#announced.isOf(cached.client) || this.server.state !== 'ready')
      return false;
    return this.#isAnnounced(kind) || this.#options.clock.now() < cached.at + UNANNOUNCED_MS;
  }

  /** Whether the server has announced all changes since the list was requested. */
  #isAnnounced(kind: ItemKind): boolean {
    return this.#announced.has(kind) && this.#state(kind).cached?.isFollowed === true;
  }

  close(): void {
    this.#closing.abort(this.server.unavailable ?? new McpError('MCP_CLOSED', { why: 'the host was closed' }));
  }

  #state(kind: ItemKind): KindState {
    return this.#kinds.get(kind) as KindState; // the map has every kind
  }

  #startLoading(kind: ItemKind): NonNullable<KindState['loading']> {
    const state = this.#state(kind);
    const done = this.#load(kind, state).finally(() => {
      state.loading = undefined;
    });
    state.loading = { since: this.#options.clock.now(), done };
    return state.loading;
  }

  async #load(kind: ItemKind, state: KindState): Promise<void> {
    try {
      const client = await this.server.client(this.#closing.signal);
      this.#announced.follow(client);
      const { changeCount } = state;
      const cached = await this.#request(kind, client);
      await this.#record(kind, client, cached.items);
      state.failure = undefined;
      state.isStale = state.changeCount !== changeCount;
      this.#update(kind, state, cached);
    } catch (error) {
      const denied = error instanceof McpError && error.code === 'MCP_DENIED';
      state.failure = { why: networkReason(error), at: this.#options.clock.now(), denied };
      throw error;
    }
  }

  async #request(kind: ItemKind, client: Client): Promise<CachedList> {
    // Revisions with sessions announce changes from the start of the session.
    const isFollowed = this.#announced.has(kind) || findRevision(client.server.revision)?.hasSessions === true;
    const about = { at: this.#options.clock.now(), client, isFollowed };
    const { capability, method } = lists[listOf(kind)];
    if (client.server.capabilities[capability] === undefined) return { ...about, items: [], rejected: [] };
    const listed = await this.#list(kind, client);
    if (listed === undefined) {
      const fault = missingListFault(method);
      return { ...about, items: [], rejected: fault === undefined ? [] : [fault] };
    }
    const read = listed.map((one) => readItem(kind, this.server.label, one as Definitions[ItemKind])); // the list of this kind
    return {
      ...about,
      items: read.flatMap((one) => ('rejected' in one ? [] : [one])),
      rejected: read.flatMap((one) => ('rejected' in one ? [one.rejected] : [])),
    };
  }

  /** Undefined if the server does not support the method, so that it is not retried. */
  async #list(kind: ItemKind, client: Client): Promise<readonly ListItems[keyof ListItems][] | undefined> {
    try {
      return await client.list(listOf(kind), { fresh: true, signal: this.#closing.signal }).all();
    } catch (error) {
      if (isMissingList(error)) return undefined;
      throw error;
    }
  }

  /** Compares items with the lock file before they are visible anywhere else. */
  async #record(kind: ItemKind, client: Client, items: readonly CatalogueItem[]): Promise<void> {
    const { lock } = this.#options;
    const { info, instructions } = client.server;
    const { label: server, address } = this.server;
    const about = { server, address, claims: claimedName(info) };
    if (kind !== 'resource') await lock.record({ ...about, kind, items: items.map((item) => ({ ...item, kind })) });
    if (instructions === undefined) return;
    await lock.record({ ...about, kind: 'instructions', items: [instructionsItem(server, instructions)] });
  }

  /** Stores a list. Keeps the previous objects if they are equal, so that derived caches stay valid. */
  #update(kind: ItemKind, state: KindState, cached: CachedList): void {
    const before = state.cached;
    const { instructions } = cached.client.server;
    const isSame = before !== undefined && JSON.stringify(before.items) === JSON.stringify(cached.items);
    state.cached = isSame ? { ...cached, items: before.items } : cached;
    const hasSameInstructions = this.instructions === instructions;
    this.instructions = instructions;
    if (!isSame || !hasSameInstructions) this.#options.onChange(kind);
  }

  /** Whether the server is idle and its list recent. Listing does not wake it; using one of its items does. */
  #isIdle(kind: ItemKind): boolean {
    const { cached, isStale } = this.#state(kind);
    if (cached === undefined || isStale || this.server.state !== 'idle') return false;
    return this.#options.clock.now() < cached.at + UNANNOUNCED_MS;
  }

  /** Whether a load failed recently, or was denied: the user is not asked again for every list. */
  #isFailing(kind: ItemKind): boolean {
    const hasFailed = this.server.state === 'failed';
    const states = hasFailed ? [...this.#kinds.values()] : [this.#state(kind)];
    return states.some(
      ({ failure }) =>
        failure !== undefined && ((failure.denied && hasFailed) || this.#options.clock.now() < failure.at + RETRY_MS),
    );
  }

  /** Marks a list as stale. Reloads it, at most once per RELOAD_INTERVAL_MS, if it was loaded before. */
  #invalidate(kind: ItemKind): void {
    const state = this.#state(kind);
    state.changeCount++;
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
    if (this.#closing.signal.aborted) return;
    // The response of a request in progress may predate the change.
    await state.loading?.done.catch(() => undefined);
    await this.load(kind, { retry: false }).catch(() => undefined);
  }
}
