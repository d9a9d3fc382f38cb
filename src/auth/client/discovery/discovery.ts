/** Discovery: finds the authorization server of an MCP endpoint, and the resource identifier to request a token for. */
import { type AuthContext, quoteText } from '../context/auth-context.ts';
import { type AuthorizationServer, findAuthorizationServer, ownAuthorizationServer } from './authorization-server.ts';
import { canonicalResource, findResource, type ResourceHints } from './resource-metadata.ts';

export interface Discovery {
  readonly server: AuthorizationServer;
  readonly resource: string;
  readonly scopesSupported: readonly string[] | undefined;
}

/** Issuers to try first, if the server trusts them: that of the application, then that of stored tokens. */
type PreferredIssuers = readonly (string | undefined)[];

export async function discover(
  context: AuthContext,
  hints: ResourceHints,
  preferred: PreferredIssuers,
): Promise<Discovery> {
  const found = await findResource(context, hints);
  if (found === undefined) {
    const server = await ownAuthorizationServer(context, hints.revision);
    return { server, resource: canonicalResource(context.endpoint), scopesSupported: undefined };
  }
  const { resource, issuers, scopesSupported } = found;
  const issuer = preferred.find((one) => one !== undefined && issuers.includes(one)) ?? issuers[0] ?? '';
  context.traceChoice('authorization server', `${quoteText(issuer)}, of ${issuers.length} that the server trusts`);
  return { server: await findAuthorizationServer(context, issuer), resource, scopesSupported };
}
