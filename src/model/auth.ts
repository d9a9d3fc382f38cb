/** Authorization as transports know it: credentials of a client, and the authenticator of a server. OAuth is in `auth`. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { AuthInfo } from './caller.ts';

/** What an authenticator gets to see. */
export interface AuthRequest {
  readonly method: string;
  /** The path that was asked for, without its query. */
  readonly path: string;
  /** The query. Never a place for a token. */
  readonly query?: string | undefined;
  header(name: string): string | undefined;
}

/** Why a request is rejected: 401 asks for credentials, 403 rejects them, 400 cannot read them. */
export interface AuthRejection {
  readonly status: 400 | 401 | 403;
  readonly wwwAuthenticate: string;
  /** Sent along, such as a nonce to use next time. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Verifies who is calling, before anything of the body is read. */
export interface Authenticator {
  (request: AuthRequest): AuthInfo | AuthRejection | Promise<AuthInfo | AuthRejection>;
  /** Public documents that are served next to the endpoint, by their path. */
  readonly documents?: ReadonlyMap<string, JsonObject>;
  /** The rejection for a verified caller who lacks some of the scopes that a request needs. */
  readonly insufficient?: (needed: readonly string[], auth: AuthInfo) => AuthRejection;
}

/** A request that is about to be sent. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  /** The JSON-RPC method, where there is one. */
  readonly operation: string;
  /** Aborts when the request is cancelled. */
  readonly signal: AbortSignal;
}

/** A request that the server rejected with 401 or 403. */
export interface ChallengedRequest extends OutgoingRequest {
  /** 401 or 403. */
  readonly status: number;
  /** A field of the answer, by its name in lower case. */
  header(name: string): string | undefined;
  /** The fields that were sent: other credentials may have come since. */
  readonly sent: HeaderFields;
  /** The revision of the protocol that was spoken, or offered. */
  readonly revision: string | undefined;
}

/** Credentials for one endpoint. */
export interface HttpAuth {
  /** The fields to send with a request; asked for before each. */
  headers(request: OutgoingRequest): HeaderFields | Promise<HeaderFields>;
  /** Resolves to true when there are new credentials: the request is sent again. */
  onChallenge(challenged: ChallengedRequest): boolean | Promise<boolean>;
  /** Called with the fields of every response that is not a challenge. */
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
  if (scopes !== undefined && !Array.isArray(scopes)) return '"scopes" must be a list';
  for (const scope of scopes ?? []) {
    const shown = JSON.stringify(scope).slice(0, 80);
    if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
      return `a scope is printable ASCII without blanks, quotes and backslashes, not ${shown}`;
    // It is between a client and its authorization server: no resource needs it.
    if (scope === 'offline_access') return '"offline_access" is for clients; leave it out';
    if (scope.includes('*')) return `the scope ${shown} asks for too much; name what is needed`;
  }
  return undefined;
}

/** Those that are needed and not granted, in the order they are needed. */
export const missingScopes = (needed: readonly string[], granted: readonly string[]): readonly string[] =>
  needed.filter((scope) => !granted.includes(scope));

/** Each scope once, in the order of its first mention. */
export const mergeScopes = (...lists: readonly (readonly string[])[]): readonly string[] => [...new Set(lists.flat())];
