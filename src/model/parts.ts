/** Tools, resources and prompts: their definitions, params and results, spelled as in the newest revision. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Content, Described, Meta, Resource, ResourceContents } from './content.ts';

/** A server's hints about a tool. Untrusted unless the server is trusted. */
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
/** The result of reading a resource. */
export type ReadResourceResult = CacheHints & {
  readonly contents: readonly ResourceContents[];
  readonly _meta?: Meta;
};
/** How long a result can be cached, and whether callers can share it. */
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
/** A rendered prompt. */
export type GetPromptResult = {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
  readonly _meta?: Meta;
};
/** The prompt or the resource template whose argument is completed. */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };
export type CompleteParams = {
  readonly ref: CompletionReference;
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
};
/** Suggested values for an argument. */
export type Completion = {
  /** At most 100. */
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
};

/** Every tool, prompt and resource of one server. */
export interface Catalogue {
  readonly tools: Readonly<Record<string, { readonly input: unknown; readonly output: unknown }>>;
  readonly prompts: Readonly<Record<string, { readonly args: unknown }>>;
  /** The URIs that the server serves; a template such as `orders://{id}` has `${string}` in place of its variables. */
  readonly resources: string;
}

/** A value whose type carries a catalogue. The member never exists at run time. */
export interface Typed<T extends Catalogue> {
  readonly '~types'?: T;
}
