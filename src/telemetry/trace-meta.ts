/** The trace that a request belongs to, in its `_meta`: as the W3C spells it, under keys without a prefix. */
import { type Context, propagation, type TextMapGetter } from '@opentelemetry/api';
import { isObject, type JsonObject, type RpcRequest } from '../jsonrpc/message.ts';

/** Baggage is for the caller to send: it may hold anything. */
const SENT: readonly string[] = ['traceparent', 'tracestate'];
const MAX_VALUE_LENGTH = 512;

const fromMeta: TextMapGetter<JsonObject> = {
  keys: (meta) => Object.keys(meta).filter((key) => SENT.includes(key)),
  get(meta, key) {
    const value = SENT.includes(key) ? meta[key] : undefined;
    return typeof value === 'string' && value.length <= MAX_VALUE_LENGTH ? value : undefined;
  },
};

/** The context that the sender of a request says it belongs to. */
export function readTrace({ params }: RpcRequest, context: Context): Context {
  const meta = params?.['_meta'];
  return isObject(meta) ? propagation.extract(context, meta, fromMeta) : context;
}

/** The request as part of the trace of this context. What a caller wrote there itself stays. */
export function writeTrace(request: RpcRequest, context: Context): RpcRequest {
  const carrier: Record<string, string> = {};
  propagation.inject(context, carrier);
  const trace = Object.fromEntries(Object.entries(carrier).filter(([key]) => SENT.includes(key)));
  if (Object.keys(trace).length === 0) return request;
  const { params = {} } = request;
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  return meta['traceparent'] === undefined
    ? { ...request, params: { ...params, _meta: { ...meta, ...trace } } }
    : request;
}
