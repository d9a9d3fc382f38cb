/** Caches what is derived from all servers' lists (sorted items, search index, names), until a list changes. */
import { instructionsItem, type LockItem } from '../lock/lock-item.ts';
import { type NamesOfOthers, ServerNames } from '../text/other-servers.ts';
import { type CatalogueItem, type ItemKind, itemKinds } from './item.ts';
import { SearchIndex } from './search.ts';
import type { ServerListing } from './server-listing.ts';

export type InstructionsItem = LockItem<{ readonly instructions: string }>;

export class CatalogueContents {
  readonly #listings: ReadonlyMap<string, ServerListing>;
  readonly #items: Map<ItemKind, ReadonlyMap<string, CatalogueItem>> = new Map();
  #names: ServerNames | undefined;
  #index: SearchIndex<CatalogueItem> | undefined;
  #instructions: readonly InstructionsItem[] | undefined;

  constructor(listings: ReadonlyMap<string, ServerListing>) {
    this.#listings = listings;
  }

  /** Invalidates the cache. `kind` is the list that changed; undefined if the set of servers changed. */
  invalidate(kind?: ItemKind): void {
    this.#items.clear();
    this.#index = undefined;
    this.#instructions = undefined;
    // The names are slow to compute, and depend only on the tool lists.
    if (kind === undefined || kind === 'tool') this.#names = undefined;
  }

  /** The cached items of a kind by name, in order of names. */
  items<K extends ItemKind>(kind: K): ReadonlyMap<string, CatalogueItem<K>> {
    let items = this.#items.get(kind);
    if (items === undefined) {
      const all = [...this.#listings.values()].flatMap((listing): readonly CatalogueItem[] => listing.items(kind));
      const sorted = all.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      items = new Map(sorted.map((item) => [item.name, item]));
      this.#items.set(kind, items);
    }
    return items as ReadonlyMap<string, CatalogueItem<K>>; // stored by kind
  }

  instructions(): readonly InstructionsItem[] {
    this.#instructions ??= [...this.#listings].flatMap(([server, { instructions = '' }]) =>
      instructions.trim() === '' ? [] : [instructionsItem(server, instructions)],
    );
    return this.#instructions;
  }

  search(query: string): readonly CatalogueItem[] {
    this.#index ??= new SearchIndex(
      itemKinds.flatMap((kind): readonly CatalogueItem[] => [...this.items(kind).values()]),
    );
    return this.#index.search(query);
  }

  /** Names of other servers and their tools, which a server's text should not mention (cross-server injection). */
  othersOf(label: string): NamesOfOthers {
    this.#names ??= new ServerNames(
      new Map([...this.#listings].map(([one, listing]) => [one, listing.items('tool').map(({ key }) => key)])),
    );
    return this.#names.othersOf(label);
  }
}
