/** The catalogue: the items of all servers, named by server label. A slow, broken or denied server does not block the others. */
import { badDefinition } from '../../errors.ts';
import type { Resource } from '../../model/parts.ts';
import type { Clock } from '../../peer/clock.ts';
import type { ActKind } from '../act/act.ts';
import { claimsOf } from '../act/claims.ts';
import { missingError } from '../act/missing-error.ts';
import type { DefinitionCheck, Lock } from '../lock/lock.ts';
import type { LockItem } from '../lock/lock-item.ts';
import type { HostServers } from '../servers/host-servers.ts';
import type { HostedServer } from '../servers/managed-server.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import type { ActSubject, ItemFacts } from './act-subject.ts';
import { CatalogueContents, type InstructionsItem } from './catalogue-contents.ts';
import { type CatalogueItem, type ItemKind, isTool, type LockedItemKind } from './item.ts';
import { labelIn, resourceName } from './names.ts';
import { type PreparedTool, prepareTool } from './select-tools.ts';
import { type LoadOptions, ServerListing } from './server-listing.ts';

/** Reasons in one warning: the server chooses how many of its items are rejected. */
const MAX_REASONS = 10;

export interface CatalogueOptions {
  readonly servers: Pick<ReadonlyMap<string, HostedServer>, 'get' | 'values'> & Pick<HostServers, 'onChange'>;
  readonly lock: Lock;
  readonly clock: Clock;
  readonly onWarning: (warning: string) => void;
}

/** The reason why items of a server are missing. */
export interface ListingProblem {
  readonly server: string;
  readonly why: string;
}

export class HostCatalogue {
  readonly #options: CatalogueOptions;
  readonly #listings: Map<string, ServerListing> = new Map();
  /** Servers whose problems the application has read or been warned about. */
  #reported: ReadonlySet<string> = new Set();
  /** The number of changes of lists and of the set of servers. */
  #changes = 0;
  readonly #contents: CatalogueContents = new CatalogueContents(this.#listings);
  /** Keyed by check, because the lock returns a new object when the definition or its status changes. */
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

  /** Increases whenever an item, its status or the set of servers changes. */
  get version(): number {
    return this.#changes + this.#options.lock.version;
  }

