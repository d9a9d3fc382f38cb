/** The sealed state of suspended calls. It is another one in every run, so the live one takes the place of the recorded one. */
import type { RpcRequest, RpcResponse } from '../../jsonrpc/message.ts';

const MEMBER = 'requestState';

export class LiveStates {
  /** By the recorded state. */
  readonly #live: Map<string, string> = new Map();

  /** A recorded request as the live server understands it. */
  toLive(request: RpcRequest): RpcRequest {
    const state = this.#live.get(String(request.params?.[MEMBER]));
    return state === undefined ? request : { ...request, params: { ...request.params, [MEMBER]: state } };
  }

  /** A live response with the state that was recorded, if both have one. */
  toRecorded(recorded: RpcResponse, live: RpcResponse): RpcResponse {
    if ('error' in recorded || 'error' in live) return live;
    const [then, now] = [recorded.result[MEMBER], live.result[MEMBER]];
    if (typeof then !== 'string' || typeof now !== 'string') return live;
    this.#live.set(then, now);
    return { ...live, result: { ...live.result, [MEMBER]: then } };
  }
}
