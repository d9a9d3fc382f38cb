/** The catalogue of one session. What it shows is computed once for each version of the host's catalogue. */
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
  /** Whether a rule may allow it. */
  readonly visibilityOf: (act: Act) => Visibility;
  /** What sessions of the same principal have in common. */
  readonly views: SharedViews;
  readonly principal: string;
  readonly session: string;
}

/** What was computed for one version of the catalogue. */
interface VersionedView {
  readonly version: number;
  readonly isShared: boolean;
  /** A rule looks at the session, so that nothing can be shared. */
  readsSession: boolean;
  readonly visible: Map<ItemKind, ReadonlySet<CatalogueItem>>;
  tools?: readonly PreparedTool[];
  /** By the name in the catalogue and by the one for models. */
  byName?: ReadonlyMap<string, CatalogueTool>;
  offerable?: OfferableTools;
  instructions?: readonly CatalogueInstructions[];
}

const MAX_PRINCIPALS = 1_000;

function emptyView(version: number, isShared: boolean): VersionedView {
  return { version, isShared, readsSession: false, visible: new Map() };
}

/** The views of the newest version, by principal. A new session starts with what another one has computed. */
export class SharedViews {
  readonly #views: Map<string, VersionedView> = new Map();

  /** A view that the session can use: the shared one, or its own where a rule looks at sessions. */
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

  /** The same for callers who do not look at `problems()`: warns of servers whose tools are missing. */
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

  /** The instructions that models read: not changed or suspicious ones before they are approved. */
  hints(): readonly CatalogueInstructions[] {
    const hidden = this.#catalogue.isFrozen ? ['new', 'changed', 'suspicious'] : ['changed', 'suspicious'];
    return this.instructions().filter(({ status }) => !hidden.includes(status));
  }

  /** The tools that models can be offered, the best match first. */
  async searchTools(query: string): Promise<readonly CatalogueTool[]> {
    const found = await this.search(query);
    const { byName } = this.#offerable();
    return found.flatMap(({ name }) => byName.get(name)?.tool ?? []);
  }

  /**
   * A tool for models, by its name in the catalogue or the one for models. One that the rules hide is found too: the gate denies its
   * call, and the audit has it.
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
    // First, because it can show that the view cannot be shared.
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
    return [...this.#visible(kind)] as CatalogueItem<K>[]; // only of this kind
  }

  #visible(kind: ItemKind): ReadonlySet<CatalogueItem> {
    const view = this.#current();
    const known = view.visible.get(kind);
    if (known !== undefined) return known;
    const judged = this.#catalogue
      .items(kind)
      .map((item) => ({ item, ...this.visibilityOf(this.#catalogue.factsOf(item)) }));
    const items = new Set(judged.flatMap(({ item, isVisible }) => (isVisible ? [item] : [])));
    if (view.isShared && judged.some(({ readsSession }) => readsSession)) view.readsSession = true;
    this.#current().visible.set(kind, items);
    return items;
  }

  /** Whether a rule may allow the session an act with these facts. */
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
