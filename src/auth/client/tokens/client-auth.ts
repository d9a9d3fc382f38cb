/** The common part of `oauth`, `clientCredentials` and the other kinds of client authorization: options, HTTP, credentials per endpoint. */
import { McpError } from '../../../errors.ts';
import type { ClientAuth, HttpAuth } from '../../../model/auth.ts';
import { displayUrl } from '../../../model/printable.ts';
import { type Clock, systemClock } from '../../../peer/clock.ts';
import { guardedWeb } from '../../web/guarded-web.ts';
import type { FetchFunction } from '../../web/http-sender.ts';
import { createTrace, type Trace } from '../../web/trace.ts';
import { AuthContext } from '../context/auth-context.ts';
import { isLoopbackUrl } from '../context/browser-url.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';
import { type PrivateKey, toClientKey } from '../identity/client-key.ts';
import { DpopProofs } from '../identity/dpop.ts';

/** Settings of every kind of client authorization. */
export interface ClientAuthOptions {
  /** Binds tokens to a key that never leaves this process (DPoP). An authorization server without DPoP is rejected. */
  readonly dpop?: boolean | undefined;
  /** Called for every step on the way to a token, without secrets. `MOORING_TRACE=auth` prints the same steps. */
  readonly trace?: Trace | undefined;
  /** Replaces the built-in HTTP client for OAuth requests, not for those to the MCP server. Resolved addresses cannot be checked then. */
  readonly fetch?: FetchFunction | undefined;
  /** Allows servers to name URLs in private networks and on this machine, also over `http:`. */
  readonly dangerouslyAllowPrivateAddresses?: boolean | undefined;
  readonly clock?: Clock | undefined;
}

/** A client that is registered with an authorization server. */
export interface RegisteredClient {
  readonly id: string;
  readonly secret?: string | undefined;
  /** Authenticates the client in place of a secret. */
  readonly privateKey?: PrivateKey | undefined;
  /** The algorithm of the key, such as ES256; a JSON Web Key can name its own. */
  readonly alg?: string | undefined;
  /** The only authorization server that the client is used with. Default: the first one that an MCP server names. */
  readonly issuer?: string | undefined;
}

export function toIdentity({ id, secret, privateKey, alg, issuer }: RegisteredClient): ClientIdentity {
  return { id, secret, key: privateKey === undefined ? undefined : toClientKey(privateKey, alg), issuer };
}

/** `from` is the trusted URL whose origin and network are allowed: the endpoint, or a URL that the application names. */
export function createAuthContext(endpoint: URL, options: ClientAuthOptions, from: URL = endpoint): AuthContext {
  const { fetch, dangerouslyAllowPrivateAddresses, clock = systemClock } = options;
  const trace = createTrace(options.trace);
  const web = guardedWeb({ from, fetch, dangerouslyAllowPrivateAddresses, clock, trace });
  return new AuthContext({ endpoint, web, clock, trace });
}

export const createProofs = ({ dpop, clock }: ClientAuthOptions): DpopProofs | undefined =>
  dpop === true ? new DpopProofs(clock) : undefined;

/** Caches credentials per endpoint. Clients of one endpoint share them, so that they do not invalidate each other's refresh token. */
export function clientAuth(create: (endpoint: URL) => HttpAuth, extensions: readonly string[] = []): ClientAuth {
  const byEndpoint = new Map<string, HttpAuth>();
  const auth = (endpoint: URL): HttpAuth => {
    checkEndpoint(endpoint);
    const known = byEndpoint.get(endpoint.href) ?? create(endpoint);
    byEndpoint.set(endpoint.href, known);
    return known;
  };
  return Object.assign(auth, { extensions });
}

/** Whether tokens can be sent to the endpoint. Over `http:`, any machine on the network path could read them. */
export const canGetToken = (endpoint: URL): boolean => endpoint.protocol === 'https:' || isLoopbackUrl(endpoint);

export function checkEndpoint(endpoint: URL): void {
  if (canGetToken(endpoint)) return;
  const why = 'tokens are sent over https: only, or on this machine';
  throw new McpError('MCP_AUTH_BLOCKED', { step: 'The token', url: displayUrl(endpoint), why });
}
