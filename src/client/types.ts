/** Public types of calls and results, and the types that a client derives from the type of its server. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Implementation, ServerCapabilities } from '../model/caller.ts';
import type { Content, Meta, ResourceContents } from '../model/content.ts';
import type { Catalogue, PromptMessage, Typed } from '../model/parts.ts';
import type { RequestOptions } from './outgoing-call.ts';

/** The catalogue of a server whose type is unknown: any names, JSON arguments. */
export interface AnyCatalogue extends Catalogue {
  readonly tools: Readonly<Record<string, { readonly input: JsonObject; readonly output: unknown }>>;
  readonly prompts: Readonly<Record<string, { readonly args: Readonly<Record<string, string>> }>>;
  readonly resources: string;
}

/** The catalogue that the type of a server carries. */
export type CatalogueOf<S> = S extends Typed<infer T> ? (Catalogue extends T ? AnyCatalogue : T) : AnyCatalogue;
export type ToolsOf<S> = CatalogueOf<S>['tools'];
export type PromptsOf<S> = CatalogueOf<S>['prompts'];
export type ResourcesOf<S> = CatalogueOf<S>['resources'];

/** Parameters of a call; `args` is optional if an empty object is valid. */
export type Arguments<I, O> =
  Record<never, never> extends I ? [args?: I | undefined, options?: O] : [args: I, options?: O];

/** Settings of a request whose result can be cached. */
export interface CachedRequestOptions extends RequestOptions {
  /** Bypasses cached results. */
  readonly fresh?: boolean;
}
/** Settings of one completion. */
export interface CompleteOptions extends RequestOptions {
  /** The values of other arguments that are already known. */
  readonly context?: Readonly<Record<string, string>>;
}

/** The result of a tool call. */
export interface CallResult<D> {
  /** The tool's structured content; undefined if it returned none. */
  readonly data: D;
  /** All text blocks of the content, joined by line breaks. */
  readonly text: string;
  readonly content: readonly Content[];
  readonly meta: Meta;
}
/** The result of a tool call that may have failed. A failed tool need not return data. */
export interface AttemptResult<D = unknown> extends CallResult<D | undefined> {
  readonly isError: boolean;
}
/** The contents of a resource. */
export interface ReadResult {
  readonly contents: readonly ResourceContents[];
  /** All text of the contents, joined by line breaks. */
  readonly text: string;
  readonly meta: Meta;
}
/** The messages of a prompt. */
export interface PromptResult {
  readonly messages: readonly PromptMessage[];
  readonly description: string | undefined;
  readonly meta: Meta;
}

/** The changes to watch: lists, or the contents of resources. */
export interface WatchFilter {
  readonly tools?: boolean;
  readonly prompts?: boolean;
  /** `true` for the list of resources; URIs for the contents of these resources. */
  readonly resources?: boolean | readonly string[];
}

/** The server's self-description. Unverified: use it for display and logs, never for decisions. */
export interface ServerDescription {
  readonly info: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  /** The negotiated protocol revision. */
  readonly revision: string;
}
