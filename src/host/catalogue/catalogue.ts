/**
 * What all servers offer, each item under the label of its server. A server that is slow, broken or denied is missing and delays no
 * other. What is computed from the lists is kept until one of them changes.
 */
import { badDefinition } from '../../errors.ts';
import type { Resource } from '../../model/parts.ts';
import type { Clock } from '../../peer/clock.ts';
import { withTimeout } from '../../revisions/opening.ts';
import type { ActKind } from '../act/act.ts';
import { claimsOf } from '../act/claims.ts';
import type { DefinitionCheck, Lock } from '../lock/lock.ts';
import { instructionsItem, type LockItem } from '../lock/lock-item.ts';
import type { HostServers } from '../servers/host-servers.ts';
import type { HostedServer } from '../servers/managed-server.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import { namesOfOthers, type OtherServers } from '../text/other-servers.ts';
import { type ActSubject, type ItemFacts, missingError } from './act-subject.ts';
import { type CatalogueItem, type ItemKind, isTool, itemKinds, type LockedItemKind } from './item.ts';
import { labelIn, resourceName } from './names.ts';
import { SearchIndex } from './search.ts';
import { type PreparedTool, prepareTool } from './select-tools.ts';
import { type LoadOptions, ServerListing } from './server-listing.ts';

/** A server that has not answered by then is listed with what is known of it. */
const LIST_TIMEOUT_MS = 5_000;
/** The same, while the user is asked whether the server can be opened. */
const CONSENT_TIMEOUT_MS = 300_000;

export interface CatalogueOptions {
  readonly servers: Pick<ReadonlyMap<string, HostedServer>, 'get' | 'values'> & Pick<HostServers, 'onChange'>;
  readonly lock: Lock;
  readonly clock: Clock;
  readonly onWarning: (warning: string) => void;
}

/** Why something may be missing. */
export interface ListingProblem {
  readonly server: string;
  readonly why: string;
}

export class HostCatalogue {
  readonly #options: CatalogueOptions;
  readonly #listings: Map<string, ServerListing> = new Map();
  readonly #late: Set<string> = new Set();
  /** How often a list or the set of servers changed. */
  #changes = 0;
  /** What was computed from the lists, until one of them changes. */
  #contents: CatalogueContents = emptyContents();
  /** By check, which is another one when the definition or its status is. */
  readonly #prepared: WeakMap<DefinitionCheck, PreparedTool> = new WeakMap();

  constructor(options: CatalogueOptions) {
    this.#options = options;
    for (const server of options.servers.values()) this.#add(server);
    options.servers.onChange(({ kind, label }) => {
      const server = kind === 'disabled' ? undefined : options.servers.get(label);
      if (server === undefined) this.#remove(label);
      else this.#add(server);
    });
  }

  /** Another number whenever an item, its status or the set of servers is another. Both terms only grow. */
  get version(): number {
    return this.#changes + this.#options.lock.version;
  }

