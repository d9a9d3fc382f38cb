/** Caches the lists of one upstream per audience, refetches them on changes, and serves stale ones while the upstream does not answer. */

import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ChangeFilter } from '../../model/change.ts';
import { withTimeout } from '../../peer/wait.ts';
import { Warnings } from '../../peer/warnings.ts';
import { type ListKind, type ListName, listNames, lists } from '../../revisions/decode-lists.ts';
import type { SignalSource, UpstreamAudience, UpstreamLease } from '../contract.ts';
import { type FetchedList, fetchList } from './fetch-list.ts';
import { FetchSchedule, RETRY_MS } from './fetch-schedule.ts';
import type { UpstreamSettings } from './upstream-settings.ts';

/** The latest version of a list. */
export interface KeptList extends FetchedList {
  /** The same for equal lists. */
  readonly version: number;
  readonly fetchedAt: number;
}

/** A list that differs from its previous version. */
export interface ListChange {
  readonly list: ListName;
  /** Undefined if the list was not known before. */
  readonly before: readonly JsonObject[] | undefined;
  readonly after: readonly JsonObject[];
  /** Whose list it is; undefined for the list of all callers. */
  readonly audience: UpstreamAudience | undefined;
}

/** If the upstream neither sends a TTL nor reports changes. */
const DEFAULT_TTL_MS = 60_000;
/** How long a stale list is served while the upstream does not answer. */
const STALE_MS = 600_000;
/** The limit for fetching all pages of a list. */
const FETCH_MS = 30_000;
/** Beyond this, the oldest callers' own lists are evicted. */
const MAX_AUDIENCES = 1_000;

export interface ListAudience {
  /** Callers with the same key get the same list. */
  readonly key: string;
  /** Undefined for the gateway's own list. */
  readonly audience: UpstreamAudience | undefined;
  /** The number of gateways that the request passed. */
  readonly hops: number;
}

export interface UpstreamListSource {
  /** Leases a conversation to fetch a list. */
  lease(audience: UpstreamAudience | undefined, by: SignalSource): Promise<UpstreamLease>;
  /** The reason of a failure, for operators. */
  reasonOf(error: unknown): string;
}

interface ListEntryState {
  readonly audience: UpstreamAudience | undefined;
  readonly schedule: FetchSchedule;
  kept: KeptList | undefined;
  /** In-flight fetches by hop count: in a loop of gateways, a fetch must not wait for itself. */
  readonly fetching: Map<number, Promise<void>>;
  isInvalid: boolean;
  /** The last fetch failed or took too long, so the next request does not wait for one. */
  isLate: boolean;
  failedAt: number;
  /** Why the last fetch failed. A reason that several lists share is reported once. */
  fault: string | undefined;
}

export class UpstreamLists {
  readonly #settings: UpstreamSettings;
  readonly #source: UpstreamListSource;
  /** Deduplicated warnings, because a list can be fetched for every request with the same mistakes. */
  readonly #warnings: Warnings;
  readonly #entries: Map<string, ListEntryState> = new Map();
  readonly #listeners: Set<(change: ListChange) => void> = new Set();
  /** Lists whose changes the upstream reports, by audience key. */
  readonly #followed: Map<string, ReadonlySet<string>> = new Map();
  #version = 0;
  #isClosed = false;

  constructor(settings: UpstreamSettings, source: UpstreamListSource) {
    this.#settings = settings;
    this.#source = source;
    this.#warnings = new Warnings(settings.warn);
  }

