/** Builds protected resource metadata (RFC 9728), which tells clients the authorization servers that this server trusts. */
import { badDefinition } from '../../errors.ts';
import { defined, type JsonObject } from '../../jsonrpc/message.ts';
import { scopesFault } from '../../model/auth.ts';
import { checkObject } from '../../model/check-argument.ts';
import { isLoopbackHost } from '../../model/loopback.ts';
import { RESOURCE_METADATA_PATH } from '../web/well-known.ts';

/** The content of the metadata. */
export interface ProtectedResourceOptions {
  /** The public URL of the endpoint, as clients use it: https, or http on this machine. */
  readonly resource: string;
  /** The issuers whose tokens are accepted; at least one. */
  readonly authorizationServers: readonly string[];
  /** The scopes that a client should request first; not every scope of the server. */
  readonly scopesSupported?: readonly string[];
  /** The name of the server, for users. */
  readonly name?: string;
  /** The URL of a documentation page for developers of clients. */
  readonly documentation?: string;
  /** Supported algorithms of DPoP proofs, if the server accepts tokens that are bound to a key. */
  readonly proofs?: { readonly algorithms: readonly string[]; readonly required: boolean };
}

/** The metadata document, and where to serve it. */
export interface ProtectedResource {
  /** Where to serve the document: `/.well-known/oauth-protected-resource`, then the path of the endpoint. */
  readonly path: string;
  /** The URL of the document, for `resource_metadata` of a challenge. */
  readonly url: string;
  readonly document: JsonObject;
}

/** Builds protected resource metadata (RFC 9728) for a server that you mount yourself. `bearer` already publishes it. */
export function protectedResource(options: ProtectedResourceOptions): ProtectedResource {
  checkObject(options, 'protectedResource(options)', 'an object with resource and authorizationServers');
  const { resource, authorizationServers, scopesSupported, name, documentation, proofs } = options;
  const fault = resourceFault(resource) ?? issuersFault(authorizationServers) ?? scopesFault(scopesSupported);
  if (fault !== undefined) throw badDefinition('The protected resource', fault);
  const { origin, pathname } = new URL(resource);
  const path = `${RESOURCE_METADATA_PATH}${pathname === '/' ? '' : pathname}`;
  return {
    path,
    url: origin + path,
    document: defined<JsonObject>({
      resource,
      authorization_servers: authorizationServers,
      scopes_supported: scopesSupported?.length === 0 ? undefined : scopesSupported,
      bearer_methods_supported: ['header'],
      resource_name: name,
      resource_documentation: documentation,
      dpop_signing_alg_values_supported: proofs?.algorithms,
      dpop_bound_access_tokens_required: proofs?.required,
    }),
  };
}

function resourceFault(resource: string): string | undefined {
  const fault = addressFault(resource);
  if (fault !== undefined) return `${fault}; a resource is the URL of its endpoint, such as https://example.com/mcp`;
  const { search, username, password } = new URL(resource);
  if (search !== '' || username !== '' || password !== '') return `"${resource}" must be an origin and a path`;
  return undefined;
}

function issuersFault(issuers: readonly string[]): string | undefined {
  if (!Array.isArray(issuers)) return '"authorizationServers" must be a list of issuers';
  if (issuers.length === 0)
    return '"authorizationServers" is empty; name the issuer of the tokens, so that clients know where to get one';
  const bad = issuers.map(addressFault).find((fault) => fault !== undefined);
  return bad === undefined ? undefined : `${bad}; an authorization server is named by its issuer`;
}

/** Why a URL is rejected. Accepts https, and http on this machine for development. */
function addressFault(text: string): string | undefined {
  if (!URL.canParse(text)) return `"${text}" is not a URL`;
  const { protocol, hostname, hash } = new URL(text);
  if (hash !== '' || text.endsWith('#')) return `"${text}" has a fragment`;
  const local = protocol === 'http:' && isLoopbackHost(hostname);
  return protocol === 'https:' || local ? undefined : `"${text}" must begin with https://`;
}
