/**
 * One catalogue of what all servers offer, each behind its own label. A server that is slow, broken or refused is missing from it
 * and holds up nobody.
 */
import type { Clock } from '../../peer/clock.ts';
import { withTimeout } from '../../revisions/opening.ts';
import type { Lock } from '../lock/lock.ts';
import type { HostedServer } from '../servers/managed-server.ts';
import { namesOfOthers, type OtherServers } from '../text/other-servers.ts';
import type { CatalogueItem, ItemKind } from './item.ts';
import { type Indexed, SearchIndex } from './search.ts';
import { type LoadOptions, ServerListing } from './server-listing.ts';

/** Whoever has not answered by then is listed with what is known of it. */
const DEADLINE_MS = 5_000;
/** Nobody is late while a person thinks about opening it, but people go home, too. */
const PATIENCE_MS = 300_000;

export interface CatalogueOptions {
  readonly servers: ReadonlyMap<string, HostedServer>;
  readonly lock: Lock;
  readonly clock: Clock;
}

/** Why something may be missing. */
export interface ListingProblem {
  readonly server: string;
  readonly why: string;
}

export class HostCatalogue {
  readonly lock: Lock;
  readonly #clock: Clock;
  readonly #listings: ReadonlyMap<string, ServerListing>;
  readonly #listeners: Set<(kind: ItemKind) => void> = new Set();
  readonly #late: Set<string> = new Set();
  /** What was made of the parts that there were; new when they are. */
  #index: SearchIndex<CatalogueItem> | undefined;
  #others: Map<string, OtherServers> = new Map();

  constructor({ servers, lock, clock }: CatalogueOptions) {
    this.lock = lock;
    this.#clock = clock;
    const changed = (kind: ItemKind): void => this.#changed(kind);
    this.#listings = new Map(
      [...servers].map(([label, server]) => [label, new ServerListing(server, { lock, clock, changed })]),
    );
  }

  /** Everything of a kind, in an order that is always the same. Asks all servers at once, and waits for none for long. */
  async parts<K extends ItemKind>(kind: K): Promise<readonly CatalogueItem<K>[]> {
    await this.lock.ready();
    await Promise.all([...this.#listings.values()].map((listing) => this.#inTime(listing, kind)));
    return this.known(kind);
  }

  /** What is known, without asking anybody. */
  known<K extends ItemKind>(kind: K): readonly CatalogueItem<K>[] {
    const all = [...this.#listings.values()].flatMap((listing) => listing.known(kind));
    return all.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  /** Everything of a kind that one server offers, however long it takes; undefined if there is no such server. */
  async of<K extends ItemKind>(
    label: string,
    kind: K,
    options: Omit<LoadOptions, 'again'> = {},
  ): Promise<readonly CatalogueItem<K>[] | undefined> {
    const listing = this.#listings.get(label);
    if (listing === undefined) return undefined;
    await this.lock.ready();
    await listing.load(kind, { ...options, again: true });
    return listing.known(kind);
  }

  problems(): readonly ListingProblem[] {
    return [...this.#listings].flatMap(([server, listing]) => {
      const late = this.#late.has(server) ? [`it has not answered within ${DEADLINE_MS} ms`] : [];
      return [...late, ...listing.problems()].map((why) => ({ server, why }));
    });
  }

  /** What servers say of how they want to be used. */
  instructions(): readonly { readonly server: string; readonly text: string }[] {
    return [...this.#listings].flatMap(([server, { instructions }]) =>
      instructions === undefined || instructions.trim() === '' ? [] : [{ server, text: instructions }],
    );
  }

  /** What a server's text should not speak of. */
  othersOf(label: string): OtherServers {
    const known = this.#others.get(label);
    if (known !== undefined) return known;
    const own = new Set(
      this.#listings
        .get(label)
        ?.known('tool')
        .map(({ key }) => key),
    );
    const others = [...this.#listings].filter(([one]) => one !== label);
    const made = namesOfOthers(
      others.map(([one]) => one),
      others.flatMap(([, listing]) => listing.known('tool').map(({ key }) => key)),
      own,
    );
    this.#others.set(label, made);
    return made;
  }

  /** The best matches of what is known, the best first. */
  search(query: string): readonly Indexed<CatalogueItem>[] {
    this.#index ??= new SearchIndex(
      (['tool', 'prompt', 'resource', 'template'] as const).flatMap((kind) => this.known(kind)),
    );
    return this.#index.search(query);
  }

  /** Calls back when what is known of a kind has changed, until the returned function is called. */
  onChange(listener: (kind: ItemKind) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    for (const listing of this.#listings.values()) listing.close();
  }

  async #inTime(listing: ServerListing, kind: ItemKind): Promise<void> {
    const { label } = listing.server;
    // Nobody waits for a list more than once.
    const since = listing.waitingSince(kind) ?? this.#clock.now();
    const loaded = listing.load(kind, { again: false }).then(
      () => true,
      // Problems are told to who asks for them.
      () => true,
    );
    const left = (deadline: number): number => Math.max(0, since + deadline - this.#clock.now());
    let inTime = await withTimeout(left(DEADLINE_MS), this.#clock, loaded);
    for (let asked = listing.server.asking; inTime !== true && asked && left(PATIENCE_MS) > 0; ) {
      asked = listing.server.asking;
      inTime = await withTimeout(DEADLINE_MS, this.#clock, loaded);
    }
    if (inTime === true) this.#late.delete(label);
    else this.#late.add(label);
  }

  #changed(kind: ItemKind): void {
    this.#index = undefined;
    this.#others = new Map();
    for (const listener of this.#listeners) listener(kind);
  }
}
