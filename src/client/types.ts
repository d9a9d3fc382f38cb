/** The types of a client: those of its server, where they are known, and otherwise names and JSON. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Implementation, ServerCapabilities } from '../model/caller.ts';
import type { Content, Meta, ResourceContents } from '../model/content.ts';
import type { Catalogue, PromptMessage, Typed } from '../model/parts.ts';
import type { RequestOptions } from './outgoing-call.ts';

/** The types of a server that is not known to the compiler. */
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

/** Arguments that may be empty may be left out. */
export type Arguments<I, O> =
  Record<never, never> extends I ? [args?: I | undefined, options?: O] : [args: I, options?: O];

/** Settings of a request whose result can be cached. */
export interface CachedRequestOptions extends RequestOptions {
  /** Asks the server, even if the result is cached. */
  readonly fresh?: boolean;
}
/** Settings of one completion. */
export interface CompleteOptions extends RequestOptions {
  /** The arguments that are already filled in. */
  readonly context?: Readonly<Record<string, string>>;
}

/** What a tool returned. */
export interface CallResult<D> {
  /** What the tool returned as data; undefined if it returned none. */
  readonly data: D;
  /** All text in the content, a line each. */
  readonly text: string;
  readonly content: readonly Content[];
  readonly meta: Meta;
}
/** What a tool returned, also if it failed. */
export interface AttemptResult extends CallResult<unknown> {
  readonly isError: boolean;
}
/** What is behind a URI. */
export interface ReadResult {
  readonly contents: readonly ResourceContents[];
  /** All text in the contents, a line each. */
  readonly text: string;
  readonly meta: Meta;
}
/** A prompt, filled in by the server. */
export interface PromptResult {
  readonly messages: readonly PromptMessage[];
  readonly description: string | undefined;
  readonly meta: Meta;
}

/** What a client watches: lists that change, or the contents of these resources. */
export interface WatchFilter {
  readonly tools?: boolean;
  readonly prompts?: boolean;
  /** `true` for the list; URIs for what is behind them. */
  readonly resources?: boolean | readonly string[];
}

/** The server, as it introduced itself. Unverified: for display and logs, never for decisions. */
export interface ServerDescription {
  readonly info: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  /** The revision that is being spoken. */
  readonly revision: string;
}
