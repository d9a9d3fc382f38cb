/** What every way to a token has in common: how it meets the web, and that each endpoint gets credentials of its own. */
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
import { dpopProofs } from '../identity/dpop.ts';
import type { ProofMaker } from '../identity/proof.ts';

/** Settings of every way to a token. */
export interface ClientAuthOptions {
  /** Binds tokens to a key that never leaves this process (DPoP); servers that cannot do that are refused. */
  readonly dpop?: boolean | undefined;
  /** Told of every step on the way to a token, with nothing secret in it; `MOORING_TRACE=auth` prints the same. */
  readonly trace?: Trace | undefined;
  /** Used in place of our own connections, to everybody but the MCP server. Where names lead to is then its business. */
  readonly fetch?: FetchFunction | undefined;
  /** Lets servers name addresses in private networks and on this machine, and those be asked by `http:`. */
  readonly dangerouslyAllowPrivateAddresses?: boolean | undefined;
  readonly clock?: Clock | undefined;
}

/** A client that an authorization server knows already. */
export interface RegisteredClient {
  readonly id: string;
  readonly secret?: string | undefined;
  /** Signs who the client is, in place of a secret. */
  readonly privateKey?: PrivateKey | undefined;
  /** What the key signs with, such as ES256; a JSON Web Key may say it itself. */
  readonly alg?: string | undefined;
  /** The authorization server that knows the client. It is shown to no other; without, to no other than the first. */
  readonly issuer?: string | undefined;
}

export function toIdentity({ id, secret, privateKey, alg }: RegisteredClient): ClientIdentity {
  return { id, secret, key: privateKey === undefined ? undefined : toClientKey(privateKey, alg) };
}

/** `from` is what lies near enough to be asked: the endpoint, or who the application itself names. */
export function createAuthContext(endpoint: URL, options: ClientAuthOptions, from: URL = endpoint): AuthContext {
  const { fetch, dangerouslyAllowPrivateAddresses, clock = systemClock } = options;
  const trace = createTrace(options.trace);
  const web = guardedWeb({ from, fetch, dangerouslyAllowPrivateAddresses, clock, trace });
  return new AuthContext({ endpoint, web, clock, trace });
}

export const createProofs = ({ dpop, clock }: ClientAuthOptions): ProofMaker | undefined =>
  dpop === true ? dpopProofs({ clock }) : undefined;

/** Clients of the same endpoint share its credentials, so that one does not spend what another holds. */
export function clientAuth(make: (endpoint: URL) => HttpAuth, extensions: readonly string[] = []): ClientAuth {
  const made = new Map<string, HttpAuth>();
  const auth = (endpoint: URL): HttpAuth => {
    checkEndpoint(endpoint);
    const known = made.get(endpoint.href) ?? make(endpoint);
    made.set(endpoint.href, known);
    return known;
  };
  return Object.assign(auth, { extensions });
}

/** Whoever listens on the way could use the token. */
function checkEndpoint(endpoint: URL): void {
  if (endpoint.protocol === 'https:' || isLoopbackUrl(endpoint)) return;
  const why = 'tokens travel by https: only, or on this machine';
  throw new McpError('MCP_AUTH_BLOCKED', { step: 'The token', url: displayUrl(endpoint), why });
}
