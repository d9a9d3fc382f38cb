/** The lists of one upstream, kept while they are good, and for a while after that where the upstream does not answer. */

import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ChangeFilter } from '../../model/change.ts';
import { withTimeout } from '../../peer/wait.ts';
import { Warnings } from '../../peer/warnings.ts';
import { type ListKind, type ListName, listNames, lists } from '../../revisions/decode-lists.ts';
import type { SignalSource, UpstreamAudience, UpstreamLease } from '../contract.ts';
import { type FetchedList, fetchList } from './fetch-list.ts';
import type { UpstreamSettings } from './upstream-settings.ts';

/** A list as it was last fetched. */
export interface KeptList extends FetchedList {
  /** Another number for every change. */
  readonly version: number;
  readonly fetchedAt: number;
}

/** A list that differs from the one before. */
export interface ListChange {
  readonly list: ListName;
  /** Undefined where none was known. */
  readonly before: readonly JsonObject[] | undefined;
  readonly after: readonly JsonObject[];
  /** Whose list it is; undefined for what all callers get. */
  readonly audience: UpstreamAudience | undefined;
}

/** Where the upstream neither says how long a list is good, nor that it changed. */
const DEFAULT_TTL_MS = 60_000;
/** How long a list is shown whose upstream does not answer. */
const STALE_MS = 600_000;
/** Until an upstream that failed is asked again by a request. */
const RETRY_MS = 1_000;
/** Until it is asked again without one: twice as long after each failure, up to the longest. */
const LONGEST_RETRY_MS = 30_000;
/** So often a list of one audience is asked for again: its credentials may have ended. */
const MAX_RETRIES = 5;
/** A list that never ends is given up. */
const FETCH_MS = 30_000;
/** How long reports of changes are gathered, and how soon a list that changes is fetched again. */
const GATHER_MS = 50;
const FETCH_AGAIN_MS = 2_000;
/** Principals whose own lists are kept. */
const MAX_AUDIENCES = 1_000;

export interface ListAudience {
  /** Callers with one key get the same list. */
  readonly key: string;
  /** Undefined for what the gateway itself gets. */
  readonly audience: UpstreamAudience | undefined;
  /** How many gateways the request went through. */
  readonly hops: number;
}

export interface UpstreamListSource {
  /** A conversation to fetch a list on. */
  lease(audience: UpstreamAudience | undefined, by: SignalSource): Promise<UpstreamLease>;
  /** Why that failed, for operators. */
  reasonOf(error: unknown): string;
}

interface ListEntryState {
  readonly audience: UpstreamAudience | undefined;
  kept: KeptList | undefined;
  /** By the number of gateways that the request went through: a circle must not wait for itself. */
  readonly fetching: Map<number, Promise<void>>;
  isInvalid: boolean;
  /** When it was last fetched because of a change. */
  refetchedAt: number;
  /** Set while a change is being looked at: cancels that. */
  refetch: (() => void) | undefined;
  /** Set while a failed fetch waits for its repetition: cancels that. */
  retry: (() => void) | undefined;
  /** Fetches in a row that failed. */
  failures: number;
  /** The last fetch failed or took too long: the next request does not wait. */
  isLate: boolean;
  failedAt: number;
  /** Why the last fetch failed: the same is said once, whichever lists fail for it. */
  fault: string | undefined;
}

export class UpstreamLists {
  readonly #settings: UpstreamSettings;
  readonly #source: UpstreamListSource;
  /** About what is listed: a list can be fetched for every request, and is as wrong each time. */
  readonly #warnings: Warnings;
  readonly #entries: Map<string, ListEntryState> = new Map();
  readonly #listeners: Set<(change: ListChange) => void> = new Set();
  /** The kinds that are followed, by the key of the audience. */
  readonly #followed: Map<string, ReadonlySet<string>> = new Map();
  #version = 0;
  #isClosed = false;

