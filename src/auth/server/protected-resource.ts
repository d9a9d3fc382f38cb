/** The document that says which authorization servers a resource trusts (RFC 9728), and where it is. */

import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { scopesFault } from '../../model/auth.ts';
import { isLoopbackHost } from '../../model/loopback.ts';

/** What the document says. */
export interface ProtectedResourceOptions {
  /** The URL of the endpoint as clients know it, whatever stands in between: https, or http on this machine. */
  readonly resource: string;
  /** The issuers whose tokens are taken; at least one. */
  readonly authorizationServers: readonly string[];
  /** The scopes that a client may start with: not every one there is. */
  readonly scopesSupported?: readonly string[];
  /** What the resource is called, for a person. */
  readonly name?: string;
  /** A page for those who write clients. */
  readonly documentation?: string;
  /** Algorithms of the proofs that are understood, where tokens may be bound to a key. */
  readonly proofs?: { readonly algorithms: readonly string[]; readonly required: boolean };
}

/** The document that says where tokens for a server come from, and where it belongs. */
export interface ProtectedResource {
  /** Where to serve the document: `/.well-known/oauth-protected-resource`, then the path of the endpoint. */
  readonly path: string;
  /** The same as a URL, for `resource_metadata`. */
  readonly url: string;
  readonly document: JsonObject;
}

/** Makes the document of RFC 9728, for servers that are mounted by hand; `bearer` does it by itself. */
export function protectedResource(options: ProtectedResourceOptions): ProtectedResource {
  const { resource, authorizationServers, scopesSupported, name, documentation, proofs } = options;
  const fault = resourceFault(resource) ?? issuersFault(authorizationServers) ?? scopesFault(scopesSupported);
  if (fault !== undefined) throw new McpError('MCP_BAD_DEFINITION', { what: 'The protected resource', why: fault });
  const { origin, pathname } = new URL(resource);
  const path = `/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`;
  return {
    path,
    url: origin + path,
    document: {
      resource,
      authorization_servers: authorizationServers,
      ...(scopesSupported === undefined || scopesSupported.length === 0 ? {} : { scopes_supported: scopesSupported }),
      bearer_methods_supported: ['header'],
      ...(name === undefined ? {} : { resource_name: name }),
      ...(documentation === undefined ? {} : { resource_documentation: documentation }),
      ...(proofs === undefined
        ? {}
        : {
            dpop_signing_alg_values_supported: proofs.algorithms,
            dpop_bound_access_tokens_required: proofs.required,
          }),
    },
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
  if (issuers.length === 0) return '"authorizationServers" names none; clients would not know where to get a token';
  const bad = issuers.map(addressFault).find((fault) => fault !== undefined);
  return bad === undefined ? undefined : `${bad}; an authorization server is named by its issuer`;
}

/** https everywhere; http on this machine, while something is being built. */
function addressFault(text: string): string | undefined {
  if (!URL.canParse(text)) return `"${text}" is no URL`;
  const { protocol, hostname, hash } = new URL(text);
  if (hash !== '' || text.endsWith('#')) return `"${text}" has a fragment`;
  const local = protocol === 'http:' && isLoopbackHost(hostname);
  return protocol === 'https:' || local ? undefined : `"${text}" must begin with https://`;
}
