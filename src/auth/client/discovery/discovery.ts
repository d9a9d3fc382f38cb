/** From a refusal to an authorization server: which one to ask, and for a token to what. */
import { printable } from '../../../model/printable.ts';
import type { AuthContext } from '../context/auth-context.ts';
import { type AuthorizationServer, findAuthorizationServer, ownAuthorizationServer } from './authorization-server.ts';
import { canonicalResource, findResource, type ResourceHints } from './resource-metadata.ts';

export interface Discovery {
  readonly server: AuthorizationServer;
  readonly resource: string;
  readonly scopesSupported: readonly string[] | undefined;
}

/** Issuers that are preferred, if the server trusts them: the application's, and whose tokens we have. */
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
  context.traceChoice(
    'authorization server',
    `${printable(issuer.slice(0, 200))}, of ${issuers.length} that the server trusts`,
  );
  return { server: await findAuthorizationServer(context, issuer), resource, scopesSupported };
}
