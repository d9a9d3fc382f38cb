/** The catalogue of one session: filtered by the rules, and cached per version of the host's catalogue. */
import { setNewest } from '../../peer/set-newest.ts';
import type { Act } from '../act/act.ts';
import type { LockItem } from '../lock/lock-item.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import type { ItemFacts } from './act-subject.ts';
import type { HostCatalogue, ListingProblem } from './catalogue.ts';
import type { CatalogueTool } from './catalogue-tool.ts';
import type {
  CatalogueInstructions,
  CataloguePrompt,
  CatalogueResource,
  CatalogueTemplate,
  CatalogueView,
  ToolsOptions,
} from './catalogue-view.ts';
import type { CatalogueItem, ItemKind } from './item.ts';
import { byInterest, type ResourceInterest } from './resource-order.ts';
import { type OfferableTools, type PreparedTool, selectTools, toOfferable } from './select-tools.ts';
import { tokensOfBytes } from './tokens.ts';
import { isToolFor } from './tool-audience.ts';
import type { Visibility } from './visibility.ts';

export interface SessionCatalogueOptions {
  readonly catalogue: HostCatalogue;
  /** Whether the rules may allow an act. */
  readonly visibilityOf: (act: Act) => Visibility;
  /** The cache that sessions of the same principal share. */
  readonly views: SharedViews;
  readonly principal: string;
  readonly session: string;
}

/** Derived data for one version of the catalogue. */
interface VersionedView {
  readonly version: number;
  readonly isShared: boolean;
  /** Whether a rule read the session, so that the view cannot be shared. */
  readsSession: boolean;
  readonly visible: Map<ItemKind, ReadonlySet<CatalogueItem>>;
  tools?: readonly PreparedTool[];
  /** By catalogue name and by name for models. */
  byName?: ReadonlyMap<string, CatalogueTool>;
  offerable?: OfferableTools;
  instructions?: readonly CatalogueInstructions[];
}

const MAX_PRINCIPALS = 1_000;

function emptyView(version: number, isShared: boolean): VersionedView {
  return { version, isShared, readsSession: false, visible: new Map() };
}

/** Caches the newest view per principal, so that a new session reuses what another one computed. */
export class SharedViews {
  readonly #views: Map<string, VersionedView> = new Map();

  /** Returns the principal's shared view, or a new private one if a rule reads sessions. */
  viewFor(principal: string, version: number): VersionedView {
    const known = this.#views.get(principal);
    if (known?.version === version) return known.readsSession ? emptyView(version, false) : known;
    const view = emptyView(version, true);
    setNewest(this.#views, principal, view, MAX_PRINCIPALS);
    return view;
  }
}

export class SessionCatalogue implements CatalogueView {
  readonly #options: SessionCatalogueOptions;
  readonly #catalogue: HostCatalogue;
  #view: VersionedView = emptyView(-1, false);

  constructor(options: SessionCatalogueOptions) {
    this.#options = options;
    this.#catalogue = options.catalogue;
  }

