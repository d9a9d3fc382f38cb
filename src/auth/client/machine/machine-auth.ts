/** Authorization without a user: `clientCredentials`, `workloadIdentity`, `enterpriseManaged`. */
import { badDefinition } from '../../../errors.ts';
import type { ClientAuth } from '../../../model/auth.ts';
import { checkObject } from '../../../model/check-argument.ts';
import { memoryCredentials } from '../credentials/credential-store.ts';
import { TokenStore } from '../credentials/token-store.ts';
import { IssuerBinding } from '../registration/issuer-binding.ts';
import {
  type ClientAuthOptions,
  clientAuth,
  createAuthContext,
  createProofs,
  type RegisteredClient,
  toIdentity,
} from '../tokens/client-auth.ts';
import { EndpointAuth } from '../tokens/endpoint-auth.ts';
import type { Grant } from '../tokens/grant.ts';
import { Tokens } from '../tokens/tokens.ts';
import { enterpriseGrant } from './enterprise-grant.ts';
import { clientCredentialsGrant, type MachineParts, workloadGrant } from './machine-grants.ts';

interface MachineOptions extends ClientAuthOptions {
  /** Requested from the start, besides the scopes that the server asks for. */
  readonly scopes?: readonly string[] | undefined;
}

/** Settings of `clientCredentials`. */
export interface ClientCredentialsOptions extends MachineOptions {
  /** Preregistered, with a key or a secret. */
  readonly client: RegisteredClient;
}

/** Settings of `workloadIdentity`. */
export interface WorkloadIdentityOptions extends MachineOptions {
  /** Gets the current assertion of the platform about this workload, a signed JWT. Called for each token. */
  readonly assertion: () => Promise<string>;
  /** For authorization servers that also authenticate the client. */
  readonly client?: RegisteredClient | undefined;
}

/** Settings of `enterpriseManaged`. */
export interface EnterpriseManagedOptions extends MachineOptions {
  /** The company's identity provider: its token endpoint, or the issuer whose metadata names it. */
  readonly idp: {
    readonly issuer?: string | undefined;
    readonly tokenEndpoint?: string | undefined;
    /** The client that is registered with the identity provider. */
    readonly client: RegisteredClient;
  };
  /** Gets the current ID token of the employee. */
  readonly idToken: () => Promise<string>;
  /** `idToken` gets an access token instead, as a service has it that the employee called. The identity provider must accept that. */
  readonly isAccessToken?: boolean | undefined;
  /** The client that is registered with the MCP server's authorization server. */
  readonly client: RegisteredClient;
}

const CLIENT_CREDENTIALS = 'io.modelcontextprotocol/oauth-client-credentials';
const ENTERPRISE_MANAGED = 'io.modelcontextprotocol/enterprise-managed-authorization';

/** Authorizes a client that acts for itself. */
export function clientCredentials(options: ClientCredentialsOptions): ClientAuth {
  const { secret, privateKey } = Object(Object(options).client) as Partial<ClientCredentialsOptions['client']>;
  if (secret === undefined && privateKey === undefined)
    throw badDefinition('The client of clientCredentials', 'it needs a "secret" or a "privateKey" to authenticate');
  return machineAuth(options, clientCredentialsGrant, [CLIENT_CREDENTIALS]);
}

/** Authorizes a workload with an assertion of its platform. */
export function workloadIdentity(options: WorkloadIdentityOptions): ClientAuth {
  checkObject(options, 'workloadIdentity(options)', 'an object with assertion');
  return machineAuth(options, (parts) => workloadGrant(parts, options.assertion));
}

/** Authorizes an employee with the identity provider of the company. */
export function enterpriseManaged(options: EnterpriseManagedOptions): ClientAuth {
  checkObject(options, 'enterpriseManaged(options)', 'an object with idp, idToken and client');
  const { idp, idToken, isAccessToken } = options;
  checkObject(idp, 'The "idp" of enterpriseManaged', 'an object with issuer and client');
  const { issuer, tokenEndpoint } = idp;
  const at = tokenEndpoint ?? issuer ?? '';
  if (!URL.canParse(at))
    throw badDefinition('The "idp" of enterpriseManaged', 'it needs the URL of its "tokenEndpoint" or its "issuer"');
  const client = toIdentity(idp.client);
  const make = (parts: MachineParts): Grant => {
    const context = createAuthContext(parts.context.endpoint, options, new URL(at));
    return enterpriseGrant(parts, { context, client, issuer, tokenEndpoint, idToken, isAccessToken });
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
