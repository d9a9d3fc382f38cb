/** The error for an unknown name. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, type RpcRequest } from '../../jsonrpc/message.ts';
import type { CompletionReference } from '../../model/parts.ts';
import type { PartKind } from '../contract.ts';

/**
 * The same error for a missing, withheld or hidden part, so that callers cannot tell them apart. `name` is what the caller wrote: the
 * exposed name of a hidden part would reveal that it exists.
 */
export function unknownPart(kind: PartKind, name: string): RpcError {
  if (kind === 'tool' || kind === 'prompt') return new RpcError(INVALID_PARAMS, `Unknown ${kind}: ${name}`);
  return new RpcError(INVALID_PARAMS, `Unknown resource: ${name}`, { uri: name }, 'resource-not-found');
}

/** The name or URI in a request, whose params have been checked. */
export function requestedName({ method, params = {} }: Pick<RpcRequest, 'method' | 'params'>): string {
  if (method === 'resources/read') return String(params['uri']);
  if (method !== 'completion/complete') return String(params['name']);
  const ref = params['ref'] as CompletionReference; // checked, as all params
  return ref.type === 'ref/prompt' ? ref.name : ref.uri;
}
