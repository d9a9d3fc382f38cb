/** Tools, resources and prompts, as a server lists them and answers for them, as the newest revision spells them. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Content, Described, Meta, Resource, ResourceContents } from './content.ts';

/** Hints of the server about itself. Untrusted unless the server is. */
export type ToolAnnotations = {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
};
export type ToolExecution = {
  readonly taskSupport?: 'forbidden' | 'optional' | 'required';
};
/** A tool, as a server lists it. */
export type Tool = Described & {
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  readonly execution?: ToolExecution;
};
export type CallToolParams = {
  readonly name: string;
  readonly arguments?: JsonObject;
};
export type CallToolResult = {
  readonly content: readonly Content[];
  /** Any JSON value, null included: test for it with `in`. */
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Meta;
};

export type { Resource } from './content.ts';
/** A family of resources whose URIs follow a template (RFC 6570). */
export type ResourceTemplate = Omit<Resource, 'uri' | 'size'> & {
  /** RFC 6570. */
  readonly uriTemplate: string;
};
export type ReadResourceParams = {
  readonly uri: string;
};
/** What reading a resource brought. */
export type ReadResourceResult = CacheHints & {
  readonly contents: readonly ResourceContents[];
  readonly _meta?: Meta;
};
/** How long, and among whom, a result may be kept. */
export type CacheHints = {
  readonly ttlMs?: number;
  readonly cacheScope?: 'public' | 'private';
};

export type PromptArgument = {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
};
/** A prompt, as a server lists it. */
export type Prompt = Described & { readonly arguments?: readonly PromptArgument[] };
/** One message of a prompt. */
export type PromptMessage = {
  readonly role: 'user' | 'assistant';
  readonly content: Content;
};
export type GetPromptParams = {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, string>>;
};
/** A prompt, filled in. */
export type GetPromptResult = {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
  readonly _meta?: Meta;
};
/** What an argument belongs to: a prompt by its name, or a template. */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };
export type CompleteParams = {
  readonly ref: CompletionReference;
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
};
/** Suggestions for the rest of a value. */
export type Completion = {
  /** At most a hundred. */
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
};

/** Every tool, prompt and resource of one server. */
export interface Catalogue {
  readonly tools: Readonly<Record<string, { readonly input: unknown; readonly output: unknown }>>;
  readonly prompts: Readonly<Record<string, { readonly args: unknown }>>;
  /** The URIs it serves; a template such as `orders://{id}` is spelled with `${string}` in place of its variables. */
  readonly resources: string;
}

/** A value whose type carries a catalogue. The member never exists at run time. */
export interface Typed<T extends Catalogue> {
  readonly '~types'?: T;
}
