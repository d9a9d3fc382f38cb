/** The catalogue as a session sees it: without what the rules deny. */
import type { Prompt, Resource, ResourceTemplate } from '../../model/parts.ts';
import type { DefinitionStatus } from '../act/act.ts';
import type { ListingProblem } from './catalogue.ts';
import type { CatalogueTool } from './catalogue-tool.ts';
import type { CatalogueItem, ItemKind } from './item.ts';
import type { ResourceInterest } from './resource-order.ts';

/** Which tools, and how many tokens they may take. */
export interface ToolsOptions {
  /**
   * How many tokens of a model's context the tools can take. Above that there are tools for finding tools, and the best matches;
   * a suspicious tool that was not approved is left out.
   */
  readonly budgetTokens?: number;
  /** What the tools are needed for: the best matches come first. */
  readonly query?: string;
  /** Names of tools that the model was offered before: they come first, in this order. */
  readonly keep?: readonly string[];
}

interface ViewItem<D> {
  readonly name: string;
  readonly server: string;
  readonly title: string;
  readonly definition: D;
}
/** The definition compared with the lock. */
interface ItemStatus {
  /** The hash that approvals are bound to. */
  readonly hash: string;
  readonly status: DefinitionStatus;
  /** What changed since it was approved, and what is odd about it. */
  readonly warnings: readonly string[];
}
/** A prompt of one of the servers, for users to pick. */
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

/** What one session sees of all servers. Rules are consulted once for each change of the lists. */
export interface CatalogueView {
  tools(options?: ToolsOptions): Promise<readonly CatalogueTool[]>;
  prompts(): Promise<readonly CataloguePrompt[]>;
  /** The most important first, and the latest of equally important ones. */
  resources(interest?: ResourceInterest): Promise<readonly CatalogueResource[]>;
  templates(): Promise<readonly CatalogueTemplate[]>;
  /** Items of the given kinds, tools unless others are given, the best match first. */
  search(query: string, kinds?: readonly ItemKind[]): Promise<readonly CatalogueItem[]>;
  /** What servers say about their own use, as far as it is known. */
  instructions(): readonly CatalogueInstructions[];
  /** Why something may be missing. */
  problems(): readonly ListingProblem[];
}
