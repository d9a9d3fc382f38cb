/** One thing that a server offers, under the name that the host gives it. */
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../model/parts.ts';

/** What there is, in the newest revision's words. */
export interface Definitions {
  readonly tool: Tool;
  readonly resource: Resource;
  readonly template: ResourceTemplate;
  readonly prompt: Prompt;
}
/** What servers offer. */
export type ItemKind = keyof Definitions;

/** Something that a server offers, as the catalogue keeps it. */
export interface CatalogueItem<K extends ItemKind = ItemKind> {
  readonly kind: K;
  /** The label that the host gave the server. */
  readonly server: string;
  /** What the server calls it, and what is sent to it: a name, a URI, a template. */
  readonly key: string;
  /** What the host calls it: `shop.refund`. No two parts of a kind share one. */
  readonly name: string;
  /** What people read; a claim of the server's. */
  readonly title: string;
  /** As the server gave it, but for what belongs to the connection it came over. */
  readonly definition: Definitions[K];
}
