/**
 * Binds a preregistered client to one authorization server: the one that the application names, or the first that the client is used
 * with. An MCP server that later names another one cannot make the client send its secret there.
 */
import { type AuthContext, quoteText } from '../context/auth-context.ts';
import type { TokenStore } from '../credentials/token-store.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';

/** A client that is about to be used with an authorization server. */
export interface ClientUse {
  readonly client: ClientIdentity;
  readonly issuer: string;
  readonly step: string;
}

/** Throws if the client is bound to another authorization server. */
export async function checkIssuerBinding(
  context: AuthContext,
  tokenStore: TokenStore,
  { client, issuer, step }: ClientUse,
): Promise<void> {
  const named = client.issuer;
  const bound = named ?? (await tokenStore.bindIssuer(bindingKey(client, context), issuer));
  if (bound === issuer) return;
  const [ours, theirs] = [quoteText(bound), quoteText(issuer)];
  const known = named === undefined ? `was used with ${ours}` : `is registered with ${ours}`;
  const advice = named === undefined ? `. If ${theirs} knows it too, pass that as the "issuer" of the client` : '';
  throw context.failure(step, `the client ${known}, and the server now trusts ${theirs}${advice}`);
}

/** A client without secret and key has nothing to leak, and can be registered with several servers, so it is bound per endpoint. */
const bindingKey = ({ id, secret, key }: ClientIdentity, { endpoint }: AuthContext): string =>
  secret === undefined && key === undefined ? `${id} ${endpoint.href}` : id;
