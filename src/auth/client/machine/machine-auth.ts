/** Ways to a token where no person is there: `clientCredentials`, `workloadIdentity`, `enterpriseManaged`. */
import { McpError } from '../../../errors.ts';
import type { ClientAuth } from '../../../model/auth.ts';
import { memoryCredentials } from '../credentials/memory-credentials.ts';
import { TokenStore } from '../credentials/token-store.ts';
import { IssuerBinding } from '../registration/issuer-binding.ts';
import type { ClientAuthOptions, RegisteredClient } from '../tokens/client-auth.ts';
import { clientAuth, createAuthContext, createProofs, toIdentity } from '../tokens/client-auth.ts';
import { EndpointAuth } from '../tokens/endpoint-auth.ts';
import type { Grant } from '../tokens/grant.ts';
import { Tokens } from '../tokens/tokens.ts';
import { ClientCredentialsGrant } from './client-credentials-grant.ts';
import { EnterpriseGrant } from './enterprise-grant.ts';
import type { MachineParts } from './machine-token.ts';
import { WorkloadGrant } from './workload-grant.ts';

interface MachineOptions extends ClientAuthOptions {
  /** Asked for from the start, besides what the server asks for. */
  readonly scopes?: readonly string[] | undefined;
}

/** Settings of `clientCredentials`. */
export interface ClientCredentialsOptions extends MachineOptions {
  /** Registered beforehand, with a key or a secret. */
  readonly client: RegisteredClient;
}

/** Settings of `workloadIdentity`. */
export interface WorkloadIdentityOptions extends MachineOptions {
  /** The platform's word for this workload, as it is now: a signed JWT, asked for each time that one is needed. */
  readonly assertion: () => Promise<string>;
  /** For authorization servers that want to know the client as well. */
  readonly client?: RegisteredClient | undefined;
}

/** Settings of `enterpriseManaged`. */
export interface EnterpriseManagedOptions extends MachineOptions {
  /** The company's identity provider; where its token endpoint is, or the issuer to find it by. */
  readonly idp: {
    readonly issuer?: string | undefined;
    readonly tokenEndpoint?: string | undefined;
    /** The client as the identity provider knows it. */
    readonly client: RegisteredClient;
  };
  /** The ID token of the employee's sign-in, as it is now. */
  readonly idToken: () => Promise<string>;
  /** The client as the MCP server's authorization server knows it. */
  readonly client: RegisteredClient;
}

const CLIENT_CREDENTIALS = 'io.modelcontextprotocol/oauth-client-credentials';
const ENTERPRISE_MANAGED = 'io.modelcontextprotocol/enterprise-managed-authorization';

/** A client that acts for itself. */
export function clientCredentials(options: ClientCredentialsOptions): ClientAuth {
  const { secret, privateKey } = options.client;
  if (secret === undefined && privateKey === undefined)
    throw wrong('The client of clientCredentials', 'it needs a "secret" or a "privateKey" to prove who it is');
  return machineAuth(options, (parts) => new ClientCredentialsGrant(parts), [CLIENT_CREDENTIALS]);
}

/** A workload that its platform vouches for. */
export function workloadIdentity(options: WorkloadIdentityOptions): ClientAuth {
  return machineAuth(options, (parts) => new WorkloadGrant(parts, options.assertion));
}

/** An employee whose company decides what may be used. */
export function enterpriseManaged(options: EnterpriseManagedOptions): ClientAuth {
  const { idp, idToken } = options;
  const { issuer, tokenEndpoint } = idp;
  const at = tokenEndpoint ?? issuer ?? '';
  if (!URL.canParse(at))
    throw wrong('The "idp" of enterpriseManaged', 'it needs the URL of its "tokenEndpoint" or its "issuer"');
  const client = toIdentity(idp.client);
  const make = (parts: MachineParts): Grant => {
    const context = createAuthContext(parts.context.endpoint, options, new URL(at));
    return new EnterpriseGrant(parts, { context, client, issuer, tokenEndpoint, idToken });
  };
  return machineAuth(options, make, [ENTERPRISE_MANAGED]);
}

function machineAuth(
  options: MachineOptions & { readonly client?: RegisteredClient | undefined },
  make: (parts: MachineParts) => Grant,
  extensions?: readonly string[],
): ClientAuth {
  const { client: given, scopes } = options;
  const client = given === undefined ? undefined : toIdentity(given);
  const binding = new IssuerBinding(new TokenStore(memoryCredentials()));
  return clientAuth((endpoint) => {
    const context = createAuthContext(endpoint, options);
    const proofs = createProofs(options);
    const grant = make({ context, client, issuer: given?.issuer, binding, proofs });
    return new EndpointAuth(endpoint, new Tokens({ context, grant, scopes }), proofs);
  }, extensions);
}

const wrong = (what: string, why: string): McpError => new McpError('MCP_BAD_DEFINITION', { what, why });