  get labels(): readonly string[] {
    return [...this.#listings.keys()];
  }

  /** Whether the lock file is frozen, so that it denies unapproved definitions. */
  get isFrozen(): boolean {
    return this.#options.lock.frozen;
  }

  /** Refreshes stale lists of all servers in parallel, with a timeout for each. */
  async load(kind: ItemKind): Promise<void> {
    await this.#options.lock.ready();
    await Promise.all(Array.from(this.#listings.values(), (listing) => listing.loadInTime(kind)));
  }

  /** The cached items of a kind, sorted by name. */
  items<K extends ItemKind>(kind: K): readonly CatalogueItem<K>[] {
    return [...this.#contents.items(kind).values()];
  }

  item<K extends ItemKind>(kind: K, name: string): CatalogueItem<K> | undefined {
    return this.#contents.items(kind).get(name);
  }

  problems(): readonly ListingProblem[] {
    return [...this.#listings].flatMap(([server, listing]) => listing.problems().map((why) => ({ server, why })));
  }

  /** Returns the problems, and marks them as read, so that they cause no warning later. */
  readProblems(): readonly ListingProblem[] {
    const problems = this.problems();
    this.#reported = new Set(problems.map(({ server }) => server));
    return problems;
  }

  /** Warns once per server with problems, for callers that see only a list. Warns again after a full list in between. */
  warnOfProblems(): void {
    const reported = this.#reported;
    const problems = this.readProblems();
    for (const server of this.#reported) {
      if (reported.has(server)) continue;
      const reasons = problems.filter((one) => one.server === server).map(({ why }) => why);
      const more = reasons.length > MAX_REASONS ? [`${reasons.length - MAX_REASONS} more`] : [];
      const listed = [...reasons.slice(0, MAX_REASONS), ...more].join('; ');
      this.#options.onWarning(`The server "${server}" could not be listed completely: ${listed}`);
    }
  }

  /** The instructions of all servers. */
  instructions(): readonly InstructionsItem[] {
    return this.#contents.instructions();
  }

  /** Full-text search, best match first. */
  search(query: string): readonly CatalogueItem[] {
    return this.#contents.search(query);
  }

  /** Compares an item with the lock file. */
  check(item: LockItem): DefinitionCheck {
    return this.#options.lock.check(item, this.#contents.othersOf(item.server));
  }

  /** The tool in display form with its token count, cached per definition and status. */
  tool(item: CatalogueItem<'tool'>): PreparedTool {
    const check = this.check(item);
    let prepared = this.#prepared.get(check);
    if (prepared === undefined) {
      prepared = prepareTool(item, check);
      this.#prepared.set(check, prepared);
    }
    return prepared;
  }

  /** The facts of an act on this item, for rules. */
  factsOf(item: CatalogueItem): ItemFacts {
    const { server, key: name, kind } = item;
    const claims = isTool(item) ? claimsOf(item.definition.annotations) : readOnlyClaims;
    const facts = { kind: actKinds[kind], server, name, ...claims };
    if (kind === 'resource') return facts;
    const { definition, status } = this.check(item as CatalogueItem<LockedItemKind>); // `kind` was checked above
    return { ...facts, definition, status };
  }

  /** Finds a tool or prompt in the current list of its server. Throws if the item does not exist. */
  async find(kind: 'tool' | 'prompt', name: string, signal?: AbortSignal): Promise<ActSubject> {
    const label = labelIn(name) ?? '';
    if (label === '') throw missingError(kind, name, this.#withLabels(kind, name));
    const server = this.#server(label);
    // Throws the reason why the server is disabled.
    if (!(await this.#loadServer(label, kind, { signal }))) await server.client(signal);
    const item = this.item(kind, name);
    if (item === undefined) throw missingError(kind, name, this.#namesOf(kind));
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

  /** A resource in the list of its server; undefined if it is not listed. */
  async listedResource(label: string, uri: string, signal?: AbortSignal): Promise<Resource | undefined> {
    await this.#loadServer(label, 'resource', { signal });
    return this.item('resource', resourceName(label, uri))?.definition;
  }

  /** Compares the view of a tool with the lock file, for the consent question. */
  async viewSubject(item: LockItem): Promise<ActSubject> {
    const found = this.findResource(item.server, item.key);
    await this.#options.lock.ready();
    const { definition, status, reasons } = this.check(item);
    const facts = { ...found.facts, definition, status };
    return { ...found, facts, warnings: toWarnings(reasons), approve: () => this.#approve(item) };
  }

  /** The subject of an act on a resource. Resources are content, so they are not in the lock file. */
  findResource(label: string, uri: string): ActSubject {
    return { server: this.#server(label), name: uri, facts: readOnlyClaims, warnings: [] };
  }

  /** Approves the definition that the user reviewed, identified by its hash. Throws if it has changed since. */
  async accept(kind: LockedItemKind | 'instructions', name: string, hash: string): Promise<void> {
    const label = kind === 'instructions' ? name : (labelIn(name) ?? '');
    await this.#loadServer(label, kind === 'instructions' ? 'tool' : kind, {});
    const item =
      kind === 'instructions'
        ? this.instructions().find(({ server }) => server === name)
        : this.item<LockedItemKind>(kind, name);
    if (item === undefined) throw missingError(kind, name, this.#namesOf(kind));
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
      new ServerListing(server, { lock, clock, onChange: (kind) => this.#noteChange(kind) }),
    );
    this.#noteChange();
  }

  #remove(label: string): void {
    this.#listings.get(label)?.close();
    this.#listings.delete(label);
    this.#noteChange();
  }

  #server(label: string): HostedServer {
    const server = this.#options.servers.get(label);
    if (server === undefined) throw missingError('server', label, this.#labels());
    return server;
  }

  #labels(): readonly string[] {
    return Array.from(this.#options.servers.values(), ({ label }) => label);
  }

  #namesOf(kind: LockedItemKind | 'instructions'): readonly string[] {
    return kind === 'instructions'
      ? this.instructions().map(({ server }) => server)
      : this.items<LockedItemKind>(kind).map(({ name }) => name);
  }

  /** Suggestions for a name without a label. */
  #withLabels(kind: ItemKind, name: string): readonly string[] {
    const named = this.items(kind).filter((item) => item.key === name);
    if (named.length > 0) return named.map((item) => item.name);
    const labels = this.#labels();
    // The exported form, such as `shop__refund`.
    const exported = labels.filter((label) => name.startsWith(`${label}__`));
    return exported.length > 0
      ? exported.map((label) => `${label}.${name.slice(label.length + 2)}`)
      : labels.map((label) => `${label}.${name}`);
  }

  /** Loads a list without a timeout. Returns false if the catalogue has no such server. */
  async #loadServer(label: string, kind: ItemKind, options: Omit<LoadOptions, 'retry'>): Promise<boolean> {
    const listing = this.#listings.get(label);
    if (listing === undefined) return false;
    await this.#options.lock.ready();
    await listing.load(kind, { ...options, retry: true });
    return true;
  }

  /** Stores an approval. A failed write only warns: the call is allowed, and the next one asks again. */
  async #approve(item: LockItem): Promise<void> {
    const { lock, onWarning } = this.#options;
    if (this.check(item).status === 'approved') return;
    await lock.accept(item).catch((error: unknown) => onWarning(String(error)));
  }

  #noteChange(kind?: ItemKind): void {
    this.#changes++;
    this.#contents.invalidate(kind);
  }
}

/** Turns reasons, which are clauses, into sentences. */
export const toWarnings = (reasons: readonly string[]): readonly string[] =>
  reasons.map((reason) => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`);

const readOnlyClaims = { claimed: 'read', openWorld: false } as const;

/** The act that uses an item. A template is used by reading a resource. */
const actKinds: Readonly<Record<ItemKind, ActKind>> = {
  tool: 'tool',
  prompt: 'prompt',
  resource: 'resource',
  template: 'resource',
};
