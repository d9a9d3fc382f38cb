/** The error of a name that callers do not see. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS } from '../../jsonrpc/message.ts';
import type { PartKind } from '../contract.ts';

/** One error for a part that does not exist, is withheld or is hidden by a rule, so that a caller cannot tell them apart. */
export function unknownPart(kind: PartKind, name: string): RpcError {
  if (kind === 'tool' || kind === 'prompt') return new RpcError(INVALID_PARAMS, `Unknown ${kind}: ${name}`);
  return new RpcError(INVALID_PARAMS, `Unknown resource: ${name}`, { uri: name }, 'resource-not-found');
}
