/** Asks for a token with a grant that needs no user. */
import { printable } from '../../model/printable.ts';
import type { ClientIdentity } from './client-identity.ts';
import type { Flow } from './flow.ts';
import type { Granted, Wanted } from './grant.ts';
import type { ProofMaker } from './proof.ts';
import { checkProofs } from './proof-support.ts';
import { isRefusal, requestToken, type TokenRefusal } from './token-endpoint.ts';

export interface MachineParts {
  readonly flow: Flow;
  /** Registered beforehand; undefined where the grant speaks for itself. */
  readonly client: ClientIdentity | undefined;
  /** The authorization server that knows the client; it is used with no other. */
  readonly issuer?: string | undefined;
  readonly proofs?: ProofMaker | undefined;
}

type Params = Readonly<Record<string, string>>;

export async function machineToken(
  parts: MachineParts,
  wanted: Wanted,
  grant: Params,
): Promise<Granted | TokenRefusal> {
  const { flow, client, issuer, proofs } = parts;
  const { server, resource, scopes } = wanted;
  if (issuer !== undefined && issuer !== server.issuer) {
    const [ours, theirs] = [issuer, server.issuer].map((text) => printable(text.slice(0, 200)));
    throw flow.failed('client', `it is registered with ${ours}, and the server now trusts ${theirs}`);
  }
  if (proofs !== undefined) checkProofs(flow, server);
  const params = { ...grant, resource, ...(scopes === undefined ? {} : { scope: scopes.join(' ') }) };
  const outcome = await requestToken(flow, { server, client, params, proofs });
  return isRefusal(outcome) ? outcome : { ...outcome, clientId: client?.id };
}
