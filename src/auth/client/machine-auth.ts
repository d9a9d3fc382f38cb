/** Ways to a token where no person is there: `clientCredentials`, `workloadIdentity`, `enterpriseManaged`. */
import { McpError } from '../../errors.ts';
import type { ClientAuth } from '../../model/auth.ts';
import type { ClientAuthOptions, RegisteredClient } from './client-auth.ts';
import { clientAuth, flowFor, identityOf, proofsFor } from './client-auth.ts';
import { ClientCredentialsGrant } from './client-credentials-grant.ts';
import { EndpointAuth } from './endpoint-auth.ts';
import { EnterpriseGrant } from './enterprise-grant.ts';
import type { Grant } from './grant.ts';
import { IssuerBinding } from './issuer-binding.ts';
import { TokenStore } from './keeping.ts';
import type { MachineParts } from './machine-token.ts';
import { memoryCredentials } from './memory-credentials.ts';
import { Tokens } from './tokens.ts';
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
  const client = identityOf(idp.client);
  const make = (parts: MachineParts): Grant => {
    const flow = flowFor(parts.flow.endpoint, options, new URL(at));
    return new EnterpriseGrant(parts, { flow, client, issuer, tokenEndpoint, idToken });
  };
  return machineAuth(options, make, [ENTERPRISE_MANAGED]);
}

function machineAuth(
  options: MachineOptions & { readonly client?: RegisteredClient | undefined },
  make: (parts: MachineParts) => Grant,
  extensions?: readonly string[],
): ClientAuth {
  const { client: given, scopes } = options;
  const client = given === undefined ? undefined : identityOf(given);
  const binding = new IssuerBinding(new TokenStore(memoryCredentials()));
  return clientAuth((endpoint) => {
    const flow = flowFor(endpoint, options);
    const proofs = proofsFor(options);
    const grant = make({ flow, client, issuer: given?.issuer, binding, proofs });
    return new EndpointAuth(endpoint, new Tokens({ flow, grant, scopes }), proofs);
  }, extensions);
}

const wrong = (what: string, why: string): McpError => new McpError('MCP_BAD_DEFINITION', { what, why });
