/** Content blocks, in the newest revision's words. */
import type { JsonObject } from '../jsonrpc/message.ts';

export type Meta = JsonObject;
export type Role = 'user' | 'assistant';

/** What a server says about the use of something: for whom it is, and how much it matters. Hints, not promises. */
export type Annotations = {
  readonly audience?: readonly Role[];
  /** From 0, entirely optional, to 1, effectively required. */
  readonly priority?: number;
  /** ISO 8601. */
  readonly lastModified?: string;
};

type Block = {
  readonly annotations?: Annotations;
  readonly _meta?: Meta;
};
/** Plain text. */
export type TextContent = Block & {
  readonly type: 'text';
  readonly text: string;
};
type Media = Block & {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
};
/** A picture, as base64. */
export type ImageContent = Media & { readonly type: 'image' };
/** Sound, as base64. */
export type AudioContent = Media & { readonly type: 'audio' };

/** What a tool, a resource or a prompt is called, and how a user interface shows it. */
export type Described = {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
};
/** A resource, as a server lists it. */
export type Resource = Described & {
  readonly uri: string;
  readonly mimeType?: string;
  /** Bytes before any encoding. */
  readonly size?: number;
  readonly annotations?: Annotations;
};
/** A resource that can be read when it is needed. */
export type ResourceLink = Resource & { readonly type: 'resource_link' };
/** A resource that came with the answer, whole. */
export type EmbeddedResource = Block & {
  readonly type: 'resource';
  readonly resource: ResourceContents;
};
/** What tools and prompts may say. */
export type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** What is behind a URI: text, or bytes as base64. */
export type ResourceContents = {
  readonly uri: string;
  readonly mimeType?: string;
  readonly _meta?: Meta;
} & ({ readonly text: string } | { readonly blob: string });

/** A picture for a user interface. Treat it as hostile: https or data only, same origin, checked bytes. */
export type Icon = {
  readonly src: string;
  readonly mimeType?: string;
  /** Such as `48x48` or `any`. */
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
};

const requiredTexts: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['text', ['text']],
  ['image', ['data', 'mimeType']],
  ['audio', ['data', 'mimeType']],
  ['resource_link', ['uri', 'name']],
]);

/** Whether an object has the required members of a content block, all of them text. Embedded resources are another matter. */
export const isFlatBlock = (block: JsonObject): boolean =>
  requiredTexts.get(block['type'])?.every((member) => typeof block[member] === 'string') === true;