  async tools({ budgetTokens, query = '', keep = [] }: ToolsOptions = {}): Promise<readonly CatalogueTool[]> {
    await this.#catalogue.load('tool');
    if (budgetTokens === undefined) return this.#tools().map(({ tool }) => tool);
    const matches = (): readonly CatalogueItem[] => this.#catalogue.search(query);
    return selectTools(this.#offerable(), { budgetTokens, keep, matches });
  }

  /** Like `tools`, and warns about servers whose tools are missing, for callers that do not read `problems()`. */
  async toolsWithWarnings(options: ToolsOptions): Promise<readonly CatalogueTool[]> {
    const tools = await this.tools(options);
    this.#catalogue.warnOfProblems();
    return tools;
  }

  async prompts(): Promise<readonly CataloguePrompt[]> {
    return (await this.#items('prompt')).map((item) => ({ ...toViewItem(item), ...this.#statusOf(item) }));
  }

  async resources(interest: ResourceInterest = {}): Promise<readonly CatalogueResource[]> {
    return byInterest(await this.#items('resource'), interest).map((item) => {
      const { size } = item.definition;
      return { ...toViewItem(item), ...(typeof size === 'number' ? { tokens: tokensOfBytes(size) } : {}) };
    });
  }

  async templates(): Promise<readonly CatalogueTemplate[]> {
    return (await this.#items('template')).map((item) => ({ ...toViewItem(item), ...this.#statusOf(item) }));
  }

  async search(query: string, kinds: readonly ItemKind[] = ['tool']): Promise<readonly CatalogueItem[]> {
    await Promise.all(kinds.map((kind) => this.#catalogue.load(kind)));
    return this.#catalogue
      .search(query)
      .filter((item) => kinds.includes(item.kind) && this.#visible(item.kind).has(item));
  }

  instructions(): readonly CatalogueInstructions[] {
    const view = this.#current();
    view.instructions ??= this.#catalogue.instructions().map((item) => ({
      server: item.server,
      text: escapeUnprintable(item.definition.instructions),
      ...this.#statusOf(item),
    }));
    return view.instructions;
  }

  problems(): readonly ListingProblem[] {
    return this.#catalogue.readProblems();
  }

  /** The instructions for models. Leaves out changed and suspicious ones until they are approved. */
  hints(): readonly CatalogueInstructions[] {
    const hidden = this.#catalogue.isFrozen ? ['new', 'changed', 'suspicious'] : ['changed', 'suspicious'];
    return this.instructions().filter(({ status }) => !hidden.includes(status));
  }

  /** Searches the tools that are offered to models, best match first. */
  async searchTools(query: string): Promise<readonly CatalogueTool[]> {
    const found = await this.search(query);
    const { byName } = this.#offerable();
    return found.flatMap(({ name }) => byName.get(name)?.tool ?? []);
  }

  /**
   * Finds a tool for models by its catalogue name or its name for models. Also finds tools that the rules hide: the gate denies the
   * call, and the audit log records the attempt.
   */
  async tool(name: string): Promise<CatalogueTool | undefined> {
    await this.#catalogue.load('tool');
    const tools = this.#tools();
    const view = this.#current();
    view.byName ??= new Map(
      tools
        .filter(({ tool }) => isToolFor('model', tool.definition))
        .flatMap(({ tool, modelName }) => [
          [tool.name, tool],
          [modelName, tool],
        ]),
    );
    return view.byName.get(name) ?? this.#hiddenTool(name);
  }

  #hiddenTool(name: string): CatalogueTool | undefined {
    const all = this.#catalogue.items('tool').map((item) => this.#catalogue.tool(item));
    const found = all.find(({ tool, modelName }) => tool.name === name || modelName === name)?.tool;
    return found !== undefined && isToolFor('model', found.definition) ? found : undefined;
  }

  #current(): VersionedView {
    const { version } = this.#catalogue;
    if (this.#view.version !== version || this.#view.readsSession)
      this.#view = this.#options.views.viewFor(this.#options.principal, version);
    return this.#view;
  }

  #tools(): readonly PreparedTool[] {
    // Must come first: evaluating the rules can replace the shared view by a private one.
    this.#visible('tool');
    const view = this.#current();
    view.tools ??= this.#visibleItems('tool').map((item) => this.#catalogue.tool(item));
    return view.tools;
  }

  #offerable(): OfferableTools {
    const tools = this.#tools();
    const view = this.#current();
    view.offerable ??= toOfferable(
      tools.filter(({ tool }) => tool.status !== 'suspicious' && isToolFor('model', tool.definition)),
      this.#catalogue.labels,
    );
    return view.offerable;
  }

  async #items<K extends ItemKind>(kind: K): Promise<readonly CatalogueItem<K>[]> {
    await this.#catalogue.load(kind);
    return this.#visibleItems(kind);
  }

  #visibleItems<K extends ItemKind>(kind: K): readonly CatalogueItem<K>[] {
    return [...this.#visible(kind)] as CatalogueItem<K>[]; // the set has only this kind
  }

  #visible(kind: ItemKind): ReadonlySet<CatalogueItem> {
    const view = this.#current();
    const known = view.visible.get(kind);
    if (known !== undefined) return known;
    const decided = this.#catalogue
      .items(kind)
      .map((item) => ({ item, ...this.visibilityOf(this.#catalogue.factsOf(item)) }));
    const items = new Set(decided.flatMap(({ item, isVisible }) => (isVisible ? [item] : [])));
    if (view.isShared && decided.some(({ readsSession }) => readsSession)) view.readsSession = true;
    this.#current().visible.set(kind, items);
    return items;
  }

  /** Whether the rules may allow this session an act with these facts. */
  visibilityOf(facts: ItemFacts): Visibility {
    const { visibilityOf, principal, session } = this.#options;
    return visibilityOf({ arguments: {}, principal, session, effects: 'unknown', carries: [], ...facts });
  }

  #statusOf(item: LockItem): Pick<CataloguePrompt, 'hash' | 'status' | 'warnings'> {
    const { definition: hash, status, reasons: warnings } = this.#catalogue.check(item);
    return { hash, status, warnings };
  }
}

function toViewItem<K extends ItemKind>(item: CatalogueItem<K>): Omit<CatalogueItem<K>, 'kind' | 'key'> {
  const { kind: _kind, key: _key, ...shown } = item;
  return shown;
}
