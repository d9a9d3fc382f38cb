/** The item of a catalogue: a tool, prompt, resource or template, with a name that is unique in the host. */
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../model/parts.ts';

/** The definition type of each kind, in the newest protocol revision. */
export interface Definitions {
  readonly tool: Tool;
  readonly resource: Resource;
  readonly template: ResourceTemplate;
  readonly prompt: Prompt;
}

/** The kinds of items that servers offer. */
export type ItemKind = keyof Definitions;
/** The kinds in the lock file. Resources are content, so they are not locked. */
export type LockedItemKind = Exclude<ItemKind, 'resource'>;

export const itemKinds: readonly ItemKind[] = ['tool', 'prompt', 'resource', 'template'];

/** A tool, prompt, resource or template of a server. */
export interface CatalogueItem<K extends ItemKind = ItemKind> {
  readonly kind: K;
  /** The label that the host gave the server. */
  readonly server: string;
  /** The server's own name, URI or template, used in requests. */
  readonly key: string;
  /** The name in this host, such as `shop.refund`. Unique within a kind. */
  readonly name: string;
  /** For display. Chosen by the server, so untrusted. */
  readonly title: string;
  /** The server's definition, without hop-by-hop `_meta`. */
  readonly definition: Definitions[K];
}

export const isTool = (item: CatalogueItem): item is CatalogueItem<'tool'> => item.kind === 'tool';
