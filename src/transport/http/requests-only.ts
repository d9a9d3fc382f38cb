/** Restricts what a server offers in sessions in which it can send messages only during a request of the client. */
import { RpcError } from '../../errors.ts';
import {
  failure,
  isFailure,
  isObject,
  METHOD_NOT_FOUND,
  type RpcRequest,
  type RpcResponse,
} from '../../jsonrpc/message.ts';

/** The requests that change their session. */
export const CHANGES_SESSION: ReadonlySet<string> = new Set([
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

/** Rejects a method that would change the session, which is not stored; undefined for all other methods. */
export function unservedMethod({ id, method }: RpcRequest): RpcResponse | undefined {
  if (!CHANGES_SESSION.has(method)) return undefined;
  return failure(id, new RpcError(METHOD_NOT_FOUND, `Method not found: ${method} needs a session that is kept`));
}

/** Removes capabilities that need other messages from a handshake response. Task lists remain if callers can be distinguished. */
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
