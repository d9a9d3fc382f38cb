/** Grants without a user: client credentials, and the assertion of a workload (RFC 7523). */
import type { AuthContext } from '../context/auth-context.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';
import { checkProofSupport, type DpopProofs } from '../identity/dpop.ts';
import type { IssuerBinding } from '../registration/issuer-binding.ts';
import type { Grant, Granted, GrantRequest } from '../tokens/grant.ts';
import { isTokenRefusal, requestToken } from '../tokens/token-endpoint.ts';

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export interface MachineParts {
  readonly context: AuthContext;
  /** Preregistered; undefined if the grant needs no client. */
  readonly client: ClientIdentity | undefined;
  /** The authorization server that the client is registered with; it is used with no other. */
  readonly issuer?: string | undefined;
  readonly binding: IssuerBinding;
  readonly proofs?: DpopProofs | undefined;
}

/** A client that acts for itself. */
export function clientCredentialsGrant(parts: MachineParts): Grant {
  const obtain = (wanted: GrantRequest): Promise<Granted> =>
    requestMachineToken(parts, wanted, { grant_type: 'client_credentials' });
  return { unattended: true, issuer: parts.issuer, obtain };
}

/** A workload that exchanges the assertion of its platform for a token. */
export function workloadGrant(parts: MachineParts, getAssertion: () => Promise<string>): Grant {
  let rejected: string | undefined;
  const obtain = async (wanted: GrantRequest): Promise<Granted> => {
    const assertion = await getAssertion();
    if (assertion === rejected)
      throw parts.context.failure('assertion', 'it is the one that was rejected before, and is not sent again');
    return requestMachineToken(parts, wanted, { grant_type: JWT_BEARER, assertion }, () => {
      rejected = assertion;
    });
  };
  return { unattended: true, issuer: parts.issuer, obtain };
}

export async function requestMachineToken(
  parts: MachineParts,
  { server, resource, scopes }: GrantRequest,
  grant: Readonly<Record<string, string>>,
  onRejected?: () => void,
): Promise<Granted> {
  const { context, client, proofs } = parts;
  await checkClientIssuer(parts, server);
  if (proofs !== undefined) checkProofSupport(context, server);
  const params = { ...grant, resource, ...(scopes === undefined ? {} : { scope: scopes.join(' ') }) };
  const outcome = await requestToken(context, { server, client, params, proofs });
  if (!isTokenRefusal(outcome)) return { ...outcome, clientId: client?.id };
  onRejected?.();
  throw context.failure('token', outcome.why);
}

/** Before a secret is sent to an authorization server. An assertion is as secret as a client secret. */
export function checkClientIssuer(
  { context, client, issuer, binding }: MachineParts,
  server: AuthorizationServer,
): Promise<void> {
  const { id = '', secret = '' } = client ?? {};
  return binding.check(context, { id, secret, issuer }, { issuer: server.issuer, step: 'client' });
}
