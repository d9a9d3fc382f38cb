/** Content blocks, in the newest revision's words. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Icon } from './icon.ts';

export type Meta = JsonObject;
export type Role = 'user' | 'assistant';

export interface Annotations {
  readonly audience?: readonly Role[];
  /** From 0, entirely optional, to 1, effectively required. */
  readonly priority?: number;
  /** ISO 8601. */
  readonly lastModified?: string;
}

interface Block {
  readonly annotations?: Annotations;
  readonly _meta?: Meta;
}
export interface TextContent extends Block {
  readonly type: 'text';
  readonly text: string;
}
export interface ImageContent extends Block {
  readonly type: 'image';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}
export interface AudioContent extends Block {
  readonly type: 'audio';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}
export interface ResourceLink extends Block {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly icons?: readonly Icon[];
}
export interface EmbeddedResource extends Block {
  readonly type: 'resource';
  readonly resource: ResourceContents;
}
/** What tools and prompts may say. */
export type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

export interface TextResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text: string;
  readonly _meta?: Meta;
}
export interface BlobResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  /** Base64. */
  readonly blob: string;
  readonly _meta?: Meta;
}
export type ResourceContents = TextResourceContents | BlobResourceContents;
