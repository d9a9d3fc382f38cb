/** The catalogue as one session sees it: what the rules would deny anyway is not in it. */
import type { Prompt, Resource, ResourceTemplate } from '../../model/parts.ts';
import type { Act, DefinitionStatus } from '../act/act.ts';
import type { DefinitionCheck } from '../lock/lock.ts';
import { instructionsItem, type LockItem } from '../lock/lock-item.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import type { HostCatalogue, ListingProblem } from './catalogue.ts';
import { type CatalogueTool, toCatalogueTool } from './catalogue-tool.ts';
import { modelName } from './export.ts';
import { factsOf } from './facts.ts';
import type { CatalogueItem, ItemKind } from './item.ts';
import { byInterest, type ResourceInterest } from './resource-order.ts';
import { selectTools } from './selection.ts';
import { type CountTokens, estimateTokens, tokensOfBytes } from './tokens.ts';

/** Which tools, and how many tokens they may take. */
export interface ToolsOptions {
  /**
   * What goes to a model may take so many tokens. Above that there are tools for finding tools, and the best matches; and what
   * looks like an attack and was not approved is left out.
   */
  readonly budgetTokens?: number;
  /** What the tools are wanted for: the best matches come along. */
  readonly query?: string;
  /** Names of tools that the model was told about before: they come first, in this order. */
  readonly keep?: readonly string[];
}

export interface ViewOptions {
  readonly catalogue: HostCatalogue;
  readonly labels: readonly string[];
  /** Whether the rules leave a way to it. */
  readonly visible: (act: Act) => boolean;
  readonly principal: string;
  readonly session: string;
  readonly countTokens?: CountTokens | undefined;
}

interface ViewItem<D> {
  readonly name: string;
  readonly server: string;
  readonly title: string;
  readonly definition: D;
}
/** How it stands to what was pinned. */
interface ItemStatus {
  /** The hash that approvals are bound to. */
  readonly hash: string;
  readonly status: DefinitionStatus;
  readonly warnings: readonly string[];
}
/** For users to pick from: nothing of it reaches a model unless somebody gets it. */
export type CataloguePrompt = ViewItem<Prompt> & ItemStatus;
/** A template of one of the servers. */
export type CatalogueTemplate = ViewItem<ResourceTemplate> & ItemStatus;
/** What a server says about its own use. */
export interface CatalogueInstructions extends ItemStatus {
  readonly server: string;
  readonly text: string;
}
/** A resource of one of the servers. */
export interface CatalogueResource extends ViewItem<Resource> {
  /** Of its content, where the server says how long that is. */
  readonly tokens?: number;
}

/** What one session may see of all servers. */
export class CatalogueView {
  readonly #options: ViewOptions;
  readonly #count: CountTokens;

  constructor(options: ViewOptions) {
    this.#options = options;
    this.#count = options.countTokens ?? estimateTokens;
  }

  async tools({ budgetTokens, query = '', keep = [] }: ToolsOptions = {}): Promise<readonly CatalogueTool[]> {
    const { catalogue, labels } = this.#options;
    const parts = await this.#parts('tool');
    const tools = parts.map((part) => this.#shown(part));
    if (budgetTokens === undefined) return tools;
    const ranked = catalogue.search(query).map(({ part }) => part.name);
    const fit = tools.filter(({ status }) => status !== 'suspicious');
    return selectTools(fit, { budgetTokens, labels, keep, ranked, countTokens: this.#count });
  }

  async prompts(): Promise<readonly CataloguePrompt[]> {
    return (await this.#parts('prompt')).map((part) => ({ ...listed(part), ...this.#status(part) }));
  }

  /** The most important first, and the latest of equally important ones. */
  async resources(interest: ResourceInterest = {}): Promise<readonly CatalogueResource[]> {
    const parts = byInterest(await this.#parts('resource'), interest);
    return parts.map((part) => {
      const { size } = part.definition;
      return { ...listed(part), ...(typeof size === 'number' ? { tokens: tokensOfBytes(size) } : {}) };
    });
  }

  async templates(): Promise<readonly CatalogueTemplate[]> {
    return (await this.#parts('template')).map((part) => ({ ...listed(part), ...this.#status(part) }));
  }

  /** What is known of any kind, the best match first. */
  async search(query: string, kinds: readonly ItemKind[] = ['tool']): Promise<readonly CatalogueItem[]> {
    await Promise.all(kinds.map((kind) => this.#options.catalogue.parts(kind)));
    return this.#options.catalogue
      .search(query)
      .flatMap(({ part }) => (kinds.includes(part.kind) && this.#isVisible(part) ? [part] : []));
  }

  /** What servers say of how they want to be used. */
  instructions(): readonly CatalogueInstructions[] {
    return this.#options.catalogue.instructions().map(({ server, text }) => {
      return { server, text: escapeUnprintable(text), ...this.#status(instructionsItem(server, text)) };
    });
  }

  /** Those that models are told: not what looks like an attack, or says more than before, until somebody has accepted it. */
  hints(): readonly CatalogueInstructions[] {
    const { frozen } = this.#options.catalogue.lock;
    return this.instructions().filter(({ status }) =>
      frozen ? status === 'approved' : status !== 'suspicious' && status !== 'changed',
    );
  }

  /** Why something may be missing. */
  problems(): readonly ListingProblem[] {
    return this.#options.catalogue.problems();
  }

  /** Tools that models may be told about, the best match first. */
  async found(query: string): Promise<readonly CatalogueTool[]> {
    const found = (await this.search(query)) as readonly CatalogueItem<'tool'>[]; // nothing else was asked for
    return found.map((part) => this.#shown(part)).filter(({ status }) => status !== 'suspicious');
  }

  /** A tool by either of its names, if it may be seen. */
  async named(name: unknown): Promise<CatalogueTool | undefined> {
    const part = (await this.#parts('tool')).find((one) => one.name === name || modelName(one) === name);
    return part === undefined ? undefined : this.#shown(part);
  }

  async #parts<K extends ItemKind>(kind: K): Promise<readonly CatalogueItem<K>[]> {
    const parts = await this.#options.catalogue.parts(kind);
    return parts.filter((part) => this.#isVisible(part));
  }

  #isVisible(part: CatalogueItem): boolean {
    const { visible, catalogue, principal, session } = this.#options;
    const facts = factsOf(part, catalogue);
    return visible({ arguments: {}, principal, session, effects: 'unknown', carries: [], ...facts });
  }

  #shown(part: CatalogueItem<'tool'>): CatalogueTool {
    return toCatalogueTool(part, this.#judged(part));
  }

  #status(part: LockItem): ItemStatus {
    const { definition: hash, status, reasons: warnings } = this.#judged(part);
    return { hash, status, warnings };
  }

  #judged(part: LockItem): DefinitionCheck {
    const { catalogue } = this.#options;
    return catalogue.lock.check(part, catalogue.othersOf(part.server));
  }
}

const listed = <D>({
  name,
  server,
  title,
  definition,
}: {
  name: string;
  server: string;
  title: string;
  definition: D;
}): ViewItem<D> => ({
  name,
  server,
  title,
  definition,
});
