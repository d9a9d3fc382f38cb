/** How client and server identify themselves, their capabilities, and the verified caller. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Icon } from './content.ts';

/** Name and version of a client or server. Self-reported and unverified: for display and logs, never for decisions. */
export type Implementation = {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
};

/** The features that a client declares: what a server can request from it. */
export interface ClientCapabilities {
  readonly experimental?: JsonObject;
  readonly extensions?: Readonly<Record<string, JsonObject>>;
  readonly roots?: { readonly listChanged?: boolean };
  readonly sampling?: { readonly context?: JsonObject; readonly tools?: JsonObject };
  /** An empty object means forms only. */
  readonly elicitation?: { readonly form?: JsonObject; readonly url?: JsonObject };
  readonly [more: string]: unknown;
}

/** The features that a server declares. */
export interface ServerCapabilities {
  readonly experimental?: JsonObject;
  readonly extensions?: Readonly<Record<string, JsonObject>>;
  readonly logging?: JsonObject;
  readonly completions?: JsonObject;
  readonly prompts?: { readonly listChanged?: boolean };
  readonly resources?: { readonly subscribe?: boolean; readonly listChanged?: boolean };
  readonly tools?: { readonly listChanged?: boolean };
  readonly [more: string]: unknown;
}

/** The client behind a request, as it describes itself. */
export interface Caller {
  readonly info?: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

/** The server at the other end, as it describes itself. */
export interface ServerFacts {
  readonly info?: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string | undefined;
}

/** What a transport verified about the sender of a request. */
export interface AuthInfo {
  readonly issuer?: string;
  readonly subject?: string;
  readonly clientId?: string;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  readonly claims?: JsonObject;
}

/** A string that identifies a verified caller; empty for all callers without credentials. */
export const principalOf = (auth: AuthInfo | undefined): string =>
  auth === undefined ? '' : JSON.stringify([auth.issuer ?? '', auth.subject ?? '', auth.clientId ?? '']);
