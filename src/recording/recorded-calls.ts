/** Groups the messages of a recording into calls: each client request with its response and the server's other messages. */
import {
  type Id,
  isObject,
  isRequest,
  isResponse,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../jsonrpc/message.ts';
import { PROGRESS } from '../model/names.ts';
import type { CassetteLine } from './recording.ts';

export interface RecordedCall {
  readonly request: RpcRequest;
  /** Notifications and requests of the server before its response, in order. */
  readonly meanwhile: (RpcNotification | RpcRequest)[];
  /** Undefined if the server never responded. */
  response?: RpcResponse;
  /** Notifications of the server between the response and the next request. */
  readonly afterwards: RpcNotification[];
}

export function recordedCalls(lines: readonly CassetteLine[]): readonly RecordedCall[] {
  const calls: RecordedCall[] = [];
  const open = new Map<Id, RecordedCall>();
  for (const { side, message } of lines) {
    if (side === '>') {
      if (!isRequest(message)) continue;
      const call: RecordedCall = { request: message, meanwhile: [], afterwards: [] };
      calls.push(call);
      open.set(message.id, call);
    } else if (isResponse(message)) {
      const call = open.get(message.id ?? '');
      if (call === undefined) continue;
      call.response = message;
      open.delete(call.request.id);
    } else {
      const waiting = [...open.values()];
      const call = waiting.find(({ request }) => isProgressOf(request, message)) ?? waiting.at(-1);
      if (call !== undefined) call.meanwhile.push(message);
      else if (!isRequest(message)) calls.at(-1)?.afterwards.push(message);
    }
  }
  return calls;
}

function isProgressOf({ params }: RpcRequest, { method, params: report }: RpcNotification): boolean {
  const token = progressTokenOf(params);
  return method === PROGRESS && token !== undefined && report?.['progressToken'] === token;
}

export function progressTokenOf(params: RpcRequest['params']): unknown {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta['progressToken'] : undefined;
}