  /** Calls the listener when a fetched list differs from its previous version. */
  onChange(listener: (change: ListChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sets the lists whose changes the upstream reports; they stay fresh until it does. */
  follow(key: string, filter: ChangeFilter): void {
    const covered = listNames.filter((kind) => filter[`${lists[kind].capability}ListChanged`] === true);
    if (covered.length === 0) this.#followed.delete(key);
    else this.#followed.set(key, new Set(covered));
  }

  peek(kind: ListName, key: string): KeptList | undefined {
    return this.#entries.get(`${kind} ${key}`)?.kept;
  }

  /** Whether any list of this audience is cached. */
  isKnown(key: string): boolean {
    return listNames.some((name) => this.peek(name, key) !== undefined);
  }

  /** The cached items of a list, of all audiences. */
  *allItems(kind: ListName): Iterable<JsonObject> {
    for (const [key, { kept }] of this.#entries) if (key.startsWith(`${kind} `)) yield* kept?.items ?? [];
  }

  /** The list; undefined if the upstream does not answer in time and there is no recent version. */
  get(kind: ListName, of: ListAudience): KeptList | undefined | Promise<KeptList | undefined> {
    const entry = this.#entry(kind, of);
    if (this.#isFresh(kind, of.key, entry)) return entry.kept;
    const now = this.#settings.clock.now();
    if (entry.isLate && now - entry.failedAt < RETRY_MS) return this.#staleList(entry);
    const fetching = this.#fetch(kind, entry, of.hops);
    return entry.isLate ? this.#staleList(entry) : this.#inTime(fetching, entry);
  }

  /** Fetches immediately, regardless of the cache. */
  async refresh(kind: ListName, of: ListAudience): Promise<void> {
    const entry = this.#entry(kind, of);
    entry.isInvalid = true;
    await this.#inTime(this.#fetch(kind, entry, of.hops), entry);
  }

  /** Invalidates all lists that a server reports changes of together. */
  invalidate(capability: ListKind<unknown>['capability'], key: string): void {
    for (const name of listNames) {
      const entry = lists[name].capability === capability ? this.#entries.get(`${name} ${key}`) : undefined;
      if (entry === undefined) continue;
      entry.isInvalid = true;
      if (entry.kept !== undefined) entry.schedule.changed();
    }
  }

  /** Cancels scheduled fetches. */
  close(): void {
    this.#isClosed = true;
    for (const { schedule } of this.#entries.values()) schedule.end();
  }

  invalidateAll(key: string): void {
    for (const capability of ['tools', 'prompts', 'resources'] as const) this.invalidate(capability, key);
  }

  /**
   * Whether this fault was reported. The gateway's and callers' lists are separate: an absent caller's list is not refetched and keeps
   * its fault.
   */
  #isReported(fault: string, { audience }: ListEntryState): boolean {
    const isOwn = audience === undefined;
    return [...this.#entries.values()].some((one) => one.fault === fault && (one.audience === undefined) === isOwn);
  }

  #entry(kind: ListName, { key: audienceKey, audience }: ListAudience): ListEntryState {
    const key = `${kind} ${audienceKey}`;
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    if (this.#entries.size >= MAX_AUDIENCES * listNames.length) this.#evict();
    const { clock } = this.#settings;
    const fetch = (): void => void this.#fetch(kind, entry, 0);
    const entry: ListEntryState = {
      audience,
      schedule: new FetchSchedule({ clock, isPersonal: audience !== undefined, fetch }),
      kept: undefined,
      fetching: new Map(),
      isInvalid: false,
      isLate: false,
      failedAt: 0,
      fault: undefined,
    };
    if (this.#isClosed) entry.schedule.end();
    this.#entries.set(key, entry);
    return entry;
  }

  /** Drops the oldest list of a caller. The gateway's own lists have an empty audience key. */
  #evict(): void {
    for (const [key, entry] of this.#entries)
      if (!key.endsWith(' ')) {
        entry.schedule.end();
        this.#entries.delete(key);
        return;
      }
  }

  #isFresh(kind: ListName, key: string, { kept, isInvalid }: ListEntryState): boolean {
    if (kept === undefined || isInvalid) return false;
    if (this.#followed.get(key)?.has(kind) === true) return true;
    return this.#settings.clock.now() - kept.fetchedAt < (kept.ttlMs ?? DEFAULT_TTL_MS);
  }

  #staleList({ kept }: ListEntryState): KeptList | undefined {
    const isTooOld = kept === undefined || this.#settings.clock.now() - kept.fetchedAt > STALE_MS;
    return isTooOld ? undefined : kept;
  }

  #fetch(kind: ListName, entry: ListEntryState, hops: number): Promise<void> {
    const known = entry.fetching.get(hops);
    if (known !== undefined) return known;
    const fetching = this.#fetchNow(kind, entry, hops).finally(() => entry.fetching.delete(hops));
    entry.fetching.set(hops, fetching);
    return fetching;
  }

  async #fetchNow(kind: ListName, entry: ListEntryState, hops: number): Promise<void> {
    const { clock, label, warn } = this.#settings;
    const abort = new AbortController();
    const stop = clock.after(FETCH_MS, () => abort.abort(new Error(`no end within ${FETCH_MS} ms`)), { idle: true });
    entry.isInvalid = false;
    entry.schedule.began();
    let lease: UpstreamLease | undefined;
    try {
      lease = await this.#source.lease(entry.audience, abort);
      const warnOnce = (what: string): void => this.#warnings.once(`${label}: ${what}`);
      const fetched = await fetchList(lease.client, kind, { hops, signal: abort.signal, warn: warnOnce });
      this.#store(kind, entry, fetched);
      // A change was reported during the fetch, and may not be in the result.
      if (entry.isInvalid) entry.schedule.changed();
    } catch (error) {
      entry.isLate = true;
      entry.isInvalid = true;
      entry.failedAt = clock.now();
      const fault = this.#source.reasonOf(error);
      const isKnown = this.#isClosed || this.#isReported(fault, entry);
      entry.fault = fault;
      entry.schedule.failed();
      if (!isKnown) warn(`${label}: its ${kind} could not be listed: ${fault}. ${entry.schedule.advice}`);
    } finally {
      stop();
      lease?.release();
    }
  }

  #store(kind: ListName, entry: ListEntryState, fetched: FetchedList): void {
    const before = entry.kept;
    const isSame = before?.text === fetched.text;
    // Equal lists of several callers are one list, so that they share memory and merged tables.
    const { items, text, version } = this.#keptWith(kind, fetched.text) ?? { ...fetched, version: ++this.#version };
    const wasShown = before !== undefined || entry.isLate;
    entry.kept = { ...fetched, items, text, version, fetchedAt: this.#settings.clock.now() };
    entry.isLate = false;
    entry.fault = undefined;
    entry.schedule.succeeded();
    if (isSame || !wasShown) return;
    const change = { list: kind, before: before?.items, after: fetched.items, audience: entry.audience };
    for (const listener of this.#listeners) listener(change);
  }

  #keptWith(kind: ListName, text: string): KeptList | undefined {
    for (const [key, { kept }] of this.#entries) if (kept?.text === text && key.startsWith(`${kind} `)) return kept;
    return undefined;
  }

  /** Waits for a fetch up to `listMs`. */
  async #inTime(fetching: Promise<void>, entry: ListEntryState): Promise<KeptList | undefined> {
    const { clock, timeouts } = this.#settings;
    const isDone = await withTimeout(
      timeouts.listMs,
      clock,
      fetching.then(() => true),
    );
    if (isDone === undefined) entry.isLate = true;
    return entry.isLate ? this.#staleList(entry) : entry.kept;
  }
}
