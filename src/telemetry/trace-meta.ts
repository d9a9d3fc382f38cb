/** Reads and writes W3C trace context in the `_meta` of requests, under keys without a prefix. */
import { type Context, propagation, type TextMapGetter } from '@opentelemetry/api';
import { isObject, type JsonObject, type RpcRequest } from '../jsonrpc/message.ts';

/** Baggage is not propagated, because it can contain anything; callers can send it themselves. */
const PROPAGATED: readonly string[] = ['traceparent', 'tracestate'];
const MAX_VALUE_LENGTH = 512;

const fromMeta: TextMapGetter<JsonObject> = {
  keys: (meta) => Object.keys(meta).filter((key) => PROPAGATED.includes(key)),
  get(meta, key) {
    const value = PROPAGATED.includes(key) ? meta[key] : undefined;
    return typeof value === 'string' && value.length <= MAX_VALUE_LENGTH ? value : undefined;
  },
};

/** Returns the trace context that the sender of a request declares. */
export function readTrace({ params }: RpcRequest, context: Context): Context {
  const meta = params?.['_meta'];
  return isObject(meta) ? propagation.extract(context, meta, fromMeta) : context;
}

/** Adds the trace context to a request, unless the caller set its own. */
export function writeTrace(request: RpcRequest, context: Context): RpcRequest {
  const carrier: Record<string, string> = {};
  propagation.inject(context, carrier);
  const trace = Object.fromEntries(Object.entries(carrier).filter(([key]) => PROPAGATED.includes(key)));
  if (Object.keys(trace).length === 0) return request;
  const { params = {} } = request;
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  return meta['traceparent'] === undefined
    ? { ...request, params: { ...params, _meta: { ...meta, ...trace } } }
    : request;
}
