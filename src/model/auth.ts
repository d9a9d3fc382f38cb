/** Authorization as transports know it: who shows credentials, and who judges them. OAuth itself is none of their business. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { AuthInfo } from './caller.ts';

/** What an authenticator gets to see. */
export interface AuthRequest {
  readonly method: string;
  /** The path that was asked for, without its query. */
  readonly path: string;
  /** What followed it: nothing that is believed, and no place for a token. */
  readonly query?: string | undefined;
  header(name: string): string | undefined;
}

/** Why nobody is let in: 401 asks for credentials, 403 says that these do not do, 400 that they cannot be read. */
export interface AuthRejection {
  readonly status: 400 | 401 | 403;
  readonly wwwAuthenticate: string;
  /** Sent along, such as a nonce to use next time. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Verifies who is calling, before anything of the body is read. */
export interface Authenticator {
  (request: AuthRequest): AuthInfo | AuthRejection | Promise<AuthInfo | AuthRejection>;
  /** Documents that anybody may read beside the endpoint, by their path. */
  readonly documents?: ReadonlyMap<string, JsonObject>;
  /** What to answer when a verified caller lacks some of the scopes that a request needs. */
  readonly insufficient?: (needed: readonly string[], auth: AuthInfo) => AuthRejection;
}

/** A request that is about to be sent. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  /** What is to be done: the method of JSON-RPC, where there is one. */
  readonly operation: string;
  /** Aborted when nobody waits for the request any more. */
  readonly signal: AbortSignal;
}

/** The server was not satisfied with what it was shown. */
export interface ChallengedRequest extends OutgoingRequest {
  /** 401: who are you; 403: you may not. */
  readonly status: number;
  /** A field of the answer, by its name in lower case. */
  header(name: string): string | undefined;
  /** What it was shown: other credentials may have come since. */
  readonly sent: HeaderFields;
  /** The revision of the protocol that was spoken, or offered. */
  readonly revision: string | undefined;
}

/** Credentials for one endpoint. */
export interface HttpAuth {
  /** The fields to send with a request; asked for before each. */
  headers(request: OutgoingRequest): HeaderFields | Promise<HeaderFields>;
  /** True when there is something new to show: the request is sent again. */
  onChallenge(challenged: ChallengedRequest): boolean | Promise<boolean>;
  /** Sees the fields of every answer that is no refusal. */
  onResponse?(request: OutgoingRequest, header: (name: string) => string | undefined): void;
}
/** Names in lower case. */
export type HeaderFields = Readonly<Record<string, string>> | undefined;

/** Makes the credentials for an endpoint. One value may be used for many: each gets its own, and none sees another's. */
export interface ClientAuth {
  (endpoint: URL): HttpAuth;
  /** The extensions of the protocol that a client declares when it is let in this way. */
  readonly extensions?: readonly string[];
}

/** Why scopes (RFC 6749, section 3.3) cannot be asked for, in a challenge or a document. */
export function scopesFault(scopes: readonly string[] | undefined): string | undefined {
  for (const scope of scopes ?? []) {
    const shown = JSON.stringify(scope).slice(0, 80);
    if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
      return `a scope is printable ASCII without blanks, quotes and backslashes, not ${shown}`;
    // It is between a client and its authorization server: no resource needs it.
    if (scope === 'offline_access') return '"offline_access" is for clients to ask for; a server does not need it';
    if (scope.includes('*')) return `the scope ${shown} asks for more than anything needs; name what is needed`;
  }
  return undefined;
}

/** Those that are needed and not granted, in the order they are needed. */
export const missingScopes = (needed: readonly string[], granted: readonly string[]): readonly string[] =>
  needed.filter((scope) => !granted.includes(scope));

/** Each scope once, in the order of its first mention. */
export const mergeScopes = (...lists: readonly (readonly string[])[]): readonly string[] => [...new Set(lists.flat())];