  get labels(): readonly string[] {
    return [...this.#listings.keys()];
  }

  /** A frozen lock denies what is not approved. */
  get isFrozen(): boolean {
    return this.#options.lock.frozen;
  }

  /** Loads what is not fresh, from all servers at once, and waits for none for long. */
  async load(kind: ItemKind): Promise<void> {
    await this.#options.lock.ready();
    const loading: Promise<void>[] = [];
    for (const [label, listing] of this.#listings)
      if (listing.isFresh(kind)) this.#late.delete(label);
      else loading.push(this.#loadInTime(listing, kind));
    await Promise.all(loading);
  }

  /** What is known of a kind, sorted by name. */
  items<K extends ItemKind>(kind: K): readonly CatalogueItem<K>[] {
    return [...this.#byName(kind).values()];
  }

  item<K extends ItemKind>(kind: K, name: string): CatalogueItem<K> | undefined {
    return this.#byName(kind).get(name);
  }

  problems(): readonly ListingProblem[] {
    return [...this.#listings].flatMap(([server, listing]) => {
      const late = this.#late.has(server) ? [`it has not answered within ${LIST_TIMEOUT_MS} ms`] : [];
      return [...late, ...listing.problems()].map((why) => ({ server, why }));
    });
  }

  /** What servers say about their own use. */
  instructions(): readonly LockItem<{ readonly instructions: string }>[] {
    this.#contents.instructions ??= [...this.#listings].flatMap(([server, { instructions = '' }]) =>
      instructions.trim() === '' ? [] : [instructionsItem(server, instructions)],
    );
    return this.#contents.instructions;
  }

  /** The best matches first. */
  search(query: string): readonly CatalogueItem[] {
    this.#contents.index ??= new SearchIndex(itemKinds.flatMap((kind): readonly CatalogueItem[] => this.items(kind)));
    return this.#contents.index.search(query);
  }

  /** How an item compares with the lock. */
  check(item: LockItem): DefinitionCheck {
    return this.#options.lock.check(item, this.#othersOf(item.server));
  }

  /** A tool as it is shown, and what it takes of a model's context; computed once for each definition and status. */
  tool(item: CatalogueItem<'tool'>): PreparedTool {
    const check = this.check(item);
    let prepared = this.#prepared.get(check);
    if (prepared === undefined) {
      prepared = prepareTool(item, check);
      this.#prepared.set(check, prepared);
    }
    return prepared;
  }

  /** What is known of an item before anything is done with it. */
  factsOf(item: CatalogueItem): ItemFacts {
    const { server, key: name, kind } = item;
    const claims = isTool(item) ? claimsOf(item.definition.annotations) : readOnly;
    const facts = { kind: actKinds[kind], server, name, ...claims };
    if (kind === 'resource') return facts;
    const { definition, status } = this.check(item as CatalogueItem<LockedItemKind>); // by its kind
    return { ...facts, definition, status };
  }

  /** What a call or a prompt is about, with the list of its server as it is now. Throws where there is no such item. */
  async find(kind: 'tool' | 'prompt', name: string, signal?: AbortSignal): Promise<ActSubject> {
    const label = labelIn(name) ?? '';
    const server = this.#options.servers.get(label);
    if (server === undefined) throw missingError('server', name);
    // A disabled server says so.
    if (!(await this.#loadServer(label, kind, { signal }))) await server.client(signal);
    const item = this.item(kind, name);
    if (item === undefined) throw missingError(kind, name);
    const { reasons } = this.check(item);
    const { kind: _kind, server: _server, name: key, ...facts } = this.factsOf(item);
    return {
      server,
      name: key,
      facts,
      warnings: toWarnings(reasons),
      current: async (again) => {
        await this.#loadServer(label, kind, { signal: again, unannounced: true });
        const now = this.item(kind, name);
        return now === undefined ? undefined : { definition: this.check(now).definition };
      },
      approve: () => this.#approve(item),
    };
  }

  /** What the list of a server says of a resource; undefined where it is not in it. */
  async listedResource(label: string, uri: string, signal?: AbortSignal): Promise<Resource | undefined> {
    await this.#loadServer(label, 'resource', { signal });
    return this.item('resource', resourceName(label, uri))?.definition;
  }

  /** How the view of a tool compares with the lock, as what a question about it needs. */
  async viewSubject(item: LockItem): Promise<ActSubject> {
    const found = this.findResource(item.server, item.key);
    await this.#options.lock.ready();
    const { definition, status, reasons } = this.check(item);
    const facts = { ...found.facts, definition, status };
    return { ...found, facts, warnings: toWarnings(reasons), approve: () => this.#approve(item) };
  }

  /** What reading a resource is about. Resources are content: the lock does not hold them. */
  findResource(label: string, uri: string): ActSubject {
    const server = this.#options.servers.get(label);
    if (server === undefined) throw missingError('server', label);
    return { server, name: uri, facts: readOnly, warnings: [] };
  }

  /** Approves a definition that the user was shown, by its hash. Throws if it has changed since. */
  async accept(kind: LockedItemKind | 'instructions', name: string, hash: string): Promise<void> {
    const label = kind === 'instructions' ? name : (labelIn(name) ?? '');
    await this.#loadServer(label, kind === 'instructions' ? 'tool' : kind, {});
    const item =
      kind === 'instructions'
        ? this.instructions().find(({ server }) => server === name)
        : this.item<LockedItemKind>(kind, name);
    if (item === undefined) throw missingError(kind, name);
    if (this.check(item).definition !== hash) {
      const what = `The ${kind} ${escapeUnprintable(JSON.stringify(name))}`;
      throw badDefinition(what, 'it has changed since it was shown; look at it again');
    }
    await this.#options.lock.accept(item);
  }

  close(): void {
    for (const listing of this.#listings.values()) listing.close();
  }

  #add(server: HostedServer): void {
    const { lock, clock } = this.#options;
    this.#listings.get(server.label)?.close();
    this.#listings.set(
      server.label,
      new ServerListing(server, { lock, clock, changed: (kind) => this.#changed(kind) }),
    );
    this.#changed();
  }

  #remove(label: string): void {
    this.#listings.get(label)?.close();
    this.#listings.delete(label);
    this.#late.delete(label);
    this.#changed();
  }

  /** However long it takes; false if there is no such server. */
  async #loadServer(label: string, kind: ItemKind, options: Omit<LoadOptions, 'retry'>): Promise<boolean> {
    const listing = this.#listings.get(label);
    if (listing === undefined) return false;
    await this.#options.lock.ready();
    await listing.load(kind, { ...options, retry: true });
    return true;
  }

  async #loadInTime(listing: ServerListing, kind: ItemKind): Promise<void> {
    const { clock } = this.#options;
    const { server } = listing;
    // A list that is still being loaded is not waited for a second time.
    const since = listing.loadingSince(kind) ?? clock.now();
    // Failures are among the problems.
    const loaded = listing.load(kind, { retry: false }).then(isTrue, isTrue);
    const left = (deadline: number): number => Math.max(0, since + deadline - clock.now());
    let inTime = await withTimeout(left(LIST_TIMEOUT_MS), clock, loaded);
    for (let asking = server.asking; inTime !== true && asking && left(CONSENT_TIMEOUT_MS) > 0; ) {
      asking = server.asking;
      inTime = await withTimeout(LIST_TIMEOUT_MS, clock, loaded);
    }
    if (inTime === true) this.#late.delete(server.label);
    else this.#late.add(server.label);
  }

  /** A failure to write the approval does not stop a call that was allowed: the next one is asked about again. */
  async #approve(item: LockItem): Promise<void> {
    const { lock, onWarning } = this.#options;
    if (this.check(item).status === 'approved') return;
    await lock.accept(item).catch((error: unknown) => onWarning(String(error)));
  }

  #byName<K extends ItemKind>(kind: K): ReadonlyMap<string, CatalogueItem<K>> {
    let items = this.#contents.items.get(kind);
    if (items === undefined) {
      const all = [...this.#listings.values()].flatMap((listing): readonly CatalogueItem[] => listing.items(kind));
      const sorted = all.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      items = new Map(sorted.map((item) => [item.name, item]));
      this.#contents.items.set(kind, items);
    }
    return items as ReadonlyMap<string, CatalogueItem<K>>; // filed under this kind
  }

  /** What the text of a server should not mention. */
  #othersOf(label: string): OtherServers {
    const known = this.#contents.others.get(label);
    if (known !== undefined) return known;
    const keysOf = (listing: ServerListing | undefined): string[] =>
      (listing?.items('tool') ?? []).map(({ key }) => key);
    const others = [...this.#listings].filter(([one]) => one !== label);
    const names = namesOfOthers(
      others.map(([one]) => one),
      others.flatMap(([, listing]) => keysOf(listing)),
      new Set(keysOf(this.#listings.get(label))),
    );
    this.#contents.others.set(label, names);
    return names;
  }

  /** `kind` is the list that changed; without it, the set of servers did. */
  #changed(kind?: ItemKind): void {
    this.#changes++;
    // Checks of text depend on the names of tools alone, and take long.
    const { others } = this.#contents;
    this.#contents = kind === undefined || kind === 'tool' ? emptyContents() : { ...emptyContents(), others };
  }
}

interface CatalogueContents {
  readonly items: Map<ItemKind, ReadonlyMap<string, CatalogueItem>>;
  readonly others: Map<string, OtherServers>;
  index?: SearchIndex<CatalogueItem>;
  instructions?: readonly LockItem<{ readonly instructions: string }>[];
}

const emptyContents = (): CatalogueContents => ({ items: new Map(), others: new Map() });

const toWarnings = (reasons: readonly string[]): readonly string[] =>
  reasons.map((reason) => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`);

const isTrue = (): true => true;

const readOnly = { claimed: 'read', openWorld: false } as const;

/** A template is read as the resource that it stands for. */
const actKinds: Readonly<Record<ItemKind, ActKind>> = {
  tool: 'tool',
  prompt: 'prompt',
  resource: 'resource',
  template: 'resource',
};
