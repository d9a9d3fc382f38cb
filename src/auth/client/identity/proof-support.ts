/** Asked for a token that is bound to a key, a server that knows nothing of that would give one that is not. */
import { printable } from '../../../model/printable.ts';
import type { AuthContext } from '../context/auth-context.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';

export function checkProofSupport(context: AuthContext, { proofAlgorithms, guessed }: AuthorizationServer): void {
  if (guessed || proofAlgorithms?.includes('ES256') === true) return;
  const named =
    proofAlgorithms === undefined ? 'does not say that it knows DPoP' : `takes ${proofAlgorithms.join(', ')}`;
  const why = `tokens are to be bound to a key for ES256, and the authorization server ${printable(named)}`;
  throw context.failure('proof of possession', why);
}
