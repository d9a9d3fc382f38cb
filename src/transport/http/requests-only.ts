/** What a server offers to clients that receive nothing outside of their own requests. */
import { RpcError } from '../../errors.ts';
import {
  failure,
  isFailure,
  isObject,
  METHOD_NOT_FOUND,
  type RpcRequest,
  type RpcResponse,
} from '../../jsonrpc/message.ts';

/** The requests that set something for later in their session. */
export const CHANGES_SESSION: ReadonlySet<string> = new Set([
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

/** The response to a method that is not served here: what is set for later reaches nothing. */
export function unservedMethod({ id, method }: RpcRequest): RpcResponse | undefined {
  if (!CHANGES_SESSION.has(method)) return undefined;
  return failure(id, new RpcError(METHOD_NOT_FOUND, `Method not found: ${method} needs a session that is kept`));
}

/** The response to a handshake, without capabilities that cannot be used. Only callers that can be told apart have lists of their own. */
export function withoutPushes(response: RpcResponse, hasOwnList: boolean): RpcResponse {
  if (isFailure(response) || !isObject(response.result['capabilities'])) return response;
  const { logging, ...offered } = response.result['capabilities'];
  const capabilities = Object.fromEntries(
    Object.entries(offered).map(([name, one]) => {
      if (!isObject(one)) return [name, one];
      const { listChanged, subscribe, list, ...rest } = one;
      return [name, list !== undefined && hasOwnList ? { list, ...rest } : rest];
    }),
  );
  return { ...response, result: { ...response.result, capabilities } };
}
