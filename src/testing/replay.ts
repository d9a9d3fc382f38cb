/** Serves a recording: a request that was recorded gets the recorded answer. */
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
import { type RecordedCall, recordedCalls, progressTokenOf } from '../recording/recorded-calls.ts';
import type { Recording } from '../recording/recording.ts';
import { difference } from './transcript.ts';

/** Requests that match by method alone: another client may introduce itself. */
const openings: ReadonlySet<string> = new Set(['initialize', DISCOVER]);
const MAX_SHOWN = 300;

export function replayRecording({ head, lines }: Recording): Servable {
  const calls = recordedCalls(lines);
  return {
    open(outlet) {
      const played = new Set<RecordedCall>();
      return {
        async exchange(message, link) {
          if (!isRequest(message)) return undefined;
          const call = findCall(message, calls, { played, mask: head.mask });
          const response = await replayCall(call, message, link);
          // Behind the answer.
          void nextTurn().then(() => {
            for (const one of call.afterwards) outlet.notify(one);
          });
          return response;
        },
        close: () => undefined,
      };
    },
  };
}

interface ReplayState {
  /** The same request can have had another answer each time. */
  readonly played: Set<RecordedCall>;
  readonly mask: string;
}

/** The first match that was not played yet; else the last one, again. */
function findCall(request: RpcRequest, calls: readonly RecordedCall[], { played, mask }: ReplayState): RecordedCall {
  const same = calls.filter(({ request: { method } }) => method === request.method);
  const fitting = same.filter(
    (call) => openings.has(request.method) || matches(paramsOf(call.request), paramsOf(request), mask),
  );
  const call = fitting.find((one) => !played.has(one)) ?? fitting.at(-1);
  if (call === undefined) throw notRecordedError(request, same, calls);
  played.add(call);
  return call;
}

/** Without `_meta`, which says who asks and how to report. */
function paramsOf({ params = {} }: RpcRequest): JsonObject {
  const { _meta: _, ...rest } = params;
  return rest;
}

/** A secret was masked, and any other may stand in its place. */
function matches(recorded: unknown, live: unknown, mask: string): boolean {
  if (typeof recorded === 'string' && recorded.includes(mask)) return covers(recorded.split(mask), live);
  if (Array.isArray(recorded) && Array.isArray(live))
    return recorded.length === live.length && recorded.every((one, at) => matches(one, live[at], mask));
  if (!isObject(recorded) || !isObject(live)) return Object.is(recorded, live);
  const keys = Object.keys(recorded);
  return (
    keys.length === Object.keys(live).length &&
    keys.every((key) => Object.hasOwn(live, key) && matches(recorded[key], live[key], mask))
  );
}

/** Whether a text has these parts in this order, with anything in between. What was masked alone may have been no text. */
function covers([first = '', ...rest]: readonly string[], live: unknown): boolean {
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
    // The answer of the client changes nothing: what followed was recorded.
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

/** Reports carry the token and ids of this very request; a client that wants no reports gets none. */
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
  same: readonly RecordedCall[],
  calls: readonly RecordedCall[],
): RpcError {
  const { method } = request;
  const [nearest] = same
    .map((call) => ({ call, countEqual: countEqual(paramsOf(call.request), paramsOf(request)) }))
    .toSorted((a, b) => b.countEqual - a.countEqual);
  if (nearest === undefined) {
    const known = [...new Set(calls.map((call) => call.request.method))].join(', ');
    return new RpcError(METHOD_NOT_FOUND, `${method} was never recorded; there are ${known || 'no requests'}`);
  }
  const then = paramsOf(nearest.call.request);
  const at = difference(then, paramsOf(request), new Map()) ?? '';
  const shown = JSON.stringify(then).slice(0, MAX_SHOWN);
  return new RpcError(
    INVALID_PARAMS,
    `${method} was never recorded with these params; the nearest is ${shown}, which differs${at === '' ? '' : ` at ${at}`}`,
  );
}

/** How many values are the same. */
function countEqual(a: unknown, b: unknown): number {
  if (!isObject(a) || !isObject(b)) return JSON.stringify(a) === JSON.stringify(b) ? 1 : 0;
  return Object.keys(a).reduce((sum, key) => sum + (Object.hasOwn(b, key) ? countEqual(a[key], b[key]) : 0), 0);
}
