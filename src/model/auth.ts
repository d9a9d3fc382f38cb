/** Authorization interfaces of the transports: a client's credentials, and a server's authenticator. OAuth is in `src/auth`. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { AuthInfo } from './caller.ts';

/** The part of an HTTP request that an authenticator gets. */
export interface AuthRequest {
  readonly method: string;
  /** The path of the request, without the query. */
  readonly path: string;
  /** The query string. Must never carry a token. */
  readonly query?: string | undefined;
  header(name: string): string | undefined;
}

/** How a request is rejected: 401 asks for credentials, 403 rejects them, 400 reports that they are malformed. */
export interface AuthRejection {
  readonly status: 400 | 401 | 403;
  readonly wwwAuthenticate: string;
  /** Additional response headers, such as a nonce for the next request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Verifies the caller, before the request body is read. */
export interface Authenticator {
  (request: AuthRequest): AuthInfo | AuthRejection | Promise<AuthInfo | AuthRejection>;
  /** Public documents that are served in addition to the endpoint, by path. */
  readonly documents?: ReadonlyMap<string, JsonObject>;
  /** The rejection for a verified caller who lacks some of the scopes that a request needs. */
  readonly insufficient?: (needed: readonly string[], auth: AuthInfo) => AuthRejection;
}

/** A request that is about to be sent. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  /** The JSON-RPC method. For a request without a message, the HTTP method. */
  readonly operation: string;
  /** Aborts when the request is cancelled. */
  readonly signal: AbortSignal;
}

/** A request that the server rejected with 401 or 403. */
export interface ChallengedRequest extends OutgoingRequest {
  /** 401 or 403. */
  readonly status: number;
  /** Reads a response header by its name in lower case. */
  header(name: string): string | undefined;
  /** The headers that were sent. The credentials may have been replaced since. */
  readonly sent: HeaderFields;
  /** The protocol revision that was negotiated, or offered. */
  readonly revision: string | undefined;
}

/** Credentials for one endpoint. */
export interface HttpAuth {
  /** Returns the headers to send. Called before each request. */
  headers(request: OutgoingRequest): HeaderFields | Promise<HeaderFields>;
  /** Resolves to true if it obtained new credentials: the request is then retried. */
  onChallenge(challenged: ChallengedRequest): boolean | Promise<boolean>;
  /** Called with the headers of every response that is not a challenge. */
  onResponse?(request: OutgoingRequest, header: (name: string) => string | undefined): void;
}
/** HTTP headers, by name in lower case. */
export type HeaderFields = Readonly<Record<string, string>> | undefined;

/** Creates the credentials for an endpoint. One value can serve several endpoints: their credentials are separate. */
export interface ClientAuth {
  (endpoint: URL): HttpAuth;
  /** The protocol extensions that a client declares if it authenticates this way. */
  readonly extensions?: readonly string[];
}

/** Why scopes (RFC 6749, section 3.3) cannot be required in a challenge or a metadata document. */
export function scopesFault(scopes: readonly string[] | undefined): string | undefined {
  if (scopes !== undefined && !Array.isArray(scopes)) return '"scopes" must be a list';
  for (const scope of scopes ?? []) {
    const shown = JSON.stringify(scope).slice(0, 80);
    if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
      return `a scope is printable ASCII without blanks, quotes and backslashes, not ${shown}`;
    // A client requests `offline_access` from its authorization server. A resource never needs it.
    if (scope === 'offline_access') return '"offline_access" is for clients; leave it out';
    if (scope.includes('*')) return `the scope ${shown} asks for too much; name what is needed`;
  }
  return undefined;
}

/** The needed scopes that are not granted, in the order of `needed`. */
export const missingScopes = (needed: readonly string[], granted: readonly string[]): readonly string[] =>
  needed.filter((scope) => !granted.includes(scope));

/** All scopes without duplicates, in the order of first occurrence. */
export const mergeScopes = (...lists: readonly (readonly string[])[]): readonly string[] => [...new Set(lists.flat())];
