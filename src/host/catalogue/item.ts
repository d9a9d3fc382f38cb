/** Something that a server offers, under the name that the host gives it. */
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../model/parts.ts';

/** The definitions of a kind, as the newest revision has them. */
export interface Definitions {
  readonly tool: Tool;
  readonly resource: Resource;
  readonly template: ResourceTemplate;
  readonly prompt: Prompt;
}
/** What servers offer. */
export type ItemKind = keyof Definitions;
/** Resources are content, and the lock does not hold them. */
export type LockedItemKind = Exclude<ItemKind, 'resource'>;

export const itemKinds: readonly ItemKind[] = ['tool', 'prompt', 'resource', 'template'];

/** Something that a server offers, as the catalogue keeps it. */
export interface CatalogueItem<K extends ItemKind = ItemKind> {
  readonly kind: K;
  /** The label that the host gave the server. */
  readonly server: string;
  /** What the server calls it, and what is sent to it: a name, a URI, a template. */
  readonly key: string;
  /** What the host calls it: `shop.refund`. No two items of a kind share one. */
  readonly name: string;
  /** For people; the server chooses it. */
  readonly title: string;
  /** As the server gave it, but for what belongs to the connection it came over. */
  readonly definition: Definitions[K];
}

export const isTool = (item: CatalogueItem): item is CatalogueItem<'tool'> => item.kind === 'tool';