  constructor(settings: UpstreamSettings, source: UpstreamListSource) {
    this.#settings = settings;
    this.#source = source;
    this.#warnings = new Warnings(settings.warn);
  }

  /** Calls back when a list that was fetched differs from the one before. */
  onChange(listener: (change: ListChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The lists whose changes the upstream reports: they are good until it does. */
  follow(key: string, filter: ChangeFilter): void {
    const covered = listNames.filter((kind) => filter[`${lists[kind].capability}ListChanged`] === true);
    if (covered.length === 0) this.#followed.delete(key);
    else this.#followed.set(key, new Set(covered));
  }

  peek(kind: ListName, key: string): KeptList | undefined {
    return this.#entries.get(`${kind} ${key}`)?.kept;
  }

  /** What is kept of a list, for all audiences. */
  *allItems(kind: ListName): Iterable<JsonObject> {
    for (const [key, { kept }] of this.#entries) if (key.startsWith(`${kind} `)) yield* kept?.items ?? [];
  }

  /** The list; undefined where the upstream does not answer in time and never did lately. */
  get(kind: ListName, of: ListAudience): KeptList | undefined | Promise<KeptList | undefined> {
    const entry = this.#entry(kind, of);
    if (this.#isFresh(kind, of.key, entry)) return entry.kept;
    const now = this.#settings.clock.now();
    if (entry.isLate && now - entry.failedAt < RETRY_MS) return this.#shown(entry);
    const fetching = this.#fetch(kind, entry, of.hops);
    return entry.isLate ? this.#shown(entry) : this.#inTime(fetching, entry);
  }

  /** Fetches it at once, whatever is kept. */
  async refresh(kind: ListName, of: ListAudience): Promise<void> {
    const entry = this.#entry(kind, of);
    entry.isInvalid = true;
    await this.#inTime(this.#fetch(kind, entry, of.hops), entry);
  }

  /** The lists that a server reports changes of together. */
  invalidate(capability: ListKind<unknown>['capability'], key: string): void {
    for (const name of listNames) {
      const entry = lists[name].capability === capability ? this.#entries.get(`${name} ${key}`) : undefined;
      if (entry === undefined) continue;
      entry.isInvalid = true;
      if (entry.kept !== undefined) this.#refetch(name, entry);
    }
  }

  /** Nothing is fetched any more. */
  close(): void {
    for (const { refetch, retry } of this.#entries.values()) {
      refetch?.();
      retry?.();
    }
    this.#isClosed = true;
  }

  invalidateAll(key: string): void {
    for (const capability of ['tools', 'prompts', 'resources'] as const) this.invalidate(capability, key);
  }

  /** What is shown to callers must be known to have changed before they are told. Reports that come together are one. */
  #refetch(name: ListName, entry: ListEntryState): void {
    const { clock } = this.#settings;
    if (this.#isClosed) return;
    const waitMs = Math.max(GATHER_MS, entry.refetchedAt + FETCH_AGAIN_MS - clock.now());
    entry.refetch ??= clock.after(
      waitMs,
      () => {
        entry.refetch = undefined;
        entry.refetchedAt = clock.now();
        void this.#fetch(name, entry, 0);
      },
      { idle: true },
    );
  }

  /** Callers that wait for changes ask for nothing: without this, they would never hear of an upstream that is back. */
  #retry(name: ListName, entry: ListEntryState): void {
    if (this.#isClosed || isLeftAlone(entry)) return;
    entry.retry ??= this.#settings.clock.after(retryMs(entry), () => void this.#fetch(name, entry, 0), { idle: true });
  }

  /** Lists of the gateway and lists of callers apart: those of a caller who is gone are not fetched again, and keep their fault. */
  #isSaid(fault: string, { audience }: ListEntryState): boolean {
    const isOwn = audience === undefined;
    return [...this.#entries.values()].some((one) => one.fault === fault && (one.audience === undefined) === isOwn);
  }

  #entry(kind: ListName, { key: audienceKey, audience }: ListAudience): ListEntryState {
    const key = `${kind} ${audienceKey}`;
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      const [oldest] = [...this.#entries.keys()].filter((one) => !one.endsWith(' '));
      if (this.#entries.size >= MAX_AUDIENCES * listNames.length && oldest !== undefined) this.#entries.delete(oldest);
      entry = {
        audience,
        kept: undefined,
        fetching: new Map(),
        isInvalid: false,
        refetchedAt: Number.NEGATIVE_INFINITY,
        refetch: undefined,
        retry: undefined,
        failures: 0,
        isLate: false,
        failedAt: 0,
        fault: undefined,
      };
      this.#entries.set(key, entry);
    }
    return entry;
  }

  #isFresh(kind: ListName, key: string, { kept, isInvalid }: ListEntryState): boolean {
    if (kept === undefined || isInvalid) return false;
    if (this.#followed.get(key)?.has(kind) === true) return true;
    return this.#settings.clock.now() - kept.fetchedAt < (kept.ttlMs ?? DEFAULT_TTL_MS);
  }

  #shown({ kept }: ListEntryState): KeptList | undefined {
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
    entry.retry?.();
    entry.retry = undefined;
    let lease: UpstreamLease | undefined;
    try {
      lease = await this.#source.lease(entry.audience, abort);
      const warnOnce = (what: string): void => this.#warnings.once(`${label}: ${what}`);
      const fetched = await fetchList(lease.client, kind, { hops, signal: abort.signal, warn: warnOnce });
      this.#keep(kind, entry, fetched);
      // The list may have been answered before the change that was reported meanwhile.
      if (entry.isInvalid) this.#refetch(kind, entry);
    } catch (error) {
      entry.isLate = true;
      entry.isInvalid = true;
      entry.failedAt = clock.now();
      entry.failures++;
      const fault = this.#source.reasonOf(error);
      const isKnown = this.#isClosed || this.#isSaid(fault, entry);
      entry.fault = fault;
      this.#retry(kind, entry);
      if (!isKnown) warn(`${label}: its ${kind} could not be listed: ${fault}.${retryText(entry)}`);
    } finally {
      stop();
      lease?.release();
    }
  }

  #keep(kind: ListName, entry: ListEntryState, fetched: FetchedList): void {
    const before = entry.kept;
    const isSame = before?.text === fetched.text;
    const version = isSame ? before.version : ++this.#version;
    const wasShown = before !== undefined || entry.isLate;
    entry.kept = { ...fetched, version, fetchedAt: this.#settings.clock.now() };
    entry.isLate = false;
    entry.fault = undefined;
    entry.failures = 0;
    if (isSame || !wasShown) return;
    const change = { list: kind, before: before?.items, after: fetched.items, audience: entry.audience };
    for (const listener of this.#listeners) listener(change);
  }

  /** Waits for a fetch, and only so long. */
  async #inTime(fetching: Promise<void>, entry: ListEntryState): Promise<KeptList | undefined> {
    const { clock, timeouts } = this.#settings;
    const isDone = await withTimeout(
      timeouts.listMs,
      clock,
      fetching.then(() => true),
    );
    if (isDone === undefined) entry.isLate = true;
    return entry.isLate ? this.#shown(entry) : entry.kept;
  }
}

const isLeftAlone = ({ audience, failures }: ListEntryState): boolean =>
  audience !== undefined && failures > MAX_RETRIES;

const retryMs = ({ failures }: ListEntryState): number => Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** failures);

function retryText(entry: ListEntryState): string {
  if (isLeftAlone(entry)) return ' The gateway tries again when its caller lists';
  const [next, longest] = [retryMs(entry) / 1_000, LONGEST_RETRY_MS / 1_000];
  return ` The gateway tries again in ${next} s, then less often, at least every ${longest} s`;
}
