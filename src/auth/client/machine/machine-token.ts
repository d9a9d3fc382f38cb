/** Asks for a token with a grant that needs no user. */

import type { AuthContext } from '../context/auth-context.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';
import type { ProofMaker } from '../identity/proof.ts';
import { checkProofSupport } from '../identity/proof-support.ts';
import type { IssuerBinding } from '../registration/issuer-binding.ts';
import type { Granted, GrantRequest } from '../tokens/grant.ts';
import { isTokenRefusal, requestToken, type TokenRefusal } from '../tokens/token-endpoint.ts';

export interface MachineParts {
  readonly context: AuthContext;
  /** Registered beforehand; undefined where the grant speaks for itself. */
  readonly client: ClientIdentity | undefined;
  /** The authorization server that knows the client; it is used with no other. */
  readonly issuer?: string | undefined;
  readonly binding: IssuerBinding;
  readonly proofs?: ProofMaker | undefined;
}

type Params = Readonly<Record<string, string>>;

export async function requestMachineToken(
  parts: MachineParts,
  wanted: GrantRequest,
  grant: Params,
): Promise<Granted | TokenRefusal> {
  const { context, client, proofs } = parts;
  const { server, resource, scopes } = wanted;
  await checkIssuer(parts, server);
  if (proofs !== undefined) checkProofSupport(context, server);
  const params = { ...grant, resource, ...(scopes === undefined ? {} : { scope: scopes.join(' ') }) };
  const outcome = await requestToken(context, { server, client, params, proofs });
  return isTokenRefusal(outcome) ? outcome : { ...outcome, clientId: client?.id };
}

/** Before anything is shown to an authorization server. What speaks for itself, such as an assertion, is as secret as a client is. */
export function checkIssuer(
  { context, client, issuer, binding }: MachineParts,
  server: AuthorizationServer,
): Promise<void> {
  const { id = '', secret = '' } = client ?? {};
  return binding.check(context, { id, secret, issuer }, { issuer: server.issuer, step: 'client' });
}
