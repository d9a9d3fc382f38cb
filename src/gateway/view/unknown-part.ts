/** The one answer for what there is not, what is withheld, and what a rule hides: nobody learns which of them it is. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS } from '../../jsonrpc/message.ts';
import type { PartKind } from '../contract.ts';

export function unknownPart(kind: PartKind, name: string): RpcError {
  if (kind === 'tool' || kind === 'prompt') return new RpcError(INVALID_PARAMS, `Unknown ${kind}: ${name}`);
  return new RpcError(INVALID_PARAMS, `Unknown resource: ${name}`, { uri: name }, 'resource-not-found');
}
