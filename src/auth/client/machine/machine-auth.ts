/** Authorization without a user: `clientCredentials`, and `workloadIdentity` with an assertion of the platform (RFC 7523). */
import { badDefinition } from '../../../errors.ts';
import type { ClientAuth } from '../../../model/auth.ts';
import { checkObject } from '../../../model/check-argument.ts';
import type { AuthContext } from '../context/auth-context.ts';
import { memoryCredentials } from '../credentials/credential-store.ts';
import { TokenStore } from '../credentials/token-store.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import { scopeParam } from '../discovery/scopes.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';
import { checkProofSupport, type DpopProofs } from '../identity/dpop.ts';
import { checkIssuerBinding } from '../registration/issuer-binding.ts';
import {
  type ClientAuthOptions,
  clientAuth,
  createAuthContext,
  createProofs,
  type RegisteredClient,
  toIdentity,
} from '../tokens/client-auth.ts';
import { endpointAuth } from '../tokens/endpoint-auth.ts';
import type { Grant, GrantedTokens, GrantRequest } from '../tokens/grant.ts';
import { isTokenRefusal, requestToken } from '../tokens/token-endpoint.ts';
import { Tokens } from '../tokens/tokens.ts';

export interface MachineOptions extends ClientAuthOptions {
  /** Scopes to request from the start, in addition to those that the server asks for. */
  readonly scopes?: readonly string[] | undefined;
}

/** Settings of `clientCredentials`. */
export interface ClientCredentialsOptions extends MachineOptions {
  /** A preregistered client, with a key or a secret. */
  readonly client: RegisteredClient;
}

/** Settings of `workloadIdentity`. */
export interface WorkloadIdentityOptions extends MachineOptions {
  /** Gets the current assertion of the platform about this workload, a signed JWT. Called for each token. */
  readonly assertion: () => Promise<string>;
  /** The client, for authorization servers that also authenticate it. */
  readonly client?: RegisteredClient | undefined;
}

export interface MachineParts {
  readonly context: AuthContext;
  /** The preregistered client; undefined if the grant needs none. */
  readonly client: ClientIdentity | undefined;
  readonly tokenStore: TokenStore;
  readonly proofs: DpopProofs | undefined;
}

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const CLIENT_CREDENTIALS = 'io.modelcontextprotocol/oauth-client-credentials';

/** Authorizes a client that acts on its own behalf (client credentials grant). */
export function clientCredentials(options: ClientCredentialsOptions): ClientAuth {
  const { secret, privateKey } = Object(Object(options).client) as Partial<ClientCredentialsOptions['client']>;
  if (secret === undefined && privateKey === undefined)
    throw badDefinition('The client of clientCredentials', 'it needs a "secret" or a "privateKey" to authenticate');
  const grant = { grant_type: 'client_credentials' };
  return machineAuth(options, (parts) => (wanted) => requestMachineToken(parts, wanted, grant), [CLIENT_CREDENTIALS]);
}

/** Authorizes a workload with an assertion of its platform (JWT bearer grant). */
export function workloadIdentity(options: WorkloadIdentityOptions): ClientAuth {
  checkObject(options, 'workloadIdentity(options)', 'an object with assertion');
  return machineAuth(options, (parts) => {
    let rejected: string | undefined;
    return async (wanted) => {
      const assertion = await options.assertion();
      if (assertion === rejected)
        throw parts.context.failure('assertion', 'it is the one that was rejected before, and is not sent again');
      return requestMachineToken(parts, wanted, { grant_type: JWT_BEARER, assertion }, () => {
        rejected = assertion;
      });
    };
  });
}

/** Creates client authorization without a user. `make` is called once per endpoint, and returns the function that obtains a token. */
export function machineAuth(
  options: MachineOptions & { readonly client?: RegisteredClient | undefined },
  make: (parts: MachineParts) => Grant['obtain'],
  extensions?: readonly string[],
): ClientAuth {
  const client = options.client && toIdentity(options.client);
  const tokenStore = new TokenStore(memoryCredentials());
  return clientAuth((endpoint) => {
    const context = createAuthContext(endpoint, options);
    const proofs = createProofs(options);
    const obtain = make({ context, client, tokenStore, proofs });
    const grant = { unattended: true, issuer: client?.issuer, obtain };
    return endpointAuth(endpoint, new Tokens({ context, grant, scopes: options.scopes }), proofs);
  }, extensions);
}

export async function requestMachineToken(
  parts: MachineParts,
  { server, resource, scopes }: GrantRequest,
  grant: Readonly<Record<string, string>>,
  onRejected?: () => void,
): Promise<GrantedTokens> {
  const { context, client, proofs } = parts;
  await checkClientIssuer(parts, server);
  if (proofs !== undefined) checkProofSupport(context, server);
  const params = { ...grant, resource, ...scopeParam(scopes) };
  const outcome = await requestToken(context, { server, client, params, proofs });
  if (!isTokenRefusal(outcome)) return { ...outcome, clientId: client?.id };
  onRejected?.();
  throw context.failure('token', outcome.why);
}

/** Throws before a secret is sent to another authorization server than the bound one. An assertion counts as a secret, so a client without a secret is bound the same way. */
export function checkClientIssuer(
  { context, client, tokenStore }: MachineParts,
  server: AuthorizationServer,
): Promise<void> {
  const { id = '', secret = '', issuer } = client ?? {};
  return checkIssuerBinding(context, tokenStore, {
    client: { id, secret, issuer },
    issuer: server.issuer,
    step: 'client',
  });
}
