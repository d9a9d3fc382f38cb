/** Content blocks, in the newest revision's words. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Icon } from './icon.ts';

export type Meta = JsonObject;
export type Role = 'user' | 'assistant';

/** What a server says about the use of something: for whom it is, and how much it matters. Hints, not promises. */
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
/** Plain text. */
export interface TextContent extends Block {
  readonly type: 'text';
  readonly text: string;
}
/** A picture, as base64. */
export interface ImageContent extends Block {
  readonly type: 'image';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}
/** Sound, as base64. */
export interface AudioContent extends Block {
  readonly type: 'audio';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}
/** A resource that can be read when it is needed. */
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
/** A resource that came with the answer, whole. */
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
/** What is behind a URI: text, or bytes as base64. */
export type ResourceContents = TextResourceContents | BlobResourceContents;
