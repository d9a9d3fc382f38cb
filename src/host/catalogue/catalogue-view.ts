/** The catalogue of a session, without items that the rules deny. */
import type { Prompt, Resource, ResourceTemplate } from '../../model/parts.ts';
import type { DefinitionStatus } from '../act/act.ts';
import type { ListingProblem } from './catalogue.ts';
import type { CatalogueTool } from './catalogue-tool.ts';
import type { CatalogueItem, ItemKind } from './item.ts';
import type { ResourceInterest } from './resource-order.ts';

/** Options to select tools for a model. */
export interface ToolsOptions {
  /**
   * The token budget for tool definitions. If the tools exceed it, the list has the best matches and the host's search tools.
   * Suspicious tools are left out until they are approved.
   */
  readonly budgetTokens?: number;
  /** The user's prompt, used to rank tools. */
  readonly query?: string;
  /** Names of tools from the previous list. They come first, in this order, which keeps prompt caches valid. */
  readonly keep?: readonly string[];
}

interface ViewItem<D> {
  readonly name: string;
  readonly server: string;
  readonly title: string;
  readonly definition: D;
}

/** The definition compared with the lock file. */
interface ItemStatus {
  /** The hash that approvals are bound to. */
  readonly hash: string;
  readonly status: DefinitionStatus;
  /** Changes since the approval, and suspicious text. */
  readonly warnings: readonly string[];
}

/** A prompt of one of the servers, for the user to choose. */
export type CataloguePrompt = ViewItem<Prompt> & ItemStatus;
/** A resource template of one of the servers. */
export type CatalogueTemplate = ViewItem<ResourceTemplate> & ItemStatus;
/** The instructions of a server. */
export interface CatalogueInstructions extends ItemStatus {
  readonly server: string;
  readonly text: string;
}
/** A resource of one of the servers. */
export interface CatalogueResource extends ViewItem<Resource> {
  /** Estimated tokens of its content, if the server declares a size. */
  readonly tokens?: number;
}

/** The items that one session can use, of all servers. Rules are evaluated once per change of the lists. */
export interface CatalogueView {
  tools(options?: ToolsOptions): Promise<readonly CatalogueTool[]>;
  prompts(): Promise<readonly CataloguePrompt[]>;
  /** Ordered by priority, then by the date of modification. */
  resources(interest?: ResourceInterest): Promise<readonly CatalogueResource[]>;
  templates(): Promise<readonly CatalogueTemplate[]>;
  /** Full-text search. Default: tools only. Best match first. */
  search(query: string, kinds?: readonly ItemKind[]): Promise<readonly CatalogueItem[]>;
  /** The instructions of all servers whose lists were loaded. */
  instructions(): readonly CatalogueInstructions[];
  /** Reasons for missing items. */
  problems(): readonly ListingProblem[];
}
