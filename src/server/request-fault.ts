/** Validates the `_meta` of a request of any method. */
import { isId, isObject, type RpcRequest } from '../jsonrpc/message.ts';

export function requestMetaFault({ params }: RpcRequest): string | undefined {
  const meta = params?.['_meta'];
  if (meta === undefined) return undefined;
  if (!isObject(meta)) return '"params._meta" must be an object';
  const token = meta['progressToken'];
  return token === undefined || isId(token) ? undefined : '"params._meta.progressToken" must be a string or an integer';
}
