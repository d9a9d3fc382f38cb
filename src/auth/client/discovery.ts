/** From a refusal to an authorization server: which one to ask, and for a token to what. */
import { printable } from '../../model/printable.ts';
import { type AuthorizationServer, findAuthorizationServer, ownAuthorizationServer } from './authorization-server.ts';
import type { AuthContext } from './flow.ts';
import { canonicalResource, findResource, type ResourceHints } from './protected-resource.ts';

export interface Site {
  readonly server: AuthorizationServer;
  readonly resource: string;
  readonly scopesSupported: readonly string[] | undefined;
}

/** Issuers that are preferred, if the server trusts them: the application's, and whose tokens we have. */
type Preferred = readonly (string | undefined)[];

export async function discover(flow: AuthContext, hints: ResourceHints, preferred: Preferred): Promise<Site> {
  const found = await findResource(flow, hints);
  if (found === undefined) {
    const server = await ownAuthorizationServer(flow, hints.revision);
    return { server, resource: canonicalResource(flow.endpoint), scopesSupported: undefined };
  }
  const { resource, issuers, scopesSupported } = found;
  const issuer = preferred.find((one) => one !== undefined && issuers.includes(one)) ?? issuers[0] ?? '';
  flow.chose('authorization server', `${printable(issuer.slice(0, 200))}, of ${issuers.length} that the server trusts`);
  return { server: await findAuthorizationServer(flow, issuer), resource, scopesSupported };
}
