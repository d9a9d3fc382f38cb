/** A recording, sorted by what the client asked: each request with everything that came of it. */
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
  /** What the server said and asked until it answered, in order. */
  readonly meanwhile: (RpcNotification | RpcRequest)[];
  /** Undefined where it never answered. */
  response?: RpcResponse;
  /** What it said before the next request. */
  readonly afterwards: RpcNotification[];
}

export function recordedCalls(lines: readonly CassetteLine[]): readonly RecordedCall[] {
  const takes: RecordedCall[] = [];
  const open = new Map<Id, RecordedCall>();
  for (const { side, message } of lines) {
    if (side === '>') {
      if (!isRequest(message)) continue;
      const take: RecordedCall = { request: message, meanwhile: [], afterwards: [] };
      takes.push(take);
      open.set(message.id, take);
    } else if (isResponse(message)) {
      const take = open.get(message.id ?? '');
      if (take === undefined) continue;
      take.response = message;
      open.delete(take.request.id);
    } else {
      const asked = [...open.values()];
      const take = asked.find(({ request }) => isProgressOf(request, message)) ?? asked.at(-1);
      if (take !== undefined) take.meanwhile.push(message);
      else if (!isRequest(message)) takes.at(-1)?.afterwards.push(message);
    }
  }
  return takes;
}

function isProgressOf({ params }: RpcRequest, { method, params: told }: RpcNotification): boolean {
  const token = tokenOf(params);
  return method === PROGRESS && token !== undefined && told?.['progressToken'] === token;
}

export function tokenOf(params: RpcRequest['params']): unknown {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta['progressToken'] : undefined;
}
