/** Content blocks and resources, spelled as in the newest revision. */
import type { JsonObject } from '../jsonrpc/message.ts';

export type Meta = JsonObject;
export type Role = 'user' | 'assistant';

/** A server's hints about the use of content: its audience, its priority, its age. Hints, not promises. */
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

/** Name and display metadata of a tool, a resource or a prompt. */
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
  /** Size in bytes, before any encoding. */
  readonly size?: number;
  readonly annotations?: Annotations;
};
/** A link to a resource, which the client can read when it is needed. */
export type ResourceLink = Resource & { readonly type: 'resource_link' };
/** A resource whose contents are part of the result. */
export type EmbeddedResource = Block & {
  readonly type: 'resource';
  readonly resource: ResourceContents;
};
/** A content block of a tool result or a prompt message. */
export type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** The contents of a resource: text, or bytes as base64. */
export type ResourceContents = {
  readonly uri: string;
  readonly mimeType?: string;
  readonly _meta?: Meta;
} & ({ readonly text: string } | { readonly blob: string });

/** An icon for a user interface. Untrusted: load only https: and data: URLs, only from the same origin, and check the bytes. */
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

/** Whether an object has the required members of a content block, all of them text. False for embedded resources. */
export const isFlatBlock = (block: JsonObject): boolean =>
  requiredTexts.get(block['type'])?.every((member) => typeof block[member] === 'string') === true;
