/** The server behind `cassette`: replays the recorded response of each request. */
import { RpcError } from '../errors.ts';
import {
  INVALID_PARAMS,
  isObject,
  isRequest,
  type JsonObject,
  METHOD_NOT_FOUND,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../jsonrpc/message.ts';
import { DISCOVER, PROGRESS, SUBSCRIPTION_ID } from '../model/names.ts';
import { type Link, type Servable, whenAborted } from '../peer/exchange.ts';
import { nextTurn } from '../peer/runtime.ts';
import { progressTokenOf, type RecordedCall, recordedCalls } from '../recording/recorded-calls.ts';
import type { Recording } from '../recording/recording.ts';
import { findDifference } from './transcript.ts';

/** Requests that match by method alone, because they contain the name of the client. */
const handshakes: ReadonlySet<string> = new Set(['initialize', DISCOVER]);
const MAX_SHOWN = 300;

export function replayRecording({ head, lines }: Recording): Servable {
  const calls = recordedCalls(lines);
  return {
    open(push) {
      const played = new Set<RecordedCall>();
      return {
        async exchange(message, link) {
          if (!isRequest(message)) return undefined;
          const call = findCall(message, calls, { played, mask: head.mask });
          const response = await replayCall(call, message, link);
          // Sends later notifications after the response.
          void nextTurn().then(() => {
            for (const one of call.afterwards) push.notify(one);
          });
          return response;
        },
        close: () => undefined,
      };
    },
  };
}

interface ReplayState {
  /** Calls that were replayed: a repeated request can have different recorded responses. */
  readonly played: Set<RecordedCall>;
  readonly mask: string;
}

/** Finds the first matching call that was not replayed yet; if all were, the last one again. */
function findCall(request: RpcRequest, calls: readonly RecordedCall[], { played, mask }: ReplayState): RecordedCall {
  const sameMethod = calls.filter(({ request: { method } }) => method === request.method);
  const matching = sameMethod.filter(
    (call) => handshakes.has(request.method) || matches(paramsOf(call.request), paramsOf(request), mask),
  );
  const call = matching.find((one) => !played.has(one)) ?? matching.at(-1);
  if (call === undefined) throw notRecordedError(request, sameMethod, calls);
  played.add(call);
  return call;
}

/** The params without `_meta`, which differs between clients and requests. */
function paramsOf({ params = {} }: RpcRequest): JsonObject {
  const { _meta: _, ...rest } = params;
  return rest;
}

/** Deep equality, except that a masked secret in the recording matches any value. */
function matches(recorded: unknown, live: unknown, mask: string): boolean {
  if (typeof recorded === 'string' && recorded.includes(mask)) return hasParts(recorded.split(mask), live);
  if (Array.isArray(recorded) && Array.isArray(live))
    return recorded.length === live.length && recorded.every((one, at) => matches(one, live[at], mask));
  if (!isObject(recorded) || !isObject(live)) return Object.is(recorded, live);
  const keys = Object.keys(recorded);
  return (
    keys.length === Object.keys(live).length &&
    keys.every((key) => Object.hasOwn(live, key) && matches(recorded[key], live[key], mask))
  );
}

/** Whether a text consists of these parts in order, with any text between them. A value that was masked as a whole matches any type. */
function hasParts([first = '', ...rest]: readonly string[], live: unknown): boolean {
  if (typeof live !== 'string') return first === '' && rest.every((part) => part === '');
  if (!live.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest.slice(0, -1)) {
    const found = live.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  const last = rest.at(-1) ?? '';
  return live.length - last.length >= at && live.endsWith(last);
}

async function replayCall(call: RecordedCall, live: RpcRequest, link: Link): Promise<RpcResponse> {
  for (const one of call.meanwhile) {
    // Ignores the client's response, because the recording continues in the same way for any response.
    if (isRequest(one)) await link.ask(one).catch(() => undefined);
    else for (const report of rebindReport(one, call.request, live)) link.notify(report);
  }
  const { response } = call;
  if (response === undefined) return new Promise((_, reject) => whenAborted(link, reject));
  const { _meta: meta } = 'result' in response ? response.result : {};
  const own = isObject(meta) && meta[SUBSCRIPTION_ID] === call.request.id;
  if (!own || !('result' in response)) return { ...response, id: live.id };
  return { ...response, id: live.id, result: { ...response.result, _meta: { ...meta, [SUBSCRIPTION_ID]: live.id } } };
}

/** Replaces the recorded progress token or subscription id by that of the live request. Drops progress that the client did not request. */
function rebindReport(message: RpcNotification, then: RpcRequest, live: RpcRequest): readonly RpcNotification[] {
  const { params = {} } = message;
  if (message.method === PROGRESS && params['progressToken'] === progressTokenOf(then.params)) {
    const progressToken = progressTokenOf(live.params);
    return progressToken === undefined ? [] : [{ ...message, params: { ...params, progressToken } }];
  }
  const meta = params['_meta'];
  if (!isObject(meta) || meta[SUBSCRIPTION_ID] !== then.id) return [message];
  return [{ ...message, params: { ...params, _meta: { ...meta, [SUBSCRIPTION_ID]: live.id } } }];
}

function notRecordedError(
  request: RpcRequest,
  sameMethod: readonly RecordedCall[],
  calls: readonly RecordedCall[],
): RpcError {
  const { method } = request;
  const [nearest] = sameMethod
    .map((call) => ({ call, countEqual: countEqual(paramsOf(call.request), paramsOf(request)) }))
    .toSorted((a, b) => b.countEqual - a.countEqual);
  if (nearest === undefined) {
    const known = [...new Set(calls.map((call) => call.request.method))].join(', ');
    return new RpcError(METHOD_NOT_FOUND, `${method} was never recorded; there are ${known || 'no requests'}`);
  }
  const then = paramsOf(nearest.call.request);
  const at = findDifference(then, paramsOf(request), new Map()) ?? '';
  const shown = JSON.stringify(then).slice(0, MAX_SHOWN);
  return new RpcError(
    INVALID_PARAMS,
    `${method} was never recorded with these params; the nearest is ${shown}, which differs${at === '' ? '' : ` at ${at}`}`,
  );
}

/** Counts equal values, as a measure of similarity. */
function countEqual(a: unknown, b: unknown): number {
  if (!isObject(a) || !isObject(b)) return JSON.stringify(a) === JSON.stringify(b) ? 1 : 0;
  return Object.keys(a).reduce((sum, key) => sum + (Object.hasOwn(b, key) ? countEqual(a[key], b[key]) : 0), 0);
}
