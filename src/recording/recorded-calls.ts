/** A recording as calls: each request with everything that came of it. */
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
  /** What the server sent and asked until it answered, in order. */
  readonly meanwhile: (RpcNotification | RpcRequest)[];
  /** Undefined where it never answered. */
  response?: RpcResponse;
  /** What it sent between the answer and the next request. */
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
  const token = tokenOf(params);
  return method === PROGRESS && token !== undefined && report?.['progressToken'] === token;
}

export function tokenOf(params: RpcRequest['params']): unknown {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta['progressToken'] : undefined;
}
