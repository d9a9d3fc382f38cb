/** The error for an unknown name. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS } from '../../jsonrpc/message.ts';
import type { PartKind } from '../contract.ts';

/** The same error for a missing, withheld or hidden part, so that callers cannot tell them apart. */
export function unknownPart(kind: PartKind, name: string): RpcError {
  if (kind === 'tool' || kind === 'prompt') return new RpcError(INVALID_PARAMS, `Unknown ${kind}: ${name}`);
  return new RpcError(INVALID_PARAMS, `Unknown resource: ${name}`, { uri: name }, 'resource-not-found');
}
