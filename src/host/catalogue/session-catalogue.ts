/** The catalogue of one session. What it shows is computed once for each version of the host's catalogue. */
import type { Act } from '../act/act.ts';
import type { LockItem } from '../lock/lock-item.ts';
import { escapeUnprintable } from '../text/invisible.ts';
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

export interface SessionCatalogueOptions {
  readonly catalogue: HostCatalogue;
  /** Whether a rule may allow it. */
  readonly isVisible: (act: Act) => boolean;
  readonly principal: string;
  readonly session: string;
}

/** What was computed for one version of the catalogue. */
interface VersionedView {
  readonly version: number;
  readonly visible: Map<ItemKind, ReadonlySet<CatalogueItem>>;
  tools?: readonly PreparedTool[];
  /** By the name in the catalogue and by the one for models. */
  byName?: ReadonlyMap<string, CatalogueTool>;
  offerable?: OfferableTools;
  instructions?: readonly CatalogueInstructions[];
}

export class SessionCatalogue implements CatalogueView {
  readonly #options: SessionCatalogueOptions;
  readonly #catalogue: HostCatalogue;
  #view: VersionedView = { version: -1, visible: new Map() };

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
    return this.#catalogue.problems();
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

  /** A tool that the session sees, by its name in the catalogue or the one for models. */
  async tool(name: string): Promise<CatalogueTool | undefined> {
    await this.#catalogue.load('tool');
    const view = this.#current();
    view.byName ??= new Map(
      this.#tools().flatMap(({ tool, modelName }) => [
        [tool.name, tool],
        [modelName, tool],
      ]),
    );
    return view.byName.get(name);
  }

  #current(): VersionedView {
    const { version } = this.#catalogue;
    if (this.#view.version !== version) this.#view = { version, visible: new Map() };
    return this.#view;
  }

  #tools(): readonly PreparedTool[] {
    const view = this.#current();
    view.tools ??= this.#visibleItems('tool').map((item) => this.#catalogue.tool(item));
    return view.tools;
  }

  #offerable(): OfferableTools {
    const view = this.#current();
    view.offerable ??= toOfferable(
      this.#tools().filter(({ tool }) => tool.status !== 'suspicious'),
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
    const { visible } = this.#current();
    let items = visible.get(kind);
    if (items === undefined) {
      items = new Set(this.#catalogue.items(kind).filter((item) => this.#isVisible(item)));
      visible.set(kind, items);
    }
    return items;
  }

  #isVisible(item: CatalogueItem): boolean {
    const { isVisible, principal, session } = this.#options;
    const facts = this.#catalogue.factsOf(item);
    return isVisible({ arguments: {}, principal, session, effects: 'unknown', carries: [], ...facts });
  }

  #statusOf(item: LockItem): Pick<CataloguePrompt, 'hash' | 'status' | 'warnings'> {
    const { definition: hash, status, reasons: warnings } = this.#catalogue.check(item);
    return { hash, status, warnings };
  }
}

const toViewItem = <K extends ItemKind>({
  name,
  server,
  title,
  definition,
}: CatalogueItem<K>): Pick<CatalogueItem<K>, 'name' | 'server' | 'title' | 'definition'> => ({
  name,
  server,
  title,
  definition,
});
