/** Asks for a token with a grant that needs no user. */
import type { AuthorizationServer } from './authorization-server.ts';
import type { ClientIdentity } from './client-identity.ts';
import type { AuthContext } from './flow.ts';
import type { Granted, GrantRequest } from './grant.ts';
import type { IssuerBinding } from './issuer-binding.ts';
import type { ProofMaker } from './proof.ts';
import { checkProofs } from './proof-support.ts';
import { isTokenRefusal, requestToken, type TokenRefusal } from './token-endpoint.ts';

export interface MachineParts {
  readonly flow: AuthContext;
  /** Registered beforehand; undefined where the grant speaks for itself. */
  readonly client: ClientIdentity | undefined;
  /** The authorization server that knows the client; it is used with no other. */
  readonly issuer?: string | undefined;
  readonly binding: IssuerBinding;
  readonly proofs?: ProofMaker | undefined;
}

type Params = Readonly<Record<string, string>>;

export async function machineToken(
  parts: MachineParts,
  wanted: GrantRequest,
  grant: Params,
): Promise<Granted | TokenRefusal> {
  const { flow, client, proofs } = parts;
  const { server, resource, scopes } = wanted;
  await checkIssuer(parts, server);
  if (proofs !== undefined) checkProofs(flow, server);
  const params = { ...grant, resource, ...(scopes === undefined ? {} : { scope: scopes.join(' ') }) };
  const outcome = await requestToken(flow, { server, client, params, proofs });
  return isTokenRefusal(outcome) ? outcome : { ...outcome, clientId: client?.id };
}

/** Before anything is shown to an authorization server. What speaks for itself, such as an assertion, is as secret as a client is. */
export function checkIssuer(
  { flow, client, issuer, binding }: MachineParts,
  server: AuthorizationServer,
): Promise<void> {
  const { id = '', secret = '' } = client ?? {};
  return binding.check(flow, { id, secret, issuer }, { issuer: server.issuer, step: 'client' });
}
