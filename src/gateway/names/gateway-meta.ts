/** Keys of `_meta` that gateways add, and which keys of others pass through. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { filterMeta, isReserved } from '../../model/meta.ts';

/** How many gateways a request went through. */
export const HOPS = 'dev.mooring/hops';
/** The label of the upstream that a result is from. */
export const FROM = 'dev.mooring/from';
/** What became of a call that failed. */
export const OUTCOME = 'dev.mooring/outcome';

/** Gateways in a row. More are a circle. */
export const MAX_HOPS = 4;
/** What a caller can send along to an upstream. */
const MAX_META_LENGTH = 8 * 1024;

const traceKeys: ReadonlySet<string> = new Set(['traceparent', 'tracestate']);

export function hopsOf(params: JsonObject | undefined): number {
  const meta = params?.['_meta'];
  const hops = isObject(meta) ? meta[HOPS] : undefined;
  // A whole number: lists are fetched once for each of them.
  return typeof hops === 'number' && hops > 0 ? Math.ceil(hops) : 0;
}

/** What of a request's `_meta` goes on. Keys of the protocol end here. */
export function requestMeta(params: JsonObject | undefined): JsonObject {
  const meta = params?.['_meta'];
  const hops = { [HOPS]: hopsOf(params) + 1 };
  const own = isObject(meta) ? filterMeta(meta, isPassedOn) : undefined;
  return own === undefined || JSON.stringify(own).length > MAX_META_LENGTH ? hops : { ...own, ...hops };
}

const isPassedOn = (key: string): boolean => traceKeys.has(key) || isPassedBack(key);
const isPassedBack = (key: string): boolean => !isReserved(key);

/** What of a result's `_meta` goes on, and which upstream it is from. */
export function resultMeta(result: JsonObject, label: string): JsonObject {
  const meta = result['_meta'];
  const own = isObject(meta) ? filterMeta(meta, isPassedBack) : undefined;
  return own === undefined ? { [FROM]: label } : { ...own, [FROM]: label };
}
